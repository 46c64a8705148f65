//! The public shrinking challenge, 100 seeds each: distinct minima, share at the optimum, evaluations.

use std::collections::{BTreeMap, BTreeSet};

use probity_core::{
    Budget, Combine, Source, any, context::assume, from, just, recursive, render_case, search_random, shrink,
    vec,
};
use probity_core::{Replay, Tail};

use super::{silence_cases, table::Table};

const SEEDS: u64 = 100;
/// Cases a seed may take to find the failure.
const CASES: u64 = 200_000;
/// How much more than the published mean number of evaluations is tolerated.
const EVALUATIONS_RATIO: f64 = 1.5;

struct Challenge {
    name: &'static str,
    test: fn(&mut Source),
    /// The documented optimum, as the inputs are rendered.
    optimum: &'static str,
    /// The mean number of evaluations that Hypothesis publishes.
    published: Option<f64>,
}

pub(crate) fn table() -> Table {
    let title = format!("shrinking challenge, {SEEDS} seeds each; evaluations after the first failure");
    let columns =
        ["challenge", "minima", "at optimum", "evaluations", "most", "published", "most frequent minimum"];
    let mut table = Table::new(title, &columns);
    for challenge in CHALLENGES {
        let ShrinkTally { minima, evaluations } = measure(challenge, SEEDS);
        let at_optimum = minima.get(challenge.optimum).copied().unwrap_or(0);
        let mean = evaluations.iter().sum::<u64>() as f64 / evaluations.len().max(1) as f64;
        let most = evaluations.iter().max().copied().unwrap_or(0);
        let mut by_count: Vec<_> = minima.iter().collect();
        by_count.sort_by_key(|it| std::cmp::Reverse(it.1));
        let met = at_optimum == SEEDS && challenge.published.is_none_or(|it| mean <= it * EVALUATIONS_RATIO);
        let cells = vec![
            challenge.name.to_string(),
            minima.len().to_string(),
            format!("{at_optimum}/{SEEDS}"),
            format!("{mean:.1}"),
            most.to_string(),
            challenge.published.map_or(String::new(), |it| it.to_string()),
            by_count.first().map_or(String::new(), |it| it.0.clone()),
        ];
        let limit = challenge
            .published
            .map_or(String::new(), |it| format!(", mean <= {:.0}", it * EVALUATIONS_RATIO));
        table.row(cells, format!("all at {}{limit}", challenge.optimum), Some(met));
    }
    table
}

struct ShrinkTally {
    minima: BTreeMap<String, u64>,
    evaluations: Vec<u64>,
}

fn measure(challenge: &Challenge, seeds: u64) -> ShrinkTally {
    silence_cases();
    let mut res = ShrinkTally { minima: BTreeMap::new(), evaluations: Vec::new() };
    for seed in 0..seeds {
        let mut test = challenge.test;
        let budget =
            Budget { cases: CASES, rejects: 100, go_on: &mut |_| true, progress: Default::default() };
        let finding = search_random(seed, &mut test, budget).expect("challenges use us rightly");
        let Some(found) = finding.failures.into_iter().next() else {
            *res.minima.entry("not found".to_string()).or_default() += 1;
            continue;
        };
        let shrunk =
            shrink(found.case, &mut test, 1_000_000, &mut |_| true).expect("challenges use us rightly");
        let replay = Replay::new(shrunk.case.trace.values(), Tail::Overrun);
        let case = render_case(&mut Source::new(Box::new(replay)), &mut test).expect("it failed before");
        let inputs: Vec<String> = case.log.inputs.into_iter().map(|it| it.text).collect();
        *res.minima.entry(inputs.join(" ")).or_default() += 1;
        res.evaluations.push(shrunk.evaluations);
    }
    res
}

