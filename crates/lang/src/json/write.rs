//! The writer of JSON.

use std::fmt::Write as _;

use probity_spec::{Branches, Difference, Enumerate, Model, Request, Shape, Spec, Value};

/// Amounts of white space between tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing {
    /// `{"a":1,"b":2}`
    None,
    /// `{"a": 1, "b": 2}`
    One,
    /// Lines and indents.
    Many,
}

impl Spacing {
    /// The white space that a model chose, where `cover-json` asks for different amounts.
    ///
    /// ```
    /// use probity_lang::json::Spacing;
    /// use probity_spec::{Model, Request, Shape, Spec, Term, Value, cover_json};
    /// let spec = Spec::object([("ok", Spec::new(Shape::Bool))]);
    /// let request = Request { difference: cover_json(&spec, Term::it()), spec, n: 3 };
    /// let model = Model { value: Value::Object(vec![("ok".into(), true.into())]), choices: vec![2] };
    /// assert_eq!(Spacing::of(&request, &model), Some(Spacing::Many));
    /// ```
    pub fn of(request: &Request, model: &Model) -> Option<Spacing> {
        chosen(&request.difference, &mut model.choices.iter())
    }
}

/// Walks the choices in the order that models have them in.
fn chosen(difference: &Difference, choices: &mut std::slice::Iter<u64>) -> Option<Spacing> {
    match difference {
        Difference::Always | Difference::Never | Difference::Relation(_) => None,
        Difference::All(parts) | Difference::Any(parts) => {
            parts.iter().fold(None, |found, it| chosen(it, choices).or(found))
        }
        Difference::Not(of) => chosen(of, choices),
        Difference::Enumerate(Enumerate { branches }) => {
            let choice = choices.next().copied();
            let Branches::Listed(branches) = branches else { return None };
            let label = choice.and_then(|it| branches.get(usize::try_from(it).ok()?)).map(|it| &*it.label);
            let here = match label {
                Some("whitespace none") => Some(Spacing::None),
                Some("whitespace one") => Some(Spacing::One),
                Some("whitespace many") => Some(Spacing::Many),
                _ => None,
            };
            branches.iter().fold(here, |found, it| chosen(&it.differ, choices).or(found))
        }
    }
}

/// A value as JSON, with one space after commas and colons. Fields that are none are left out.
///
/// ```
/// use probity_lang::json;
/// use probity_spec::Value;
/// let it = Value::Object(vec![("x".into(), Value::Int(1)), ("y".into(), Value::Option(None))]);
/// assert_eq!(json::write(&it), r#"{"x": 1}"#);
/// ```
pub fn write(value: &Value) -> String {
    write_spaced(None, value, Spacing::One)
}

/// A value as JSON. With its spec, only fields that may be left out are, and others are null.
pub fn write_spaced(spec: Option<&Spec>, value: &Value, spacing: Spacing) -> String {
    let mut writer = JsonWriter { out: String::new(), spacing, indent: 0 };
    writer.value(spec, value);
    writer.out
}

/// Appends a text as a JSON string, with its quotes.
///
/// ```
/// let mut out = String::new();
/// probity_lang::json::quote("a\n\u{2028}", &mut out);
/// assert_eq!(out, r#""a\n\u2028""#);
/// ```
pub fn quote(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // Control characters beyond ASCII too: some readers end lines at them.
            c if c.is_control() || c == '\u{2028}' || c == '\u{2029}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

struct JsonWriter {
    out: String,
    spacing: Spacing,
    indent: usize,
}

impl JsonWriter {
    fn value(&mut self, spec: Option<&Spec>, value: &Value) {
        match value {
            Value::Bool(it) => self.plain(it),
            Value::Int(it) => self.plain(it),
            Value::Number(it) => self.plain(it),
            // JSON has no word for what is no number.
            Value::Float(it) if it.get().is_finite() => self.plain(it),
            Value::Float(_) => self.plain(&"null"),
            Value::Text(it) => quote(it, &mut self.out),
            Value::Case(it) => quote(it, &mut self.out),
            Value::Date(it) => quote(&it.to_string(), &mut self.out),
            Value::Time(it) => quote(&it.to_string(), &mut self.out),
            Value::DateTime(it) => quote(&it.to_string(), &mut self.out),
            Value::Duration(it) => quote(&it.to_string(), &mut self.out),
            Value::Option(None) => self.plain(&"null"),
            Value::Option(Some(it)) => {
                let inner = below(spec);
                if matches!(**it, Value::Option(_)) {
                    self.bracketed('[', ']', 1, |this, _| this.value(inner, it));
                } else {
                    self.value(inner, it);
                }
            }
            Value::List(items) => {
                let inner = below(spec);
                self.bracketed('[', ']', items.len(), |this, i| this.value(inner, &items[i]));
            }
            Value::Object(fields) => self.object(spec, fields),
            Value::Union(case, it) => {
                let inner = spec.and_then(|it| match &it.shape {
                    Shape::Union(cases) => cases.iter().find(|it| it.0 == *case).map(|it| &*it.1),
                    _ => None,
                });
                self.bracketed('{', '}', 1, |this, _| {
                    this.key(case);
                    this.value(inner, it);
                });
            }
            Value::Row(table, row) => self.value(None, table.key(*row)),
        }
    }

    fn object(&mut self, spec: Option<&Spec>, fields: &[(probity_spec::Name, Value)]) {
        let known = match spec.map(|it| &it.shape) {
            Some(Shape::Object(known)) => Some(known),
            _ => None,
        };
        let of = |name: &str| known.and_then(|it| it.iter().find(|it| &*it.name == name));
        let shown: Vec<_> = fields
            .iter()
            .filter(|it| it.1 != Value::Option(None) || of(&it.0).is_some_and(|it| !it.optional))
            .collect();
        self.bracketed('{', '}', shown.len(), |this, i| {
            let (name, value) = shown[i];
            this.key(name);
            this.value(of(name).map(|it| &*it.spec), value);
        });
    }

    fn key(&mut self, key: &str) {
        quote(key, &mut self.out);
        self.out.push_str(if self.spacing == Spacing::None { ":" } else { ": " });
    }

    fn plain(&mut self, it: &dyn std::fmt::Display) {
        let _ = write!(self.out, "{it}");
    }

    fn bracketed(&mut self, open: char, close: char, n: usize, mut each: impl FnMut(&mut JsonWriter, usize)) {
        self.out.push(open);
        self.indent += 1;
        for i in 0..n {
            match self.spacing {
                Spacing::None if i > 0 => self.out.push(','),
                Spacing::One if i > 0 => self.out.push_str(", "),
                Spacing::Many => {
                    self.out.push_str(if i > 0 { ",\n" } else { "\n" });
                    self.out.push_str(&"  ".repeat(self.indent));
                }
                _ => {}
            }
            each(self, i);
        }
        self.indent -= 1;
        if self.spacing == Spacing::Many && n > 0 {
            self.out.push('\n');
            self.out.push_str(&"  ".repeat(self.indent));
        }
        self.out.push(close);
    }
}

/// The spec of an option's content or a list's elements. A recursive one is not followed: what is optional
/// below it is then told by the value alone.
fn below(spec: Option<&Spec>) -> Option<&Spec> {
    match spec.map(|it| &it.shape) {
        Some(Shape::Option(of) | Shape::List(of)) => Some(of),
        _ => None,
    }
}
