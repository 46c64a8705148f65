//! Patterns: the syntax of the `regex` crate, their languages, and the leaves that cover them.
//!
//! A text *matches* a pattern here when the pattern matches the text as a whole.

use std::fmt;
use std::sync::Arc;

use num_bigint::BigUint;

/// A pattern. Equal patterns have equal texts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Regex {
    pattern: Arc<str>,
}

/// Why a pattern is refused: what is wrong, and at which character (from 1) of the pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegexError {
    /// Lower case; names the construct and says what to do.
    pub message: String,
    /// Where, in characters from 1.
    pub column: usize,
}

impl fmt::Display for RegexError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} (at character {})", self.message, self.column)
    }
}

impl std::error::Error for RegexError {}

/// As the language writes it: `#rx"…"`.
impl fmt::Display for Regex {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "#rx{:?}", self.pattern)
    }
}

/// How many there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Count {
    /// Exactly so many.
    Finite(BigUint),
    /// Without end.
    Infinite,
}

/// The leaves that cover a regex: every leaf is a regex of its own whose texts count as one.
#[derive(Clone, Debug, PartialEq)]
pub struct Cover {
    regex: Regex,
}

impl fmt::Display for Cover {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self.regex)
    }
}
