//! Something old that never was.

#[probity::contract]
#[ensures(|out| *out < old(m))] //~
pub fn half(n: u8) -> u8 {
    n / 2
}
