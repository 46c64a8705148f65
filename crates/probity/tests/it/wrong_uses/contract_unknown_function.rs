//! A function that there is not.

#[probity::contract]
#[requires(is_prime(n))] //~
pub fn next(n: u32) -> u32 {
    n + 1
}
