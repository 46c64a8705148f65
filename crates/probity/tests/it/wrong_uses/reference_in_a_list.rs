//! A list of references, which would have nothing to borrow from.

#[probity::test]
fn words(words: Vec<&str>) { //~
    assert!(words.is_empty());
}
