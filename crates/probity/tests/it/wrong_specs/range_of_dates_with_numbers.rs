//! A range of dates whose ends are numbers.

use probity::prelude::*;

#[derive(Debug, Spec)]
struct Song {
    #[spec(range = 2017..=2018)] //~
    field: probity::spec::Date,
}
