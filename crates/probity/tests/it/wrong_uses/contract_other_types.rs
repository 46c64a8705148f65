//! Two types that are not compared.

#[probity::contract]
#[requires(n < "3")] //~
pub fn half(n: u8) -> u8 {
    n / 2
}
