//! A range of a text in a variant of an enum with a parameter.

use probity::prelude::*;

#[derive(Debug, Spec)]
enum Song<T> {
    Untitled,
    Titled {
        #[spec(range = 0..=9)]
        sung: T,
        #[spec(range = 0..=9)] //~
        title: String,
    },
}
