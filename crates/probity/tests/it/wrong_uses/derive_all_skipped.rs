//! An enum of which every variant is skipped, and a list of it.

use probity::prelude::*;

#[derive(Debug, Clone, Generate)]
enum Op { //~
    #[skip]
    A,
    #[skip]
    B(u8),
}

#[probity::test]
fn f(n: Vec<Op>) {
    let _ = n;
}
