//! Concrete values: what a model gives to every field, and what terms evaluate to.

use std::fmt;
use std::sync::Arc;

use crate::{Date, DateTime, Decimal, Duration, Float64, Table, Time};

/// The name of a field, a spec, an enum's case, a column.
///
/// ```
/// use probity_spec::{Name, Value};
/// let large: Name = "large".into();
/// assert_eq!(Value::Case(large.clone()).to_string(), &*large);
/// ```
pub type Name = Arc<str>;

/// A concrete value of some [`Shape`](crate::Shape).
///
/// Equality is the language's `=`; the order puts values of one shape in their natural order.
///
/// ```
/// use probity_spec::Value;
/// assert!(Value::Int(3) < Value::Int(4));
/// assert_eq!(Value::from("a").to_string(), "\"a\"");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// True or false.
    Bool(bool),
    /// A whole number. Unbounded specs range over 128 bits; arithmetic beyond them is undefined.
    Int(i128),
    /// An exact decimal.
    Number(Decimal),
    /// A float.
    Float(Float64),
    /// Text; its length is counted in characters (Unicode scalar values).
    Text(Arc<str>),
    /// A day.
    Date(Date),
    /// A time of day, to the second.
    Time(Time),
    /// A day and a time.
    DateTime(DateTime),
    /// A signed span of time, to the second.
    Duration(Duration),
    /// A case of an enum.
    Case(Name),
    /// A value of an option, or none.
    Option(Option<Box<Value>>),
    /// Values of one spec.
    List(Vec<Value>),
    /// Named fields in the spec's order. Fields that may be left out and are hold `Option(None)`.
    Object(Vec<(Name, Value)>),
    /// One alternative of a union: its name and its value.
    Union(Name, Box<Value>),
    /// A row of a table.
    Row(Arc<Table>, u32),
}

impl Value {
    /// The field `name` of an object, or the attribute of a row.
    ///
    /// ```
    /// use probity_spec::Value;
    /// let it = Value::Object(vec![("x".into(), Value::Int(1))]);
    /// assert_eq!(it.field("x"), Some(&Value::Int(1)));
    /// ```
    pub fn field(&self, name: &str) -> Option<&Value> {
        match self {
            Value::Object(fields) => fields.iter().find(|it| &*it.0 == name).map(|it| &it.1),
            Value::Row(table, row) => table.attribute(*row, name),
            _ => None,
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.into())
    }
}

impl From<i128> for Value {
    fn from(int: i128) -> Value {
        Value::Int(int)
    }
}

impl From<bool> for Value {
    fn from(it: bool) -> Value {
        Value::Bool(it)
    }
}

/// As the language writes it.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Value::Bool(it) => write!(f, "{}", if *it { "#t" } else { "#f" }),
            Value::Int(it) => write!(f, "{it}"),
            Value::Number(it) => write!(f, "{it}"),
            Value::Float(it) => write!(f, "{it}"),
            Value::Text(it) => write!(f, "{it:?}"),
            Value::Date(it) => write!(f, "{it}"),
            Value::Time(it) => write!(f, "{it}"),
            Value::DateTime(it) => write!(f, "{it}"),
            Value::Duration(it) => write!(f, "{it}"),
            Value::Case(it) => write!(f, "{it}"),
            Value::Option(None) => write!(f, "none"),
            Value::Option(Some(it)) => write!(f, "(some {it})"),
            Value::List(items) => {
                write!(f, "(list")?;
                items.iter().try_for_each(|it| write!(f, " {it}"))?;
                write!(f, ")")
            }
            Value::Object(fields) => {
                write!(f, "(object")?;
                fields.iter().try_for_each(|it| write!(f, " ({} {})", it.0, it.1))?;
                write!(f, ")")
            }
            Value::Union(case, it) => write!(f, "({case} {it})"),
            Value::Row(table, row) => write!(f, "{}", table.key(*row)),
        }
    }
}
