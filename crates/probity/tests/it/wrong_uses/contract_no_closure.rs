//! What is ensured, without a closure.

#[probity::contract]
#[ensures(out > 1)] //~
pub fn half(n: u8) -> u8 {
    n / 2
}
