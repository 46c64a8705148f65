//! What a plain `cargo test` has to find within its default budget. The same four are in the new crate that
//! `cargo xtask quality concolic` writes.

use probity::Source;
use probity::engine::Value;

use crate::answers::answers;
use crate::{Group, Row};

pub(super) const ROWS: &[Row] = &[
    fails("number_u32", number_u32, || answers().int(123_456_789).done()).only(),
    fails("number_i64", number_i64, || answers().int(123_456_789).done()).only(),
    fails("four_bytes", four_bytes, || answers().ints(*b"FUZZ").done()).only(),
    fails("double", double, || answers().ints([1_000_001, 2_000_002]).done()),
    fails("secret", secret, || answers().text("secret").done()).only(),
];

const fn fails(name: &'static str, test: fn(&mut Source), known: fn() -> Vec<Value>) -> Row {
    Row::fails(Group::Plain, "default run", name, test, known)
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
