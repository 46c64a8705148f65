//! What is known of a type: the traits it has, found on stable by how methods are looked up.
//!
//! A method that takes `&self` is found for `TypeProbe<T>` before one that takes `&&self` is, so a trait that is
//! implemented for `TypeProbe<T>` with a bound wins where the bound holds, and one for `&TypeProbe<T>` is there otherwise.
//! This works where the type is known, which is in the expansion of a macro.

use std::any::{Any, TypeId};
use std::cmp::Ordering;
use std::collections::hash_map::DefaultHasher;
use std::fmt::{Debug, Display};
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::str::FromStr;

use crate::{Generate, Literal, Source, render};

/// The functions that a type has by its traits; `facts!(Type)` finds them.
///
/// ```
/// use probity_core::facts;
/// struct Plain;
/// assert!(facts!(Vec<u8>).cmp.is_some() && facts!(f64).cmp.is_none() && facts!(Plain).debug.is_none());
/// ```
pub struct TypeFacts<T> {
    /// By `Generate`; sizes are drawn small.
    pub generate: Option<fn(&mut Source) -> T>,
    /// By `PartialEq`.
    pub eq: Option<fn(&T, &T) -> bool>,
    /// Whether it has `Eq`.
    pub is_eq: bool,
    /// By `PartialOrd`.
    pub partial_cmp: Option<fn(&T, &T) -> Option<Ordering>>,
    /// By `Ord`.
    pub cmp: Option<fn(&T, &T) -> Ordering>,
    /// By `Hash`.
    pub hash: Option<fn(&T) -> u64>,
    /// By `Clone`.
    pub clone: Option<fn(&T) -> T>,
    /// By `Default`.
    pub default: Option<fn() -> T>,
    /// By `Debug`.
    pub debug: Option<fn(&T) -> String>,
    /// By `Display` and `FromStr`: its text, and what that is read as.
    pub parse: Option<fn(&T) -> TextAndBack<T>>,
    /// By `Literal`.
    pub literal: Option<fn(&T) -> String>,
}

/// The text of a value, and what that is read as.
pub(crate) type TextAndBack<T> = (String, Option<T>);

/// The greatest size that is drawn for an argument.
const SIZE_MAX: usize = 20;

impl<T> TypeFacts<T> {
    /// A value as Rust, as well as can be.
    pub(super) fn text(&self, value: &T) -> String {
        let literal = self.literal.and_then(|it| crate::literal::readable(&it(value), "", ""));
        literal.unwrap_or_else(|| self.debug.map_or_else(|| "_".to_string(), |it| it(value)))
    }

    /// Whether two values are equal as far as can be told.
    pub(super) fn are_alike(&self, a: &T, b: &T) -> bool {
        match (self.eq, self.debug) {
            (Some(eq), _) => eq(a, b),
            (None, Some(debug)) => debug(a) == debug(b),
            (None, None) => false,
        }
    }
}

/// What `facts!` asks of a type.
///
/// ```
/// use probity_core::{TypeProbe, probes::*};
/// assert!((&TypeProbe::<u8>::new()).eq_fact().is_some());
/// ```
pub struct TypeProbe<T>(PhantomData<T>);

impl<T> TypeProbe<T> {
    /// A probe of the type.
    #[allow(clippy::new_without_default, reason = "it is no value")]
    pub const fn new() -> TypeProbe<T> {
        TypeProbe(PhantomData)
    }
}

/// The traits whose methods find facts; see [`TypeFacts`].
///
/// ```
/// use probity_core::probes::*;
/// assert_eq!(probity_core::ResultProbe(Some(0..3)).examine(), Ok(()));
/// ```
pub mod probes {
    use super::*;

    macro_rules! probes {
        ($($has:ident $lacks:ident $method:ident -> $res:ty, [$($bound:tt)+] => $fact:expr;)+) => {$(
            /// See [`TypeFacts`].
            #[doc(hidden)]
            pub trait $has<T> {
                fn $method(&self) -> Option<$res>;
            }

            impl<T: $($bound)+> $has<T> for TypeProbe<T> {
                fn $method(&self) -> Option<$res> {
                    Some($fact)
                }
            }

            /// See [`TypeFacts`].
            #[doc(hidden)]
            pub trait $lacks<T> {
                fn $method(&self) -> Option<$res>;
            }

            impl<T> $lacks<T> for &TypeProbe<T> {
                fn $method(&self) -> Option<$res> {
                    None
                }
            }
        )+};
    }

