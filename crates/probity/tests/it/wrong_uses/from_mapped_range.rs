//! A range that is mapped as the iterator it is too.

#[probity::test]
fn even(#[from((0..9).map(|n| n * 2))] n: u8) { //~
    assert!(n % 2 == 0);
}
