//! Values that cannot be drawn twice.

use probity::prelude::*;

#[derive(Debug)]
struct Drink;

#[probity::test]
fn drinks(#[from(select([Drink, Drink]))] drink: Drink) { //~
    let _ = drink;
}
