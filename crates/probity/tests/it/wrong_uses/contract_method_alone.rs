//! A contract on a method alone.

pub struct Half(u8);

impl Half {
    #[probity::contract]
    #[requires(self.0 > 1)]
    pub fn get(&self) -> u8 { //~
        self.0 / 2
    }
}
