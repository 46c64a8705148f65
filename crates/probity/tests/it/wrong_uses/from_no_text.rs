//! A generator of numbers for a text.

#[probity::test]
fn words(#[from(0..10u8)] word: &str) { //~
    assert!(word.is_empty());
}
