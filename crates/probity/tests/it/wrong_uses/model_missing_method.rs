//! A command that the system does not have.

#[derive(Default)]
struct Counter;

#[derive(Default)]
struct Model(u64);

#[probity::model(Counter)]
impl Model {
    fn add(&mut self, n: u64) { //~
        self.0 = self.0.wrapping_add(n);
    }
}
