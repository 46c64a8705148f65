//! A test of any type.

#[probity::test]
fn same<T: PartialEq>(a: T) { //~
    assert!(a == a);
}
