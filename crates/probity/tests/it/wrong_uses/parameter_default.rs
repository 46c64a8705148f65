//! A default value.

#[probity::test]
fn digits(n: u8 = 3) { //~
    assert!(n < 10);
}
