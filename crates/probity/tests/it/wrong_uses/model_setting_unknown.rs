//! A setting that models do not have, and a call of the model.

#[derive(Default)]
struct S(u64);

impl S {
    fn add(&mut self, n: u64) {
        self.0 += n
    }
}

#[derive(Default)]
struct M(u64);

#[probity::model(S, thread = 2)] //~
impl M {
    #[weight(2)]
    fn add(&mut self, #[from(0..3)] n: u64) {
        self.0 += n
    }
}

#[test]
fn g() {
    M(0).add(3);
    S(0).add(3);
}
