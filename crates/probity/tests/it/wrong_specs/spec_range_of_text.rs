//! A range of a text among the fields of `spec!`.

use probity::prelude::*;

#[test]
fn titles() {
    let title = probity::spec! {
        verses: u8 in 1..=9,
        title: String in 0..=9, //~
    };
    drop(title);
}