    probes! {
        HasGenerate LacksGenerate generate_fact -> fn(&mut Source) -> T, [Generate + 'static] => argument::<T>;
        HasPartialEq LacksPartialEq eq_fact -> fn(&T, &T) -> bool, [PartialEq] => T::eq;
        HasEq LacksEq is_eq_fact -> (), [Eq] => ();
        HasPartialOrd LacksPartialOrd partial_cmp_fact -> fn(&T, &T) -> Option<Ordering>, [PartialOrd] => T::partial_cmp;
        HasOrd LacksOrd cmp_fact -> fn(&T, &T) -> Ordering, [Ord] => T::cmp;
        HasHash LacksHash hash_fact -> fn(&T) -> u64, [Hash] => |it| {
            let mut hasher = DefaultHasher::new();
            it.hash(&mut hasher);
            hasher.finish()
        };
        HasClone LacksClone clone_fact -> fn(&T) -> T, [Clone] => T::clone;
        HasDefault LacksDefault default_fact -> fn() -> T, [Default] => T::default;
        HasDebug LacksDebug debug_fact -> fn(&T) -> String, [Debug] => |it| render::text(format_args!("{it:?}"));
        HasText LacksText parse_fact -> fn(&T) -> TextAndBack<T>, [Display + FromStr] => |it| {
            let text = it.to_string();
            let read = text.parse().ok();
            (text, read)
        };
        HasLiteral LacksLiteral literal_fact -> fn(&T) -> String, [Literal] => T::literal;
    }

    /// See [`examine`](super::super::ResultProbe).
    #[doc(hidden)]
    pub trait ExamineIterator {
        fn examine(self) -> Result<(), String>;
    }

    impl<T: Iterator> ExamineIterator for ResultProbe<T> {
        fn examine(self) -> Result<(), String> {
            self.0.map_or(Ok(()), super::super::laws::size_hint)
        }
    }

    /// See [`examine`](super::super::ResultProbe).
    #[doc(hidden)]
    pub trait ExamineOther {
        fn examine(self) -> Result<(), String>;
    }

    impl<T> ExamineOther for &ResultProbe<T> {
        fn examine(self) -> Result<(), String> {
            Ok(())
        }
    }
}

/// A result of a call that is not kept: an iterator is gone through.
///
/// ```
/// use probity_core::probes::*;
/// assert_eq!(probity_core::ResultProbe(Some(0..3)).examine(), Ok(()));
/// assert_eq!(probity_core::ResultProbe(Some("no iterator")).examine(), Ok(()));
/// ```
pub struct ResultProbe<T>(pub Option<T>);

/// An argument by its type; a `usize` is most often a size or a place, and memory for a large one is not to be had.
fn argument<T: Generate + 'static>(source: &mut Source) -> T {
    if TypeId::of::<T>() == TypeId::of::<usize>() {
        let mut size = Some(source.int(0, SIZE_MAX));
        if let Some(size) = (&mut size as &mut dyn Any).downcast_mut::<Option<T>>().and_then(Option::take) {
            return size;
        }
    }
    T::generate(source)
}

/// What is known of a type; see [`TypeFacts`](crate::TypeFacts).
///
/// ```
/// assert!(probity_core::facts!(u8).generate.is_some());
/// ```
#[macro_export]
macro_rules! facts {
    ($ty:ty) => {{
        #[allow(unused_imports)]
        use $crate::probes::*;
        let probe = &$crate::TypeProbe::<$ty>::new();
        $crate::TypeFacts::<$ty> {
            generate: probe.generate_fact(),
            eq: probe.eq_fact(),
            is_eq: probe.is_eq_fact().is_some(),
            partial_cmp: probe.partial_cmp_fact(),
            cmp: probe.cmp_fact(),
            hash: probe.hash_fact(),
            clone: probe.clone_fact(),
            default: probe.default_fact(),
            debug: probe.debug_fact(),
            parse: probe.parse_fact(),
            literal: probe.literal_fact(),
        }
    }};
}
