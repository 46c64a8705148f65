//! Pairs with a planted mistake each, for `probity write` to write tests that find it.

pub mod escapes;
pub mod runs;
pub mod varints;
