//! A range of a text that ends with another field.

use probity::prelude::*;

#[derive(Debug, Spec)]
struct Song {
    verses: u8,
    #[spec(range = 0..=verses)] //~
    title: String,
}
