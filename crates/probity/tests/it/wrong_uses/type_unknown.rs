//! A type that is not in scope.

#[probity::test]
fn points(p: &mut Point) { //~
    assert_eq!(p.0, p.1);
}
