//! An arm with a guard that is none.

use probity::prelude::*;

#[probity::test]
fn stack(src: &mut Source) {
    steps!(src, ..9, {
        push => (),
        pop when true => (), //~
    });
}
