//! A lifetime that nobody declares.

#[probity::test]
fn words(word: &'a str) { //~
    assert!(word.is_empty());
}
