//! A field with a value where a generator is wanted.

use probity::prelude::*;

#[derive(Debug, Generate)]
enum Song {
    Untitled,
    Numbered {
        #[from(7)] //~
        number: u8,
    },
}
