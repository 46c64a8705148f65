//! A parameter whose brackets are open.

#[probity::test]
fn lists(v: Vec<i32, n: u8) { //~
    assert!(v.is_empty());
}
