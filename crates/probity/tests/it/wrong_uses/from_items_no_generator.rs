//! A list of what is no generator.

use probity::prelude::*;

#[probity::test]
fn words(#[from(vec("[a-z]+", 1..3))] words: Vec<String>) { //~
    assert!(words.is_empty());
}
