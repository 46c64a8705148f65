//! A test without a body.

#[probity::test]
fn lists(v: Vec<i32>); //~
