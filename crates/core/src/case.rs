//! One execution of a test: its trace, how it went, and what it said on the way.

use std::panic::Location;

use crate::Trace;

/// One execution of a test.
#[derive(Clone, Debug)]
pub struct Case {
    /// What was asked and answered.
    pub trace: Trace,
    /// How it went.
    pub verdict: Verdict,
    /// What the test said on the way.
    pub log: Log,
}

/// How a case went.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The test ran to its end.
    Pass,
    /// The test declined its input at this place: it says nothing about the code under test.
    Reject(Site),
    /// The case asked for more choices than it may.
    Overrun,
    /// The test failed.
    Fail(Failure),
}

impl Verdict {
    /// The failure, if it is one.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Verdict::Fail(failure) => Some(failure),
            _ => None,
        }
    }
}

/// A place that rejects inputs: an `assume!` or a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site {
    /// What was required there, in the words of the source code.
    pub what: &'static str,
    /// Where it stands.
    pub location: &'static Location<'static>,
}

/// Why a case failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The panic message, the error, or the first broken check.
    pub message: String,
    /// What tells this failure from others.
    pub origin: Origin,
}

/// Where a failure comes from. Two failures of the same origin are taken for the same bug.
///
/// ```
/// use probity_core::{Origin, OriginKind};
/// let origin = Origin { kind: OriginKind::Panic, place: "src/lib.rs:3:5".into() };
/// assert_eq!(origin.to_string(), "panicked at src/lib.rs:3:5");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    /// How the test failed.
    pub kind: OriginKind,
    /// `file:line:column`, or the first line of the message where no place is known.
    pub place: String,
}

/// How a test failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OriginKind {
    /// It panicked.
    Panic,
    /// It returned an error.
    Error,
    /// It ran to its end and broke a soft check.
    Check,
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.kind {
            OriginKind::Panic => write!(f, "panicked at {}", self.place),
            OriginKind::Error if self.place.is_empty() => f.write_str("returned an error"),
            OriginKind::Error => write!(f, "returned an error: {}", self.place),
            OriginKind::Check => write!(f, "broke a check at {}", self.place),
        }
    }
}

/// What a test said during one case. Inputs and notes are kept only for the case that is reported.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Log {
    /// The rendered inputs, in the order they were drawn.
    pub inputs: Vec<Input>,
    /// Notes, in order.
    pub notes: Vec<String>,
    /// Soft checks that did not hold.
    pub broken: Vec<Broken>,
    /// Labels given by `classify!` and `collect!`.
    pub labels: Vec<String>,
    /// What `cover!` saw.
    pub covers: Vec<Cover>,
    /// Scores given by `maximize` and `minimize`.
    pub scores: Vec<Score>,
}

/// One rendered input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Its name, where it has one.
    pub name: Option<&'static str>,
    /// Its `Debug` form.
    pub text: String,
}

/// A soft check that did not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// What was checked, and any message.
    pub message: String,
    /// Where it stands.
    pub location: &'static Location<'static>,
}

/// One `cover!` reached in one case.
#[derive(Clone, Debug, PartialEq)]
pub struct Cover {
    /// What was to be covered, in the words of the source code.
    pub what: &'static str,
    /// Where it stands.
    pub location: &'static Location<'static>,
    /// The share of cases in which it has to hold, in percent.
    pub percent: f64,
    /// Whether it held.
    pub held: bool,
}

/// A number that the test asks to raise or to lower.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// What it measures.
    pub label: &'static str,
    /// The number; higher is better, so a minimised one is negated.
    pub value: f64,
    /// Whether the test asked for low numbers.
    pub minimize: bool,
}

/// The user used us in a way that cannot work. Not a verdict on the code under test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misuse {
    /// What is wrong, and what to do next.
    pub message: String,
}
