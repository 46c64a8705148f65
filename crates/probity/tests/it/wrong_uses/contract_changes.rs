//! A condition that changes what it is about.

#[probity::contract]
#[requires(xs.pop().is_some())] //~
pub fn clear(xs: &mut Vec<u8>) {
    xs.clear();
}
