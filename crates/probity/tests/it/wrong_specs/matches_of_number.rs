//! A pattern for a number.

use probity::prelude::*;

#[derive(Debug, Spec)]
struct Song {
    #[spec(matches = "[0-9]+")] //~
    field: u64,
}
