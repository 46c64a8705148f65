//! Whether a value is one of a spec, and if not, which part of it fails what.

use std::fmt;
use std::sync::Arc;

use super::{LeafValues, resolve};
use crate::{Node, Op, Shape, Spec, Term, Value};

/// Values nested deeper than this are refused, so that checking stays within a small stack.
const VALUE_DEPTH_MAX: usize = 256;
/// Longer values are cut in messages.
const SHOWN_MAX: usize = 120;

/// Why a value is not one of a spec: which part fails what.
///
/// ```
/// use probity_spec::{Shape, Spec, Term, Value};
/// let hours = Spec::new(Shape::Int { min: None, max: None }).require(Term::int(0).le(Term::it()));
/// let event = Spec::object([("duration", hours)]);
/// let wrong = Value::Object(vec![("duration".into(), Value::Int(-3))]);
/// let violation = event.admits(&wrong).unwrap_err();
/// assert_eq!(violation.to_string(), "duration is -3, which does not satisfy (<= 0 it)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The part: `event.duration`, `xs[2]`, empty for the whole value.
    pub path: String,
    /// The requirement's term as the language writes it, or what a value of the shape is.
    pub requirement: String,
    message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Violation {}

impl Violation {
    /// A part is not what its shape says.
    fn shape(path: &str, value: &Value, expected: String) -> Violation {
        let message = format!("{} is {}, which is not {expected}", named(path), shown(value));
        Violation { path: path.to_string(), requirement: expected, message }
    }

    /// A term does not hold of a part; it is explained by the values of what the term speaks of.
    pub(super) fn term(path: &str, value: &Value, term: &Term) -> Violation {
        let mut mentioned = Vec::new();
        mentions(term, &mut mentioned);
        // An option and its content are at one place, and told once.
        let mut places: Vec<String> = Vec::new();
        let mut facts: Vec<String> = Vec::new();
        for part in mentioned {
            let place = place(path, &part);
            if !places.contains(&place) {
                let found = part.eval(value, None).map_or("undefined".to_string(), |it| shown(&it));
                facts.push(format!("{} is {found}", named(&place)));
                places.push(place);
            }
        }
        let verb = if facts.len() > 1 { "which do not satisfy" } else { "which does not satisfy" };
        let facts = match facts.split_last() {
            None => named(path).to_string(),
            Some((last, [])) => last.clone(),
            Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        };
        let message = format!("{facts}, {verb} {term}");
        Violation { path: path.to_string(), requirement: term.to_string(), message }
    }

    /// Something about the whole model.
    pub(super) fn whole(requirement: String, message: String) -> Violation {
        Violation { path: String::new(), requirement, message }
    }

    /// The same, with what it follows from.
    pub(super) fn because(mut self, reason: &str) -> Violation {
        self.message = format!("{reason}, but {}", self.message);
        self
    }
}

impl Spec {
    /// Whether a value has the shape and meets all requirements, its own and those of its parts.
    ///
    /// ```
    /// use probity_spec::{Shape, Spec, Term, Value};
    /// let even = Spec::new(Shape::int(0, 9)).require(Term::it().modulo(Term::int(2)).eq(Term::int(0)));
    /// assert!(even.admits(&Value::Int(6)).is_ok());
    /// assert_eq!(even.admits(&Value::Int(7)).unwrap_err().requirement, "(= (mod it 2) 0)");
    /// ```
    pub fn admits(&self, value: &Value) -> Result<(), Violation> {
        // Room for the usual depth, as this is called for every model.
        let mut specs = Vec::with_capacity(8);
        specs.push(self);
        admits(&mut specs, value, &mut String::with_capacity(32), 0)
    }
}

/// Checks a value against the last spec of a path of nested specs.
fn admits<'a>(
    specs: &mut Vec<&'a Spec>,
    value: &Value,
    path: &mut String,
    depth: usize,
) -> Result<(), Violation> {
    if depth > VALUE_DEPTH_MAX {
        let message = format!("{} is nested more than {VALUE_DEPTH_MAX} deep", named(path));
        return Err(Violation { path: path.clone(), requirement: "a value less deep".to_string(), message });
    }
    let spec = *specs.last().expect("a path ends in the spec itself");
    if let Shape::Named(name) = &spec.shape {
        let mut above = specs.clone();
        if resolve(&mut above).is_none() {
            return Err(Violation::shape(path, value, format!("anything: no spec `{name}` encloses it")));
        }
        admits(&mut above, value, path, depth + 1)?;
    } else {
        let mut part = |dot: &str, step: &str, spec: &'a Spec, value: &Value| {
            let len = path.len();
            path.push_str(if len == 0 { "" } else { dot });
            path.push_str(step);
            specs.push(spec);
            let res = admits(specs, value, path, depth + 1);
            specs.pop();
            path.truncate(len);
            res
        };
        match (&spec.shape, value) {
            (Shape::Option(of), Value::Option(Some(value))) => part("", "", of, value)?,
            (Shape::List(of), Value::List(items)) => {
                items.iter().enumerate().try_for_each(|(i, it)| part("", &format!("[{i}]"), of, it))?;
            }
            (Shape::Object(fields), Value::Object(values))
                if fields.len() == values.len()
                    && fields.iter().zip(values).all(|it| it.0.name == it.1.0) =>
            {
                let mut both = fields.iter().zip(values);
                both.try_for_each(|(field, it)| part(".", &field.name, &field.spec, &it.1))?;
            }
            (Shape::Union(cases), Value::Union(case, value)) if cases.iter().any(|it| it.0 == *case) => {
                let found = cases.iter().find(|it| it.0 == *case).expect("it was found above");
                part(".", case, &found.1, value)?;
            }
            (shape, value) if is_leaf(shape, value) => {}
            _ => return Err(Violation::shape(path, value, expected(&spec.shape))),
        }
    }
    let env = LeafValues::of(value, specs);
    match spec.requires.iter().find(|it| !env.holds(it)) {
        Some(term) => Err(Violation::term(path, value, term)),
        None => Ok(()),
    }
}

