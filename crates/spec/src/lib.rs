//! Specs and difference: what inputs are legal, and what makes two of them count as two.
//!
//! A [`Spec`] declares the shape of a value and what it requires, in [`Term`]s. A [`Difference`] relates two
//! models. A [`Request`] asks for `n` models of which every pair differs; [`generate`] plans what can be planned,
//! solves what must be solved, and checks every model with the evaluator before handing it out.
//!
//! ```text
//! lang, files ──> Spec + Difference ──> Request ──> plan ──┬──> models ──> eval (the oracle)
//!                                                flat ──> solve
//! ```
//!
//! Nothing here prints or reads a clock. Only the SMT back-end starts a process, and watches its time.

mod calendar;
mod check;
mod cover;
mod decimal;
mod difference;
pub mod draw;
mod eval;
pub mod files;
pub mod flat;
mod generate;
pub mod json;
pub mod lang;
mod plan;
mod random;
#[doc(hidden)]
pub mod readers;
pub mod regex;
pub mod solve;
mod spec;
pub mod tables;
mod term;
mod value;

pub use calendar::{Date, DateTime, Duration, Time};
pub use check::{CheckReport, MOST_PAIRS, check, check_within};
pub use cover::{Structure, cover_json};
pub use decimal::Decimal;
pub use difference::{Branch, Branches, Difference, Enumerate, Kind, Relation};
pub use eval::Violation;
pub use generate::{
    Encoding, Generated, Model, NO_CHOICE, Options, Request, RequestError, SolverChoice, Total, count,
    generate,
};
pub use lang::{Diagnostic, Outline, Program, Span};
pub use random::Random;
pub use spec::{Field, Shape, Spec, Table};
pub use term::{Node, Op, Quantifier, Term};
pub use value::{Name, Value};
