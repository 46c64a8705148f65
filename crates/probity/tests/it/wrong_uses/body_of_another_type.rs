//! A mistake in the test itself.

#[probity::test]
fn few(n: u8) {
    let m: u16 = n; //~
    assert!(m < 10);
}
