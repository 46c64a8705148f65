//! Specs: the shape of a value and what it requires.

use std::fmt;
use std::sync::Arc;

use crate::{Name, Term, Value};

/// How often a value stands within its own kind at most where its spec does not say: for counting, and for solvers. Where that
/// is too much it is less, and told.
pub(crate) const DEPTH: u32 = 5;

/// The shape of a value, and requirements that it has to meet.
///
/// A test outline is a spec as well: an object whose fields are the blanks. Requirements are [`Term`]s over
/// [`Term::it`], the value of the spec they are in; specs nest, and every part meets its own requirements.
///
/// ```
/// use probity_spec::{Shape, Spec, Term};
/// let age = Spec::new(Shape::int(0, 150));
/// let person = Spec::object([("age", age.clone()), ("limit", age)])
///     .require(Term::it().field("age").le(Term::it().field("limit")));
/// assert_eq!(person.to_string(), "(object (age (int 0 150)) (limit (int 0 150)) (require (<= (. it age) (. it limit))))");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Spec {
    /// What a value looks like.
    pub shape: Shape,
    /// What holds of it, all at once.
    pub requires: Vec<Term>,
    /// What the spec is called, for reports and for [`Shape::Named`] below it.
    pub name: Option<Name>,
    /// What is computed of a value, by structural recursion: terms over [`Term::it`], called by
    /// [`Node::Measure`](crate::Node::Measure).
    pub measures: Vec<(Name, Term)>,
    /// How often a value may stand within one of its own kind, where that is counted or solved for; 5 where nothing is said.
    pub depth: Option<u32>,
}

/// What a value looks like. For an example see [`Spec`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shape {
    /// True or false.
    Bool,
    /// Whole numbers between the bounds, both included; none is unbounded.
    Int {
        /// The least.
        min: Option<i128>,
        /// The greatest.
        max: Option<i128>,
    },
    /// Decimals with at most this many digits after the point.
    Number {
        /// Digits after the point.
        decimals: u32,
    },
    /// Floats of 64 bits, and NaN.
    Float,
    /// Text.
    Text,
    /// Days.
    Date,
    /// Times of day.
    Time,
    /// Days with a time.
    DateTime,
    /// Spans of time.
    Duration,
    /// A value or none.
    Option(Arc<Spec>),
    /// Any number of values; bound it with a requirement on its length.
    List(Arc<Spec>),
    /// Named fields.
    Object(Vec<Field>),
    /// One of some names.
    Enum(Vec<Name>),
    /// One of some alternatives, each with a name and a spec.
    Union(Vec<(Name, Arc<Spec>)>),
    /// A row of a table.
    Table(Arc<Table>),
    /// A spec that encloses this place and has that name: recursion.
    Named(Name),
}

/// A field of an object.
///
/// ```
/// use probity_spec::{Field, Shape, Spec};
/// let nick = Field { name: "nick".into(), spec: Spec::option(Spec::new(Shape::Text)).into(), optional: true };
/// assert_eq!(Spec::new(Shape::Object(vec![nick])).to_string(), "(object (nick? (option text)))");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Field {
    /// Its name.
    pub name: Name,
    /// What its value looks like. A field that may be left out has [`Shape::Option`] and `optional`.
    pub spec: Arc<Spec>,
    /// Whether the field is left out of the output when it is none, rather than written as null.
    pub optional: bool,
}

/// Rows with named attributes; the first column is the key that represents the row.
///
/// ```
/// use probity_spec::{Table, Value};
/// let rows = vec![vec!["Pittsburgh".into(), "America/New_York".into()]];
/// let table = Table { name: "Location".into(), columns: vec!["name".into(), "zone".into()], rows };
/// assert_eq!(table.attribute(0, "zone"), Some(&Value::from("America/New_York")));
/// assert_eq!(table.key(0), &Value::from("Pittsburgh"));
/// ```
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Table {
    /// What the type is called.
    pub name: Name,
    /// The attributes' names.
    pub columns: Vec<Name>,
    /// One value for every column.
    pub rows: Vec<Vec<Value>>,
}

