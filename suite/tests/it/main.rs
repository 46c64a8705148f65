//! Every engine on every row.

mod engines;
mod judgments;
mod passing;
mod rows;
mod toy;
