//! Routing trees, spells and labyrinths.

use probity_core::{Schedule, Source};

use super::{
    CASES, DEFAULT, FEW_RUNS, How, Named, RUNS, TargetedRuns, labyrinth, routing_trees, search, spells,
};
use crate::quality::table::{Table, grouped};

/// How long a search for a routing tree lasts.
const TREE_CASES: u64 = 1_000;

/// What energy routing trees take that random and targeted runs find.
pub(super) fn routing_trees() -> Table {
    let title = format!("routing trees: the best energy in {TREE_CASES} cases, of {RUNS} runs");
    let columns = ["search", "engine", "worst run", "median run", "best run"];
    let mut table = Table::new(title, &columns);
    let searches: [Named; 2] = [("maximise", routing_trees::wasteful), ("minimise", routing_trees::thrifty)];
    for (name, mut test) in searches {
        let mut best_at_random = f64::INFINITY;
        for how in [How::Random, DEFAULT] {
            // Greater is better, whatever the test asks for.
            let best = |seed| search(how, seed, TREE_CASES, &mut test).tally.scores["energy"].0;
            let mut all: Vec<f64> = (0..RUNS).map(best).collect();
            all.sort_by(f64::total_cmp);
            let [worst, median, best] = [all[0], all[all.len() / 2], all[all.len() - 1]];
            let mut cells = vec![name.to_string(), how.name().to_string()];
            cells.extend([worst, median, best].map(|it| it.abs().to_string()));
            let is_target = how == DEFAULT && name == "maximise";
            let target = if is_target { "the worst beats the best at random" } else { "" };
            table.row(cells, target, is_target.then_some(worst > best_at_random));
            best_at_random = best;
        }
    }
    table
}

/// How soon spells make a player too strong.
pub(super) fn spells() -> Table {
    let mut table =
        Table::new("spells: cases to become too strong", &["strength", "engine", "found", "mean cases"]);
    for (name, times, cases, least) in [("twice", 2, 10_000, RUNS), ("three times", 3, 20_000, 95)] {
        for (how, runs) in [(How::Random, FEW_RUNS), (DEFAULT, RUNS)] {
            let test = &mut |src: &mut Source| spells::nobody_is_too_strong(src, times);
            let found = TargetedRuns::of(how, runs, cases, test);
            let [share, mean] = found.cells();
            let is_target = how == DEFAULT;
            let target =
                if is_target { format!("{least}/{RUNS} in {}", grouped(cases)) } else { String::new() };
            let cells = vec![name.to_string(), how.name().to_string(), share, mean];
            table.row(cells, target, is_target.then_some(found.found >= least));
        }
    }
    table
}

/// How soon moves lead out of a labyrinth.
pub(super) fn labyrinths() -> Table {
    let title = format!("labyrinths: cases to find the way out, at most {CASES} a run");
    let mut table = Table::new(title, &["labyrinth", "engine", "found", "mean cases"]);
    for (name, maze) in [("rooms", labyrinth::ROOMS), ("dead end", labyrinth::DEAD_END)] {
        let climbing = How::Targeted(Schedule::HillClimbing);
        for (how, runs) in [(How::Random, FEW_RUNS), (climbing, FEW_RUNS), (DEFAULT, RUNS)] {
            let test = &mut |src: &mut Source| labyrinth::there_is_no_way_out(src, maze);
            let [share, mean] = TargetedRuns::of(how, runs, CASES, test).cells();
            table.row(vec![name.to_string(), how.name().to_string(), share, mean], "", None);
        }
    }
    table
}
