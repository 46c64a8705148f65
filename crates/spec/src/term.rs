//! Terms: the expressions that requirements and differences are made of.

use std::fmt;
use std::sync::Arc;

use crate::regex::Regex;
use crate::{Name, Value};

/// An expression over a model (or over two, in a difference). Cheap to clone.
///
/// Logic is two-valued. Some operations are *undefined* for some arguments (division by zero, an element past
/// the end of a list, the content of none, a number beyond 128 bits). A comparison or predicate with an undefined
/// argument is false; so requirements always hold or fail, and every solver can agree on it.
///
/// ```
/// use probity_spec::Term;
/// let x = Term::it().field("x");
/// let even = x.clone().modulo(Term::int(2)).eq(Term::int(0));
/// assert_eq!(even.and(x.lt(Term::int(10))).to_string(), "(and (= (mod (. it x) 2) 0) (< (. it x) 10))");
/// ```
///
/// What has no method of its own is applied:
///
/// ```
/// use probity_spec::{Op, Term, Value};
/// let greeting = Term::apply(Op::Concat, [Term::text("hi "), Term::it()]);
/// assert_eq!(greeting.eval(&Value::from("Bo"), None), Some(Value::from("hi Bo")));
/// assert_eq!(Term::always(), Term::constant(true));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(Arc<Node>);

/// What a [`Term`] is made of.
///
/// ```
/// use probity_spec::{Node, Op, Quantifier, Term};
/// let next = Term::new(Node::It).plus(Term::int(1));
/// assert_eq!(*next.node(), Node::Apply(Op::Add, vec![Term::it(), Term::int(1)]));
/// let small = Term::it().forall(|item| item.lt(Term::int(9)));
/// assert!(matches!(small.node(), Node::Quantified(Quantifier::Forall, ..)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Node {
    /// The value of the spec that the term is in; the first model in a difference.
    It,
    /// The second model in a difference.
    Other,
    /// The element that a quantifier above binds, by the quantifier's number.
    Bound(u32),
    /// A constant.
    Const(Value),
    /// A field of an object, an attribute of a row.
    Field(Term, Name),
    /// Whether a text as a whole is in the language of a pattern.
    Matches(Term, Arc<Regex>),
    /// Whether a union's value is that alternative.
    Is(Term, Name),
    /// The content of that alternative of a union; undefined for another.
    As(Term, Name),
    /// Whether a term holds for all or some elements of a list, or what it is for each (the last term, over [`Node::Bound`]).
    Quantified(Quantifier, u32, Term, Term),
    /// A measure of a value, by its name in the value's spec ([`Spec::measures`](crate::Spec::measures)).
    Measure(Term, Name),
    /// An operation.
    Apply(Op, Vec<Term>),
}

/// All, some, or each; see [`Node`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Quantifier {
    /// All elements.
    Forall,
    /// At least one element.
    Exists,
    /// A list of what the term is for each element.
    Each,
}

/// An operation of [`Node::Apply`]. The comments give the arguments; numbers are whole, decimal or floats (a whole number
/// beside a decimal counts as a decimal, and any number beside a float as the float that is closest). For an example see [`Term`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Op {
    /// Any number of truths.
    And,
    /// Any number of truths.
    Or,
    /// One truth.
    Not,
    /// A truth and two terms of one kind.
    Ite,
    /// Two terms of one kind.
    Eq,
    /// Two numbers, texts (by code points), dates, times, durations.
    Lt,
    /// Two numbers, texts, dates, times, durations.
    Le,
    /// Numbers; or a date, date-time or time and a duration (undefined when it leaves the range); or durations.
    /// A date moves by whole days, rounded down.
    Add,
    /// Two numbers; two dates, times or date-times, giving a duration; or a date, date-time or time less a duration.
    Sub,
    /// Numbers; or a duration and a whole number.
    Mul,
    /// Two floats; or two whole numbers, Euclidean: `a = b * (div a b) + (mod a b)` with `0 <= mod < |b|`; undefined for b = 0.
    Div,
    /// Two floats, with the sign of the first; or two whole numbers, Euclidean.
    Mod,
    /// One number or duration.
    Neg,
    /// One number or duration.
    Abs,
    /// The length of a text, in characters, or of a list.
    Len,
    /// Any number of texts.
    Concat,
    /// Two texts: whether the first begins with the second.
    StartsWith,
    /// Two texts: whether the first ends with the second.
    EndsWith,
    /// Two texts: whether the second occurs in the first.
    Contains,
    /// A text, a start and a length in characters; clipped at the end of the text, undefined if the start or the
    /// length is negative or the start is past the end.
    Substr,
    /// Two texts: where the second first occurs in the first, -1 if it does not.
    IndexOf,
    /// Two texts: the least number of single-character insertions, deletions and replacements between them.
    EditDistance,
    /// A list and an index from 0; undefined out of range.
    Nth,
    /// A value and a list: whether it is an element.
    In,
    /// A list: whether no element is less than the one before.
    Sorted,
    /// A list: whether all elements differ.
    Distinct,
    /// A list of numbers or durations; 0 when empty, which is a whole number.
    Sum,
    /// A list of what has an order: the greatest, undefined when empty.
    Greatest,
    /// A list of what has an order: the least, undefined when empty.
    Least,
    /// An option: whether it is a value.
    IsSome,
    /// An option's content; undefined for none.
    Unwrap,
    /// A date or date-time: its year.
    Year,
    /// A date or date-time: its month, 1 to 12.
    Month,
    /// A date or date-time: its day of the month, from 1.
    Day,
    /// A date or date-time: its day of the week, Monday is 1 and Sunday 7.
    Weekday,
    /// A date-time's date.
    DateOf,
    /// A date-time's time.
    TimeOf,
    /// The whole number behind a value: a date's days and a date-time's seconds since 1970, a time's and a
    /// duration's seconds, an enum's place among its cases, a float without its fraction, 1 for true and 0 for false.
    ToInt,
    /// The float that is closest to a number.
    ToFloat,
    /// A list of the arguments.
    List,
}

