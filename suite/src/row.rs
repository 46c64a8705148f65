//! A test, and what is known of it.

use std::fmt;

use probity::Source;
use probity::engine::Value;

/// One row of the table.
///
/// ```
/// let row = probity_suite::rows().find(|it| it.name == "number_u32").unwrap();
/// assert_eq!((row.group, row.kind), (probity_suite::Group::Plain, "default run"));
/// ```
#[derive(Debug)]
pub struct Row {
    /// Its own name.
    pub name: &'static str,
    /// What it is one of.
    pub group: Group,
    /// What it represents.
    pub kind: &'static str,
    /// The test.
    pub test: fn(&mut Source),
    /// What is known of it.
    pub known: Known,
}

/// What tests are there for.
///
/// ```
/// assert!(probity_suite::rows().any(|it| it.group == probity_suite::Group::Shape));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// What nobody meets by chance, two forms of each kind.
    Puzzle,
    /// What a plain `cargo test` has to find.
    Plain,
    /// What has a score that leads to a failure.
    Score,
    /// Small bugs as real ones are, with inputs by type.
    Shape,
    /// What has few inputs.
    Claim,
    /// What has many inputs, none of which fails.
    Passing,
}

/// What is known of a test.
///
/// ```
/// use probity_suite::Known;
/// let fails = probity_suite::rows().filter(|it| matches!(it.known, Known::Fails { .. })).count();
/// let passes = probity_suite::rows().filter(|it| matches!(it.known, Known::Passes { .. })).count();
/// assert!(fails > 60 && passes > 20);
/// ```
#[derive(Clone, Copy)]
pub enum Known {
    /// It fails.
    Fails {
        /// For these answers, say.
        input: fn() -> Vec<Value>,
        /// Whether there are no others. Where there are, any will do that fails when it is run by itself.
        only: bool,
    },
    /// It passes.
    Passes {
        /// This many inputs, where they can be visited one by one.
        inputs: Option<u64>,
    },
    /// It rejects every input, which is a failure to test anything.
    Rejects,
}

impl fmt::Debug for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Known::Fails { input, only: true } => write!(f, "fails for {} alone", words(&input())),
            Known::Fails { input, only: false } => write!(f, "fails, for {} say", words(&input())),
            Known::Passes { inputs: Some(n) } => write!(f, "passes, {n} inputs"),
            Known::Passes { inputs: None } => write!(f, "passes"),
            Known::Rejects => write!(f, "rejects every input"),
        }
    }
}

/// Answers in their text form.
pub(crate) fn words(answers: &[Value]) -> String {
    answers.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

impl Row {
    pub(crate) const fn fails(
        group: Group,
        kind: &'static str,
        name: &'static str,
        test: fn(&mut Source),
        input: fn() -> Vec<Value>,
    ) -> Row {
        Row { name, group, kind, test, known: Known::Fails { input, only: false } }
    }

    pub(crate) const fn passes(
        group: Group,
        kind: &'static str,
        name: &'static str,
        test: fn(&mut Source),
        inputs: Option<u64>,
    ) -> Row {
        Row { name, group, kind, test, known: Known::Passes { inputs } }
    }

    pub(crate) const fn rejects(
        group: Group,
        kind: &'static str,
        name: &'static str,
        test: fn(&mut Source),
    ) -> Row {
        Row { name, group, kind, test, known: Known::Rejects }
    }

    /// Says that no other input fails.
    pub(crate) const fn only(mut self) -> Row {
        if let Known::Fails { only, .. } = &mut self.known {
            *only = true;
        }
        self
    }
}
