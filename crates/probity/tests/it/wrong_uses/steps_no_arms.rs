//! Steps that are no arms.

use probity::prelude::*;

#[probity::test]
fn counts(src: &mut Source) {
    steps!(src, 10); //~
}
