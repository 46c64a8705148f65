//! Types that have a spec.

use std::cell::RefCell;
use std::collections::BTreeMap;

use probity_core::{Generator, Source};

use super::{Declarable, Drawn, drawn};
use crate::{Date, DateTime, Decimal, Duration, Float64, Op, Shape, Spec, Term, Time, Value};

/// A type whose values are those of a spec. Derived by `#[derive(Spec)]`.
///
/// ```
/// use probity_spec::{Shape, Spec, Term, Value, draw::Declared};
/// /// A row of a table, say.
/// #[derive(Debug, PartialEq)]
/// struct Percent(u8);
/// impl Declared for Percent {
///     fn spec() -> Spec {
///         Spec::new(Shape::int(0, 100)).measured("rest", Term::int(100).minus(Term::it()))
///     }
///     fn from_value(value: &Value) -> Option<Self> {
///         u8::from_value(value).map(Percent)
///     }
///     fn to_value(&self) -> Option<Value> {
///         self.0.to_value()
///     }
///     fn run_measures(&self) -> Vec<(&'static str, Option<Value>)> {
///         vec![("rest", (100 - self.0).to_value())]
///     }
/// }
/// assert_eq!(Percent::from_value(&Value::Int(7)), Some(Percent(7)));
/// assert_eq!(Percent(7).to_value(), Some(Value::Int(7)));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no spec",
    note = "add `#[derive(Spec)]` to it, or write `impl Declared` yourself"
)]
pub trait Declared: Sized {
    /// Which attributes fit the type. Of types without it, that is found out when a spec is made.
    const DECLARABLE: Declarable = Declarable::UNKNOWN;

    /// What its values are.
    fn spec() -> Spec;

    /// The value that a value of the spec represents; none for another.
    fn from_value(value: &Value) -> Option<Self>;

    /// The value of the spec that this one represents: what [`from_value`](Self::from_value) reads. None where nobody wrote
    /// how.
    fn to_value(&self) -> Option<Value> {
        None
    }

    /// What the measures of the type give for this value, each computed by its own function.
    fn run_measures(&self) -> Vec<(&'static str, Option<Value>)> {
        Vec::new()
    }

    /// Whether the value meets all that its spec requires, at every level.
    ///
    /// ```
    /// use probity_spec::draw::Declared;
    /// assert!(vec![1_u8, 2].is_valid());
    /// ```
    #[track_caller]
    fn is_valid(&self) -> bool {
        super::measured::is_valid(self)
    }
}

/// Draws a value by its spec: what `#[derive(Spec)]` writes in `impl Generate`.
///
/// ```
/// use probity_core::{Source, sample};
/// use probity_spec::draw::generate_declared;
/// let pair = |src: &mut Source| generate_declared::<(u8, bool)>(src);
/// let _: (u8, bool) = sample(&pair, 7);
/// ```
pub fn generate_declared<T: Declared>(source: &mut Source) -> T {
    super::measured::read_measured(&cached(T::spec).generate(source))
}

/// The value that a drawn one represents.
pub(super) fn read<T>(value: &Value, read: fn(&Value) -> Option<T>) -> T {
    read(value).unwrap_or_else(|| {
        probity_core::misuse(format!(
            "`{}` cannot be read from {value}, which its spec allows; let `from_value` read all that `spec` declares",
            std::any::type_name::<T>()
        ))
    })
}

/// The generator of a spec, which is compiled once in a thread. A function that two addresses are merged into makes
/// the spec of both.
pub(super) fn cached(spec: fn() -> Spec) -> Drawn {
    thread_local! {
        static CACHE: RefCell<BTreeMap<usize, Drawn>> = const { RefCell::new(BTreeMap::new()) };
    }
    let key = spec as usize;
    let found = CACHE.with_borrow(|it| it.get(&key).cloned());
    found.unwrap_or_else(|| {
        // Not within the borrow: the spec is the user's code, and may draw.
        let made = drawn(sensible(spec()));
        CACHE.with_borrow_mut(|it| it.insert(key, made.clone()));
        made
    })
}

/// The same spec, whose requirements all make sense.
#[track_caller]
pub(super) fn sensible(spec: Spec) -> Spec {
    match spec.has_sorts() {
        Ok(()) => spec,
        Err(why) => probity_core::misuse(format!("a requirement never holds, for {why}; mend it")),
    }
}

macro_rules! ints {
    ($($t:ident)*) => {$(
        impl Declared for $t {
            const DECLARABLE: Declarable = Declarable::NUMBER;

            fn spec() -> Spec {
                let bound = |it: $t| i128::try_from(it).ok();
                Spec::new(Shape::Int { min: bound($t::MIN), max: Some(bound($t::MAX).unwrap_or(i128::MAX)) })
            }
            fn from_value(value: &Value) -> Option<Self> {
                match value {
                    Value::Int(it) => $t::try_from(*it).ok(),
                    _ => None,
                }
            }
            fn to_value(&self) -> Option<Value> {
                i128::try_from(*self).ok().map(Value::Int)
            }
        }
    )*};
}

