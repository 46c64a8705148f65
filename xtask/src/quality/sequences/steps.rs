//! Sequences of steps: how soon faults are found with swarm and without, and what sequences shrink to.

mod faults;
mod files;

use probity_core::{Budget, Replay, Seed, Source, Swarm, Tail, render_case, search_random, shrink};

use super::super::{silence_cases, table::Table};
use files::FileFault;

const SEEDS: u64 = 20;
/// Cases a seed may take to find a fault.
const CASES: u64 = 200_000;
/// How many cases a fault of one arm that must not be left may take, in the median, and how many times fewer than
/// without swarm.
const MEDIAN_MOST: u64 = 300;
const GAIN_LEAST: f64 = 20.0;
/// How many times as many cases swarm may cost.
const LOSS_MOST: f64 = 4.0;
/// In how many seeds the shortest sequence must be reached, and with how many runs in the mean.
const AT_SHORTEST: u64 = 19;
const RUNS_MOST: f64 = 600.0;

/// Cases until faults of a file system are found.
pub(crate) fn swarm() -> Table {
    silence_cases();
    let columns = ["fault", "found", "cases, median", "most", "found without", "median", "most", "ratio"];
    let title = format!("file system with a fault: cases with swarm and without, {SEEDS} seeds each");
    let mut table = Table::new(title, &columns);
    for fault in [FileFault::OpenDir, FileFault::WriteGone, FileFault::TableFull] {
        let (on, off) = (CasesToFind::measure(fault, Swarm::On), CasesToFind::measure(fault, Swarm::Off));
        let ratio = off.median() as f64 / on.median() as f64;
        let all = on.found == SEEDS;
        let (target, met) = if fault == FileFault::TableFull {
            let target = format!("all found, median <= {MEDIAN_MOST}, ratio >= {GAIN_LEAST}");
            (target, all && on.median() <= MEDIAN_MOST && ratio >= GAIN_LEAST)
        } else {
            (format!("all found, ratio >= 1/{LOSS_MOST}"), all && ratio >= 1.0 / LOSS_MOST)
        };
        let cells = [vec![fault.name().to_string()], on.cells(), off.cells(), vec![format!("{ratio:.2}")]];
        table.row(cells.concat(), target, Some(met));
    }
    table
}

/// How many cases each seed took.
struct CasesToFind {
    found: u64,
    /// In order; the limit where nothing was found.
    cases: Vec<u64>,
}

impl CasesToFind {
    fn measure(fault: FileFault, swarm: Swarm) -> CasesToFind {
        let mut res = CasesToFind { found: 0, cases: Vec::new() };
        for word in 0..SEEDS {
            let mut test = |src: &mut Source| files::harness(src, fault);
            let budget =
                Budget { cases: CASES, rejects: 0, go_on: &mut |_| true, progress: Default::default() };
            let result = search_random(Seed { swarm, ..Seed::from(word) }, &mut test, budget)
                .expect("the harness uses us rightly");
            let first = result.failures.first().map(|it| it.index + 1);
            res.found += u64::from(first.is_some());
            res.cases.push(first.unwrap_or(CASES));
        }
        res.cases.sort_unstable();
        res
    }

    fn median(&self) -> u64 {
        self.cases[self.cases.len() / 2]
    }

    fn cells(&self) -> Vec<String> {
        let most = self.cases.last().map_or(0, |it| *it);
        vec![format!("{}/{SEEDS}", self.found), self.median().to_string(), most.to_string()]
    }
}

/// What sequences with a planted fault shrink to. The target is their length. Where several are as short, how often the
/// simplest of them is reached is beside it: of a cycle of three nodes both directions are as short, and shrinking
/// does not turn one into the other.
pub(crate) fn minima() -> Table {
    silence_cases();
    let title = format!("shortest sequences, {SEEDS} seeds each; runs after the first failure");
    let columns = ["fault", "found", "shortest", "simplest", "runs, mean", "most", "minimum, or another"];
    let mut table = Table::new(title, &columns);
    for fault in faults::ALL {
        let (mut shortest, mut simplest, mut runs, mut shown) = (0, 0, Vec::new(), String::new());
        for seed in 0..SEEDS {
            let mut test = fault.test;
            let budget =
                Budget { cases: CASES, rejects: 0, go_on: &mut |_| true, progress: Default::default() };
            let result = search_random(seed, &mut test, budget).expect("faults use us rightly");
            let Some(first) = result.failures.into_iter().next() else { continue };
            let shrunk = shrink(first.case, &mut test, 10_000, &mut |_| true).expect("faults use us rightly");
            runs.push(shrunk.evaluations);
            let replay = Replay::new(shrunk.case.trace.values(), Tail::Overrun);
            let case = render_case(&mut Source::new(Box::new(replay)), &mut test).expect("it failed before");
            let minimum = case.log.inputs.into_iter().map(|it| it.text).collect::<Vec<_>>().join("; ");
            let is_least = minimum == fault.least;
            simplest += u64::from(is_least);
            shortest += u64::from(n_steps(&minimum) == n_steps(fault.least));
            if !is_least || shown.is_empty() {
                shown = minimum;
            }
        }
        let mean = runs.iter().sum::<u64>() as f64 / runs.len().max(1) as f64;
        let cells = vec![
            fault.name.to_string(),
            format!("{}/{SEEDS}", runs.len()),
            format!("{shortest}/{SEEDS}"),
            format!("{simplest}/{SEEDS}"),
            format!("{mean:.0}"),
            runs.iter().max().map_or(String::new(), ToString::to_string),
            shown,
        ];
        let met = runs.len() as u64 == SEEDS && shortest >= AT_SHORTEST && mean <= RUNS_MOST;
        table.row(cells, format!("{AT_SHORTEST} shortest, mean <= {RUNS_MOST}"), Some(met));
    }
    table
}

/// How many steps a sequence has, those of inner loops and what steps draw included.
fn n_steps(shown: &str) -> usize {
    shown.matches([';', ',']).count()
}
