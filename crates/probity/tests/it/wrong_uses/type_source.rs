//! The source by value.

use probity::prelude::*;

#[probity::test]
fn dice(mut src: Source) { //~
    assert!(src.draw(1..=6) > 0);
}
