//! A value where a generator is wanted.

#[probity::test]
fn five(#[from(5)] n: u8) { //~
    assert!(n < 10);
}
