//! A fixed input of another type than the blank.

#[probity::test]
#[example(n = "ten")] //~
fn few(n: u8) {
    assert!(n < 10);
}
