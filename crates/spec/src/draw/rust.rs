//! What expressions of Rust mean in requirements: the functions that `#[derive(Spec)]`, `spec!` and `different = ..`
//! call. They are public for that, and can be called by hand.
//!
//! Where a meaning depends on the type of a value, the spec that the expression is in decides: the first
//! argument of such functions.

mod differences;
mod items;
mod numbers;

use std::cell::RefCell;
use std::sync::Arc;

pub use super::contract::{Condition, narrowing, required};
use crate::regex::Regex;
use crate::{Date, DateTime, Decimal, Duration, Float64, Node, Op, Shape, Spec, Term, Time, Value};
pub use differences::{cover, cover_pattern, cover_regexp, distance, edit_distance, enumerate, relation};
pub use items::{greatest_of, least_of, unwrap_or};
pub use numbers::cast;

/// A value of Rust as a term.
///
/// ```
/// use probity_spec::{Term, draw::rust::Constant};
/// assert_eq!((7_u8.term(), "a".term()), (Term::int(7), Term::text("a")));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no constant of a requirement",
    note = "numbers, `bool`, `char`, texts, decimals, dates and times are"
)]
pub trait Constant {
    /// The constant term.
    fn term(&self) -> Term;
}

macro_rules! constants {
    ($($t:ident)*; $($kind:ident)*) => {
        $(impl Constant for $t {
            fn term(&self) -> Term {
                Term::int(i128::try_from(*self).unwrap_or(i128::MAX))
            }
        })*
        $(impl Constant for $kind {
            fn term(&self) -> Term {
                Term::constant(Value::$kind(*self))
            }
        })*
    };
}

constants! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize; Date Time DateTime Duration }

impl Constant for f64 {
    fn term(&self) -> Term {
        Term::constant(Value::Float(Float64::new(*self)))
    }
}

impl Constant for f32 {
    fn term(&self) -> Term {
        f64::from(*self).term()
    }
}

impl Constant for bool {
    fn term(&self) -> Term {
        Term::constant(*self)
    }
}

impl Constant for Decimal {
    fn term(&self) -> Term {
        Term::constant(Value::Number(*self))
    }
}

impl Constant for char {
    fn term(&self) -> Term {
        Term::text(&self.to_string())
    }
}

impl Constant for String {
    fn term(&self) -> Term {
        Term::text(self)
    }
}

impl Constant for &str {
    fn term(&self) -> Term {
        Term::text(self)
    }
}

/// A constant.
///
/// ```
/// use probity_spec::{Term, draw::rust};
/// assert_eq!(rust::constant('a'), Term::text("a"));
/// ```
pub fn constant(it: impl Constant) -> Term {
    it.term()
}

/// A decimal as it is written.
///
/// ```
/// assert_eq!(probity_spec::draw::rust::decimal("2.50").to_string(), "2.5");
/// ```
#[track_caller]
pub fn decimal(text: &str) -> Term {
    match text.parse::<Decimal>() {
        Ok(it) => it.term(),
        Err(()) => wrong(format!("`{text}` is no decimal; write digits with one point")),
    }
}

/// A case of an enum, to compare with; see [`equal`].
pub fn case(name: &str) -> Term {
    Term::constant(Value::Case(name.into()))
}

/// `a == b`. A variant is compared with what kind of enum the other side is.
///
/// ```
/// use probity_spec::{Shape, Spec, Term, draw::rust};
/// let union = Spec::new(Shape::Union(vec![("Cash".into(), Spec::object::<&str>([]).into())]));
/// assert_eq!(rust::equal(&union, Term::it(), rust::case("Cash")).to_string(), "(is it Cash)");
/// ```
pub fn equal(scope: &Spec, a: Term, b: Term) -> Term {
    match (a.node(), b.node()) {
        (_, Node::Const(Value::Case(name))) => is_case(scope, a.clone(), &name.clone()),
        (Node::Const(Value::Case(name)), _) => is_case(scope, b.clone(), &name.clone()),
        _ => a.eq(b),
    }
}

