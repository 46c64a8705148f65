//! A contract on the methods of a trait, and a call of one.

struct S;

trait T {
    fn f(&self, a: u8) -> u8;
}

#[probity::contract]
impl T for S { //~
    #[requires(a > 0)]
    fn f(&self, a: u8) -> u8 {
        a
    }
}

#[test]
fn g() {
    assert_eq!(S.f(3), 3);
}
