//! Tests that hold for more inputs than can be visited: anyone who finds a failure is wrong, and anyone who says that all
//! inputs were visited too.

use std::collections::{BTreeSet, VecDeque};

use probity::Source;
use probity::prelude::*;

use crate::{Group, Row};

pub(super) const ROWS: &[Row] = &[
    passes("reversed_twice", reversed_twice),
    passes("sorted_once", sorted_once),
    passes("printed_and_parsed", printed_and_parsed),
    passes("added_and_taken_away", added_and_taken_away),
    passes("split_and_joined", split_and_joined),
    passes("bytes_of_text", bytes_of_text),
    passes("queue_of_two_stacks", queue_of_two_stacks),
    passes("found_where_inserted", found_where_inserted),
    passes("floats_in_order", floats_in_order),
    Row::passes(Group::Passing, "2,500 inputs, none fails", "nearest_below", nearest_below, Some(2500)),
];

const fn passes(name: &'static str, test: fn(&mut Source)) -> Row {
    Row::passes(Group::Passing, "many inputs, none fails", name, test, None)
}

fn reversed_twice(src: &mut Source) {
    let v: Vec<i32> = src.any();
    let mut twice = v.clone();
    twice.reverse();
    twice.reverse();
    assert!(v == twice);
}

fn sorted_once(src: &mut Source) {
    let mut v: Vec<u16> = src.any();
    let (len, sum): (usize, u64) = (v.len(), v.iter().map(|it| u64::from(*it)).sum());
    v.sort();
    assert!(v.is_sorted() && v.len() == len && v.iter().map(|it| u64::from(*it)).sum::<u64>() == sum);
}

fn printed_and_parsed(src: &mut Source) {
    let n: i64 = src.any();
    assert!(n.to_string().parse() == Ok(n));
}

fn added_and_taken_away(src: &mut Source) {
    let (a, b): (u64, u64) = src.any();
    assert!(a.wrapping_add(b).wrapping_sub(b) == a && a ^ b ^ b == a);
}

fn split_and_joined(src: &mut Source) {
    let text: String = src.any();
    assert!(text.split(',').collect::<Vec<_>>().join(",") == text);
}

fn bytes_of_text(src: &mut Source) {
    let text: String = src.any();
    assert!(String::from_utf8(text.clone().into_bytes()) == Ok(text));
}

/// A binary search by hand.
fn nearest_below(src: &mut Source) {
    let squares: Vec<u32> = (0..50).map(|n| n * n).collect();
    let n = src.draw(0..2500_u32);
    let (mut low, mut high) = (0, squares.len());
    while high - low > 1 {
        let middle = low.midpoint(high);
        if squares[middle] <= n { low = middle } else { high = middle }
    }
    assert!(squares[low] <= n && n < squares[low] + 2 * low as u32 + 1);
}

fn queue_of_two_stacks(src: &mut Source) {
    let (mut model, mut front, mut back) = (VecDeque::new(), Vec::new(), Vec::new());
    src.list("steps", 0, 12, |src, _| {
        if src.bool() {
            let n: u8 = src.any();
            model.push_back(n);
            back.push(n);
        } else {
            if front.is_empty() {
                front.extend(back.drain(..).rev());
            }
            assert!(front.pop() == model.pop_front());
        }
    });
}

fn found_where_inserted(src: &mut Source) {
    let (set, n): (BTreeSet<u8>, u8) = (src.any(), src.any());
    let mut with = set.clone();
    with.insert(n);
    assert!(with.contains(&n) && with.len() <= set.len() + 1);
}

fn floats_in_order(src: &mut Source) {
    let (a, b): (f64, f64) = (src.any(), src.any());
    assume!(!a.is_nan() && !b.is_nan());
    assert!(a.max(b) >= a.min(b));
}
