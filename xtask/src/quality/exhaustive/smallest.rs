//! Planted bugs: no input that reveals one is smaller than the first that is found.
//!
//! The smallest is looked for among all inputs of a plain list, made without the engine; sizes are counted by
//! hand, as the module `small` of core says: one for every step from the simplest answer.

use std::cell::RefCell;
use std::fmt::Debug;

use probity_core::{
    Bounds, Budget, Combine, Generator, Source, any, from, lazy, optional, recursive, search_exhaustive, vec,
};

use super::grouped;
use crate::quality::{silence_cases, table::Table};

/// A bug, and all inputs among which it is looked for.
struct Bug<T> {
    name: &'static str,
    draw: fn(&mut Source) -> T,
    all: Vec<T>,
    size: fn(&T) -> u64,
    fails: fn(&T) -> bool,
}

pub(super) fn table() -> Table {
    let title = "planted bugs: the size of the first failing input, beside the smallest of all failing ones";
    let mut table =
        Table::new(title, &["bug", "inputs", "failing", "cases to find", "size", "first failing input"]);
    add(&mut table, int_pair());
    add(&mut table, list());
    add(&mut table, text());
    add(&mut table, options());
    add(&mut table, nested_lists());
    add(&mut table, expression());
    add(&mut table, shape());
    add(&mut table, filtered());
    add(&mut table, derangement());
    add(&mut table, lazy_list());
    table
}

fn add<T: Debug>(table: &mut Table, bug: Bug<T>) {
    silence_cases();
    let failing = bug.all.iter().filter(|it| (bug.fails)(it));
    let sizes: Vec<u64> = failing.map(bug.size).collect();
    let smallest = sizes.iter().min().copied();
    let first = RefCell::new(None);
    let mut test = |src: &mut Source| {
        let input = src.draw(bug.draw);
        if (bug.fails)(&input) {
            first.borrow_mut().get_or_insert((format!("{input:?}"), (bug.size)(&input)));
            panic!("{}", bug.name);
        }
    };
    let budget = Budget { cases: 10_000_000, rejects: 0, go_on: &mut |_| true, progress: Default::default() };
    let finding = search_exhaustive(Bounds::default(), &mut test, budget).expect("bugs use us rightly");
    let found = finding.failures.first();
    let (text, size) = first.take().unzip();
    let cells = vec![
        bug.name.to_string(),
        grouped(bug.all.len() as u64),
        grouped(sizes.len() as u64),
        found.map_or(String::new(), |it| grouped(it.index + 1)),
        size.map_or(String::new(), |it| it.to_string()),
        text.unwrap_or_default(),
    ];
    let met = smallest.is_some() && size == smallest && found.map(|it| it.case.trace.size()) == smallest;
    table.row(cells, smallest.map_or("none".to_string(), |it| it.to_string()), Some(met));
}

/// All lists of at most `max` of these items.
fn lists<T: Clone>(items: &[T], max: usize) -> Vec<Vec<T>> {
    let mut res = vec![vec![]];
    let mut longest = res.clone();
    for _ in 0..max {
        let longer = |it: &Vec<T>| {
            items.iter().map(|item| [it, std::slice::from_ref(item)].concat()).collect::<Vec<_>>()
        };
        longest = longest.iter().flat_map(longer).collect();
        res.extend_from_slice(&longest);
    }
    res
}

fn sum(items: &[u8]) -> u64 {
    items.iter().copied().map(u64::from).sum()
}

fn int_pair() -> Bug<(i32, u32)> {
    Bug {
        name: "pair of integers",
        draw: |src| src.draw((-20..=20, 3..=40u32)),
        all: (-20..=20).flat_map(|a| (3..=40).map(move |b| (a, b))).collect(),
        size: |&(a, b)| u64::from(a.unsigned_abs()) + u64::from(b) - 3,
        fails: |&(a, b)| a * a + b as i32 > 60 && (a + b as i32) % 3 == 1,
    }
}

fn list() -> Bug<Vec<u8>> {
    Bug {
        name: "list",
        draw: |src| src.draw(vec(0..=6u8, 0..=5)),
        all: lists(&[0, 1, 2, 3, 4, 5, 6], 5),
        size: |it| it.len() as u64 + sum(it),
        fails: |it| sum(it) >= 9 && (1..it.len()).any(|at| it[..at].contains(&it[at])),
    }
}