/// Whether a value of an enum is that variant.
///
/// ```
/// use probity_spec::{Term, draw::rust};
/// let size = rust::cases(&["Small", "Large"]);
/// assert_eq!(rust::is_case(&size, Term::it(), "Small").to_string(), "(= it Small)");
/// ```
pub fn is_case(scope: &Spec, of: Term, name: &str) -> Term {
    match shape_of(scope, &of) {
        // What contains itself has variants with fields.
        Some(Shape::Union(_) | Shape::Named(_)) => Term::new(Node::Is(of, name.into())),
        // A struct, which is always what its pattern says.
        Some(Shape::Object(_)) => Term::always(),
        _ => of.eq(case(name)),
    }
}

/// What a variant of an enum holds, undefined for another; of a struct, itself.
///
/// ```
/// use probity_spec::{Shape, Spec, Term, draw::rust};
/// let cash = Spec::object([("amount", Spec::new(Shape::int(0, 99)))]);
/// assert_eq!(rust::content(&cash, Term::it(), "Cash"), Term::it());
/// let paid = rust::union([("Cash", cash)]);
/// assert_eq!(rust::content(&paid, Term::it(), "Cash").to_string(), "(as it Cash)");
/// ```
pub fn content(scope: &Spec, of: Term, name: &str) -> Term {
    match shape_of(scope, &of) {
        Some(Shape::Object(_)) => of,
        _ => Term::new(Node::As(of, name.into())),
    }
}

/// A number as it is, a truth as 1 or 0.
///
/// ```
/// use probity_spec::{Shape, Spec, Term, draw::rust};
/// let spec = Spec::new(Shape::int(0, 9));
/// assert_eq!(rust::number(&spec, Term::it().lt(Term::int(3))).to_string(), "(to-int (< it 3))");
/// assert_eq!(rust::number(&spec, Term::it()), Term::it());
/// ```
pub fn number(scope: &Spec, a: Term) -> Term {
    let is_truth = match a.node() {
        Node::Apply(op, _) => {
            matches!(
                op,
                Op::And | Op::Or | Op::Not | Op::Eq | Op::Lt | Op::Le | Op::In | Op::Contains | Op::IsSome
            )
        }
        Node::Quantified(kind, ..) => *kind != crate::Quantifier::Each,
        Node::Is(..) | Node::Matches(..) | Node::Const(Value::Bool(_)) => true,
        _ => matches!(shape_of(scope, &a), Some(Shape::Bool)),
    };
    if is_truth { Term::apply(Op::ToInt, [a]) } else { a }
}

/// A spec with its measures, and how deep its values are counted.
///
/// ```
/// use probity_spec::{Shape, Spec, Term, draw::rust};
/// let doubled = vec![("double", Term::it().times(Term::int(2)))];
/// let spec = rust::measured(Spec::new(Shape::int(0, 9)), doubled, Some(3));
/// assert_eq!(spec.to_string(), "(int 0 9 (measure double (* it 2)) (within 3))");
/// ```
pub fn measured(spec: Spec, measures: Vec<(&str, Term)>, depth: Option<u32>) -> Spec {
    let spec = measures.into_iter().fold(spec, |spec, (name, term)| spec.measured(name, term));
    match depth {
        Some(depth) => spec.within(depth),
        None => spec,
    }
}

/// `a + b`: a sum of numbers, or texts one after the other.
///
/// ```
/// use probity_spec::{Shape, Spec, Term, draw::rust};
/// let sum = |shape, a: &str| rust::sum(&Spec::new(shape), Term::it(), rust::constant(a)).to_string();
/// assert_eq!(sum(Shape::Text, "!"), "(concat it \"!\")");
/// let next = rust::sum(&Spec::new(Shape::int(0, 9)), Term::it(), Term::int(1));
/// assert_eq!(next.to_string(), "(+ it 1)");
/// ```
pub fn sum(scope: &Spec, a: Term, b: Term) -> Term {
    let is_text = |it: &Term| {
        matches!(it.node(), Node::Const(Value::Text(_))) || matches!(shape_of(scope, it), Some(Shape::Text))
    };
    if is_text(&a) || is_text(&b) { Term::apply(Op::Concat, [a, b]) } else { a.plus(b) }
}

