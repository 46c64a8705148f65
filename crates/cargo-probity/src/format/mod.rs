//! Formats: how inputs are written down. Each is written as the inputs come, and can be closed at any time.

mod csv;
mod java;
mod json;
mod rust;

use probity_lang::json::Spacing;
use probity_spec::{Spec, Value};

/// One way to write the inputs of outlines. Every `begin` is followed by inputs and `end`; `finish` comes last.
pub(crate) trait Format: Send {
    /// An outline begins, whose inputs are values of `spec`.
    fn begin(&mut self, outline: &str, spec: &Spec, out: &mut String);
    /// One input of it, with that white space where the format has a choice.
    fn input(&mut self, value: &Value, spacing: Spacing, out: &mut String);
    /// The outline is over.
    fn end(&mut self, out: &mut String);
    /// Everything is over.
    fn finish(&mut self, out: &mut String);
}

/// The formats there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FormatKind {
    Json,
    Ndjson,
    Csv,
    Rust,
    JunitJson,
    Randoop,
}

impl FormatKind {
    /// Their names on the command line.
    pub(crate) const NAMES: [(&'static str, FormatKind); 6] = [
        ("json", FormatKind::Json),
        ("ndjson", FormatKind::Ndjson),
        ("csv", FormatKind::Csv),
        ("rust", FormatKind::Rust),
        ("junit-json", FormatKind::JunitJson),
        ("randoop", FormatKind::Randoop),
    ];

    /// A writer of this format, for one outline or for several. `class` is the class of Randoop's literals.
    pub(crate) fn format(self, several: bool, class: &str) -> Box<dyn Format> {
        match self {
            FormatKind::Json => Box::new(json::JsonFormat::new(several)),
            FormatKind::Ndjson => Box::new(json::Lines::new(several)),
            FormatKind::Csv => Box::new(csv::Csv::default()),
            FormatKind::Rust => Box::new(rust::Rust::new(several)),
            FormatKind::JunitJson => Box::new(json::SavedInputs::new(several)),
            FormatKind::Randoop => Box::new(java::Randoop::new(class)),
        }
    }
}

#[cfg(test)]
mod tests;
