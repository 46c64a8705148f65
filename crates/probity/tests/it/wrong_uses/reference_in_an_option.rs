//! A reference in an option, which would have nothing to borrow from.

#[probity::test]
fn word(word: Option<&str>) { //~
    assert!(word.is_none());
}