/// `-a`.
///
/// ```
/// use probity_spec::{Term, draw::rust};
/// assert_eq!(rust::negative(Term::int(7)), Term::int(-7));
/// assert_eq!(rust::negative(Term::it()).to_string(), "(neg it)");
/// ```
pub fn negative(a: Term) -> Term {
    match a.node() {
        Node::Const(Value::Int(it)) if *it != i128::MIN => Term::int(-it),
        _ => Term::apply(Op::Neg, [a]),
    }
}

/// `a / b`, rounded towards zero as Rust does.
///
/// ```
/// use probity_spec::{Shape, Spec, Term, Value, draw::rust};
/// let spec = Spec::new(Shape::int(-9, 9));
/// let half = rust::quotient(&spec, Term::it(), Term::int(2));
/// assert_eq!(half.eval(&Value::Int(-7), None), Some(Value::Int(-7 / 2)));
/// ```
pub fn quotient(scope: &Spec, a: Term, b: Term) -> Term {
    towards_zero(scope, a, b, Term::quotient)
}

/// `a % b`, with the sign of `a` as in Rust.
///
/// ```
/// use probity_spec::{Shape, Spec, Term, Value, draw::rust};
/// let odd = rust::remainder(&Spec::new(Shape::int(-9, 9)), Term::it(), Term::int(2));
/// assert_eq!(odd.eval(&Value::Int(-7), None), Some(Value::Int(-7 % 2)));
/// ```
pub fn remainder(scope: &Spec, a: Term, b: Term) -> Term {
    towards_zero(scope, a, b, Term::modulo)
}

/// Terms divide as Euclid does, which is the same where `a` is not negative.
fn towards_zero(scope: &Spec, a: Term, b: Term, divide: fn(Term, Term) -> Term) -> Term {
    if is_never_negative(scope, &a) || numbers::is_float(scope, &a) || numbers::is_float(scope, &b) {
        return divide(a, b);
    }
    let below = Term::apply(Op::Neg, [divide(Term::apply(Op::Neg, [a.clone()]), b.clone())]);
    Term::apply(Op::Ite, [a.clone().lt(Term::int(0)), below, divide(a, b)])
}

fn is_never_negative(scope: &Spec, term: &Term) -> bool {
    match term.node() {
        Node::Const(Value::Int(it)) => *it >= 0,
        Node::Apply(Op::Len | Op::Abs | Op::Mod, _) => true,
        Node::Apply(Op::Add | Op::Mul | Op::Div, of) => of.iter().all(|it| is_never_negative(scope, it)),
        _ => matches!(shape_of(scope, term), Some(Shape::Int { min: Some(0..), .. })),
    }
}

/// `a.contains(b)`: a part of a text, or an item of a list.
///
/// ```
/// use probity_spec::{Shape, Spec, Term, draw::rust};
/// let contains = |scope: Spec| rust::contains(&scope, Term::it(), Term::text("a")).to_string();
/// assert_eq!(contains(Spec::new(Shape::Text)), "(contains it \"a\")");
/// assert_eq!(contains(Spec::list(Spec::new(Shape::Text))), "(in \"a\" it)");
/// ```
pub fn contains(scope: &Spec, a: Term, b: Term) -> Term {
    let is_list =
        matches!(a.node(), Node::Apply(Op::List, _)) || matches!(shape_of(scope, &a), Some(Shape::List(_)));
    if is_list { Term::apply(Op::In, [b, a]) } else { Term::apply(Op::Contains, [a, b]) }
}

/// `a.min(b)`.
///
/// ```
/// use probity_spec::{Term, Value, draw::rust};
/// assert_eq!(rust::least(Term::it(), Term::int(5)).eval(&Value::Int(7), None), Some(Value::Int(5)));
/// ```
pub fn least(a: Term, b: Term) -> Term {
    Term::apply(Op::Ite, [a.clone().le(b.clone()), a, b])
}

/// `a.max(b)`.
///
/// ```
/// use probity_spec::{Term, Value, draw::rust};
/// assert_eq!(rust::greatest(Term::it(), Term::int(5)).eval(&Value::Int(7), None), Some(Value::Int(7)));
/// ```
pub fn greatest(a: Term, b: Term) -> Term {
    Term::apply(Op::Ite, [a.clone().le(b.clone()), b, a])
}

