//! A range of a text.

use probity::prelude::*;

#[derive(Debug, Spec)]
struct Song {
    #[spec(range = 0.0..=1.0)] //~
    field: String,
}
