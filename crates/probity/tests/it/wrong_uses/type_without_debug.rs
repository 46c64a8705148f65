//! A type that cannot be shown in a report.

use probity::prelude::*;

#[derive(Generate)]
struct Point(i32, i32); //~

#[probity::test]
fn points(p: Point) {
    assert_eq!(p.0, p.1);
}
