//! A pattern where `src.draw` wants a generator.

use probity::prelude::*;

#[probity::test]
fn words(src: &mut Source) {
    let word: String = src.draw("[a-z]+"); //~
    assert!(word.is_empty());
}
