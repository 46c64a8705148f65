//! A parameter whose type is about to be written.

#[probity::test]
fn lists(v: Vec<i32>, n: ) { //~
    assert!(v.is_empty());
}
