//! A contract without a promise.

#[probity::contract]
pub fn half(n: u8) -> u8 { //~
    n / 2
}
