//! A call of a table with a type of its own.

use probity::prelude::*;
use std::collections::VecDeque;

api! { deque: VecDeque<u8> {
    fn new() -> Self;
    fn retain<F>(&mut self, keep: F); //~
} }