const CHALLENGES: &[Challenge] = &[
    Challenge { name: "bound5", test: bound5, optimum: "[] [] [] [-1] [-32768]", published: None },
    Challenge {
        name: "bound5, one element",
        test: bound5_short,
        optimum: "[] [] [] [-1] [-32768]",
        published: Some(136.9),
    },
    Challenge {
        name: "large_union_list",
        test: large_union_list,
        optimum: "[[0, 1, -1, 2, -2]]",
        published: Some(341.0),
    },
    Challenge { name: "reverse", test: reverse, optimum: "[0, 1]", published: Some(46.0) },
    Challenge {
        name: "calculator",
        test: calculator,
        optimum: "Div(Int(0), Add(Int(0), Int(0)))",
        published: Some(341.0),
    },
    Challenge { name: "lengthlist", test: lengthlist, optimum: "[900]", published: Some(85.0) },
    Challenge { name: "difference, not zero", test: difference_zero, optimum: "10 10", published: None },
    Challenge { name: "difference, not small", test: difference_small, optimum: "10 6", published: None },
    Challenge { name: "difference, not one", test: difference_one, optimum: "10 9", published: None },
    Challenge {
        name: "binheap",
        test: binheap,
        optimum: "Some((0, -, (0, (0, -, -), (1, -, -))))",
        published: None,
    },
    Challenge { name: "coupling", test: coupling, optimum: "[1, 0]", published: None },
    Challenge { name: "deletion", test: deletion, optimum: "[0, 0] 0", published: None },
    Challenge { name: "distinct", test: distinct, optimum: "[0, 1, -1]", published: None },
    Challenge {
        name: "nestedlists",
        test: nestedlists,
        optimum: "[[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]",
        published: None,
    },
];

fn wrapping_sum(list: &[i16]) -> i16 {
    list.iter().fold(0, |sum, it| sum.wrapping_add(*it))
}

fn bound5_of(src: &mut Source, longest: usize) {
    let bounded = vec(any::<i16>(), 0..=longest).filter(|it| wrapping_sum(it) < 256);
    let lists: Vec<Vec<i16>> = (0..5).map(|_| src.draw(bounded.by_ref())).collect();
    assert!(wrapping_sum(&lists.concat()) < 5 * 256);
}

fn bound5(src: &mut Source) {
    bound5_of(src, 10);
}

fn bound5_short(src: &mut Source) {
    bound5_of(src, 1);
}

fn large_union_list(src: &mut Source) {
    let lists: Vec<Vec<i64>> = src.any();
    let distinct: BTreeSet<i64> = lists.into_iter().flatten().collect();
    assert!(distinct.len() < 5);
}

fn reverse(src: &mut Source) {
    let list: Vec<i64> = src.any();
    let reversed: Vec<i64> = list.iter().rev().copied().collect();
    assert_eq!(list, reversed);
}

#[derive(Clone, Debug)]
enum Calculation {
    Int(i64),
    Add(Box<Calculation>, Box<Calculation>),
    Div(Box<Calculation>, Box<Calculation>),
}

/// Whether the expression divides by a literal zero, which the challenge rules out.
fn divides_by_literal_zero(expr: &Calculation) -> bool {
    match expr {
        Calculation::Int(_) => false,
        Calculation::Div(_, by) if matches!(**by, Calculation::Int(0)) => true,
        Calculation::Add(a, b) | Calculation::Div(a, b) => {
            divides_by_literal_zero(a) || divides_by_literal_zero(b)
        }
    }
}

fn evaluate(expr: &Calculation) -> i64 {
    match expr {
        Calculation::Int(it) => *it,
        Calculation::Add(a, b) => evaluate(a).wrapping_add(evaluate(b)),
        Calculation::Div(a, b) => evaluate(a).wrapping_div(evaluate(b)),
    }
}

fn calculator(src: &mut Source) {
    let expr = recursive(any::<i64>().map(Calculation::Int), |expr| {
        move |src: &mut Source| {
            let divides = src.bool();
            let (a, b) = (Box::new(src.draw(expr.clone())), Box::new(src.draw(expr.clone())));
            if divides { Calculation::Div(a, b) } else { Calculation::Add(a, b) }
        }
    });
    let expr = src.draw(expr);
    assume(!divides_by_literal_zero(&expr), "no division by a literal zero");
    evaluate(&expr);
}

fn lengthlist(src: &mut Source) {
    let list = src.draw(from(1..100usize).and_then(|n| vec(0..1000, n)));
    assert!(list.iter().all(|it| *it < 900));
}

