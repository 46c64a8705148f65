//! What is ensured changes a parameter.

#[probity::contract]
#[ensures(|out| { total += *out; total > 0 })] //~
pub fn add(total: u32) -> u32 {
    total + 1
}
