//! Types with lists of themselves: measures go through them, and values are counted.

#![allow(clippy::match_single_binding, reason = "measures may match")]

use std::collections::BTreeSet;

use probity::prelude::*;
use probity::spec::{CountedModels, Declared, Term};

/// A heap with any number of branches: each has a greater key, and the lower they stand, the smaller they are.
#[derive(Debug, Clone, PartialEq, Spec)]
#[spec(depth = 2)]
#[spec(require = branches.iter().all(|it| key < it.least()))]
#[spec(require = branches.iter().map(Heap::size).sum::<usize>() <= 3)]
struct Heap {
    #[spec(range = 0..=3)]
    key: u8,
    #[spec(len = 0..=2)]
    branches: Vec<Heap>,
}

#[probity::measures]
impl Heap {
    fn least(&self) -> u8 {
        self.branches.iter().map(|it| it.least()).min().unwrap_or(u8::MAX).min(self.key)
    }

    fn size(&self) -> usize {
        1 + self.branches.iter().map(Heap::size).sum::<usize>()
    }

    fn height(&self) -> usize {
        1 + self.branches.iter().map(|it| it.height()).max().unwrap_or(0)
    }
}

/// All heaps of that depth whose keys are greater than one, by hand.
fn heaps(depth: u32, above: i32) -> Vec<Heap> {
    let mut res = Vec::new();
    for key in (0..=3_u8).filter(|it| i32::from(*it) > above) {
        let below = if depth == 0 { Vec::new() } else { heaps(depth - 1, key.into()) };
        let one = below.iter().map(|it| vec![it.clone()]);
        let two = below.iter().flat_map(|a| below.iter().map(move |b| vec![a.clone(), b.clone()]));
        for branches in std::iter::once(Vec::new()).chain(one).chain(two) {
            if branches.iter().map(Heap::size).sum::<usize>() <= 3 {
                res.push(Heap { key, branches });
            }
        }
    }
    res
}

#[test]
fn heaps_are_counted() {
    let all = heaps(2, -1);
    let counted = CountedModels::new(&Heap::spec(), &[], 2).unwrap();
    assert_eq!(counted.total(), all.len() as u128);
    let found: Vec<Heap> =
        (0..counted.total()).map(|it| Heap::from_value(&counted.nth(it).unwrap()).unwrap()).collect();
    assert!(found.iter().all(|it| it.is_valid() && all.contains(it)));
    assert!(all.iter().all(|it| found.contains(it)));
}

#[probity::contract]
#[requires(heap.height() == 3 && heap.size() >= 3)]
#[ensures(|out| *out == old(heap.least()) && heap.is_valid())]
fn top(heap: &Heap) -> u8 {
    assert!(!heap.branches.is_empty());
    heap.key
}

/// Whatever the test is drawn with, none is refused.
#[probity::test(engine = "exhaustive", cases = 100_000)]
fn heaps_are_heaps(heap: Heap) {
    assert!(heap.is_valid() && heap.height() <= 3 && heap.size() <= 7);
}

/// Lists without a bound, of what is an enum.
#[derive(Debug, Clone, PartialEq, Spec)]
#[spec(depth = 2)]
enum Json {
    Null,
    Bool(bool),
    Number(#[spec(range = -9..=9)] i64),
    List(Vec<Json>),
}

#[probity::measures]
impl Json {
    fn leaves(&self) -> usize {
        match self {
            Json::List(items) => items.iter().map(|it| it.leaves()).sum(),
            _ => 1,
        }
    }

    fn has_null(&self) -> bool {
        match self {
            Json::Null => true,
            Json::List(items) => items.iter().any(Json::has_null),
            _ => false,
        }
    }
}

#[probity::contract]
#[requires(json.leaves() == 5 && !json.has_null())]
#[ensures(|out| *out <= 5)]
fn numbers(json: &Json) -> usize {
    match json {
        Json::Number(_) => 1,
        Json::List(items) => items.iter().map(numbers_in).sum(),
        _ => 0,
    }
}

fn numbers_in(json: &Json) -> usize {
    assert!(!json.has_null());
    match json {
        Json::List(items) => items.iter().map(numbers_in).sum(),
        Json::Number(_) => 1,
        _ => 0,
    }
}

#[test]
fn lists_without_a_bound_are_cut() {
    let five = Term::it().measure("leaves").eq(Term::int(5));
    let counted = CountedModels::of_measured(&Json::spec(), &[five]).unwrap();
    assert!(counted.is_cut() && counted.total() > 1_000_000);
    let error = CountedModels::new(&Json::spec(), &[], 2).unwrap_err();
    assert_eq!(error, "`0` may have any number of items; bound it, as by `len = 0..=4`");
}

/// A node of a B-tree: its keys are in order, it has a branch more than keys or none, and all leaves are as deep.
#[derive(Debug, Clone, PartialEq, Spec)]
#[spec(depth = 1)]
#[spec(require = keys.is_sorted_by(|a, b| a < b))]
#[spec(require = branches.is_empty() || branches.len() == keys.len() + 1)]
#[spec(require = branches.iter().all(|it| it.depth() == depth - 1))]
struct Node {
    #[spec(len = 1..=2, range = 1..=4)]
    keys: Vec<u8>,
    #[spec(len = 0..=3)]
    branches: Vec<Node>,
    #[spec(range = 0..=1, require = (depth == 0) == branches.is_empty())]
    depth: i8,
}

#[probity::measures]
impl Node {
    fn depth(&self) -> i8 {
        self.depth
    }
}

#[test]
fn b_trees_are_counted() {
    let counted = CountedModels::new(&Node::spec(), &[], 1).unwrap();
    let all: BTreeSet<_> = (0..counted.total()).filter_map(|it| counted.nth(it)).collect();
    // One or two of four keys in order; as many trees with branches, each of which is one of those without.
    let leaves = 4 + 6_u128;
    assert_eq!(counted.total(), leaves + 4 * leaves.pow(2) + 6 * leaves.pow(3));
    assert_eq!(all.len() as u128, counted.total());
    assert!(all.iter().all(|it| Node::from_value(it).unwrap().is_valid()));
}
