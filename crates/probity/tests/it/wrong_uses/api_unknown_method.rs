//! A call of a table that is not there.

use probity::prelude::*;

struct Stack(Vec<u8>);

api! { stack: Stack {
    fn push(&mut self, it: u8); //~
} }
