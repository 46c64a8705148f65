//! What the exhaustive engine visits, how little it tries for that, and how fast it is.

mod bounds;
mod laziness;
mod programs;
mod shards;
mod smallest;
mod speed;
mod structures;

use std::time::Instant;

use probity_core::{Bounds, Budget, Source, Test, search_exhaustive};

use super::table::grouped;
use super::{Measure, silence_cases};

pub(super) const TABLES: &[Measure] = &[
    structures::table,
    laziness::table,
    speed::table,
    smallest::table,
    bounds::table,
    shards::table,
    programs::table,
];

/// A test of all structures of a kind.
type Visit = Box<dyn FnMut(&mut Source)>;

/// What it took to visit everything.
struct Visited {
    /// Cases that passed.
    structures: u64,
    /// These, and what was refused.
    candidates: u64,
    /// Whether nothing was left out.
    all: bool,
    seconds: f64,
}

/// Runs `test` for every input there is.
fn visit(test: &mut dyn Test) -> Visited {
    silence_cases();
    let start = Instant::now();
    let budget = Budget { cases: u64::MAX, rejects: 0, go_on: &mut |_| true, progress: Default::default() };
    let finding = search_exhaustive(Bounds::default(), test, budget).expect("tests use us rightly");
    let reach = finding.evidence.reach.unwrap();
    let tally = &finding.tally;
    Visited {
        structures: tally.cases,
        candidates: tally.cases + tally.rejected() + tally.overruns,
        all: reach.all && finding.failures.is_empty(),
        seconds: start.elapsed().as_secs_f64(),
    }
}
