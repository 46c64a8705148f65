//! How often, and how soon, the random engine finds small bugs of the shapes that real ones have.
//!
//! Inputs are drawn by type alone, as by a user who fills in nothing. The table measures the engine; the
//! engine is never tuned to the table.

use probity_core::{Budget, Source, search_random};
use probity_suite::{Group, rows};

use super::{silence_cases, table::Table};

const SEEDS: u64 = 20;
/// What a user runs who changes nothing, and what a patient one runs.
const FEW: u64 = 100;
const MANY: u64 = 10_000;

/// How many seeds have to find the bug, and within how many cases.
#[derive(Clone, Copy)]
struct FindTarget {
    seeds: u64,
    cases: u64,
}

/// Edges, repeats and sizes that a user should expect a run of the usual length to meet.
const SOON: FindTarget = FindTarget { seeds: 18, cases: FEW };
/// Coincidences of two cases in a hundred or fewer: a long run has to meet them, a short one may not.
const LATER: FindTarget = FindTarget { seeds: SEEDS, cases: MANY };
/// The shapes that are such.
const COINCIDENCES: [&str; 8] = [
    "power_of_two",
    "negative_zero",
    "reciprocal",
    "quicksort",
    "climbing_path",
    "equal_strings",
    "leap_years",
    "next_char",
];

pub(crate) fn table() -> Table {
    let title = format!("bugs found by the random engine, inputs by type, {SEEDS} seeds each");
    let columns = ["shape", "found in 100", "found in 10,000", "median cases to find"];
    let mut table = Table::new(title, &columns);
    for shape in rows().filter(|it| it.group == Group::Shape) {
        let cases = cases_to_find(shape.test);
        let within = |most: u64| cases.iter().filter(|it| it.is_some_and(|it| it <= most)).count() as u64;
        let target = if COINCIDENCES.contains(&shape.name) { LATER } else { SOON };
        let FindTarget { seeds, cases: most } = target;
        let cells = vec![
            shape.kind.to_string(),
            format!("{}/{SEEDS}", within(FEW)),
            format!("{}/{SEEDS}", within(MANY)),
            median(&cases).map_or_else(|| format!("over {MANY}"), |it| it.to_string()),
        ];
        table.row(cells, format!("{seeds}/{SEEDS} in {most}"), Some(within(most) >= seeds));
    }
    table
}

/// For each seed, how many cases it took to find the bug.
fn cases_to_find(mut test: fn(&mut Source)) -> Vec<Option<u64>> {
    silence_cases();
    let mut res = Vec::new();
    for seed in 0..SEEDS {
        let budget = Budget { cases: MANY, rejects: 0, go_on: &mut |_| true, progress: Default::default() };
        let finding = search_random(seed, &mut test, budget).expect("shapes use us rightly");
        res.push(finding.failures.first().map(|it| it.index + 1));
    }
    res
}

/// The middle one, where seeds that found nothing count as the slowest.
fn median(cases: &[Option<u64>]) -> Option<u64> {
    let mut cases = cases.to_vec();
    cases.sort_by_key(|it| it.unwrap_or(u64::MAX));
    cases[(cases.len() - 1) / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_met() {
        let table = table();
        assert_eq!(table.missed(), 0, "{}", table.text());
    }

    #[test]
    fn seeds_that_find_nothing_count_as_the_slowest() {
        assert_eq!(median(&[None, Some(5), Some(1)]), Some(5));
        assert_eq!(median(&[None, Some(5), Some(1), None]), Some(5));
        assert_eq!(median(&[None, Some(5), None]), None);
    }
}
