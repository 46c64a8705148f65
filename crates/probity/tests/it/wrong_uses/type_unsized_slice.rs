//! A slice without a size.

#[probity::test]
fn f(a: [u8]) { //~
    let _ = a;
}
