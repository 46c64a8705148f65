//! A type without public calls, and calls of it.

struct S(u8);

#[probity::api]
impl S { //~
    fn new() -> Self {
        S(0)
    }
    fn get(&self) -> u8 {
        self.0
    }
}

#[test]
fn g() {
    assert_eq!(S::new().get(), 0);
}
