//! A weight that is no number.

use probity::prelude::*;

#[derive(Debug, Generate)]
enum Op {
    #[weight("often")] //~
    A,
    B(u8),
}

#[probity::test]
fn f(n: Op) {
    let _ = n;
}
