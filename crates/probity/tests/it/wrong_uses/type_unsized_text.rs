//! A text without a size.

#[probity::test]
fn f(a: str) { //~
    let _ = &a;
}
