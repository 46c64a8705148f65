//! A parameter without a type.

#[probity::test]
fn lists(v: Vec<i32>, n) { //~
    assert!(v.is_empty());
}
