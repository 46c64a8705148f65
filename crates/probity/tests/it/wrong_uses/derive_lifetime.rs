//! A type that borrows.

use probity::prelude::*;

#[derive(Debug, Generate)]
struct Name<'a>(&'a str); //~

#[probity::test]
fn f(n: Name<'_>) {
    let _ = n;
}
