//! A command with another argument than the system takes.

#[derive(Default)]
struct S(u64);

impl S {
    fn put(&self, _: u8) -> u64 {
        self.0
    }
}

#[derive(Default)]
struct M(u64);

#[probity::model(S)]
impl M {
    fn put(&mut self, _q: u16) -> u64 { //~
        self.0
    }
}