fn text() -> Bug<String> {
    Bug {
        name: "string",
        draw: |src| src.draw(vec('a'..='e', 0..=6)).into_iter().collect(),
        all: lists(&['a', 'b', 'c', 'd', 'e'], 6).into_iter().map(String::from_iter).collect(),
        size: |it| it.chars().map(|it| 1 + u64::from(it != 'a')).sum(),
        fails: |it| it.split("ca").count() > 2 && it.contains(['d', 'e']),
    }
}

type Options = (Option<u8>, Option<bool>, Option<Option<bool>>);

fn options() -> Bug<Options> {
    const BOOLS: [Option<bool>; 3] = [None, Some(false), Some(true)];
    let outer: Vec<Option<Option<bool>>> = [None].into_iter().chain(BOOLS.map(Some)).collect();
    let of = |first: Option<u8>| {
        let outer = outer.clone();
        BOOLS.into_iter().flat_map(move |b| outer.clone().into_iter().map(move |c| (first, b, c)))
    };
    Bug {
        name: "options",
        draw: |src| src.draw((optional(0..=9u8), any::<Option<bool>>(), any::<Option<Option<bool>>>())),
        all: [None].into_iter().chain((0..=9).map(Some)).flat_map(of).collect(),
        size: |&(a, b, c)| {
            let flag = |it: Option<bool>| it.map_or(0, |it| 1 + u64::from(it));
            a.map_or(0, |it| 1 + u64::from(it)) + flag(b) + c.map_or(0, |it| 1 + flag(it))
        },
        fails: |&(a, b, c)| match (a, b, c) {
            (Some(a), Some(true), _) => a > 4,
            (Some(a), _, Some(Some(false))) => a > 2,
            (None, Some(true), Some(c)) => c == Some(true),
            _ => false,
        },
    }
}

fn nested_lists() -> Bug<Vec<Vec<u8>>> {
    Bug {
        name: "list of lists",
        draw: |src| src.draw(vec(vec(0..=2u8, 0..=3), 0..=3)),
        all: lists(&lists(&[0, 1, 2], 3), 3),
        size: |it| it.iter().map(|it| 1 + it.len() as u64 + sum(it)).sum(),
        fails: |it| {
            sum(&it.concat()) >= 3 && (1..it.len()).any(|at| it[at].len() > 1 && it[..at].contains(&it[at]))
        },
    }
}

#[derive(Clone, Debug)]
enum Arithmetic {
    Number(u8),
    Minus(Box<[Arithmetic; 2]>),
}

impl Arithmetic {
    fn value(&self) -> i32 {
        match self {
            Arithmetic::Number(it) => (*it).into(),
            Arithmetic::Minus(of) => of[0].value() - of[1].value(),
        }
    }

    fn depth(&self) -> u32 {
        match self {
            Arithmetic::Number(_) => 0,
            Arithmetic::Minus(of) => 1 + of[0].depth().max(of[1].depth()),
        }
    }

    fn size(&self) -> u64 {
        match self {
            Arithmetic::Number(it) => (*it).into(),
            Arithmetic::Minus(of) => 1 + of[0].size() + of[1].size(),
        }
    }
}

fn expression() -> Bug<Arithmetic> {
    let numbers: Vec<Arithmetic> = (0..=3).map(Arithmetic::Number).collect();
    let mut all = numbers.clone();
    for _ in 0..3 {
        let with = |a: &Arithmetic| {
            all.iter().map(|b| Arithmetic::Minus(Box::new([a.clone(), b.clone()]))).collect::<Vec<_>>()
        };
        all = numbers.iter().cloned().chain(all.iter().flat_map(with)).collect();
    }
    Bug {
        name: "recursive tree",
        draw: |src| {
            let number = from(0..=3).map(Arithmetic::Number);
            src.draw(recursive(number, |expr| {
                from((expr.clone(), expr)).map(|(a, b)| Arithmetic::Minus(Box::new([a, b])))
            }))
        },
        all,
        size: Arithmetic::size,
        // The list goes no deeper than three, so neither does the bug.
        fails: |it| it.value() > 4 && it.depth() <= 3,
    }
}

#[derive(Clone, Copy, Debug)]
enum Drawing {
    Dot,
    Line(i8),
    Rectangle { width: u8, height: u8, is_round: bool },
}

