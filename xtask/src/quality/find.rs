//! How often, and how soon, the random engine finds small bugs of the shapes that real ones have.
//!
//! Inputs are drawn by type alone, as by a user who fills in nothing. The table measures the engine; the
//! engine is never tuned to the table.

use std::collections::BTreeMap;

use probity_core::{Budget, Source, search_random};

use super::{silence_cases, table::Table};

const SEEDS: u64 = 20;
/// What a user runs who changes nothing, and what a patient one runs.
const FEW: u64 = 100;
const MANY: u64 = 10_000;

struct Shape {
    name: &'static str,
    test: fn(&mut Source),
    target: Target,
}

/// How many seeds have to find the bug, and within how many cases.
#[derive(Clone, Copy)]
struct Target {
    seeds: u64,
    cases: u64,
}

pub(crate) fn table() -> Table {
    let title = format!("bugs found by the random engine, inputs by type, {SEEDS} seeds each");
    let columns = ["shape", "found in 100", "found in 10,000", "median cases to find"];
    let mut table = Table::new(title, &columns);
    for shape in SHAPES {
        let cases = cases_to_find(shape.test);
        let within = |most: u64| cases.iter().filter(|it| it.is_some_and(|it| it <= most)).count() as u64;
        let Target { seeds, cases: most } = shape.target;
        let cells = vec![
            shape.name.to_string(),
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

/// Edges, repeats and sizes that a user should expect a run of the usual length to meet.
const SOON: Target = Target { seeds: 18, cases: FEW };
/// Coincidences of two cases in a hundred or fewer: a long run has to meet them, a short one may not.
const LATER: Target = Target { seeds: SEEDS, cases: MANY };

const SHAPES: &[Shape] = &[
    Shape { name: "i64 is i64::MIN", test: int_min, target: SOON },
    Shape { name: "two i64 are equal", test: equal_pair, target: SOON },
    Shape { name: "duplicate in a Vec<i32>", test: duplicate, target: SOON },
    Shape { name: "f64 is NaN", test: not_a_number, target: SOON },
    Shape { name: "char is NUL", test: nul, target: SOON },
    Shape { name: "Vec<u8> of 50 or more", test: long_bytes, target: SOON },
    Shape { name: "delete leaves a duplicate", test: delete_one, target: SOON },
    Shape { name: "midpoint of two i32 overflows", test: midpoint, target: SOON },
    Shape { name: "off by one at a power of two", test: power_of_two, target: LATER },
    Shape { name: "empty collection", test: empty, target: SOON },
    Shape { name: "f64 is -0.0", test: negative_zero, target: LATER },
    Shape { name: "f64 is infinite", test: infinite, target: SOON },
    Shape { name: "reciprocal of a tiny f64", test: reciprocal, target: LATER },
    Shape { name: "string cut within a character", test: cut_string, target: SOON },
    Shape { name: "lower case changes the length", test: lower_case, target: SOON },
    Shape { name: "reversal moves a combining mark", test: reversal, target: SOON },
    Shape { name: "quicksort degenerates", test: quicksort, target: LATER },
    Shape { name: "duplicate keys in a map", test: duplicate_keys, target: SOON },
    Shape { name: "path climbs by `..`", test: climbing_path, target: LATER },
    Shape { name: "two strings equal, not empty", test: equal_strings, target: LATER },
    Shape { name: "line ends lost", test: line_ends, target: SOON },
    Shape { name: "leap years without centuries", test: leap_years, target: LATER },
    Shape { name: "no character comes next", test: next_char, target: LATER },
    Shape { name: "String of 80 or more", test: long_string, target: SOON },
    Shape { name: "empty row in a table", test: empty_row, target: SOON },
];

fn int_min(src: &mut Source) {
    let n: i64 = src.any();
    assert!(n.checked_abs().is_some());
}

fn equal_pair(src: &mut Source) {
    let (a, b): (i64, i64) = (src.any(), src.any());
    assert!(a != b);
}

fn duplicate(src: &mut Source) {
    let mut list: Vec<i32> = src.any();
    let len = list.len();
    list.sort_unstable();
    list.dedup();
    assert!(list.len() == len);
}

fn not_a_number(src: &mut Source) {
    let x: f64 = src.any();
    assert!(!x.is_nan());
}

fn nul(src: &mut Source) {
    let c: char = src.any();
    assert!(c != '\0');
}

fn long_bytes(src: &mut Source) {
    let bytes: Vec<u8> = src.any();
    assert!(bytes.len() < 50);
}

fn delete_one(src: &mut Source) {
    let (mut list, x): (Vec<i32>, i32) = (src.any(), src.any());
    if let Some(at) = list.iter().position(|it| *it == x) {
        list.remove(at);
    }
    assert!(!list.contains(&x));
}

fn midpoint(src: &mut Source) {
    let (a, b): (i32, i32) = (src.any(), src.any());
    assert!(a.checked_add(b).is_some());
}

/// Bits needed to write `n`, from a logarithm that is rounded up.
fn power_of_two(src: &mut Source) {
    let n: u32 = src.any();
    let bits = f64::from(n.max(1)).log2().ceil() as u32;
    assert!(n < 3 || bits == n.ilog2() + 1);
}

fn empty(src: &mut Source) {
    let list: Vec<i32> = src.any();
    assert!(list.iter().max().is_some());
}

/// An absolute value by comparison.
fn negative_zero(src: &mut Source) {
    let x: f64 = src.any();
    let abs = if x < 0.0 { -x } else { x };
    assert!(abs.is_sign_positive() || x.is_nan());
}

fn infinite(src: &mut Source) {
    let x: f64 = src.any();
    let share = x / x.abs().max(1.0);
    assert!(x.is_nan() || !share.is_nan());
}

fn reciprocal(src: &mut Source) {
    let x: f64 = src.any();
    assert!(x == 0.0 || !(1.0 / x).is_infinite());
}

fn cut_string(src: &mut Source) {
    let text: String = src.any();
    assert!(text.is_char_boundary(text.len() / 2));
}

/// A place found in the lower-case text, used in the text itself.
fn lower_case(src: &mut Source) {
    let text: String = src.any();
    assert!(text.to_lowercase().len() == text.len());
}

fn reversal(src: &mut Source) {
    let text: String = src.any();
    let combines = |it: char| ('\u{300}'..='\u{36f}').contains(&it);
    assert!(!text.chars().skip(1).any(combines));
}

/// How deep a quicksort recurs that takes the first item as its pivot.
fn depth(list: &[i32]) -> usize {
    let [pivot, rest @ ..] = list else { return 0 };
    let (low, high): (Vec<i32>, Vec<i32>) = rest.iter().partition(|it| *it < pivot);
    1 + depth(&low).max(depth(&high))
}

fn quicksort(src: &mut Source) {
    let list: Vec<i32> = src.any();
    assert!(list.len() < 20 || depth(&list) < list.len() / 2);
}

fn duplicate_keys(src: &mut Source) {
    let pairs: Vec<(u64, String)> = src.any();
    let len = pairs.len();
    assert!(pairs.into_iter().collect::<BTreeMap<_, _>>().len() == len);
}

fn climbing_path(src: &mut Source) {
    let path: String = src.any();
    assert!(!path.contains(".."));
}

fn equal_strings(src: &mut Source) {
    let (a, b): (String, String) = (src.any(), src.any());
    assert!(a.is_empty() || a != b);
}

fn line_ends(src: &mut Source) {
    let text: String = src.any();
    assert!(text.lines().collect::<Vec<_>>().join("\n") == text);
}

fn leap_years(src: &mut Source) {
    let year: u16 = src.any();
    let by = |n| year.is_multiple_of(n);
    let leap = by(4) && (!by(100) || by(400));
    assert!(leap == by(4));
}

fn next_char(src: &mut Source) {
    let c: char = src.any();
    assert!(char::from_u32(c as u32 + 1).is_some());
}

fn long_string(src: &mut Source) {
    let text: String = src.any();
    assert!(text.chars().count() < 80);
}

fn empty_row(src: &mut Source) {
    let rows: Vec<Vec<u8>> = src.any();
    assert!(rows.iter().all(|it| !it.is_empty()));
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