impl Op {
    /// What the language calls it.
    ///
    /// ```
    /// use probity_spec::{Op, Term};
    /// assert_eq!((Op::Len.word(), Term::it().len().to_string()), ("length", "(length it)".to_string()));
    /// ```
    pub fn word(self) -> &'static str {
        match self {
            Op::And => "and",
            Op::Or => "or",
            Op::Not => "not",
            Op::Ite => "ite",
            Op::Eq => "=",
            Op::Lt => "<",
            Op::Le => "<=",
            Op::Add => "+",
            Op::Sub => "-",
            Op::Mul => "*",
            Op::Div => "div",
            Op::Mod => "mod",
            Op::Neg => "neg",
            Op::Abs => "abs",
            Op::Len => "length",
            Op::Concat => "concat",
            Op::StartsWith => "starts-with",
            Op::EndsWith => "ends-with",
            Op::Contains => "contains",
            Op::Substr => "substring",
            Op::IndexOf => "index-of",
            Op::EditDistance => "edit-distance",
            Op::Nth => "nth",
            Op::In => "in",
            Op::Sorted => "sorted",
            Op::Distinct => "distinct",
            Op::Sum => "sum",
            Op::Greatest => "greatest",
            Op::Least => "least",
            Op::IsSome => "some?",
            Op::Unwrap => "unwrap",
            Op::Year => "year",
            Op::Month => "month",
            Op::Day => "day",
            Op::Weekday => "weekday",
            Op::DateOf => "date-of",
            Op::TimeOf => "time-of",
            Op::ToInt => "to-int",
            Op::ToFloat => "to-float",
            Op::List => "list",
        }
    }
}

impl Term {
    /// A term of that node; see [`Node`].
    pub fn new(node: Node) -> Term {
        Term(Arc::new(node))
    }

    /// What it is made of; see [`Node`].
    pub fn node(&self) -> &Node {
        &self.0
    }

    /// The value of the spec that the term is in.
    pub fn it() -> Term {
        Term::new(Node::It)
    }

    /// The second model, in a difference.
    ///
    /// ```
    /// use probity_spec::{Term, Value};
    /// let grows = Term::it().lt(Term::other());
    /// assert_eq!(grows.eval(&Value::Int(1), Some(&Value::Int(2))), Some(Value::Bool(true)));
    /// ```
    pub fn other() -> Term {
        Term::new(Node::Other)
    }

    /// A constant.
    pub fn constant(value: impl Into<Value>) -> Term {
        Term::new(Node::Const(value.into()))
    }

    /// A whole number.
    pub fn int(int: i128) -> Term {
        Term::constant(Value::Int(int))
    }

    /// A text.
    pub fn text(text: &str) -> Term {
        Term::constant(Value::from(text))
    }

    /// Always true: `true_A` of the paper.
    pub fn always() -> Term {
        Term::constant(Value::Bool(true))
    }

