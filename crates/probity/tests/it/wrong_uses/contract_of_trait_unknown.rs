//! A contract on a method of a trait, with a method that what is returned does not have.

use probity::prelude::*;

#[derive(Debug, Generate)]
struct S;

#[probity::contract]
impl Iterator for S {
    type Item = u8;

    #[ensures(|out| out.is_sme())] //~
    fn next(&mut self) -> Option<u8> {
        None
    }
}
