//! A setting with a value of another type.

#[probity::test(cases = "many")] //~
fn many(n: u8) {
    assert!(n < 10);
}
