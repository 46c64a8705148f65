//! A condition that is a number.

#[probity::contract]
#[requires(n)] //~
pub fn half(n: u8) -> u8 {
    n / 2
}
