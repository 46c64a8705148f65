//! Every engine on every row.

mod engines;
mod judgments;
mod rows;
mod toy;
