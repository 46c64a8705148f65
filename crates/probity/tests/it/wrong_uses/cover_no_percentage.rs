//! A share that is not said.

use probity::prelude::*;

#[probity::test]
fn small(n: u8) {
    cover!(n < 3); //~
}