/// Whether a pattern matches the text as a whole.
///
/// ```
/// use probity_spec::{Term, Value, draw::rust};
/// let is_time = rust::matches(Term::it(), "[0-9]{2}:[0-9]{2}");
/// assert_eq!(is_time.eval(&Value::from("10:30"), None), Some(Value::Bool(true)));
/// ```
#[track_caller]
pub fn matches(a: Term, pattern: &str) -> Term {
    a.matches(regex(pattern))
}

#[track_caller]
fn regex(pattern: &str) -> Arc<Regex> {
    match Regex::new(pattern) {
        Ok(it) => Arc::new(it),
        Err(err) => wrong(format!("the pattern {pattern:?} cannot be used: {err}")),
    }
}

/// Whether the numbers of a value, or those in its option or list, lie between two ends.
///
/// ```
/// use probity_spec::{Shape, Spec, Term, draw::rust};
/// let maybe = Spec::option(Spec::new(Shape::int(0, 9)));
/// let term = rust::ranges(&maybe, Term::it(), None, Some(Term::int(5)), true);
/// assert_eq!(term.to_string(), "(or (not (some? it)) (<= (unwrap it) 5))");
/// ```
pub fn ranges(scope: &Spec, it: Term, low: Option<Term>, high: Option<Term>, inclusive: bool) -> Term {
    match shape_of(scope, &it) {
        Some(Shape::Option(_)) => {
            let inner = ranges(scope, it.clone().unwrap(), low, high, inclusive);
            it.is_some().negate().or(inner)
        }
        Some(Shape::List(_)) => it.forall(|item| between(item, low.clone(), high.clone(), inclusive)),
        _ => between(it, low, high, inclusive),
    }
}

/// Whether a text or a list, or that in an option, has this many characters or items.
///
/// ```
/// use probity_spec::{Shape, Spec, Term, draw::rust};
/// let maybe = Spec::option(Spec::new(Shape::Text));
/// let term = rust::lengths_of(&maybe, Term::it(), Some(Term::int(1)), None, true);
/// assert_eq!(term.to_string(), "(or (not (some? it)) (<= 1 (length (unwrap it))))");
/// ```
pub fn lengths_of(scope: &Spec, it: Term, low: Option<Term>, high: Option<Term>, inclusive: bool) -> Term {
    match shape_of(scope, &it) {
        Some(Shape::Option(_)) => {
            let inner = lengths_of(scope, it.clone().unwrap(), low, high, inclusive);
            it.is_some().negate().or(inner)
        }
        _ => between(it.len(), low, high, inclusive),
    }
}

/// Whether a value lies between two ends.
///
/// ```
/// use probity_spec::{Term, draw::rust};
/// let die = rust::between(Term::it(), Some(Term::int(1)), Some(Term::int(7)), false);
/// assert_eq!(die.to_string(), "(and (<= 1 it) (< it 7))");
/// ```
pub fn between(it: Term, low: Option<Term>, high: Option<Term>, inclusive: bool) -> Term {
    let above = low.map(|low| low.le(it.clone()));
    let below = high.map(|high| if inclusive { it.le(high) } else { it.lt(high) });
    match (above, below) {
        (Some(above), Some(below)) => above.and(below),
        (Some(it), None) | (None, Some(it)) => it,
        (None, None) => Term::always(),
    }
}

