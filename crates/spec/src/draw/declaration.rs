//! Generators that have a spec, for tests that ask for different inputs.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Range, RangeFrom, RangeInclusive, RangeToInclusive};

use probity_core::{Any, Combine, Generator, Source};

use super::declared::{cached, read, sensible};
use super::{Declared, Drawn, drawn, replayed, rust};
use crate::{Name, Shape, Spec, Value};

/// A generator of `T` that is declared: it draws the values of a spec.
///
/// ```
/// use probity_core::sample;
/// use probity_spec::draw::matching;
/// let word = matching("[a-c]{3}");
/// assert!(sample(&word, 7).chars().all(|it| ('a'..='c').contains(&it)));
/// assert!(word.drawn().spec().to_string().contains("[a-c]{3}"));
/// ```
pub struct Declaration<T> {
    drawn: Drawn,
    read: fn(&Value) -> Option<T>,
}

impl<T> Declaration<T> {
    /// Values of a spec, read by a function: what `spec!` writes. The spec is made once in a thread.
    ///
    /// ```
    /// use probity_core::sample;
    /// use probity_spec::{Shape, Spec, draw::{Declaration, Declared}};
    /// let die = Declaration::of(|| Spec::new(Shape::int(1, 6)), u8::from_value);
    /// assert!(sample(&die, 7) <= 6);
    /// ```
    pub fn of(spec: fn() -> Spec, read: fn(&Value) -> Option<T>) -> Declaration<T> {
        Declaration { drawn: cached(spec), read }
    }

    /// Values of a spec that is at hand.
    ///
    /// ```
    /// use probity_core::sample;
    /// use probity_spec::{Shape, Spec, draw::{Declaration, Declared}};
    /// let sides = 6;
    /// let die = Declaration::new(Spec::new(Shape::int(1, sides)), u8::from_value);
    /// assert!(sample(&die, 7) <= 6);
    /// ```
    pub fn new(spec: Spec, read: fn(&Value) -> Option<T>) -> Declaration<T> {
        Declaration { drawn: drawn(sensible(spec)), read }
    }

    /// What is drawn before it is read.
    pub fn drawn(&self) -> &Drawn {
        &self.drawn
    }
}

impl<T> Clone for Declaration<T> {
    fn clone(&self) -> Self {
        Declaration { drawn: self.drawn.clone(), read: self.read }
    }
}

impl<T> fmt::Debug for Declaration<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self.drawn.spec())
    }
}

impl<T> Generator for Declaration<T> {
    type Value = T;

    fn generate(&self, source: &mut Source) -> T {
        read(&self.drawn.generate(source), self.read)
    }
}

impl<T> Combine for Declaration<T> {}

/// The generator of a type by its spec.
///
/// ```
/// use probity_core::sample;
/// use probity_spec::draw::declared;
/// let _: Option<u8> = sample(&declared(), 7);
/// ```
pub fn declared<T: Declared>() -> Declaration<T> {
    Declaration::of(T::spec, T::from_value)
}

/// Texts that a pattern, as the crate `regex` has them, matches as a whole: what `#[from("..")]` draws.
///
/// ```
/// use probity_core::sample;
/// use probity_spec::draw::matching;
/// let time = sample(&matching("(1[0-2]|[1-9]):[0-5][0-9] ?(AM|PM)"), 7);
/// assert!(time.ends_with('M'));
/// ```
#[track_caller]
pub fn matching(pattern: &str) -> Declaration<String> {
    thread_local! {
        static CACHE: RefCell<BTreeMap<String, Drawn>> = const { RefCell::new(BTreeMap::new()) };
    }
    let found = CACHE.with_borrow(|it| it.get(pattern).cloned());
    let drawn = match found {
        Some(it) => it,
        None => {
            let made = drawn(rust::pattern(Spec::new(Shape::Text), pattern));
            CACHE.with_borrow_mut(|it| it.insert(pattern.to_string(), made.clone()));
            made
        }
    };
    Declaration { drawn, read: String::from_value }
}

