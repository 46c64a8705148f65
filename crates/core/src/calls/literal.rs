//! Values as Rust writes them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

/// A value that can be written as an expression, so that a report can be pasted.
///
/// ```
/// use probity_core::Literal;
/// assert_eq!(vec![Some("a".to_string()), None].literal(), r#"vec![Some("a".to_string()), None]"#);
/// assert_eq!((f64::NAN.literal(), (-1i8).literal()), ("f64::NAN".to_string(), "-1".to_string()));
/// ```
pub trait Literal {
    /// It as an expression.
    fn literal(&self) -> String;
}

macro_rules! by_debug {
    ($($ty:ty)*) => {$(
        impl Literal for $ty {
            fn literal(&self) -> String {
                format!("{self:?}")
            }
        }
    )*};
}

by_debug! { bool char str u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize }

impl<T: Literal + ?Sized> Literal for &T {
    fn literal(&self) -> String {
        (**self).literal()
    }
}

macro_rules! floats {
    ($($ty:ident)*) => {$(
        impl Literal for $ty {
            fn literal(&self) -> String {
                match self {
                    it if it.is_nan() && it.is_sign_negative() => concat!("-", stringify!($ty), "::NAN").to_string(),
                    it if it.is_nan() => concat!(stringify!($ty), "::NAN").to_string(),
                    it if it.is_infinite() && it.is_sign_negative() => concat!(stringify!($ty), "::NEG_INFINITY").to_string(),
                    it if it.is_infinite() => concat!(stringify!($ty), "::INFINITY").to_string(),
                    it => format!("{it:?}"),
                }
            }
        }
    )*};
}

floats! { f32 f64 }

impl Literal for String {
    fn literal(&self) -> String {
        format!("{self:?}.to_string()")
    }
}

impl Literal for Duration {
    fn literal(&self) -> String {
        format!("std::time::Duration::new({}, {})", self.as_secs(), self.subsec_nanos())
    }
}

impl<T: Literal + ?Sized> Literal for Box<T> {
    fn literal(&self) -> String {
        format!("Box::new({})", (**self).literal())
    }
}

impl<T: Literal> Literal for Option<T> {
    fn literal(&self) -> String {
        self.as_ref().map_or("None".to_string(), |it| format!("Some({})", it.literal()))
    }
}

impl<T: Literal, E: Literal> Literal for Result<T, E> {
    fn literal(&self) -> String {
        match self {
            Ok(it) => format!("Ok({})", it.literal()),
            Err(it) => format!("Err({})", it.literal()),
        }
    }
}

fn items<'a, T: Literal + 'a>(items: impl IntoIterator<Item = &'a T>) -> String {
    items.into_iter().map(T::literal).collect::<Vec<_>>().join(", ")
}

impl<T: Literal, const N: usize> Literal for [T; N] {
    fn literal(&self) -> String {
        format!("[{}]", items(self))
    }
}

impl<T: Literal> Literal for Vec<T> {
    fn literal(&self) -> String {
        format!("vec![{}]", items(self))
    }
}

impl<T: Literal> Literal for VecDeque<T> {
    fn literal(&self) -> String {
        format!("std::collections::VecDeque::from([{}])", items(self))
    }
}

impl<T: Literal> Literal for BTreeSet<T> {
    fn literal(&self) -> String {
        format!("std::collections::BTreeSet::from([{}])", items(self))
    }
}

impl<K: Literal, V: Literal> Literal for BTreeMap<K, V> {
    fn literal(&self) -> String {
        let pairs: Vec<String> =
            self.iter().map(|(key, value)| format!("({}, {})", key.literal(), value.literal())).collect();
        format!("std::collections::BTreeMap::from([{}])", pairs.join(", "))
    }
}

macro_rules! tuples {
    ($(($($t:ident $i:tt),+))*) => {$(
        impl<$($t: Literal),+> Literal for ($($t,)+) {
            fn literal(&self) -> String {
                let parts = [$(self.$i.literal()),+];
                if parts.len() == 1 { format!("({},)", parts[0]) } else { format!("({})", parts.join(", ")) }
            }
        }
    )*};
}

tuples! { (A 0) (A 0, B 1) (A 0, B 1, C 2) (A 0, B 1, C 2, D 3) }
