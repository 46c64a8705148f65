//! A method that generators do not have.

use probity::prelude::*;

#[probity::test]
fn half(#[from(any::<u8>().mapp(|n| n / 2))] n: u8) { //~
    assert!(n < 128);
}
