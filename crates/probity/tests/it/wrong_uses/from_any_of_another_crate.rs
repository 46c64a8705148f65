//! The generator of a type that has none.

use probity::prelude::*;

#[probity::test]
fn threads(#[from(vec(any::<std::thread::Thread>(), 2))] threads: Vec<std::thread::Thread>) { //~
    assert!(threads.is_empty());
}
