//! The length of a pair.

use probity::prelude::*;

#[derive(Debug, Spec)]
struct Song {
    #[spec(len = 2)] //~
    field: (u8, u8),
}
