//! A condition that is none.

#[derive(Default)]
struct Counter;

impl Counter {
    fn add(&self, _: u64) {}
}

#[derive(Default)]
struct Model(u64);

#[probity::model(Counter)]
impl Model {
    #[when(self.0)] //~
    fn add(&mut self, n: u64) {
        self.0 = self.0.wrapping_add(n);
    }
}
