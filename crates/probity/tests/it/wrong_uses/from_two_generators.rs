//! Two generators for one blank.

#[probity::test]
fn few(#[from(0..3, 7..9)] n: u8) { //~
    assert!(n < 9);
}