/// What has a spec: ranges, patterns, types (as `any::<T>()`), and declarations.
///
/// ```
/// use probity_core::sample;
/// use probity_spec::draw::{IntoDeclaration, declaration};
/// assert!(sample(&declaration(0..10_u8), 7) < 10);
/// assert_eq!(sample(&"[0-9]{4}".into_declaration(), 7).len(), 4);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no spec",
    note = "a test with `different` takes ranges of integers, patterns, `spec! {{ .. }}` and types that derive `Spec`"
)]
pub trait IntoDeclaration {
    /// What is drawn.
    type Value;

    /// The generator that it is.
    fn into_declaration(self) -> Declaration<Self::Value>;
}

/// The generator that something with a spec is; see [`IntoDeclaration`].
pub fn declaration<D: IntoDeclaration>(it: D) -> Declaration<D::Value> {
    it.into_declaration()
}

impl<T> IntoDeclaration for Declaration<T> {
    type Value = T;

    fn into_declaration(self) -> Declaration<T> {
        self
    }
}

impl<T: Declared> IntoDeclaration for Any<T> {
    type Value = T;

    fn into_declaration(self) -> Declaration<T> {
        declared()
    }
}

impl IntoDeclaration for &str {
    type Value = String;

    fn into_declaration(self) -> Declaration<String> {
        matching(self)
    }
}

macro_rules! ranges {
    ($($t:ident $it:ident => $low:expr, $high:expr, $inclusive:literal;)*) => {$(
        impl<T: Declared + rust::Constant + Copy> IntoDeclaration for $t<T> {
            type Value = T;

            fn into_declaration(self) -> Declaration<T> {
                let $it = self;
                Declaration::new(rust::range(T::spec(), $low, $high, $inclusive), T::from_value)
            }
        }
    )*};
}

ranges! {
    Range it => Some(it.start.term()), Some(it.end.term()), false;
    RangeInclusive it => Some(it.start().term()), Some(it.end().term()), true;
    RangeFrom it => Some(it.start.term()), None, true;
    RangeToInclusive it => None, Some(it.end.term()), true;
}

/// The blanks of a test, each with its spec: what `different = ..` writes.
///
/// ```
/// use probity_spec::{Value, draw::Inputs};
/// let inputs = Inputs::new().blank("age", 0..=150, |it| -> u8 { it });
/// let input = Value::Object(vec![("age".into(), Value::Int(42))]);
/// assert!(inputs.spec().admits(&input).is_ok());
/// assert_eq!(inputs.answers(&input), Some(vec![probity_core::Value::Int(42)]));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    blanks: Vec<(Name, Drawn)>,
}

impl Inputs {
    /// No blank yet.
    pub fn new() -> Inputs {
        Inputs::default()
    }

    /// One blank more. What is drawn of a range is known by its use alone, so `_typed` says what it is used as.
    #[must_use]
    pub fn blank<D: IntoDeclaration, U>(mut self, name: &str, it: D, _typed: fn(D::Value) -> U) -> Inputs {
        self.blanks.push((name.into(), it.into_declaration().drawn));
        self
    }

    /// An object of the blanks.
    pub fn spec(&self) -> Spec {
        Spec::object(self.blanks.iter().map(|(name, it)| (name.clone(), it.spec().clone())))
    }

    /// The values that the blanks have with these answers; none where an answer does not fit, is missing or is too many.
    ///
    /// ```
    /// use probity_core::Value::{Bool, Int};
    /// use probity_spec::{Value, draw::Inputs};
    /// let inputs = Inputs::new().blank("age", 0..=150, |it| -> u8 { it });
    /// assert_eq!(inputs.value(&[Int(42)]), Some(Value::Object(vec![("age".into(), Value::Int(42))])));
    /// assert!(inputs.value(&[Int(999)]).is_none() && inputs.value(&[Int(4), Bool(true)]).is_none());
    /// ```
    pub fn value(&self, choices: &[probity_core::Value]) -> Option<Value> {
        let mut fields = Vec::new();
        replayed(choices, |src| {
            fields = self.blanks.iter().map(|(name, it)| (name.clone(), it.generate(src))).collect();
        })?;
        Some(Value::Object(fields))
    }

    /// The answers with which the blanks, drawn in order, have these values.
    pub fn answers(&self, value: &Value) -> Option<Vec<probity_core::Value>> {
        let parts = self.blanks.iter().map(|(name, it)| it.answers(value.field(name)?));
        parts.collect::<Option<Vec<_>>>().map(|it| it.concat())
    }
}
