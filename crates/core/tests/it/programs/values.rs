//! Everything that a program makes, by size; and what the exhaustive engine makes of it.

use std::collections::{BTreeMap, BTreeSet};

use probity_core::{
    Bounds, Budget, Ended, Exhaustive, Generator, SearchResult, Source, Space, search, search_exhaustive,
};

use super::{Gen, Read, Val, read, weigh};

/// The most inputs that are compared of one program.
const VALUES_MAX: usize = 800;
/// The greatest size.
const SIZE_MAX: u64 = 7;
/// How many cases are run to see whether a program comes to its end.
const CASES: u64 = 3_000;
/// How often the engine may look whether to go on, where nothing bounds it.
const TURNS: u64 = 2_000;
/// For how many sizes beyond the last there is to be nothing.
const BEYOND: u64 = 4;

/// What came of a program.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Checked {
    /// How many inputs were compared.
    pub(crate) inputs: u64,
    /// Whether it was called complete, with or without a bound of size.
    pub(crate) complete: bool,
    /// How many sizes its space counted.
    pub(crate) counted: u64,
}

/// The innermost part that contains itself, and the one around it.
#[derive(Clone, Copy)]
struct Knot<'a>(&'a Gen, Option<&'a Knot<'a>>);

/// Everything of exactly this size.
fn values(of: &Gen, size: u64, whole: Option<&Knot<'_>>, max: usize) -> Option<Vec<Val>> {
    let less = |by: u64| size.checked_sub(by);
    let all = |it: &Gen, size| values(it, size, whole, max);
    let res = match of {
        Gen::Int(low, high) => {
            let origin = 0.clamp(*low, *high);
            (*low..=*high).filter(|it| it.abs_diff(origin) == size).map(Val::Int).collect()
        }
        Gen::Bool if size < 2 => vec![Val::Bool(size == 1)],
        Gen::Char(n) => (0..=*n)
            .filter(|it| u64::from(*it > 0) == size)
            .map(|it| Val::Char((b'a' + it) as char))
            .collect(),
        Gen::Maybe(_) if size == 0 => vec![Val::Maybe(None)],
        Gen::Maybe(it) => all(it, size - 1)?.into_iter().map(|it| Val::Maybe(Some(Box::new(it)))).collect(),
        Gen::List(it, min, most) => {
            let mut res = Vec::new();
            let longest = (*min as u64 + size).min(most.map_or(u64::MAX, |it| it as u64));
            for len in *min as u64..=longest {
                res.extend(
                    lists(it, len, size - (len - *min as u64), whole, max)?.into_iter().map(Val::List),
                );
            }
            res
        }
        Gen::Pair(a, b) => {
            pairs(a, b, size, whole, max)?.into_iter().map(|(a, b)| Val::List(vec![a, b])).collect()
        }
        Gen::Set(it, min, most) => {
            let sets = sets(it, (*min, *most), size, whole, max)?;
            sets.into_iter().map(|it| Val::Set(it.into_iter().collect())).collect()
        }
        Gen::Unique(it, most) => {
            let mut res = Vec::new();
            for len in 0..=(*most as u64).min(size) {
                let lists = lists(it, len, size - len, whole, max)?.into_iter();
                let is_unique = |it: &Vec<Val>| it.iter().collect::<BTreeSet<_>>().len() == it.len();
                res.extend(lists.filter(is_unique).map(Val::List));
            }
            res
        }
        Gen::Map(key, value, most) => maps((key, value), *most, size, whole, max)?,
        Gen::Alt(of) => {
            let mut res = Vec::new();
            for (at, (_, it)) in of.iter().enumerate() {
                let Some(size) = less(u64::from(at > 0)) else { continue };
                res.extend(all(it, size)?.into_iter().map(|it| Val::Alt(at, Box::new(it))));
            }
            res
        }
        Gen::Filter(it, n) => all(it, size)?.into_iter().filter(|it| !weigh(it).is_multiple_of(*n)).collect(),
        Gen::Times(most, it) => {
            let mut res = Vec::new();
            for len in 0..=(*most as u64).min(size) {
                res.extend(lists(it, len, size - len, whole, max)?.into_iter().map(Val::List));
            }
            res
        }
        Gen::Below(most) => (0..=*most)
            .flat_map(|a| (0..=a).map(move |b| (a, b)))
            .filter(|(a, b)| (a + b) as u64 == size)
            .map(|(a, b)| Val::List(vec![Val::Int(a), Val::Int(b)]))
            .collect(),
        Gen::Lazy(_, Read::Never) if size == 0 => vec![Val::Unread],
        Gen::Lazy(_, Read::Never) => Vec::new(),
        Gen::Lazy(it, _) => all(it, size)?,
        Gen::FirstOdd(n, most) if size % 2 == 1 && size <= *most as u64 => {
            let mut list = vec![Val::Unread; *n];
            list[0] = Val::Int(size as i64);
            vec![Val::List(list)]
        }
        Gen::Sorted(n, most) => {
            let lists = lists(&Gen::Int(0, *most), *n as u64, size, whole, max)?;
            lists.into_iter().filter(|it| it.is_sorted()).map(Val::List).collect()
        }
        Gen::Neighbor(it) => all(it, size)?,
        Gen::Pump(most) => (0..=*most).filter(|it| *it as u64 == size).map(Val::Int).collect(),
        Gen::Knot(leaf, branch) => {
            let mut res: Vec<Val> =
                all(leaf, size)?.into_iter().map(|it| Val::Alt(0, Box::new(it))).collect();
            if let Some(size) = less(1) {
                let branches = values(branch, size, Some(&Knot(of, whole)), max)?;
                res.extend(branches.into_iter().map(|it| Val::Alt(1, Box::new(it))));
            }
            res
        }
        Gen::Rose(it) => values(it, size, Some(&Knot(of, whole)), max)?,
        Gen::Whole => {
            let Knot(of, around) = whole.expect("it stands in something that contains itself");
            values(of, size, *around, max)?
        }
        Gen::Bool | Gen::Float | Gen::FirstOdd(..) => Vec::new(),
    };
    (res.len() <= max).then_some(res)
}

