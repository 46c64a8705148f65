//! How soon each mistake in the rules of the stack machine shows.

use std::time::Instant;

use probity_core::Source;
use probity_core::context::maximize;

use super::noninterference::{BUGS, Bug, run};
use super::{CASES, DEFAULT, How, RUNS, TargetedRuns, search};
use crate::quality::table::{Table, grouped};

/// The time to failure of targeted runs, by that of random ones: the paper's is 55 ms by 1760 ms.
const MOST_RATIO: f64 = 1.0 / 30.0;
const LEAST_RATE: f64 = 20_000.0;

pub(super) fn table() -> Table {
    let title = format!("noninterference: mean time to find each of six bugs, at most {CASES} cases a run");
    let columns = ["bug", "engine", "found", "mean cases", "mean ms", "cases/s"];
    let mut table = Table::new(title, &columns);
    let ways = [
        // What `PROBITY_ENGINE=random` does: the same test under another engine.
        Way { name: "random", how: How::Random, scores: true, runs: RUNS },
        // Without the score, so that nothing has to be recorded.
        Way { name: "random, no score", how: How::Random, scores: false, runs: RUNS },
        Way { name: "targeted", how: DEFAULT, scores: true, runs: RUNS },
    ];
    let mut logs = [0.0; 3];
    let (mut cases, mut seconds) = (0, 0.0);
    for bug in BUGS {
        for (way, log) in ways.iter().zip(&mut logs) {
            let timed = way.measure(bug);
            *log += timed.mean().ln();
            let [share, mean] = timed.found.cells();
            let rate = timed.found.cases as f64 / timed.seconds;
            let at_least = if timed.found.found == 0 { "> " } else { "" };
            let cells = vec![
                format!("{bug:?}"),
                way.name.to_string(),
                share,
                mean,
                format!("{at_least}{:.2}", timed.mean() * 1e3),
                grouped(rate as u64),
            ];
            if way.how == DEFAULT {
                cases += timed.found.cases;
                seconds += timed.seconds;
                table.row(cells, "all", Some(timed.found.all()));
            } else {
                table.row(cells, "", None);
            }
        }
    }
    let means = logs.map(|it| (it / BUGS.len() as f64).exp());
    for (way, mean) in ways.iter().zip(means) {
        summary(&mut table, way.name, format!("{:.2}", mean * 1e3), "", None);
    }
    let by = |of: f64| format!("1/{:.1}", of / means[2]);
    let is_soon = means[2] / means[0] <= MOST_RATIO;
    summary(&mut table, "targeted by random", by(means[0]), "<= 1/30", Some(is_soon));
    summary(&mut table, "targeted by random, no score", by(means[1]), "", None);
    let rate = cases as f64 / seconds;
    let row = ["all", "targeted", "", "", "", &grouped(rate as u64)];
    table.row(row.map(str::to_string).to_vec(), ">= 20,000/s", Some(rate >= LEAST_RATE));
    table
}

fn summary(table: &mut Table, name: &str, time: String, target: &str, met: Option<bool>) {
    let row = ["geometric mean", name, "", "", &time, ""];
    table.row(row.map(str::to_string).to_vec(), target, met);
}

struct Way {
    name: &'static str,
    how: How,
    scores: bool,
    runs: u64,
}

/// Several runs and the time that they took up to the failure, or to their end.
#[derive(Default)]
struct Timed {
    found: TargetedRuns,
    seconds: f64,
}

impl Timed {
    /// Seconds for each failure found, as [`TargetedRuns::mean`].
    fn mean(&self) -> f64 {
        self.seconds / self.found.found.max(1) as f64
    }
}

impl Way {
    fn measure(&self, bug: Bug) -> Timed {
        let mut res = Timed::default();
        for seed in 0..self.runs {
            let mut failed_at = None;
            let start = Instant::now();
            let finding = search(self.how, seed, CASES, &mut |src: &mut Source| {
                let (steps, leaked) = run(src, Some(bug));
                if self.scores {
                    maximize("steps", steps as f64);
                }
                if leaked {
                    failed_at.get_or_insert_with(Instant::now);
                    panic!("a secret got out");
                }
            });
            let end = failed_at.unwrap_or_else(Instant::now);
            res.seconds += (end - start).as_secs_f64();
            res.found.add(&finding);
        }
        res
    }
}
