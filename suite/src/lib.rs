//! One table of tests with known answers, for every engine.
//!
//! A [`Row`] is a test and what is known of it: that it fails, and an input for which it does; that it passes, and how
//! many inputs it has; that it accepts none. An [`Engine`] is a way to search, with the rows that it is not asked to
//! find and the reasons. [`judge`] holds what an engine reports of a row against what is known, and [`complaints`] does so
//! with many. No engine is tuned to a row: a row represents all the tests that look like it.
//!
//! `cargo test -p probity-suite` runs every engine on every row; `cargo xtask quality suite` prints the table.
//!
//! To add a row, write it in the file of `rows` that fits. To add an engine, add it to [`ENGINES`].

mod answers;
mod complaints;
mod engines;
mod report;
mod row;
mod rows;

pub use complaints::complaints;
pub use engines::{ENGINES, Engine, Exclusion};
pub use report::{Failure, Judgment, Report, check, fails, judge};
pub use row::{Group, Known, Row};

/// Every row, group by group.
///
/// ```
/// assert!(probity_suite::rows().count() >= 60);
/// ```
pub fn rows() -> impl Iterator<Item = &'static Row> {
    rows::ALL.into_iter().flatten()
}
