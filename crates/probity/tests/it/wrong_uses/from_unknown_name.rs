//! A generator with a name that is not there.

#[probity::test]
fn small(#[from(0..limit)] n: u8) { //~
    assert!(n < 10);
}
