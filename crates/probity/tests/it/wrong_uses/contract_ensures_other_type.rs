//! What is returned is of another type.

#[probity::contract]
#[ensures(|out| out.is_empty())] //~
pub fn half(n: u8) -> u8 {
    n / 2
}