/// The same spec, with its numbers (or dates and times, or those in its options and lists) between two ends.
///
/// ```
/// use probity_spec::{Shape, Spec, Term, draw::rust};
/// let age = rust::range(Spec::new(Shape::int(0, 255)), None, Some(Term::int(150)), true);
/// assert_eq!(age, Spec::new(Shape::int(0, 150)));
/// ```
#[track_caller]
pub fn range(mut spec: Spec, low: Option<Term>, high: Option<Term>, inclusive: bool) -> Spec {
    let int = |it: &Option<Term>| match it.as_ref().map(Term::node) {
        None => Some(None),
        Some(Node::Const(Value::Int(it))) => Some(Some(*it)),
        Some(_) => None,
    };
    match (&mut spec.shape, int(&low), int(&high)) {
        (Shape::Option(of) | Shape::List(of), ..) => {
            *of = Arc::new(range((**of).clone(), low, high, inclusive));
            spec
        }
        (Shape::Int { min, max }, Some(low), Some(high)) => {
            let high = if inclusive { high } else { high.map(|it| it.saturating_sub(1)) };
            *min = low.into_iter().chain(*min).max();
            *max = high.into_iter().chain(*max).min();
            if let (Some(low), Some(high)) = (*min, *max)
                && low > high
            {
                wrong(format!("no number in {low}..={high}; swap the bounds"));
            }
            spec
        }
        (shape, ..) => {
            let mut ends = [low, high];
            for end in ends.iter_mut().flatten() {
                *end = dated(shape, end.clone());
            }
            let [low, high] = ends;
            spec.require(between(Term::it(), low, high, inclusive))
        }
    }
}

/// The ends of dates and times are written as texts.
#[track_caller]
fn dated(shape: &Shape, end: Term) -> Term {
    let Node::Const(Value::Text(text)) = end.node() else { return end };
    let value = match shape {
        Shape::Date => text.parse().ok().map(Value::Date),
        Shape::Time => text.parse().ok().map(Value::Time),
        Shape::DateTime => text.parse().ok().map(Value::DateTime),
        Shape::Duration => text.parse().ok().map(Value::Duration),
        _ => return end,
    };
    let help = "write `2017-10-21`, `10:00`, `2017-10-21T10:00` or `PT90S`";
    match value {
        Some(it) => Term::constant(it),
        None => wrong(format!("`{text}` is not what the range is of; {help}")),
    }
}

/// The same spec, with texts or lists (or those in its option) of this many characters or items.
///
/// ```
/// use probity_spec::{Shape, Spec, Term, draw::rust};
/// let name = rust::lengths(Spec::new(Shape::Text), None, Some(Term::int(8)), true);
/// assert_eq!(name.to_string(), "(text (require (<= (length it) 8)))");
/// ```
pub fn lengths(mut spec: Spec, low: Option<Term>, high: Option<Term>, inclusive: bool) -> Spec {
    if let Shape::Option(of) = &mut spec.shape {
        *of = Arc::new(lengths((**of).clone(), low, high, inclusive));
        return spec;
    }
    spec.require(between(Term::it().len(), low, high, inclusive))
}

/// The same spec, with texts (or those in its options and lists) that a pattern matches as a whole.
///
/// ```
/// use probity_spec::{Shape, Spec, Value, draw::rust};
/// let pin = rust::pattern(Spec::new(Shape::Text), "[0-9]{4}");
/// assert!(pin.admits(&Value::from("0042")).is_ok() && pin.admits(&Value::from("42")).is_err());
/// ```
#[track_caller]
pub fn pattern(mut spec: Spec, pattern_text: &str) -> Spec {
    match &mut spec.shape {
        Shape::Option(of) | Shape::List(of) => {
            *of = Arc::new(pattern((**of).clone(), pattern_text));
            spec
        }
        Shape::Text => spec.require(matches(Term::it(), pattern_text)),
        _ => wrong(format!("the pattern {pattern_text:?} is for a text; put it on a `String`")),
    }
}

/// The same spec with one requirement more.
///
/// ```
/// use probity_spec::{Shape, Spec, Term, draw::rust};
/// let small = rust::requiring(&Spec::new(Shape::int(0, 9)), Term::it().lt(Term::int(5)));
/// assert_eq!(small.to_string(), "(int 0 9 (require (< it 5)))");
/// ```
pub fn requiring(spec: &Spec, term: Term) -> Spec {
    spec.clone().require(term)
}

