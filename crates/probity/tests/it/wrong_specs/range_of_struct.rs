//! A range of a struct, in a list.

use probity::prelude::*;

#[derive(Debug, Spec)]
struct Volume(u8);

#[derive(Debug, Spec)]
struct Song {
    #[spec(range = 0..=9)] //~
    field: Vec<Volume>,
}
