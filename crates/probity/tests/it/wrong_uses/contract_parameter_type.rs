//! A parameter without a generator.

#[derive(Debug)]
pub struct Q(u8);

#[probity::contract]
#[requires(q.0 > 0)]
pub fn f(q: &Q) -> u8 { //~
    q.0
}
