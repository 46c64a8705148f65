//! A future that nobody runs.

#[probity::test]
async fn waits(n: u8) { //~
    assert!(n < 10);
}
