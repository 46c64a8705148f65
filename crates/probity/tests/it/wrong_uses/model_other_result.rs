//! A command with another result than the system has.

#[derive(Default)]
struct S(u64);

impl S {
    fn get(&self) -> u32 {
        self.0 as u32
    }
}

#[derive(Default)]
struct M(u64);

#[probity::model(S)]
impl M {
    fn get(&self) -> u64 { //~
        self.0
    }
}
