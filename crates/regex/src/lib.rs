//! Patterns: the syntax of the `regex` crate, their languages, and the leaves that cover them.
//!
//! A text *matches* a pattern here when the pattern matches the text as a whole.

mod alphabet;
#[doc(hidden)]
pub mod answers;
mod belongs;
#[doc(hidden)]
pub mod chars;
mod count;
mod cover;
mod dfa;
mod draw;
mod heuristics;
mod language;
mod leaves;
mod lengths;
#[doc(hidden)]
pub mod look;
mod matching;
mod near;
mod nfa;
#[doc(hidden)]
pub mod node;
mod parse;
mod pattern;
mod random;
#[doc(hidden)]
pub mod readers;
mod sample;
#[doc(hidden)]
pub mod texts;
mod walk;

pub use cover::{Cover, Leaf};
pub use draw::{Strings, strings};
pub use heuristics::Heuristics;
pub use language::{Count, Language};
pub use lengths::Lengths;
pub use matching::{Matching, matching};
pub use near::NearMisses;
pub use parse::RegexError;
pub use pattern::{Regex, RegexShape};
pub use random::Random;
pub use sample::TextSampler;
