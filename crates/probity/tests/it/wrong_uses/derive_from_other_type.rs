//! A field with a generator of another type.

use probity::prelude::*;

#[derive(Debug, Generate)]
struct Song {
    #[from(0..10)] //~
    title: String,
}
