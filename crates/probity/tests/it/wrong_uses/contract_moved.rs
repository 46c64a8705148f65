//! What is moved into the function is gone afterwards.

#[probity::contract]
#[ensures(|out| *out == name.len())] //~
pub fn length(name: String) -> usize {
    let name = name;
    name.len()
}
