//! Sorts: what kind of value a term has, so that misuse is told where it is written.

use std::sync::Arc;

use probity_spec::{Name, Shape, Spec, Table, Value};

/// The kind of a term's value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Sort {
    Bool,
    Int,
    Number,
    Text,
    Date,
    Time,
    DateTime,
    Duration,
    /// A quoted word: a case of whichever enum it meets, or a text.
    Word,
    Option(Arc<Sort>),
    List(Arc<Sort>),
    Object(Arc<[(Name, Sort)]>),
    Enum(Arc<[Name]>),
    Union(Arc<[(Name, Sort)]>),
    Row(Arc<Table>),
    /// A recursive spec, by its name.
    Named(Name),
    /// Fits everything: the elements of an empty list, the content of none.
    Any,
}

impl Sort {
    /// The sort of a spec's values.
    pub(crate) fn of(spec: &Spec) -> Sort {
        match &spec.shape {
            Shape::Bool => Sort::Bool,
            Shape::Int { .. } => Sort::Int,
            Shape::Number { .. } => Sort::Number,
            // The language has no floats: they come from types of Rust.
            Shape::Float => Sort::Number,
            Shape::Text => Sort::Text,
            Shape::Date => Sort::Date,
            Shape::Time => Sort::Time,
            Shape::DateTime => Sort::DateTime,
            Shape::Duration => Sort::Duration,
            Shape::Option(of) => Sort::Option(Sort::of(of).into()),
            Shape::List(of) => Sort::List(Sort::of(of).into()),
            Shape::Object(fields) => {
                Sort::Object(fields.iter().map(|it| (it.name.clone(), Sort::of(&it.spec))).collect())
            }
            Shape::Enum(cases) => Sort::Enum(cases.clone().into()),
            Shape::Union(cases) => {
                Sort::Union(cases.iter().map(|it| (it.0.clone(), Sort::of(&it.1))).collect())
            }
            Shape::Table(table) => Sort::Row(table.clone()),
            Shape::Named(name) => Sort::Named(name.clone()),
        }
    }

    /// The sort of a constant.
    pub(crate) fn of_value(value: &Value) -> Sort {
        match value {
            Value::Bool(_) => Sort::Bool,
            Value::Int(_) => Sort::Int,
            Value::Number(_) => Sort::Number,
            Value::Float(_) => Sort::Number,
            Value::Text(_) => Sort::Text,
            Value::Date(_) => Sort::Date,
            Value::Time(_) => Sort::Time,
            Value::DateTime(_) => Sort::DateTime,
            Value::Duration(_) => Sort::Duration,
            Value::Case(_) => Sort::Word,
            Value::Option(it) => Sort::Option(it.as_ref().map_or(Sort::Any, |it| Sort::of_value(it)).into()),
            Value::List(items) => Sort::List(items.first().map_or(Sort::Any, Sort::of_value).into()),
            Value::Object(fields) => {
                Sort::Object(fields.iter().map(|it| (it.0.clone(), Sort::of_value(&it.1))).collect())
            }
            Value::Union(name, it) => Sort::Union([(name.clone(), Sort::of_value(it))].into()),
            Value::Row(table, _) => Sort::Row(table.clone()),
        }
    }

    /// The sort of a table's column.
    pub(crate) fn of_column(table: &Table, column: &str) -> Option<Sort> {
        let at = table.columns.iter().position(|it| &**it == column)?;
        let sorts = table.rows.iter().map(|it| Sort::of_value(&it[at]));
        // A column with gaps has options; the first that is not a gap says of what.
        Some(
            sorts.reduce(|a, b| if a == Sort::Option(Sort::Any.into()) { b } else { a }).unwrap_or(Sort::Any),
        )
    }

    /// With its article, as the language names it.
    pub(crate) fn what(&self) -> String {
        match self {
            Sort::Bool => "a Boolean".to_string(),
            Sort::Int => "an Integer".to_string(),
            Sort::Number => "a Number".to_string(),
            Sort::Text => "a String".to_string(),
            Sort::Date => "a Date".to_string(),
            Sort::Time => "a Time".to_string(),
            Sort::DateTime => "a DateTime".to_string(),
            Sort::Duration => "a Duration".to_string(),
            Sort::Word => "a quoted word".to_string(),
            Sort::Option(_) => "an Option".to_string(),
            Sort::List(_) => "a List".to_string(),
            Sort::Object(_) => "an Object".to_string(),
            Sort::Enum(_) => "an Enum".to_string(),
            Sort::Union(_) => "a Union".to_string(),
            Sort::Row(table) => format!("a row of {}", table.name),
            Sort::Named(name) => format!("a {name}"),
            Sort::Any => "a value".to_string(),
        }
    }

    pub(crate) fn is_numeric(&self) -> bool {
        matches!(self, Sort::Int | Sort::Number | Sort::Any)
    }

    /// Whether `<` orders its values.
    pub(crate) fn is_ordered(&self) -> bool {
        self.is_numeric()
            || matches!(self, Sort::Text | Sort::Date | Sort::Time | Sort::DateTime | Sort::Duration)
    }
}

/// A constant of one sort as a constant of another: a word as a case or a text, a text as a case or as the row
/// with that key, and the same inside lists and options. None if it does not fit.
pub(crate) fn fit(value: &Value, to: &Sort) -> Option<Value> {
    match (value, to) {
        (Value::Case(name), Sort::Text) => Some(Value::Text(name.clone())),
        (Value::Text(name) | Value::Case(name), Sort::Enum(cases)) => {
            cases.iter().find(|it| *it == name).map(|it| Value::Case(it.clone()))
        }
        (Value::Text(_) | Value::Case(_) | Value::Int(_), Sort::Row(table)) => {
            let key = if let Value::Case(name) = value { &Value::Text(name.clone()) } else { value };
            (0..table.rows.len() as u32)
                .find(|it| table.key(*it) == key)
                .map(|it| Value::Row(table.clone(), it))
        }
        (Value::Int(_), Sort::Number) => Some(value.clone()),
        (Value::List(items), Sort::List(of)) => {
            Some(Value::List(items.iter().map(|it| fit(it, of)).collect::<Option<_>>()?))
        }
        (Value::Option(None), Sort::Option(_)) => Some(value.clone()),
        (Value::Option(Some(it)), Sort::Option(of)) => Some(Value::Option(Some(Box::new(fit(it, of)?)))),
        _ => (Sort::of_value(value) == *to || *to == Sort::Any).then(|| value.clone()),
    }
}

/// Whether terms of the two sorts can be equal.
pub(crate) fn comparable(a: &Sort, b: &Sort) -> bool {
    match (a, b) {
        (Sort::Any, _) | (_, Sort::Any) => true,
        (Sort::List(a), Sort::List(b)) | (Sort::Option(a), Sort::Option(b)) => comparable(a, b),
        _ => a == b || (a.is_numeric() && b.is_numeric()),
    }
}
