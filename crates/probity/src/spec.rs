//! Specs: what inputs are legal, and what makes two of them count as two. Needs the feature `spec`; for
//! patterns alone, [`matching`] and `#[from("..")]`, the feature `regex` is enough.
//!
//! A spec declares inputs instead of describing how to make them, and every engine draws them:
//!
//! ```test_harness
//! use probity::prelude::*;
//!
//! #[derive(Debug, Spec)]
//! #[spec(require = start < end)]
//! struct Stay {
//!     #[spec(matches = "[A-Z][a-z]{2,8}")]
//!     guest: String,
//!     #[spec(range = 0..=365)]
//!     start: u16,
//!     #[spec(range = 0..=365)]
//!     end: u16,
//! }
//!
//! #[probity::test]
//! fn stays_last_a_night(stay: Stay, #[from("[0-9]{4}")] pin: String) {
//!     assert!(stay.end - stay.start >= 1 && pin.len() == 4);
//! }
//!
//! #[probity::test]
//! fn slices_are_short(
//!     #[from(spec! {
//!         text: String matches "[a-z]{1,20}",
//!         from: usize in 0..=20,
//!         to: usize in 0..=20,
//!         require from <= to && to <= text.len(),
//!     })]
//!     (text, from, to): (String, usize, usize),
//! ) {
//!     assert!(text[from..to].len() <= text.len());
//! }
//! ```
//!
//! # Different inputs
//!
//! With `different = ..` a test is run with inputs of which *every pair* differs as it says. They are planned or
//! solved for before the first case, kept beside the test in `probity-inputs`, and used again as long as the test
//! declares the same. Where fewer exist than `cases` asks for, all of them are run, and the report says how many.
//!
//! ```test_harness
//! # use probity::prelude::*;
//! #[probity::test(cases = 10, store = false, different = all_of(distance(age, 10), different_lengths(name)))]
//! fn names_fit(#[from(0..=150)] age: u8, #[from("[a-z]{1,20}")] name: &str) {
//!     assert!(name.len() <= 20 && age <= 150);
//! }
//! ```
//!
//! | difference | two inputs differ when |
//! | --- | --- |
//! | `not_equal`, `not_equal(a)` | any blank has another value; `a` has |
//! | `different_lengths(a)` | texts or lists have different lengths |
//! | `distance(a, 10)` | numbers (or dates, times) are that far apart |
//! | `edit_distance(a, 3)` | texts are that many edits apart |
//! | `cover_regexp(a)`, `cover_regexp(a, "..")` | texts stand for different parts of the pattern |
//! | `cover`, `cover(a)` | values have different structures: options, variants, lengths |
//! | `relation(a, \|x, y\| ..)` | the relation holds in both orders |
//! | `enumerate(.. => .., ..)` | they meet different conditions, or differ as the one they meet says |
//! | `all_of(.., ..)`, `some_of(.., ..)`, `not(..)`, `always`, `never` | as they say |
//!
//! `a` is a blank, a field of one, or any expression over blanks. Every blank needs a spec: a range of integers, a
//! pattern, `spec! { .. }`, or a type that is [`Declared`]. Another engine than the default draws the same blanks by
//! itself: `PROBITY_ENGINE=exhaustive cargo test`.

#[cfg(feature = "spec")]
pub use probity_models::{
    CheckReport, Encoding, Generated, Options, RequestError, SolverChoice, Total, check, check_within, count,
    generate,
};
pub use probity_regex as regex;
#[cfg(not(feature = "spec"))]
pub use probity_regex::matching;
#[cfg(feature = "spec")]
pub use probity_spec::draw::{
    Declarable, Declaration, Declared, Drawn, Inputs, IntoDeclaration, MeasureProbe, Measured, ProbeMeasures,
    ProbeNothing, ProbeSpec, ProbeType, SpecProbe, declaration, declared, draw_required, drawn,
    generate_declared, matching, rust,
};
#[cfg(feature = "spec")]
pub use probity_spec::{
    Branch, Branches, CountedModels, Date, DateTime, Decimal, Difference, Duration, Enumerate, Field,
    Float64, Model, NO_CHOICE, Name, Node, Op, Quantifier, Relation, RelationKind, Request, Shape, Spec,
    Structure, Table, Term, Time, Value, Violation, cover_json,
};
