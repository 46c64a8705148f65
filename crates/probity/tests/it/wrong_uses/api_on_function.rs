//! A table of calls on a function.

#[probity::api]
fn push(it: u8) {} //~
