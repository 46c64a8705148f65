//! An enum without variants, and a blank of it.

use probity::prelude::*;

#[derive(Debug, Generate)]
enum Never {} //~

#[probity::test]
fn f(n: Never) {
    let _ = n;
}
