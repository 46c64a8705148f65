//! A field that refers to something.

use probity::prelude::*;

#[derive(Debug, Generate)]
struct Song {
    title: &'static str, //~
}
