//! A reference that would outlive its case.

#[probity::test]
fn words(word: &'static str) { //~
    assert!(word.is_empty());
}
