//! A field of a type that has no generator.

use probity::prelude::*;

#[derive(Debug, Generate)]
struct Song {
    title: String,
    file: std::fs::File, //~
}
