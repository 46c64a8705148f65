//! Ten tests: nine with a fault each, and one that holds.

use app::{SmallStack, parse};
use probity::prelude::*;

#[probity::test]
fn magic_number(n: u32) {
    assert!(n != 0xdead_beef, "the magic number");
}

#[probity::test]
fn magic_text(text: String) {
    assert!(text != "magic!", "the magic text");
}

#[probity::test]
fn ladder(bytes: Vec<u8>) {
    if bytes.first() == Some(&b'F') && bytes.get(1) == Some(&b'U') && bytes.get(2) == Some(&b'Z') {
        assert!(bytes.get(3) != Some(&b'Z'), "the fourth step");
    }
}

#[probity::test]
fn large_sum(numbers: Vec<u16>) {
    let sum: u32 = numbers.iter().map(|it| u32::from(*it)).sum();
    assert!(numbers.len() < 3 || sum < 1_000, "the sum is {sum}");
}

#[probity::test]
fn five_pushes(src: &mut Source) {
    let mut stack = SmallStack::default();
    for _ in 0..src.draw(0..=20) {
        if src.bool() { stack.push(src.any()) } else { _ = stack.pop() }
    }
}

#[probity::test]
fn checksum(payload: [u8; 4], sum: u16) {
    assert!(payload[0] == 0 || helper::sum(&payload) != sum, "accepted");
}

#[probity::test]
fn ordered(a: u8, b: u8, c: u8) {
    assume!(a < b && b < c);
    assert!(u32::from(a) + u32::from(b) + u32::from(c) != 400, "four hundred");
}

#[probity::test]
fn climbs(x: u16, y: u16) {
    let distance = x.abs_diff(12_345).max(y.abs_diff(54_321));
    probity::minimize("distance", f64::from(distance));
    assert!(distance > 3, "close to the place");
}

#[probity::test]
fn parses(text: String) {
    let _ = parse(&text);
}

#[probity::test]
fn holds(numbers: Vec<i32>) {
    let mut sorted = numbers.clone();
    sorted.sort_unstable();
    assert!(sorted.len() == numbers.len() && macros::sum_of!(a) == helper::sum(b"a"));
}