/// Whether a value without parts has a shape.
fn is_leaf(shape: &Shape, value: &Value) -> bool {
    match (shape, value) {
        (Shape::Int { min, max }, Value::Int(it)) => {
            min.is_none_or(|min| min <= *it) && max.is_none_or(|max| *it <= max)
        }
        (Shape::Number { decimals }, Value::Number(it)) => it.scale() <= *decimals,
        (Shape::Enum(cases), Value::Case(it)) => cases.contains(it),
        (Shape::Table(table), Value::Row(of, row)) => {
            (Arc::ptr_eq(table, of) || table == of) && (*row as usize) < table.rows.len()
        }
        (shape, value) => matches!(
            (shape, value),
            (Shape::Bool, Value::Bool(_))
                | (Shape::Float, Value::Float(_))
                | (Shape::Text, Value::Text(_))
                | (Shape::Date, Value::Date(_))
                | (Shape::Time, Value::Time(_))
                | (Shape::DateTime, Value::DateTime(_))
                | (Shape::Duration, Value::Duration(_))
                | (Shape::Option(_), Value::Option(None))
        ),
    }
}

/// What a value of a shape is, in words.
fn expected(shape: &Shape) -> String {
    let list = |names: Vec<&str>| {
        let shown: Vec<String> = names.iter().map(|it| format!("`{it}`")).collect();
        shown.join(", ")
    };
    match shape {
        Shape::Bool => "a truth".to_string(),
        Shape::Int { min: None, max: None } => "a whole number".to_string(),
        Shape::Int { min: Some(min), max: None } => format!("a whole number of {min} or more"),
        Shape::Int { min: None, max: Some(max) } => format!("a whole number of {max} or less"),
        Shape::Int { min: Some(min), max: Some(max) } => format!("a whole number from {min} to {max}"),
        Shape::Number { decimals } => format!("a decimal with at most {decimals} digits after the point"),
        Shape::Float => "a float".to_string(),
        Shape::Text => "a text".to_string(),
        Shape::Date => "a date".to_string(),
        Shape::Time => "a time".to_string(),
        Shape::DateTime => "a date with a time".to_string(),
        Shape::Duration => "a duration".to_string(),
        Shape::Option(_) => "an option".to_string(),
        Shape::List(_) => "a list".to_string(),
        Shape::Object(fields) => {
            format!("an object with the fields {}", list(fields.iter().map(|it| &*it.name).collect()))
        }
        Shape::Enum(cases) => format!("one of {}", list(cases.iter().map(|it| &**it).collect())),
        Shape::Union(cases) => format!("one of {}", list(cases.iter().map(|it| &*it.0).collect())),
        Shape::Table(table) => format!("a row of the table `{}`", table.name),
        Shape::Named(name) => format!("a value of `{name}`"),
    }
}

/// Collects the parts of `it` that a term speaks of, the longest ways down.
fn mentions(term: &Term, res: &mut Vec<Term>) {
    let is_way = |of: &Term| {
        let mut of = of.clone();
        loop {
            let next = match of.node() {
                Node::It => return true,
                Node::Field(of, _) | Node::As(of, _) => of.clone(),
                Node::Apply(Op::Unwrap, args) if args.len() == 1 => args[0].clone(),
                _ => return false,
            };
            of = next;
        }
    };
    if is_way(term) {
        res.push(term.clone());
    } else {
        term.parts().into_iter().for_each(|it| mentions(it, res));
    }
}

/// Where a way down from the part at `path` leads.
fn place(path: &str, way: &Term) -> String {
    match way.node() {
        Node::Field(of, name) | Node::As(of, name) => {
            let above = place(path, of);
            if above.is_empty() { name.to_string() } else { format!("{above}.{name}") }
        }
        Node::Apply(Op::Unwrap, args) => place(path, &args[0]),
        _ => path.to_string(),
    }
}

fn named(path: &str) -> &str {
    if path.is_empty() { "the value" } else { path }
}

/// A value as the language writes it, cut if it is long.
fn shown(value: &Value) -> String {
    if has_lost_row(value, 0) {
        return "a row that its table does not have".to_string();
    }
    let text = value.to_string();
    match text.char_indices().nth(SHOWN_MAX) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text,
    }
}

/// Whether a value cannot be written because it has a row past the end of its table, or is too deep.
fn has_lost_row(value: &Value, depth: usize) -> bool {
    let below = |it: &Value| has_lost_row(it, depth + 1);
    match value {
        _ if depth > VALUE_DEPTH_MAX => true,
        Value::Row(table, row) => table.rows.get(*row as usize).is_none_or(Vec::is_empty),
        Value::Option(Some(of)) | Value::Union(_, of) => below(of),
        Value::List(items) => items.iter().any(below),
        Value::Object(fields) => fields.iter().any(|it| below(&it.1)),
        _ => false,
    }
}
