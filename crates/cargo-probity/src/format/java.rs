//! Randoop's file of literals: every text, number and truth of the inputs, each once.

use std::collections::HashSet;

use probity_lang::json::Spacing;
use probity_spec::{Spec, Value};

use super::Format;

/// Literals that belong to one class, as Randoop wants it.
pub(crate) struct Randoop {
    class: String,
    seen: HashSet<String>,
    is_open: bool,
}

impl Randoop {
    pub(crate) fn new(class: &str) -> Randoop {
        Randoop { class: class.to_string(), seen: HashSet::new(), is_open: false }
    }

    fn literals(&mut self, value: &Value, out: &mut String) {
        match value {
            Value::Option(None) => {}
            Value::Option(Some(it)) | Value::Union(_, it) => self.literals(it, out),
            Value::List(items) => items.iter().for_each(|it| self.literals(it, out)),
            Value::Object(fields) => fields.iter().for_each(|it| self.literals(&it.1, out)),
            Value::Row(table, row) => self.literals(table.key(*row), out),
            Value::Bool(it) => self.literal(format!("boolean:{it}"), out),
            Value::Int(it) if i32::try_from(*it).is_ok() => self.literal(format!("int:{it}"), out),
            Value::Int(it) if i64::try_from(*it).is_ok() => self.literal(format!("long:{it}"), out),
            // Java has no literal of it.
            Value::Int(_) => {}
            Value::Number(it) => self.literal(format!("double:{it}"), out),
            Value::Float(it) => self.literal(format!("double:{it}"), out),
            Value::Text(it) | Value::Case(it) => self.literal(string(it), out),
            Value::Date(_) | Value::Time(_) | Value::DateTime(_) | Value::Duration(_) => {
                self.literal(string(&value.to_string()), out);
            }
        }
    }

    fn literal(&mut self, line: String, out: &mut String) {
        if !self.seen.contains(&line) {
            out.push_str(&line);
            out.push('\n');
            self.seen.insert(line);
        }
    }
}

impl Format for Randoop {
    fn begin(&mut self, _: &str, _: &Spec, out: &mut String) {
        // Several outlines share one class.
        if !self.is_open {
            out.push_str(&format!("START CLASSLITERALS\nCLASSNAME\n{}\nLITERALS\n", self.class));
            self.is_open = true;
        }
    }

    fn input(&mut self, value: &Value, _: Spacing, out: &mut String) {
        self.literals(value, out);
    }

    fn end(&mut self, _: &mut String) {}

    fn finish(&mut self, out: &mut String) {
        if self.is_open {
            out.push_str("END CLASSLITERALS\n");
        }
    }
}

/// A text as Java writes it in ASCII.
fn string(text: &str) -> String {
    let mut res = "String:\"".to_string();
    for unit in text.encode_utf16() {
        match u8::try_from(unit).ok().filter(u8::is_ascii).map(char::from) {
            Some(c @ ('"' | '\\')) => res.extend(['\\', c]),
            Some('\n') => res.push_str("\\n"),
            Some('\r') => res.push_str("\\r"),
            Some('\t') => res.push_str("\\t"),
            Some(c) if !c.is_ascii_control() => res.push(c),
            _ => res.push_str(&format!("\\u{unit:04X}")),
        }
    }
    res.push('"');
    res
}
