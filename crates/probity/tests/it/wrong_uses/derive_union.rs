//! A union.

use probity::prelude::*;

#[derive(Clone, Copy, Generate)]
union U { //~
    a: u8,
    b: i8,
}

impl std::fmt::Debug for U {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("U")
    }
}

#[probity::test]
fn f(n: U) {
    let _ = n;
}
