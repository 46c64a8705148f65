//! The source, as a reference that cannot draw.

use probity::prelude::*;

#[probity::test]
fn f(a: &Source) { //~
    let _ = a;
}
