//! How soon the targeted engine finds what a score leads to, and what a case of it costs.
//!
//! The case studies are those of the paper that the engine comes from; published figures are of its tool.

mod graphs;
mod machine;
mod overhead;
mod searches;

use probity_core::{
    Annealing, Budget, Schedule, SearchResult, Source, Tally, Test, search_adaptive, search_random,
};

use super::table::grouped;
use super::{Measure, silence_cases};

#[path = "../../../../crates/probity/examples/labyrinth.rs"]
#[allow(dead_code, reason = "an example is more than its test")]
mod labyrinth;
#[path = "../../../../crates/probity/examples/longest_path.rs"]
#[allow(dead_code, reason = "an example is more than its test")]
mod longest_path;
#[path = "../../../../crates/probity/examples/noninterference.rs"]
#[allow(dead_code, reason = "an example is more than its test")]
mod noninterference;
#[path = "../../../../crates/probity/examples/routing_trees.rs"]
#[allow(dead_code, reason = "an example is more than its test")]
mod routing_trees;
#[path = "../../../../crates/probity/examples/spells.rs"]
#[allow(dead_code, reason = "an example is more than its test")]
mod spells;

pub(super) const TABLES: &[Measure] = &[
    graphs::prop_length,
    graphs::dependent,
    machine::table,
    searches::routing_trees,
    searches::spells,
    searches::labyrinths,
    overhead::table,
];

/// A test and its name.
type Named = (&'static str, fn(&mut Source));

/// How many runs a figure is made of.
const RUNS: u64 = 100;
/// The same for what is only there to compare with.
const FEW_RUNS: u64 = 10;
/// The longest run.
const CASES: u64 = 100_000;

/// The engine that answers.
#[derive(Clone, Copy, PartialEq)]
enum How {
    Random,
    Targeted(Schedule),
}

const DEFAULT: How = How::Targeted(Schedule::Spread);

impl How {
    fn name(self) -> &'static str {
        match self {
            How::Random => "random",
            How::Targeted(Schedule::Spread) => "targeted",
            How::Targeted(Schedule::Linear { .. }) => "targeted, linear schedule",
            How::Targeted(Schedule::Geometric { .. }) => "targeted, geometric schedule",
            How::Targeted(Schedule::HillClimbing) => "hill climbing",
        }
    }
}

/// Searches for at most this many cases.
fn search(how: How, seed: u64, cases: u64, test: &mut dyn Test) -> SearchResult {
    silence_cases();
    let budget = Budget { cases, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
    let finding = match how {
        How::Random => search_random(seed, test, budget),
        How::Targeted(schedule) => {
            let annealing = Annealing { schedule, cases, ..Annealing::default() };
            search_adaptive(Tally::default(), seed, annealing, test, budget)
        }
    };
    finding.expect("tests use us rightly")
}

/// How many cases it took to find a failure, or how many there were that found none.
fn cases_to_find(finding: &SearchResult) -> Result<u64, u64> {
    finding.failures.first().map(|it| it.index + 1).ok_or(finding.tally.cases)
}

/// What several runs came to.
#[derive(Default)]
struct TargetedRuns {
    runs: u64,
    found: u64,
    /// In all runs, up to the failure.
    cases: u64,
}

impl TargetedRuns {
    /// Runs with the seeds from 0 on.
    fn of(how: How, runs: u64, most: u64, test: &mut dyn Test) -> Self {
        let mut res = TargetedRuns::default();
        for seed in 0..runs {
            res.add(&search(how, seed, most, test));
        }
        res
    }

    fn add(&mut self, finding: &SearchResult) {
        let cases = cases_to_find(finding);
        self.runs += 1;
        self.found += u64::from(cases.is_ok());
        self.cases += cases.unwrap_or_else(|it| it);
    }

    fn all(&self) -> bool {
        self.found == self.runs
    }

    /// Cases for each failure found, those of runs that found none among them; a lower bound where none was.
    fn mean(&self) -> f64 {
        self.cases as f64 / self.found.max(1) as f64
    }

    /// The cells for both.
    fn cells(&self) -> [String; 2] {
        let mean = if self.found == 0 { "never".to_string() } else { grouped(self.mean().round() as u64) };
        [format!("{}/{}", self.found, self.runs), mean]
    }
}
