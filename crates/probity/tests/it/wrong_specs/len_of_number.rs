//! The length of a number.

use probity::prelude::*;

#[derive(Debug, Spec)]
struct Song {
    #[spec(len = 1..=3)] //~
    field: Box<u32>,
}
