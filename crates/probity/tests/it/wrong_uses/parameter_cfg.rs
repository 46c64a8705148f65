//! A parameter that is there on some platforms.

#[probity::test]
fn digits(n: u8, #[cfg(windows)] drive: char) { //~
    assert!(n < 10);
}
