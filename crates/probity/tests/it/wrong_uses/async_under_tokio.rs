//! An attribute that knows no parameters.

#[probity::test]
#[tokio::test] //~
async fn waits(n: u8) {
    assert!(n < 10);
}
