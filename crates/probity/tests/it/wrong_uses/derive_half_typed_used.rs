//! A field without a type, and a blank of the struct.

use probity::prelude::*;

#[derive(Debug, Generate)]
struct A { a: } //~

#[probity::test]
fn f(q: A) { let _ = q; }
