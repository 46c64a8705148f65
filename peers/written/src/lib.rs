//! Pairs with a planted mistake each, for `probity write` to write tests that find it; and broken types, for tables of calls.

pub mod broken;
pub mod escapes;
pub mod runs;
pub mod varints;
