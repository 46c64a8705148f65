//! A runtime that is not known by its name.

#[probity::test(runtime = smol)] //~
async fn digits(n: u8) {
    assert!(n < 10);
}