impl Table {
    /// The attribute of a row, if both exist.
    pub fn attribute(&self, row: u32, column: &str) -> Option<&Value> {
        let column = self.columns.iter().position(|it| &**it == column)?;
        self.rows.get(row as usize)?.get(column)
    }

    /// The value that represents a row.
    pub fn key(&self, row: u32) -> &Value {
        &self.rows[row as usize][0]
    }
}

impl Shape {
    /// Whole numbers between two bounds, both included. For an example see [`Spec`].
    pub fn int(min: i128, max: i128) -> Shape {
        Shape::Int { min: Some(min), max: Some(max) }
    }
}

impl Spec {
    /// A shape that requires nothing more.
    pub fn new(shape: Shape) -> Spec {
        Spec { shape, requires: Vec::new(), name: None, measures: Vec::new(), depth: None }
    }

    /// An object with these fields, all of them present.
    pub fn object<N: Into<Name>>(fields: impl IntoIterator<Item = (N, Spec)>) -> Spec {
        let field =
            |(name, spec): (N, Spec)| Field { name: name.into(), spec: Arc::new(spec), optional: false };
        Spec::new(Shape::Object(fields.into_iter().map(field).collect()))
    }

    /// A list of values of a spec.
    ///
    /// ```
    /// use probity_spec::{Shape, Spec, Value};
    /// let digits = Spec::list(Spec::new(Shape::int(0, 9)));
    /// assert!(digits.admits(&Value::List(vec![Value::Int(4), Value::Int(2)])).is_ok());
    /// ```
    pub fn list(of: Spec) -> Spec {
        Spec::new(Shape::List(Arc::new(of)))
    }

    /// A value of a spec, or none.
    ///
    /// ```
    /// use probity_spec::{Shape, Spec, Value};
    /// let digit = Spec::option(Spec::new(Shape::int(0, 9)));
    /// assert!(digit.admits(&Value::Option(None)).is_ok());
    /// ```
    pub fn option(of: Spec) -> Spec {
        Spec::new(Shape::Option(Arc::new(of)))
    }

    /// The same, with one requirement more.
    #[must_use]
    pub fn require(mut self, term: Term) -> Spec {
        self.requires.push(term);
        self
    }

    /// The same, with one measure more.
    ///
    /// ```
    /// use probity_spec::{Shape, Spec, Term, Value};
    /// let pair = Spec::object([("a", Spec::new(Shape::int(0, 9))), ("b", Spec::new(Shape::int(0, 9)))]);
    /// let pair = pair.measured("sum", Term::it().field("a").plus(Term::it().field("b")));
    /// let it = Value::Object(vec![("a".into(), Value::Int(3)), ("b".into(), Value::Int(4))]);
    /// assert_eq!(Term::it().measure("sum").eval_in(&pair, &it, None), Some(Value::Int(7)));
    /// ```
    #[must_use]
    pub fn measured(mut self, name: impl Into<Name>, term: Term) -> Spec {
        self.measures.push((name.into(), term));
        self
    }

    /// The same, where values stand within their own kind at most so often.
    ///
    /// ```
    /// use probity_spec::{Shape, Spec};
    /// let next = Spec::option(Spec::new(Shape::Named("Chain".into())));
    /// let chain = Spec::object([("next", next)]).named("Chain").within(3);
    /// assert_eq!(chain.to_string(), "(object (next (option (named Chain))) (called Chain) (within 3))");
    /// ```
    #[must_use]
    pub fn within(mut self, depth: u32) -> Spec {
        self.depth = Some(depth);
        self
    }

