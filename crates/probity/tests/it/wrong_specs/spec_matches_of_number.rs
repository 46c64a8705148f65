//! A pattern for a number among the fields of `spec!`.

use probity::prelude::*;

#[test]
fn verses() {
    drop(probity::spec! { verses: u8 matches "[0-9]+" }); //~
}
