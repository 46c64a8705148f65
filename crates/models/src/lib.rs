//! Models of specs: as many legal inputs as are asked for, every pair of them different.
//!
//! [`generate`] plans what can be planned, solves what must be solved, and checks every model with the evaluator before
//! handing it out; [`count`] says how many there are, [`check`] whether given values are legal and differ.
//!
//! ```text
//! Request ──> plan ──┬──> models ──> eval (the oracle, in probity-spec)
//!          flat ──> solve
//! ```
//!
//! Nothing here prints or reads a clock. Only the SMT back-end starts a process, and watches its time.

mod check;
mod generate;
mod plan;
#[doc(hidden)]
pub mod readers;
pub mod solve;

pub use check::{CheckReport, MOST_PAIRS, check, check_within};
pub use generate::{Encoding, Generated, Options, RequestError, SolverChoice, Total, count, generate};