fn positive_pair(src: &mut Source) -> (i32, i32) {
    (src.draw(1..=i32::MAX), src.draw(1..=i32::MAX))
}

fn difference_zero(src: &mut Source) {
    let (a, b) = positive_pair(src);
    assert!(a < 10 || a != b);
}

fn difference_small(src: &mut Source) {
    let (a, b) = positive_pair(src);
    assert!(a < 10 || !(1..=4).contains(&a.abs_diff(b)));
}

fn difference_one(src: &mut Source) {
    let (a, b) = positive_pair(src);
    assert!(a < 10 || a.abs_diff(b) != 1);
}

#[derive(Clone)]
struct Heap {
    head: i64,
    left: Option<Box<Heap>>,
    right: Option<Box<Heap>>,
}

impl std::fmt::Debug for Heap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let side = |it: &Option<Box<Heap>>| it.as_ref().map_or("-".to_string(), |it| format!("{it:?}"));
        write!(f, "({}, {}, {})", self.head, side(&self.left), side(&self.right))
    }
}

fn heap(src: &mut Source, least: i64, size: u32) -> Option<Box<Heap>> {
    let grow = size > 0 && src.draw(any::<bool>());
    grow.then(|| {
        let head = src.draw(least..=i64::MAX);
        let half = |src: &mut Source| heap(src, head, size / 2);
        let (left, right) = (src.draw(half), src.draw(half));
        Box::new(Heap { head, left, right })
    })
}

fn merge(a: Option<Box<Heap>>, b: Option<Box<Heap>>) -> Option<Box<Heap>> {
    match (a, b) {
        (None, it) | (it, None) => it,
        (Some(a), Some(b)) => {
            let (root, other) = if a.head <= b.head { (a, b) } else { (b, a) };
            Some(Box::new(Heap { head: root.head, left: merge(root.right, Some(other)), right: root.left }))
        }
    }
}

fn flatten(heap: &Option<Box<Heap>>, into: &mut Vec<i64>) {
    if let Some(heap) = heap {
        into.push(heap.head);
        flatten(&heap.right, into);
        flatten(&heap.left, into);
    }
}

fn binheap(src: &mut Source) {
    let start = |src: &mut Source| heap(src, 0, 64);
    let Some(heap) = src.draw(start) else { return };
    let mut all = Vec::new();
    flatten(&Some(heap.clone()), &mut all);
    all.sort_unstable();
    // The bug: only the head is taken off in order; the merged rest is flattened as it stands.
    let mut listed = vec![heap.head];
    flatten(&merge(heap.left, heap.right), &mut listed);
    assert_eq!(all, listed);
}

fn coupling(src: &mut Source) {
    let list = src.draw(vec(0..10usize, 0..=100));
    assume(list.iter().all(|it| *it < list.len()), "all below the length");
    for (i, &at) in list.iter().enumerate() {
        assert!(at == i || list[at] != i);
    }
}

fn deletion(src: &mut Source) {
    let list: Vec<i64> = src.any();
    assume(!list.is_empty(), "not empty");
    let at = src.draw(0..list.len());
    let mut rest = list.clone();
    let value = list[at];
    let first = list.iter().position(|it| *it == value).unwrap_or(0);
    rest.remove(first);
    assert!(!rest.contains(&value));
}

fn distinct(src: &mut Source) {
    let list: Vec<i64> = src.any();
    assert!(list.into_iter().collect::<BTreeSet<_>>().len() < 3);
}

fn nestedlists(src: &mut Source) {
    let lists = src.draw(vec(vec(just(0), 0..), 0..));
    assert!(lists.iter().map(Vec::len).sum::<usize>() <= 10);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table is made in release: this is where the shrinker's arithmetic is checked.
    #[test]
    fn challenges_reach_the_optimum() {
        for challenge in CHALLENGES {
            let minima = measure(challenge, 5).minima;
            assert_eq!(minima, BTreeMap::from([(challenge.optimum.to_string(), 5)]), "{}", challenge.name);
        }
    }
}
