//! Two sources.

use probity::prelude::*;

#[probity::test]
fn f(a: &mut Source, b: &mut Source) { //~
    let _: (u8, u8) = (a.draw(0..), b.draw(0..));
}
