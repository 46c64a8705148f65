//! A misspelt method.

#[probity::contract]
#[requires(xs.is_sortd())] //~
pub fn first(xs: &[u32]) -> Option<u32> {
    xs.first().copied()
}
