//! What is lent to a function is taken from it by its contract.

#[probity::contract]
#[requires(xs.pop().is_some())] //~
pub fn clear(xs: &mut Vec<u32>) {
    xs.clear();
}
