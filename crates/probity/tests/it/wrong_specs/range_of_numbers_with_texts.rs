//! A range of numbers whose ends are texts.

use probity::prelude::*;

#[derive(Debug, Spec)]
struct Song {
    #[spec(range = "a"..="z")] //~
    field: u8,
}
