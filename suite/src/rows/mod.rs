//! The rows, a file for each kind of test.

mod claims;
mod data;
mod numbers;
mod passing;
mod plain;
mod scores;
mod shapes;
mod structures;
mod texts;

use crate::Row;

/// Every row, group by group.
pub(crate) const ALL: [&[Row]; 9] = [
    numbers::ROWS,
    texts::ROWS,
    structures::ROWS,
    data::ROWS,
    plain::ROWS,
    scores::ROWS,
    shapes::ROWS,
    claims::ROWS,
    passing::ROWS,
];
