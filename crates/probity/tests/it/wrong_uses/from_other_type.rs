//! A generator of another type than the blank.

#[probity::test]
fn names(#[from(0..10)] name: String, #[from(1..=3)] _n: u8) { //~
    assert!(name.len() < 10);
}
