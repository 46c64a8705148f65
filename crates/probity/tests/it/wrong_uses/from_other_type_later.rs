//! A generator that uses a blank, and makes another type than its own.

#[probity::test]
fn pairs(n: u32, #[from(0..=n)] m: u64) { //~
    assert!(m <= u64::from(n));
}
