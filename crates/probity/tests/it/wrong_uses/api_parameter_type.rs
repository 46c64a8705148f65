//! A call of a table with a parameter of another type.

use probity::prelude::*;
use std::collections::VecDeque;

api! { deque: VecDeque<u8> {
    fn new() -> Self;
    fn push_back(&mut self, it: &str); //~
} }
