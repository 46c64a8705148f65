//! A field without a type.

use probity::prelude::*;

#[derive(Debug, Generate)]
struct Song {
    title: String,
    length
} //~
