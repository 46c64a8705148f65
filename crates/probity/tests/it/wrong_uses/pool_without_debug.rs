//! A pool of values that cannot be shown.

use probity::prelude::*;

struct Handle;

#[probity::test]
fn handles(src: &mut Source) {
    let mut handles = Pool::new("handle");
    handles.add(Handle);
    src.draw(&handles); //~
}
