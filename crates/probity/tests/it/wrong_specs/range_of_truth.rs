//! A range of a truth, in an option.

use probity::prelude::*;

#[derive(Debug, Spec)]
struct Song {
    #[spec(range = 0..=1)] //~
    field: Option<bool>,
}
