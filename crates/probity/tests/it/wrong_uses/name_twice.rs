//! Two parameters with one name.

#[probity::test]
fn f(a: u8, a: u16) { //~
    let _ = a;
}
