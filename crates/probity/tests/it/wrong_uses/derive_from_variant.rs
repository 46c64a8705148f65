//! A generator on a variant.

use probity::prelude::*;

#[derive(Debug, Generate)]
enum Op {
    #[from(0..3)] //~
    A(u8),
    B,
}

#[probity::test]
fn f(n: Option<Op>) {
    let _ = n;
}
