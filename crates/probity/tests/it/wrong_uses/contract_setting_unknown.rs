//! A setting that tests do not have.

#[probity::contract(casse = 3)] //~
#[requires(n > 1)]
pub fn half(n: u8) -> u8 {
    n / 2
}