    /// The same, where every recursive spec in it that does not say how deep its values are has this depth.
    ///
    /// ```
    /// use probity_spec::{Shape, Spec};
    /// let next = Spec::option(Spec::new(Shape::Named("Chain".into())));
    /// let pair = Spec::object([("chain", Spec::object([("next", next)]).named("Chain"))]).all_within(3);
    /// assert_eq!(pair.to_string(), "(object (chain (object (next (option (named Chain))) (called Chain) (within 3))))");
    /// ```
    #[must_use]
    pub fn all_within(mut self, depth: u32) -> Spec {
        let within = |it: &mut Arc<Spec>| *it = Arc::new((**it).clone().all_within(depth));
        match &mut self.shape {
            Shape::Option(of) | Shape::List(of) => within(of),
            Shape::Object(fields) => fields.iter_mut().for_each(|it| within(&mut it.spec)),
            Shape::Union(cases) => cases.iter_mut().for_each(|it| within(&mut it.1)),
            _ => {}
        }
        if self.name.is_some() {
            self.depth.get_or_insert(depth);
        }
        self
    }

    /// The same, with a name. For an example see [`within`](Spec::within).
    #[must_use]
    pub fn named(mut self, name: impl Into<Name>) -> Spec {
        self.name = Some(name.into());
        self
    }
}

/// A canonical text: equal specs, equal texts. Fingerprints are taken of it.
impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let has_more = !self.requires.is_empty()
            || self.name.is_some()
            || !self.measures.is_empty()
            || self.depth.is_some();
        match &self.shape {
            Shape::Bool => plain(f, has_more, "bool"),
            Shape::Int { min: None, max: None } => plain(f, has_more, "int"),
            Shape::Int { min, max } => {
                let bound = |it: &Option<i128>| it.map_or("_".to_string(), |it| it.to_string());
                write!(f, "(int {} {}", bound(min), bound(max))
            }
            Shape::Number { decimals } => write!(f, "(number {decimals}"),
            Shape::Float => plain(f, has_more, "float"),
            Shape::Text => plain(f, has_more, "text"),
            Shape::Date => plain(f, has_more, "date"),
            Shape::Time => plain(f, has_more, "time"),
            Shape::DateTime => plain(f, has_more, "datetime"),
            Shape::Duration => plain(f, has_more, "duration"),
            Shape::Option(of) => write!(f, "(option {of}"),
            Shape::List(of) => write!(f, "(list {of}"),
            Shape::Object(fields) => {
                write!(f, "(object")?;
                fields.iter().try_for_each(|it| {
                    write!(f, " ({}{} {})", it.name, if it.optional { "?" } else { "" }, it.spec)
                })
            }
            Shape::Enum(cases) => {
                write!(f, "(enum")?;
                cases.iter().try_for_each(|it| write!(f, " {it}"))
            }
            Shape::Union(cases) => {
                write!(f, "(union")?;
                cases.iter().try_for_each(|it| write!(f, " ({} {})", it.0, it.1))
            }
            Shape::Table(table) => {
                write!(f, "(table {}", table.name)?;
                table.rows.iter().flatten().try_for_each(|it| write!(f, " {it}"))
            }
            Shape::Named(name) => write!(f, "(named {name}"),
        }?;
        self.name.iter().try_for_each(|it| write!(f, " (called {it})"))?;
        self.measures.iter().try_for_each(|it| write!(f, " (measure {} {})", it.0, it.1))?;
        self.depth.iter().try_for_each(|it| write!(f, " (within {it})"))?;
        self.requires.iter().try_for_each(|it| write!(f, " (require {it})"))?;
        let is_word = matches!(
            self.shape,
            Shape::Bool
                | Shape::Int { min: None, max: None }
                | Shape::Float
                | Shape::Text
                | Shape::Date
                | Shape::Time
                | Shape::DateTime
                | Shape::Duration
        );
        if is_word && !has_more { Ok(()) } else { write!(f, ")") }
    }
}

/// A shape that is one word, in brackets when more follows.
fn plain(f: &mut fmt::Formatter, has_more: bool, word: &str) -> fmt::Result {
    write!(f, "{}{word}", if has_more { "(" } else { "" })
}
