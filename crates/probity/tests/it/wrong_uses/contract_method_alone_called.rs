//! A contract on a method alone, and a call of it.

struct S;

impl S {
    #[probity::contract]
    #[requires(a > 0)]
    fn f(&self, a: u8) -> u8 { //~
        a
    }
}

#[test]
fn g() {
    assert_eq!(S.f(3), 3);
}
