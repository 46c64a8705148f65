//! How many cases per second each library checks.

use crate::library::Library;
use crate::report::{Bound, Entry, Report, Target};
use crate::worker;
use crate::workload::{Measured, Workload};

/// Measures all libraries on all workloads; the best of `repeat` runs of each counts.
pub fn report(repeat: u64) -> Report {
    let (build, profile) = if cfg!(debug_assertions) { ("debug", DEBUG) } else { ("release", RELEASE) };
    let mut rows = Vec::new();
    let mut targets = Vec::new();
    for workload in Workload::ALL {
        let rates = rates(workload, repeat);
        let rate_of = |library| rate_of(&rates, library);
        for rate in &rates {
            let ratio = if rate.library.is_peer() {
                Entry::Number(rate_of(Library::Probity) / rate.comparable)
            } else {
                Entry::Missing
            };
            rows.push(vec![
                ("workload", Entry::Text(workload.name().to_owned())),
                ("library", Entry::Text(rate.library.name().to_owned())),
                ("cases/s", Entry::Number(rate.measured.cases_per_second())),
                ("mean length", mean_len(workload, &rate.measured)),
                ("cases/s at probity's length", rate.normalised()),
                ("probity/peer", ratio),
            ]);
        }
        for goal in profile.iter().filter(|goal| goal.workload == workload) {
            let peer = goal.peer.unwrap_or_else(|| fastest_peer(&rates));
            targets.push(Target {
                about: format!("{}, {} / {}", workload.name(), goal.ours.name(), peer.name()),
                figure: rate_of(goal.ours) / rate_of(peer),
                bound: Bound::AtLeast(goal.least),
            });
        }
    }
    let about = format!(
        "{build} build, best of {repeat}; a peer whose mean length is more than {:.0} % off is compared by elements",
        100.0 * TOLERANCE
    );
    Report { measure: "throughput", about, rows, targets }
}

/// How far a peer's mean length may be from Probity's for their cases to count as equal.
const TOLERANCE: f64 = 0.05;

/// What Probity must reach: `ours` at least `least` times as fast as `peer`, or as the fastest one.
struct Goal {
    workload: Workload,
    ours: Library,
    peer: Option<Library>,
    least: f64,
}

const RELEASE: &[Goal] = &[
    Goal { workload: Workload::Vec, ours: Library::Probity, peer: None, least: 1.5 },
    Goal { workload: Workload::Vec, ours: Library::Recording, peer: Some(Library::Hegel), least: 10.0 },
    Goal { workload: Workload::Pair, ours: Library::Probity, peer: Some(Library::Quickcheck), least: 1.0 },
    Goal { workload: Workload::Pair, ours: Library::Recording, peer: Some(Library::Hegel), least: 10.0 },
];

const DEBUG: &[Goal] = &[
    Goal { workload: Workload::Vec, ours: Library::Probity, peer: Some(Library::Bolero), least: 1.0 },
    Goal { workload: Workload::Pair, ours: Library::Probity, peer: Some(Library::Bolero), least: 1.0 },
];

/// The best run of a library.
struct Rate {
    library: Library,
    measured: Measured,
    /// Cases per second, as if they had Probity's mean length.
    comparable: f64,
}

impl Rate {
    fn new(library: Library, measured: Measured, mean_len: f64) -> Rate {
        let off = measured.mean_len / mean_len - 1.0;
        let scale = if off.abs() > TOLERANCE { 1.0 + off } else { 1.0 };
        Rate { library, measured, comparable: measured.cases_per_second() * scale }
    }

    fn normalised(&self) -> Entry {
        if self.comparable == self.measured.cases_per_second() {
            Entry::Missing
        } else {
            Entry::Number(self.comparable)
        }
    }
}

fn rates(workload: Workload, repeat: u64) -> Vec<Rate> {
    // The length Probity draws of its own accord is the one its peers are set to.
    let mean_len = worker::throughput(Library::Probity, workload, 0.0, 0).mean_len;
    let mut best: Vec<Option<Rate>> = Library::ALL.map(|_| None).into();
    // The libraries take turns, so that a busy spell of the machine hits all of them.
    for seed in 0..repeat {
        for (library, best) in Library::ALL.into_iter().zip(&mut best) {
            let rate = Rate::new(library, worker::throughput(library, workload, mean_len, seed), mean_len);
            if best.as_ref().is_none_or(|best| best.comparable < rate.comparable) {
                *best = Some(rate);
            }
        }
    }
    best.into_iter().flatten().collect()
}

fn rate_of(rates: &[Rate], library: Library) -> f64 {
    rates.iter().find(|rate| rate.library == library).expect("every library was measured").comparable
}

fn fastest_peer(rates: &[Rate]) -> Library {
    let peers = rates.iter().filter(|rate| rate.library.is_peer());
    peers.max_by(|one, other| one.comparable.total_cmp(&other.comparable)).expect("there are peers").library
}

fn mean_len(workload: Workload, measured: &Measured) -> Entry {
    match workload {
        Workload::Vec => Entry::Number(measured.mean_len),
        Workload::Pair => Entry::Missing,
    }
}
