//! Patterns: the syntax of the `regex` crate, their languages, and the leaves that cover them.
//!
//! A text *matches* a pattern here when the pattern matches the text as a whole.

mod alphabet;
mod belongs;
mod chars;
mod count;
mod cover;
mod dfa;
mod draw;
mod heuristics;
mod language;
mod leaves;
mod lengths;
mod look;
mod near;
mod nfa;
mod node;
mod parse;
mod pattern;
mod sample;
mod walk;

pub use cover::{Cover, Leaf};
pub use draw::{Strings, strings};
pub use heuristics::Heuristics;
pub use language::{Count, Language};
pub use lengths::Lengths;
pub use near::NearMisses;
pub use parse::RegexError;
pub use pattern::{Regex, RegexShape};
pub use sample::Sampler;
