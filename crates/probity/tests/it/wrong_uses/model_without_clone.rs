//! A model for threads that cannot be cloned.

#[derive(Default)]
struct S(u64);

impl S {
    fn get(&self) -> u64 {
        self.0
    }
}

#[derive(Default)]
struct M(u64);

#[probity::model(S, threads = 2)]
impl M { //~
    fn get(&self) -> u64 {
        self.0
    }
}
