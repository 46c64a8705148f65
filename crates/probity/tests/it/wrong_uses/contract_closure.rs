//! What is required is no closure.

#[probity::contract]
#[requires(|n| n > 0)] //~
pub fn half(n: u32) -> u32 {
    n / 2
}
