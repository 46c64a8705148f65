//! A type has no contract.

#[probity::contract]
pub struct Point { //~
    pub x: u32,
}