fn pairs(a: &Gen, b: &Gen, size: u64, whole: Option<&Knot<'_>>, max: usize) -> Option<Vec<(Val, Val)>> {
    let mut res = Vec::new();
    for left in 0..=size {
        let first = values(a, left, whole, max)?;
        if first.is_empty() {
            continue;
        }
        let second = values(b, size - left, whole, max)?;
        for a in &first {
            res.extend(second.iter().map(|b| (a.clone(), b.clone())));
        }
        if res.len() > max {
            return None;
        }
    }
    Some(res)
}

/// Lists of this many items.
fn lists(item: &Gen, len: u64, size: u64, whole: Option<&Knot<'_>>, max: usize) -> Option<Vec<Vec<Val>>> {
    let by_size: Vec<Vec<Val>> = if len == 0 {
        Vec::new()
    } else {
        (0..=size).map(|it| values(item, it, whole, max)).collect::<Option<_>>()?
    };
    // All beginnings, by what is left of the size.
    let mut begun = vec![(Vec::new(), size)];
    for _ in 0..len {
        let mut longer = Vec::new();
        for (list, left) in begun {
            for (size, items) in by_size.iter().enumerate().take(left as usize + 1) {
                longer.extend(
                    items
                        .iter()
                        .map(|it| ([&list[..], std::slice::from_ref(it)].concat(), left - size as u64)),
                );
            }
        }
        if longer.len() > max.saturating_mul(20) {
            return None;
        }
        begun = longer;
    }
    Some(begun.into_iter().filter(|it| it.1 == 0).map(|it| it.0).collect())
}

/// Sets of items, in order.
fn sets(
    item: &Gen,
    (min, most): (usize, Option<usize>),
    size: u64,
    whole: Option<&Knot<'_>>,
    max: usize,
) -> Option<Vec<Vec<Val>>> {
    // An item costs one for being there, but for the least number of them.
    let left = size + min as u64;
    let mut items = Vec::new();
    for size in 0..left {
        items.extend(values(item, size, whole, max)?.into_iter().map(|it| (size + 1, it)));
    }
    items.sort_by(|a, b| a.1.cmp(&b.1));
    let mut begun = vec![(Vec::new(), left, 0)];
    let mut res = Vec::new();
    while let Some((set, left, next)) = begun.pop() {
        for (at, (cost, it)) in items.iter().enumerate().skip(next) {
            if *cost <= left && most.is_none_or(|most| set.len() < most) {
                begun.push(([&set[..], std::slice::from_ref(it)].concat(), left - cost, at + 1));
            }
        }
        if left == 0 && set.len() >= min {
            res.push(set);
        }
        if res.len() > max || begun.len() > max.saturating_mul(20) {
            return None;
        }
    }
    Some(res)
}

fn maps(
    (key, value): (&Gen, &Gen),
    most: Option<usize>,
    size: u64,
    whole: Option<&Knot<'_>>,
    max: usize,
) -> Option<Vec<Val>> {
    let entry = Gen::Pair(Box::new(key.clone()), Box::new(value.clone()));
    let mut res = Vec::new();
    for entries in sets(&entry, (0, most), size, whole, max)? {
        let n = entries.len();
        let entry = |it| match it {
            Val::List(it) => <[Val; 2]>::try_from(it).ok().map(|[a, b]| (a, b)),
            _ => None,
        };
        let map: BTreeMap<Val, Val> = entries.into_iter().filter_map(entry).collect();
        if map.len() == n {
            res.push(Val::Map(map));
        }
    }
    Some(res)
}