    /// An operation on terms.
    pub fn apply(op: Op, args: impl Into<Vec<Term>>) -> Term {
        Term::new(Node::Apply(op, args.into()))
    }

    /// A field of an object, an attribute of a row.
    #[must_use]
    pub fn field(self, name: &str) -> Term {
        Term::new(Node::Field(self, name.into()))
    }

    /// A measure of a value, by its name; see [`Spec::measured`](crate::Spec::measured).
    #[must_use]
    pub fn measure(self, name: &str) -> Term {
        Term::new(Node::Measure(self, name.into()))
    }

    /// Whether the text as a whole is in the language of a pattern.
    ///
    /// ```
    /// use probity_spec::{Term, Value, regex::Regex};
    /// let is_word = Term::it().matches(Regex::new("[a-z]+").unwrap().into());
    /// assert_eq!(is_word.eval(&Value::from("two words"), None), Some(Value::Bool(false)));
    /// ```
    #[must_use]
    pub fn matches(self, regex: Arc<Regex>) -> Term {
        Term::new(Node::Matches(self, regex))
    }

    /// Whether `body` holds for all elements of the list.
    ///
    /// ```
    /// use probity_spec::{Term, Value};
    /// let small = Term::it().forall(|item| item.lt(Term::int(9)));
    /// let list = Value::List(vec![Value::Int(3), Value::Int(12)]);
    /// assert_eq!(small.eval(&list, None), Some(Value::Bool(false)));
    /// ```
    #[must_use]
    pub fn forall(self, body: impl Fn(Term) -> Term) -> Term {
        self.quantified(Quantifier::Forall, body)
    }

    /// Whether `body` holds for at least one element of the list.
    ///
    /// ```
    /// use probity_spec::{Term, Value};
    /// let has_small = Term::it().exists(|item| item.lt(Term::int(9)));
    /// let list = Value::List(vec![Value::Int(3), Value::Int(12)]);
    /// assert_eq!(has_small.eval(&list, None), Some(Value::Bool(true)));
    /// ```
    #[must_use]
    pub fn exists(self, body: impl Fn(Term) -> Term) -> Term {
        self.quantified(Quantifier::Exists, body)
    }

    /// The list of what `body` is for each element of the list.
    ///
    /// ```
    /// use probity_spec::{Op, Term, Value};
    /// let doubled = Term::it().each(|it| it.times(Term::int(2)));
    /// let list = Value::List(vec![Value::Int(3), Value::Int(4)]);
    /// assert_eq!(Term::apply(Op::Sum, [doubled]).eval(&list, None), Some(Value::Int(14)));
    /// ```
    #[must_use]
    pub fn each(self, body: impl Fn(Term) -> Term) -> Term {
        self.quantified(Quantifier::Each, body)
    }

    /// A quantifier's number is one more than those in its body: equal terms get equal numbers, and none
    /// captures another's element.
    fn quantified(self, quantifier: Quantifier, body: impl Fn(Term) -> Term) -> Term {
        let number = 1 + body(Term::new(Node::Bound(u32::MAX))).greatest_number();
        let body = body(Term::new(Node::Bound(number)));
        Term::new(Node::Quantified(quantifier, number, self, body))
    }

    /// The greatest number of a quantifier in the term, 0 if there is none.
    fn greatest_number(&self) -> u32 {
        let below = self.parts().iter().map(|it| it.greatest_number()).max().unwrap_or(0);
        if let Node::Quantified(_, number, ..) = self.node() { below.max(*number) } else { below }
    }

    /// The terms directly below.
    ///
    /// ```
    /// use probity_spec::Term;
    /// assert_eq!(Term::it().lt(Term::int(3)).parts(), [&Term::it(), &Term::int(3)]);
    /// ```
    pub fn parts(&self) -> Vec<&Term> {
        match self.node() {
            Node::It | Node::Other | Node::Bound(_) | Node::Const(_) => Vec::new(),
            Node::Field(of, _)
            | Node::Matches(of, _)
            | Node::Is(of, _)
            | Node::As(of, _)
            | Node::Measure(of, _) => vec![of],
            Node::Quantified(_, _, list, body) => vec![list, body],
            Node::Apply(_, args) => args.iter().collect(),
        }
    }

