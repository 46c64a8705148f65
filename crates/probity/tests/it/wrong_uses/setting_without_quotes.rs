//! A text without quotes.

#[probity::test(engine = exhaustive)] //~
fn digits(n: u8) {
    assert!(n < 10);
}
