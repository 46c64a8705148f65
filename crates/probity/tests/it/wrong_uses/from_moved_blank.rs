//! A generator that takes a blank away.

use probity::prelude::*;

#[probity::test]
fn member(v: Vec<u8>, #[from(select(v))] n: u8) { //~
    assert!(v.contains(&n));
}
