//! Small bugs of the shapes that real ones have. Inputs are drawn by type alone, as by a user who fills in nothing.

use std::collections::BTreeMap;

use probity::Source;
use probity::engine::Value;

use crate::answers::answers;
use crate::{Group, Row};

pub(super) const ROWS: &[Row] = &[
    fails("i64 is i64::MIN", "int_min", int_min, || answers().int(i64::MIN).done()).only(),
    fails("two i64 are equal", "equal_pair", equal_pair, || answers().ints([0, 0]).done()),
    fails("duplicate in a Vec<i32>", "duplicate", duplicate, || answers().list(&[0, 0]).done()),
    fails("f64 is NaN", "not_a_number", not_a_number, || answers().float(f64::NAN).done()),
    fails("char is NUL", "nul", nul, || answers().char('\0').done()).only(),
    fails("Vec<u8> of 50 or more", "long_bytes", long_bytes, || answers().bytes(&[0; 50]).done()),
    fails("delete leaves a duplicate", "delete_one", delete_one, || answers().list(&[0, 0]).int(0).done()),
    fails("midpoint of two i32 overflows", "midpoint", midpoint, || answers().ints([i32::MAX, 1]).done()),
    fails("off by one at a power of two", "power_of_two", power_of_two, || answers().int(4).done()),
    fails("empty collection", "empty", empty, || answers().list(&[]).done()),
    fails("f64 is -0.0", "negative_zero", negative_zero, || answers().float(-0.0).done()).only(),
    fails("f64 is infinite", "infinite", infinite, || answers().float(f64::INFINITY).done()),
    fails("reciprocal of a tiny f64", "reciprocal", reciprocal, || answers().float(5e-324).done()),
    fails("string cut within a character", "cut_string", cut_string, || answers().text("é").done()),
    fails("lower case changes the length", "lower_case", lower_case, || answers().text("İ").done()),
    fails("reversal moves a combining mark", "reversal", reversal, || answers().text("a\u{300}").done()),
    fails("quicksort degenerates", "quicksort", quicksort, || answers().list(&[0; 20]).done()),
    fails("duplicate keys in a map", "duplicate_keys", duplicate_keys, || {
        answers().length(2).int(0).text("").int(0).text("").done()
    }),
    fails("path climbs by `..`", "climbing_path", climbing_path, || answers().text("..").done()),
    fails("two strings equal, not empty", "equal_strings", equal_strings, || {
        answers().text("a").text("a").done()
    }),
    fails("line ends lost", "line_ends", line_ends, || answers().text("\n").done()),
    fails("leap years without centuries", "leap_years", leap_years, || answers().int(100).done()),
    fails("no character comes next", "next_char", next_char, || answers().char('\u{d7ff}').done()),
    fails("String of 80 or more", "long_string", long_string, || answers().text(&"a".repeat(80)).done()),
    fails("empty row in a table", "empty_row", empty_row, || answers().length(1).length(0).done()),
];

const fn fails(
    kind: &'static str,
    name: &'static str,
    test: fn(&mut Source),
    known: fn() -> Vec<Value>,
) -> Row {
    Row::fails(Group::Shape, kind, name, test, known)
}

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
