//! A call of a table with a result of another type.

use probity::prelude::*;

api! { v: Vec<u8> {
    fn new() -> Self;
    fn pop(&mut self) -> u8; //~
} }
