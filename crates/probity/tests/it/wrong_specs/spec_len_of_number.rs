//! The length of a number among the fields of `spec!`.

use probity::prelude::*;

#[test]
fn verses() {
    drop(probity::spec! { verses: u8 len 1..=9 }); //~
}
