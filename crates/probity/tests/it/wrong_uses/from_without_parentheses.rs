//! A generator that is not in parentheses.

#[probity::test]
fn digits(#[from 0..10] n: u8) { //~
    assert!(n < 10);
}
