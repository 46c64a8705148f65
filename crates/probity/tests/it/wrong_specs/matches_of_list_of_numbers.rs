//! A pattern for numbers in a list.

use probity::prelude::*;

#[derive(Debug, Spec)]
struct Song {
    #[spec(len = 1..=3, matches = "[0-9]+")] //~
    field: Vec<f64>,
}
