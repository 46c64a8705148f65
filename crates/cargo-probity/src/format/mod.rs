//! Formats: how inputs are written down. Each is written as the inputs come, and can be closed at any time.

mod csv;
mod java;
mod json;
mod rust;

use probity_spec::json::Spacing;
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
pub(crate) enum Kind {
    Json,
    Ndjson,
    Csv,
    Rust,
    JunitJson,
    Randoop,
}

impl Kind {
    /// Their names on the command line.
    pub(crate) const NAMES: [(&'static str, Kind); 6] = [
        ("json", Kind::Json),
        ("ndjson", Kind::Ndjson),
        ("csv", Kind::Csv),
        ("rust", Kind::Rust),
        ("junit-json", Kind::JunitJson),
        ("randoop", Kind::Randoop),
    ];

    /// A writer of this format, for one outline or for several. `class` is the class of Randoop's literals.
    pub(crate) fn format(self, several: bool, class: &str) -> Box<dyn Format> {
        match self {
            Kind::Json => Box::new(json::Json::new(several)),
            Kind::Ndjson => Box::new(json::Lines::new(several)),
            Kind::Csv => Box::new(csv::Csv::default()),
            Kind::Rust => Box::new(rust::Rust::new(several)),
            Kind::JunitJson => Box::new(json::Saved::new(several)),
            Kind::Randoop => Box::new(java::Randoop::new(class)),
        }
    }
}

#[cfg(test)]
mod tests;
