//! A condition about nothing that is there.

#[probity::contract]
#[requires(m < 3)] //~
pub fn half(n: u8) -> u8 {
    n / 2
}
