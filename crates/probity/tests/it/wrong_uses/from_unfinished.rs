//! A generator that is not written to its end.

#[probity::test]
fn more(#[from(0 +)] n: u8) { //~
    assert!(n > 0);
}
