//! JSON: a reader that knows places, a writer, and values of a spec to and from it.
//!
//! How values are written: whole numbers and decimals exactly, as numbers; dates, times, date-times and durations
//! as texts (`"2017-10-21"`, `"10:00:00"`, `"2017-10-21T10:00:00"`, `"PT90S"`); an enum's case as a text; a row of
//! a table as its key; an alternative of a union as an object with one member, `{"case": value}`; none as `null`,
//! and as a left-out member where the spec says so. An option directly in an option is the one thing JSON cannot
//! tell apart, so its inner option is in an array of one.

mod parse;
mod value;
mod write;

use std::sync::Arc;

pub use parse::parse;
pub(crate) use parse::parse_spec_file;
pub use value::value;
pub use write::{Spacing, quote, write, write_spaced};

use crate::language::Span;
use probity_spec::Decimal;

/// A JSON value with its place in the text.
///
/// ```
/// use probity_lang::json::parse;
/// let it = parse(r#"{"price": 12.50}"#).unwrap();
/// assert_eq!(it.get("price").unwrap().span.start, 10);
/// assert!(parse("[1, 2").unwrap_err().message.contains("`[` is never closed"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Json {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub kind: JsonKind,
}

/// What a JSON value is.
#[derive(Clone, Debug, PartialEq)]
pub enum JsonKind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, exactly.
    Number(Decimal),
    /// A string.
    Text(Arc<str>),
    /// An array.
    List(Vec<Json>),
    /// An object: keys with their places, in the order of the text.
    Object(Vec<(Arc<str>, Span, Json)>),
}

impl Json {
    /// The member of an object with that key; the last if there are several.
    pub fn get(&self, key: &str) -> Option<&Json> {
        match &self.kind {
            JsonKind::Object(members) => members.iter().rev().find(|it| &*it.0 == key).map(|it| &it.2),
            _ => None,
        }
    }

    /// What it is, for messages: `a number`, `an object`.
    pub fn what(&self) -> &'static str {
        match &self.kind {
            JsonKind::Null => "null",
            JsonKind::Bool(_) => "a truth",
            JsonKind::Number(_) => "a number",
            JsonKind::Text(_) => "a string",
            JsonKind::List(_) => "an array",
            JsonKind::Object(_) => "an object",
        }
    }
}
