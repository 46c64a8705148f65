//! The inputs of a space shared among eight runs: together they visit just what one run visits.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Debug;

use probity_core::{
    Bounds, Boxed, Budget, Combine, Generator, Source, Space, any, from, recursive, search,
    search_exhaustive, vec,
};

use super::grouped;
use crate::quality::table::Table;

const SHARDS: u128 = 8;

struct Shared {
    name: &'static str,
    inputs: fn() -> Boxed<'static, String>,
    /// The greatest size, for a space without end.
    size: Option<u64>,
}

pub(super) fn table() -> Table {
    let title = format!("inputs shared among {SHARDS} runs, beside one run of all");
    let mut table = Table::new(title, &["space", "inputs", "counted", "in shards", "twice", "least", "most"]);
    for shared in SHARED {
        let inputs = (shared.inputs)();
        let all = visited(&inputs, shared.size);
        let shards: Vec<Vec<String>> = (0..SHARDS).map(|at| visited_by(&inputs, at, shared.size)).collect();
        let lens = || shards.iter().map(Vec::len);
        let union: BTreeSet<&String> = shards.iter().flatten().collect();
        let sum: usize = lens().sum();
        let counted = counted(&inputs, shared.size);
        let (least, most) = (lens().min().unwrap_or(0), lens().max().unwrap_or(0));
        let cells = vec![
            shared.name.to_string(),
            grouped(all.len() as u64),
            counted.map_or("unknown".to_string(), |it| it.to_string()),
            grouped(union.len() as u64),
            (sum - union.len()).to_string(),
            least.to_string(),
            most.to_string(),
        ];
        let met = union == all.iter().collect()
            && sum == all.len()
            && counted == Some(sum as u128)
            && most <= least + 1;
        table.row(cells, "the same, each once, in equal parts", Some(met));
    }
    table
}

fn budget() -> Budget<'static> {
    Budget { cases: u64::MAX, rejects: 0, go_on: Box::leak(Box::new(|_| true)), progress: Default::default() }
}

fn visited(inputs: &Boxed<'static, String>, size: Option<u64>) -> Vec<String> {
    let seen = RefCell::new(Vec::new());
    let mut test = |src: &mut Source| seen.borrow_mut().push(src.draw(inputs.by_ref()));
    search_exhaustive(Bounds { size, inputs: None }, &mut test, budget()).expect("tests use us rightly");
    seen.into_inner()
}

fn visited_by(inputs: &Boxed<'static, String>, shard: u128, size: Option<u64>) -> Vec<String> {
    let seen = RefCell::new(Vec::new());
    let mut test = |src: &mut Source| seen.borrow_mut().push(src.draw(inputs.by_ref()));
    let space = Space::of(inputs).expect("these spaces are known");
    search(Box::new(space.replay(shard, SHARDS, size)), &mut test, budget()).expect("tests use us rightly");
    seen.into_inner()
}

/// How many inputs there are, without a visit.
fn counted(inputs: &Boxed<'static, String>, size: Option<u64>) -> Option<u128> {
    let mut space = Space::of(inputs).ok()?;
    match size {
        Some(max) => (0..=max).map(|size| space.count(size)).sum(),
        None => space.total(),
    }
}

const SHARED: &[Shared] = &[
    Shared {
        name: "(i8, bool, -9..=30)",
        inputs: || text((any::<i8>(), any::<bool>(), -9..=30)),
        size: None,
    },
    Shared { name: "lists of up to 5 of 0..7", inputs: || text(vec(0..7, 0..=5)), size: None },
    Shared { name: "Vec<Option<bool>>, size 7", inputs: || text(any::<Vec<Option<bool>>>()), size: Some(7) },
    Shared { name: "trees of 0..3, size 6", inputs: trees, size: Some(6) },
    Shared { name: "String, size 5", inputs: || text(any::<String>()), size: Some(5) },
    Shared { name: "one input", inputs: || text(3..=3), size: None },
];

fn text<T: Debug + 'static>(inputs: impl Generator<Value = T> + 'static) -> Boxed<'static, String> {
    from(inputs).map(|it| format!("{it:?}")).boxed()
}

fn trees() -> Boxed<'static, String> {
    let leaf = from(0..3).map(|it| it.to_string());
    recursive(leaf, |tree| from((tree.clone(), tree)).map(|(a, b)| format!("({a} {b})"))).boxed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_visit_each_input_once() {
        let table = table();
        assert_eq!(table.missed(), 0, "{}", table.text());
    }
}
