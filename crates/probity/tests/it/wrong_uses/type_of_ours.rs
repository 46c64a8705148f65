//! A type of the user that has no generator.

#[derive(Debug)]
struct Point(i32, i32);

#[probity::test]
fn points(p: Point) { //~
    assert_eq!(p.0, p.1);
}
