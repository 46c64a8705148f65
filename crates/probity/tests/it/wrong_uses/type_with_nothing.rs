//! A type with neither a generator nor a `Debug`.

struct Point(i32, i32);

#[probity::test]
fn points(points: Vec<Point>) { //~
    assert!(points.iter().all(|it| it.0 == it.1));
}