fn shape() -> Bug<Vec<Drawing>> {
    let rectangle =
        |at: u8| Drawing::Rectangle { width: 1 + at / 2 % 6, height: 1 + at / 12, is_round: at % 2 == 1 };
    let shapes: Vec<Drawing> =
        [Drawing::Dot].into_iter().chain((-4..=4).map(Drawing::Line)).chain((0..72).map(rectangle)).collect();
    Bug {
        name: "list of an enum",
        draw: |src| {
            src.draw(vec(
                |src: &mut Source| match src.pick(3) {
                    0 => Drawing::Dot,
                    1 => Drawing::Line(src.int(-4, 4)),
                    _ => Drawing::Rectangle {
                        width: src.int(1, 6),
                        height: src.int(1, 6),
                        is_round: src.bool(),
                    },
                },
                0..=3,
            ))
        },
        all: lists(&shapes, 3),
        size: |it| {
            let size = |it: &Drawing| match *it {
                Drawing::Dot => 1,
                Drawing::Line(to) => 2 + u64::from(to.unsigned_abs()),
                Drawing::Rectangle { width, height, is_round } => {
                    u64::from(width + height + u8::from(is_round))
                }
            };
            it.iter().map(size).sum()
        },
        fails: |it| {
            let area = |it: &Drawing| match *it {
                Drawing::Rectangle { width, height, is_round } => width * height - u8::from(is_round),
                _ => 0,
            };
            let has_line_back = it.iter().any(|it| matches!(it, Drawing::Line(..0)));
            it.iter().map(area).sum::<u8>() > 10 && has_line_back
        },
    }
}

fn filtered() -> Bug<(u8, u8)> {
    fn is_kept(&(a, b): &(u8, u8)) -> bool {
        a < b && (a + b) % 7 == 3
    }
    Bug {
        name: "filtered pair",
        draw: |src| src.draw(from((0..=30u8, 0..=30u8)).filter(is_kept)),
        all: (0..=30).flat_map(|a| (0..=30).map(move |b| (a, b))).filter(is_kept).collect(),
        size: |&(a, b)| u64::from(a) + u64::from(b),
        fails: |&(a, b)| u32::from(a) * u32::from(b) > 50 && a % 2 == 0,
    }
}

/// A length, then as many numbers below it.
fn derangement() -> Bug<Vec<u8>> {
    Bug {
        name: "dependent draw",
        draw: |src| {
            let n = src.int(1, 6u8);
            vec(0..n, usize::from(n)).generate(src)
        },
        all: {
            let of_len = |n: u8| {
                lists(&(0..n).collect::<Vec<_>>(), n.into())
                    .into_iter()
                    .filter(move |it| it.len() == usize::from(n))
            };
            (1..=6).flat_map(of_len).collect()
        },
        size: |it| it.len() as u64 - 1 + sum(it),
        fails: |it| {
            let is_cycle_of_two = |at: usize| usize::from(it[usize::from(it[at])]) == at;
            let is_permutation = (0..it.len() as u8).all(|n| it.contains(&n));
            it.len() > 2 && is_permutation && !(0..it.len()).any(is_cycle_of_two)
        },
    }
}

/// The length, and the items that are read.
type Read = (u8, Option<u8>, Option<u8>);

fn lazy_list() -> Bug<Read> {
    let of_len = |len: u8| -> Vec<Read> {
        let items = (0..=9).flat_map(|first| match first {
            first if first < len => (0..=9).map(|it| (len, Some(first), Some(it))).collect(),
            first => vec![(len, Some(first), None)],
        });
        if len == 0 { vec![(0, None, None)] } else { items.collect() }
    };
    Bug {
        name: "lazy list, partly read",
        draw: |src| {
            let list = src.draw(vec(lazy(0..=9u8), 0..=6));
            let first = list.first().map(|it| **it);
            (list.len() as u8, first, first.and_then(|at| list.get(usize::from(at))).map(|it| **it))
        },
        all: (0..=6).flat_map(of_len).collect(),
        // Read twice, the first item costs once.
        size: |&(len, first, at)| {
            let at = if first == Some(0) { 0 } else { at.unwrap_or(0) };
            u64::from(len) + u64::from(first.unwrap_or(0)) + u64::from(at)
        },
        fails: |&(_, first, at)| first > Some(1) && at.is_some_and(|it| it > 3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_failing_input_is_a_smallest_one() {
        let table = table();
        assert_eq!(table.missed(), 0, "{}", table.text());
    }
}