ints! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize }

macro_rules! atoms {
    ($($t:ident: $declarable:ident, $shape:expr, $pattern:pat => $made:expr, $this:ident => $back:expr;)*) => {$(
        impl Declared for $t {
            const DECLARABLE: Declarable = Declarable::$declarable;

            fn spec() -> Spec {
                Spec::new($shape)
            }
            fn from_value(value: &Value) -> Option<Self> {
                match value {
                    $pattern => Some($made),
                    _ => None,
                }
            }
            fn to_value(&self) -> Option<Value> {
                let $this = self;
                Some($back)
            }
        }
    )*};
}

atoms! {
    bool: NOTHING, Shape::Bool, Value::Bool(it) => *it, this => Value::Bool(*this);
    f64: NUMBER, Shape::Float, Value::Float(it) => it.get(), this => Value::Float(Float64::new(*this));
    String: TEXT, Shape::Text, Value::Text(it) => it.to_string(), this => Value::from(&**this);
    Date: DATE, Shape::Date, Value::Date(it) => *it, this => Value::Date(*this);
    Time: DATE, Shape::Time, Value::Time(it) => *it, this => Value::Time(*this);
    DateTime: DATE, Shape::DateTime, Value::DateTime(it) => *it, this => Value::DateTime(*this);
    Duration: DATE, Shape::Duration, Value::Duration(it) => *it, this => Value::Duration(*this);
    Decimal: NUMBER, Shape::Number { decimals: 2 }, Value::Number(it) => *it, this => Value::Number(*this);
}

/// A text of one character.
impl Declared for char {
    const DECLARABLE: Declarable = Declarable::TEXT;

    fn spec() -> Spec {
        Spec::new(Shape::Text).require(Term::it().len().eq(Term::int(1)))
    }

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Text(it) => it.chars().next(),
            _ => None,
        }
    }

    fn to_value(&self) -> Option<Value> {
        Some(Value::from(&*self.to_string()))
    }
}

impl<T: Declared> Declared for Option<T> {
    const DECLARABLE: Declarable = T::DECLARABLE;

    fn spec() -> Spec {
        Spec::option(T::spec())
    }

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Option(None) => Some(None),
            Value::Option(Some(it)) => T::from_value(it).map(Some),
            _ => None,
        }
    }

    fn to_value(&self) -> Option<Value> {
        Some(Value::Option(match self {
            Some(it) => Some(Box::new(it.to_value()?)),
            None => None,
        }))
    }
}

impl<T: Declared> Declared for Vec<T> {
    const DECLARABLE: Declarable = T::DECLARABLE.list();

    fn spec() -> Spec {
        Spec::list(T::spec())
    }

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::List(items) => items.iter().map(T::from_value).collect(),
            _ => None,
        }
    }

    fn to_value(&self) -> Option<Value> {
        self.iter().map(T::to_value).collect::<Option<_>>().map(Value::List)
    }
}

/// A list of as many items.
impl<T: Declared, const N: usize> Declared for [T; N] {
    const DECLARABLE: Declarable = T::DECLARABLE.list();

    fn spec() -> Spec {
        Spec::list(T::spec()).require(Term::apply(Op::Len, [Term::it()]).eq(Term::int(N as i128)))
    }

    fn from_value(value: &Value) -> Option<Self> {
        Vec::from_value(value)?.try_into().ok()
    }

    fn to_value(&self) -> Option<Value> {
        self.iter().map(T::to_value).collect::<Option<_>>().map(Value::List)
    }
}

impl<T: Declared> Declared for Box<T> {
    const DECLARABLE: Declarable = T::DECLARABLE;

    fn spec() -> Spec {
        T::spec()
    }

    fn from_value(value: &Value) -> Option<Self> {
        T::from_value(value).map(Box::new)
    }

    fn to_value(&self) -> Option<Value> {
        T::to_value(self)
    }

    fn run_measures(&self) -> Vec<(&'static str, Option<Value>)> {
        T::run_measures(self)
    }
}

macro_rules! tuples {
    ($(($($t:ident $name:tt),+))*) => {$(
        impl<$($t: Declared),+> Declared for ($($t,)+) {
            const DECLARABLE: Declarable = Declarable::NOTHING;

            fn spec() -> Spec {
                Spec::object([$((stringify!($name), $t::spec())),+])
            }
            fn from_value(value: &Value) -> Option<Self> {
                Some(($($t::from_value(value.field(stringify!($name))?)?,)+))
            }
            fn to_value(&self) -> Option<Value> {
                Some(Value::Object(vec![$((stringify!($name).into(), self.$name.to_value()?)),+]))
            }
        }
    )*};
}

tuples! {
    (A 0)
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
}
