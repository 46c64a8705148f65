//! A closure that changes what is returned.

#[probity::contract]
#[ensures(|out| out.pop().is_none())] //~
pub fn empty(n: u8) -> Vec<u8> {
    vec![n; 0]
}