/// The spec of a type, which may contain the type itself.
///
/// ```
/// use probity_spec::{Spec, draw::rust};
/// fn chain() -> Spec {
///     rust::named("Chain", || Spec::object([("next", Spec::option(chain()))]))
/// }
/// assert_eq!(chain().to_string(), "(object (next (option (named Chain))) (called Chain))");
/// ```
pub fn named(name: &str, build: impl FnOnce() -> Spec) -> Spec {
    thread_local! {
        /// The types whose specs are being built, and whether they were met within.
        static BUILDING: RefCell<Vec<(String, bool)>> = const { RefCell::new(Vec::new()) };
    }
    let is_within = BUILDING.with_borrow_mut(|all| {
        let found = all.iter_mut().find(|it| it.0 == name);
        found.map(|it| it.1 = true).is_some() || {
            all.push((name.to_string(), false));
            false
        }
    });
    if is_within {
        return Spec::new(Shape::Named(name.into()));
    }
    /// A build that panics leaves nothing behind.
    struct Done;
    impl Drop for Done {
        fn drop(&mut self) {
            BUILDING.with_borrow_mut(Vec::pop);
        }
    }
    let done = Done;
    let spec = build();
    let is_met = BUILDING.with_borrow(|it| it.last().is_some_and(|it| it.1));
    drop(done);
    if is_met { spec.named(name) } else { spec }
}

/// An enum whose variants have no fields.
///
/// ```
/// assert_eq!(probity_spec::draw::rust::cases(&["Small", "Large"]).to_string(), "(enum Small Large)");
/// ```
pub fn cases(names: &[&str]) -> Spec {
    Spec::new(Shape::Enum(names.iter().map(|it| (*it).into()).collect()))
}

/// An enum whose variants have fields.
///
/// ```
/// use probity_spec::{Shape, Spec, draw::rust};
/// let paid = rust::union([
///     ("Cash", Spec::object::<&str>([])),
///     ("Card", Spec::object([("pin", Spec::new(Shape::int(0, 9999)))])),
/// ]);
/// assert_eq!(paid.to_string(), "(union (Cash (object)) (Card (object (pin (int 0 9999)))))");
/// ```
pub fn union<const N: usize>(cases: [(&str, Spec); N]) -> Spec {
    Spec::new(Shape::Union(cases.into_iter().map(|(name, it)| (name.into(), Arc::new(it))).collect()))
}

/// The variant of an enum whose variants have no fields.
///
/// ```
/// use probity_spec::{Value, draw::rust};
/// assert_eq!(rust::case_of(&Value::Case("Small".into())), Some("Small"));
/// assert_eq!(rust::case_of(&Value::Int(7)), None);
/// ```
pub fn case_of(value: &Value) -> Option<&str> {
    match value {
        Value::Case(name) => Some(name),
        _ => None,
    }
}

/// The variant of an enum whose variants have fields, and those.
///
/// ```
/// use probity_spec::{Value, draw::rust};
/// let cash = Value::Union("Cash".into(), Box::new(Value::Object(vec![])));
/// assert_eq!(rust::alternative_of(&cash), Some(("Cash", &Value::Object(vec![]))));
/// ```
pub fn alternative_of(value: &Value) -> Option<(&str, &Value)> {
    match value {
        Value::Union(name, fields) => Some((name, fields)),
        _ => None,
    }
}

fn shape_of(scope: &Spec, term: &Term) -> Option<Shape> {
    spec_of(scope, term).map(|it| it.shape)
}

/// The spec of the values of a term, where it is a part of a value of `scope`.
fn spec_of(scope: &Spec, term: &Term) -> Option<Spec> {
    Some(match term.node() {
        Node::It => scope.clone(),
        Node::Field(of, name) => match spec_of(scope, of)?.shape {
            Shape::Object(fields) => (*fields.iter().find(|it| it.name == *name)?.spec).clone(),
            _ => return None,
        },
        Node::As(of, name) => match spec_of(scope, of)?.shape {
            Shape::Union(cases) => (*cases.iter().find(|it| it.0 == *name)?.1).clone(),
            _ => return None,
        },
        Node::Apply(Op::Unwrap, of) => match spec_of(scope, &of[0])?.shape {
            Shape::Option(of) => (*of).clone(),
            _ => return None,
        },
        Node::Apply(Op::Nth, of) => match spec_of(scope, &of[0])?.shape {
            Shape::List(of) => (*of).clone(),
            _ => return None,
        },
        _ => return None,
    })
}

#[track_caller]
fn wrong(message: String) -> ! {
    probity_core::misuse(message)
}
