//! What a plain `cargo test` has to find within its default budget. The same four stand in the new crate that
//! `cargo xtask quality concolic` writes.

use probity::{Source, Value};

use crate::answers::answers;
use crate::solving::Puzzle;

/// A name, a test and answers for which it fails.
type Entry = (&'static str, fn(&mut Source), fn() -> Vec<Value>);

/// The four, and the same with other types.
pub fn puzzles() -> Vec<Puzzle> {
    let all: [Entry; 5] = [
        ("number_u32", number_u32, || answers().int(123_456_789).done()),
        ("number_i64", number_i64, || answers().int(123_456_789).done()),
        ("four_bytes", four_bytes, || answers().ints(*b"FUZZ").done()),
        ("double", double, || answers().ints([1_000_001, 2_000_002]).done()),
        ("secret", secret, || answers().text("secret").done()),
    ];
    all.into_iter().map(|(name, test, known)| Puzzle { name, row: "default run", test, known }).collect()
}

fn number_u32(src: &mut Source) {
    let x: u32 = src.any();
    assert!(x != 123_456_789);
}

fn number_i64(src: &mut Source) {
    let x: i64 = src.any();
    assert!(x != 123_456_789);
}

fn four_bytes(src: &mut Source) {
    let bytes: [u8; 4] = src.any();
    assert!(&bytes != b"FUZZ");
}

fn double(src: &mut Source) {
    let (a, b): (u32, u32) = src.any();
    assert!(a < 1_000_000 || a.checked_mul(2) != Some(b));
}

fn secret(src: &mut Source) {
    let s: String = src.any();
    assert!(s != "secret");
}