/// This many cases, or this many turns where most are refused.
fn budget(cases: u64, turns: u64) -> Budget<'static> {
    let mut turns = turns;
    let go_on = move |_| {
        turns = turns.saturating_sub(1);
        turns > 0
    };
    Budget { cases, rejects: u64::MAX, go_on: Box::leak(Box::new(go_on)), progress: Default::default() }
}

/// Visits a program, at full speed or case by case, and returns what it made.
fn visit(program: &Gen, bounds: Bounds, cases: u64, is_fast: bool) -> (Vec<Val>, SearchResult) {
    let made = program.build(None);
    let turns = if bounds.size.is_none() { TURNS } else { u64::MAX };
    let mut seen = Vec::new();
    let mut test = |src: &mut Source| seen.push(read(made.generate(src)));
    let result = match is_fast {
        true => search_exhaustive(bounds, &mut test, budget(cases, turns)),
        false => search(Box::new(Exhaustive::new(bounds)), &mut test, budget(cases, turns)),
    };
    let result = result.unwrap_or_else(|it| panic!("{}", it.message));
    (seen, result)
}

/// Whether there is a set whose items have parts that are read late.
fn has_late_items(program: &Gen) -> bool {
    let is_late = |it: &Gen| matches!(it, Gen::Lazy(_, Read::Late));
    let of_late = |it: &Gen| matches!(it, Gen::Set(..)) && it.has(&is_late);
    program.has(&of_late)
        || program.has(&is_late)
            && program.has(&|it| matches!(it, Gen::Set(..)))
            && program.has(&|it| matches!(it, Gen::Whole))
}

/// Compares what the exhaustive engine visits of a program with what there is. Panics where they differ, or where
/// more is said than is true.
pub(crate) fn check(program: &Gen) -> Checked {
    let mut res = Checked::default();
    let mut by_size = Vec::new();
    let mut n = 0;
    let has_floats = program.has(&|it| matches!(it, Gen::Float));
    while !has_floats && by_size.len() as u64 <= SIZE_MAX {
        let Some(values) = values(program, by_size.len() as u64, None, VALUES_MAX) else { break };
        n += values.len();
        if n > VALUES_MAX {
            break;
        }
        by_size.push(values);
    }
    let is_narrow = has_floats || program.has(&|it| matches!(it, Gen::Neighbor(_)));
    if let Some(size) = (by_size.len() as u64).checked_sub(1) {
        let mut expected: Vec<Val> = by_size.iter().flatten().cloned().collect();
        expected.sort();
        for is_fast in [true, false] {
            // Most of what is refused comes from sets that have too few values.
            let (mut seen, finding) =
                visit(program, Bounds { size: Some(size), inputs: None }, u64::MAX, is_fast);
            seen.sort();
            if has_late_items(program) {
                // What is read after all items are there cannot be put in order: such a set comes once for each order.
                seen.dedup();
            }
            let extra = seen.iter().find(|it| expected.binary_search(it).is_err());
            let missed = expected.iter().find(|it| seen.binary_search(it).is_err());
            assert!(
                seen == expected,
                "up to size {size}: extra {extra:?}, missed {missed:?}, of {}",
                expected.len()
            );
            let is_drawn = |it: &Gen| matches!(it, Gen::Neighbor(_));
            let is_complete = finding.ended == Ended::Complete;
            // A neighbor that was never drawn has no neighbors.
            assert!(is_complete || program.has(&is_drawn), "not complete: {:?}", finding.evidence.reach);
        }
        res.inputs = expected.len() as u64;
        if let Ok(mut space) = Space::of(&program.build(None)) {
            for (size, values) in by_size.iter().enumerate() {
                assert_eq!(space.count(size as u64), Some(values.len() as u128), "a space, of size {size}");
                res.counted += 1;
            }
        }
    }
    let (mut seen, finding) = visit(program, Bounds::default(), CASES, true);
    if has_late_items(program) {
        seen.sort();
        seen.dedup();
    }
    let reach = finding.evidence.reach.expect("it was searched");
    assert!(!reach.all || finding.ended == Ended::Complete);
    if reach.all || finding.ended == Ended::Complete {
        res.complete = true;
        assert!(
            !is_narrow || program.has(&|it| matches!(it, Gen::Lazy(_, Read::Never))),
            "complete, with {reach:?}"
        );
        let mut all = 0;
        for size in 0..=reach.size + BEYOND {
            let more = values(program, size, None, 2 * CASES as usize).expect("it ran no more cases");
            assert!(
                size <= reach.size || more.is_empty(),
                "complete at size {}, but there is {:?}",
                reach.size,
                more[0]
            );
            all += more.len();
        }
        assert_eq!(seen.len(), all, "complete");
    }
    res
}
