//! A setting that is not there.

#[probity::test(case = 10)] //~
fn few(n: u8) {
    assert!(n < 10);
}
