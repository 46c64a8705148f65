//! A closure over more than the result.

#[probity::contract]
#[ensures(|out, a| *out == a)] //~
fn f(a: u8) -> u8 {
    a
}

#[test]
fn g() {
    assert_eq!(f(3), 3);
}
