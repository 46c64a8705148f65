//! Graphs with a long shortest path, drawn in several ways.

use probity_core::{Schedule, Source};

use super::longest_path::{WAYS, prop_length as test};
use super::{CASES, DEFAULT, FEW_RUNS, How, RUNS, TargetedRuns};
use crate::quality::table::Table;

/// The mean of the paper's neighbors that were written by hand; those that it constructs take 4,060.
const MOST_MEAN: f64 = 1548.0;
const AIM: f64 = 800.0;
/// How much longer a dependent generator may take than the plain one.
const MOST_RATIO: f64 = 1.5;
/// The first temperature of the schedules that know no unit: one hop.
const FROM: f64 = 1.0;

/// How soon a graph of 42 vertices is found whose longest shortest path has 21 hops.
pub(super) fn prop_length() -> Table {
    let title = format!("prop_length: cases to find 21 hops among 42 nodes, at most {CASES} a run");
    let mut table = Table::new(title, &["engine", "found", "mean cases", "published"]);
    let rows = [
        (How::Random, FEW_RUNS, "never"),
        (How::Targeted(Schedule::HillClimbing), RUNS, "17,666"),
        (How::Targeted(Schedule::Linear { from: FROM }), RUNS, ""),
        (How::Targeted(Schedule::Geometric { from: FROM }), RUNS, ""),
        (DEFAULT, RUNS, "1,548 by hand, 4,060 constructed"),
    ];
    for (how, runs, published) in rows {
        let found = TargetedRuns::of(how, runs, CASES, &mut { test as fn(&mut Source) });
        let [share, mean] = found.cells();
        let cells = vec![how.name().to_string(), share, mean, published.to_string()];
        let (target, met) = match how == DEFAULT {
            true => {
                let aim = if found.mean() <= AIM { "" } else { "; aim: <= 800" };
                (format!("all, <= {MOST_MEAN}{aim}"), Some(found.all() && found.mean() <= MOST_MEAN))
            }
            false => (String::new(), None),
        };
        table.row(cells, target, met);
    }
    table
}

/// The same for graphs of 2 to 42 vertices, where edges depend on how many there are.
pub(super) fn dependent() -> Table {
    let title =
        "the same for generators that depend on what was drawn; the paper's matching fails for the last two";
    let mut table = Table::new(title, &["generator", "found", "mean cases", "times the plain one"]);
    let mut plain = None;
    for (name, mut test) in WAYS {
        let found = TargetedRuns::of(DEFAULT, RUNS, CASES, &mut test);
        let [share, mean] = found.cells();
        let (target, met) = match plain {
            None => (String::new(), None),
            Some(plain) => {
                let is_near = found.all() && found.mean() <= MOST_RATIO * plain;
                (format!("all, <= {MOST_RATIO}"), Some(is_near))
            }
        };
        let ratio = found.mean() / *plain.get_or_insert(found.mean());
        table.row(vec![name.to_string(), share, mean, format!("{ratio:.2}")], target, met);
    }
    table
}
