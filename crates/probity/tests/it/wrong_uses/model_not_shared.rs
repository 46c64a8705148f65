//! A system that threads cannot share.

#[derive(Default)]
struct Counter(u64);

impl Counter {
    fn add(&mut self, n: u64) {
        self.0 = self.0.wrapping_add(n);
    }
}

#[derive(Clone, Default)]
struct Model(u64);

#[probity::model(Counter, threads = 2)]
impl Model {
    fn add(&mut self, n: u64) { //~
        self.0 = self.0.wrapping_add(n);
    }
}
