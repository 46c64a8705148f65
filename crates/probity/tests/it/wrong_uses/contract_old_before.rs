//! Before a call there is nothing older.

#[probity::contract]
#[requires(old(n) > 0)] //~
pub fn half(n: u32) -> u32 {
    n / 2
}
