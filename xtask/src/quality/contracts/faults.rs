//! Five faults planted in insert and delete: random cases find and shrink them, and the exhaustive engine says how small.

use std::cell::RefCell;
use std::collections::BTreeMap;

use probity::spec;
use probity::spec::Declared;
use probity_core::{
    Bounds, Budget, Generator, Replay, Source, Tail, search_exhaustive, search_random, shrink,
};

use super::super::silence_cases;
use super::super::table::Table;
use super::examples::{Color, Map, Tree};

const SEEDS: u64 = 20;
/// Cases of a default run.
const CASES: u64 = 1_000;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
enum BalanceFault {
    MissingRotation,
    WrongColor,
    SwappedBound,
    LostSubtree,
    NoRebalancing,
}

const FAULTS: [(&str, BalanceFault); 5] = [
    ("insert: missing rotation", BalanceFault::MissingRotation),
    ("insert: wrong color", BalanceFault::WrongColor),
    ("insert: swapped bound", BalanceFault::SwappedBound),
    ("delete: lost subtree", BalanceFault::LostSubtree),
    ("delete: no rebalancing", BalanceFault::NoRebalancing),
];

pub(super) fn table() -> Table {
    silence_cases();
    let title = format!("planted faults: {SEEDS} seeds of {CASES} random cases, shrunk");
    let mut table = Table::new(title, &["fault", "found", "nodes, minima", "nodes, smallest there is"]);
    for (name, fault) in FAULTS {
        let nodes = RefCell::new(0);
        let mut test = |src: &mut Source| run(fault, src, &nodes);
        let budget =
            Budget { cases: u64::MAX, rejects: 0, go_on: &mut |_| true, progress: Default::default() };
        let found =
            search_exhaustive(Bounds::default(), &mut test, budget).unwrap_or_else(|it| panic!("{it:?}"));
        let smallest =
            found.failures.first().map(|failure| replayed(&failure.case.trace.values(), &mut test, &nodes));
        let mut minima: BTreeMap<u32, u64> = BTreeMap::new();
        for seed in 0..SEEDS {
            let budget =
                Budget { cases: CASES, rejects: 0, go_on: &mut |_| true, progress: Default::default() };
            let found = search_random(seed, &mut test, budget).unwrap_or_else(|it| panic!("{it:?}"));
            if let Some(failure) = found.failures.into_iter().next() {
                let shrunk = shrink(failure.case, &mut test, 10_000, &mut |_| true)
                    .unwrap_or_else(|it| panic!("{it:?}"));
                *minima.entry(replayed(&shrunk.case.trace.values(), &mut test, &nodes)).or_default() += 1;
            }
        }
        let found: u64 = minima.values().sum();
        let shown: Vec<String> = minima.iter().map(|(nodes, n)| format!("{nodes} ({n})")).collect();
        let met = found == SEEDS && minima.len() == 1 && minima.keys().next() == smallest.as_ref();
        let smallest = smallest.map_or("-".to_string(), |it| it.to_string());
        let cells = vec![name.to_string(), format!("{found} of {SEEDS}"), shown.join(", "), smallest];
        table.row(cells, "all, as small", Some(met));
    }
    table
}

/// How many nodes the input has that these answers make.
fn replayed(answers: &[probity_core::Value], test: &mut dyn FnMut(&mut Source), nodes: &RefCell<u32>) -> u32 {
    let mut source = Source::new(Box::new(Replay::new(answers.to_vec(), Tail::Overrun)));
    let _ = probity_core::run_case(&mut source, &mut |src: &mut Source| test(src));
    *nodes.borrow()
}

fn run(fault: BalanceFault, src: &mut Source, nodes: &RefCell<u32>) {
    if matches!(fault, BalanceFault::LostSubtree | BalanceFault::NoRebalancing) {
        let (map, key) = (src.any::<Map>(), src.int(-5_i64, 5));
        *nodes.borrow_mut() = map.size();
        let size = map.size() - u32::from(map.contains(key));
        let out = without(fault, map, key);
        assert!(out.is_valid() && !out.contains(key) && out.size() == size);
        return;
    }
    let black = spec! { tree: Tree, require tree.root() == Color::Black };
    let (tree, key) = (black.generate(src), src.int(-5_i64, 5));
    *nodes.borrow_mut() = size(&tree);
    let out = match with(fault, tree, key) {
        Tree::Node { key, left, right, color } => {
            let color = if fault == BalanceFault::WrongColor { color } else { Color::Black };
            Tree::Node { color, key, left, right }
        }
        Tree::Leaf => Tree::Leaf,
    };
    assert!(out.is_valid() && out.root() == Color::Black && out.contains(key));
}

fn size(tree: &Tree) -> u32 {
    match tree {
        Tree::Leaf => 0,
        Tree::Node { left, right, .. } => 1 + size(left) + size(right),
    }
}

fn with(fault: BalanceFault, tree: Tree, new: i64) -> Tree {
    let (color, key, left, right) = match tree {
        Tree::Leaf => {
            let (left, right) = (Box::new(Tree::Leaf), Box::new(Tree::Leaf));
            return Tree::Node { color: Color::Red, key: new, left, right };
        }
        Tree::Node { color, key, left, right } => (color, key, left, right),
    };
    let is_left = if fault == BalanceFault::SwappedBound { new > key } else { new < key };
    if new == key {
        return Tree::Node { color, key, left, right };
    }
    let (left, right) = match is_left {
        true => (with(fault, *left, new), *right),
        false => (*left, with(fault, *right, new)),
    };
    let is_lost = fault == BalanceFault::MissingRotation && !is_left;
    match is_lost {
        true => Tree::Node { color, key, left: Box::new(left), right: Box::new(right) },
        false => super::examples::balance(color, left, key, right),
    }
}

fn without(fault: BalanceFault, map: Map, gone: i64) -> Map {
    let Map::Bin { key, left, right } = map else { return Map::Tip };
    let join = |left: Map, key: i64, right: Map| match fault {
        BalanceFault::NoRebalancing => Map::Bin { key, left: Box::new(left), right: Box::new(right) },
        _ => super::examples::rebalance(left, key, right),
    };
    if gone < key {
        return join(without(fault, *left, gone), key, *right);
    }
    if gone > key {
        return join(*left, key, without(fault, *right, gone));
    }
    match (*left, *right) {
        (Map::Tip, other) | (other, Map::Tip) => other,
        (left, _) if fault == BalanceFault::LostSubtree => left,
        (left, right) => {
            let key = right.least();
            let right = without(fault, right, key);
            join(left, key, right)
        }
    }
}
