//! Comma-separated values: a header, then a line for each input.

use std::sync::Arc;

use probity_lang::json::Spacing;
use probity_spec::{Shape, Spec, Value};

use super::{Format, json};

/// A column for each field. Lists, objects and unions are in their cell as JSON; a cell of no value is empty,
/// and the empty text is `""`.
#[derive(Default)]
pub(crate) struct Csv {
    columns: Vec<Arc<Spec>>,
}

impl Format for Csv {
    fn begin(&mut self, _: &str, spec: &Spec, out: &mut String) {
        let Shape::Object(fields) = &spec.shape else { return };
        self.columns = fields.iter().map(|it| it.spec.clone()).collect();
        line(fields.iter().map(|it| quoted(&it.name)).collect(), out);
    }

    fn input(&mut self, value: &Value, _: Spacing, out: &mut String) {
        let Value::Object(fields) = value else { return };
        line(self.columns.iter().zip(fields).map(|(spec, it)| cell(spec, &it.1)).collect(), out);
    }

    fn end(&mut self, _: &mut String) {}

    fn finish(&mut self, _: &mut String) {}
}

fn line(cells: Vec<String>, out: &mut String) {
    out.push_str(&cells.join(","));
    out.push('\n');
}

fn cell(spec: &Spec, value: &Value) -> String {
    let mut inner = value;
    while let Value::Option(Some(it)) = inner {
        inner = it;
    }
    if let Value::Row(table, row) = inner {
        inner = table.key(*row);
    }
    match inner {
        Value::Option(_) => String::new(),
        Value::Text(it) | Value::Case(it) => quoted(it),
        Value::Bool(it) => it.to_string(),
        Value::List(_) | Value::Object(_) | Value::Union(..) => quoted(&json::written(Some(spec), value)),
        _ => inner.to_string(),
    }
}

/// A text, in quotes where its characters or its emptiness ask for them.
fn quoted(text: &str) -> String {
    let is_plain = !text.is_empty()
        && !text.contains([',', '"', '\n', '\r'])
        && !text.starts_with(char::is_whitespace)
        && !text.ends_with(char::is_whitespace);
    if is_plain { text.to_string() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}