    /// The same term with every leaf (`it`, `other`, bound element) replaced where `leaf` gives another.
    ///
    /// ```
    /// use probity_spec::{Node, Term};
    /// let term = Term::it().lt(Term::int(3));
    /// let moved = term.replace(&|it| (*it.node() == Node::It).then(|| Term::it().field("x")));
    /// assert_eq!(moved.to_string(), "(< (. it x) 3)");
    /// ```
    #[must_use]
    pub fn replace(&self, leaf: &dyn Fn(&Term) -> Option<Term>) -> Term {
        let is_leaf = |it: &Term| matches!(it.node(), Node::It | Node::Other | Node::Bound(_));
        self.rewrite(&|it| if is_leaf(it) { leaf(it) } else { None })
    }

    /// The same term with every part replaced for which `part` gives another, from the outside in.
    ///
    /// ```
    /// use probity_spec::Term;
    /// let len = Term::it().len();
    /// let number = len.clone().le(Term::int(3)).rewrite(&|it| (*it == len).then(Term::it));
    /// assert_eq!(number, Term::it().le(Term::int(3)));
    /// ```
    #[must_use]
    pub fn rewrite(&self, part: &dyn Fn(&Term) -> Option<Term>) -> Term {
        if let Some(other) = part(self) {
            return other;
        }
        let again = |it: &Term| it.rewrite(part);
        match self.node() {
            Node::It | Node::Other | Node::Bound(_) | Node::Const(_) => self.clone(),
            Node::Field(of, name) => Term::new(Node::Field(again(of), name.clone())),
            Node::Matches(of, regex) => Term::new(Node::Matches(again(of), regex.clone())),
            Node::Is(of, name) => Term::new(Node::Is(again(of), name.clone())),
            Node::As(of, name) => Term::new(Node::As(again(of), name.clone())),
            Node::Measure(of, name) => Term::new(Node::Measure(again(of), name.clone())),
            Node::Quantified(kind, number, list, body) => {
                Term::new(Node::Quantified(*kind, *number, again(list), again(body)))
            }
            Node::Apply(op, args) => Term::apply(*op, args.iter().map(again).collect::<Vec<_>>()),
        }
    }

    /// Whether some part of the term is one that `part` accepts.
    ///
    /// ```
    /// use probity_spec::Term;
    /// assert!(Term::it().len().le(Term::int(3)).mentions(&|it| *it == Term::it()));
    /// ```
    pub fn mentions(&self, part: &dyn Fn(&Term) -> bool) -> bool {
        part(self) || self.parts().iter().any(|it| it.mentions(part))
    }
}

/// Methods for operations, by their number of arguments.
macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident($($arg:ident),*) => $op:ident;)*) => {
        impl Term {
            $($(#[$doc])*
            #[must_use]
            pub fn $name(self $(, $arg: Term)*) -> Term {
                Term::apply(Op::$op, [self $(, $arg)*])
            })*
        }
    };
}

operations! {
    /// Both.
    and(that) => And;
    /// Either.
    or(that) => Or;
    /// Equal.
    eq(that) => Eq;
    /// Less than.
    lt(that) => Lt;
    /// Less than or equal.
    le(that) => Le;
    /// The sum.
    plus(that) => Add;
    /// The difference.
    minus(that) => Sub;
    /// The product.
    times(that) => Mul;
    /// The Euclidean quotient.
    quotient(that) => Div;
    /// The Euclidean remainder.
    modulo(that) => Mod;
    /// The length of a text or list.
    len() => Len;
    /// The size of a number.
    abs() => Abs;
    /// The opposite of a truth.
    negate() => Not;
    /// Whether an option is a value.
    is_some() => IsSome;
    /// An option's content.
    unwrap() => Unwrap;
}

/// As the language writes it, with `(. object field)` for fields.
impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.node() {
            Node::It => write!(f, "it"),
            Node::Other => write!(f, "other"),
            Node::Bound(number) => write!(f, "x{number}"),
            Node::Const(value) => write!(f, "{value}"),
            Node::Field(of, name) => write!(f, "(. {of} {name})"),
            Node::Matches(of, regex) => write!(f, "(matches {of} {regex})"),
            Node::Is(of, name) => write!(f, "(is {of} {name})"),
            Node::As(of, name) => write!(f, "(as {of} {name})"),
            Node::Measure(of, name) => write!(f, "(measure {of} {name})"),
            Node::Quantified(kind, number, list, body) => {
                let word = match kind {
                    Quantifier::Forall => "forall",
                    Quantifier::Exists => "exists",
                    Quantifier::Each => "each",
                };
                write!(f, "({word} (x{number} {list}) {body})")
            }
            Node::Apply(op, args) => {
                write!(f, "({}", op.word())?;
                args.iter().try_for_each(|it| write!(f, " {it}"))?;
                write!(f, ")")
            }
        }
    }
}
