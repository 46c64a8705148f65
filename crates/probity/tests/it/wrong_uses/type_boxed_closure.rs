//! A closure, which is neither drawn nor shown.

#[probity::test]
fn filtered(f: Box<dyn Fn(u8) -> bool>) { //~
    assert!(f(1));
}
