//! A time that only a clock can tell.

#[probity::test]
fn later(start: std::time::Instant) { //~
    assert!(start.elapsed().as_secs() < 10);
}
