//! Specs and difference: what inputs are legal, and what makes two of them count as two.
//!
//! A [`Spec`] declares the shape of a value and what it requires, in [`Term`]s. A [`Difference`] relates two
//! models. Values of a spec are drawn like any other input ([`draw`]). A [`Request`] asks for `n` models of which every
//! pair differs; the crate `probity-models` answers it, and the evaluator here is the oracle of both.
//!
//! ```text
//! Spec ──> draw ──> a source
//!   │       └─────> flat, propagate   (fields that requirements relate)
//!   └─ Difference ──> Request ──> (probity-models) ──> Model ──> eval
//! ```
//!
//! Nothing here prints, reads a clock or starts a process.

mod calendar;
mod count;
mod cover;
mod decimal;
mod difference;
pub mod draw;
mod eval;
pub mod flat;
mod float;
mod int_set;
#[doc(hidden)]
pub mod narrow;
mod numeric;
pub mod propagate;
mod request;
mod sort;
mod spec;
mod term;
mod value;

pub use calendar::{Date, DateTime, Duration, Time};
pub use count::CountedModels;
pub use cover::{Structure, cover_json};
pub use decimal::Decimal;
pub use difference::{Branch, Branches, Difference, Enumerate, Relation, RelationKind};
pub use eval::Violation;
pub use float::Float64;
pub use int_set::IntSet;
pub use numeric::NumericKind;
pub use probity_regex as regex;
pub use probity_regex::Random;
pub use request::{Model, NO_CHOICE, Request};
pub use spec::{Field, Shape, Spec, Table};
pub use term::{Node, Op, Quantifier, Term};
pub use value::{Name, Value};
