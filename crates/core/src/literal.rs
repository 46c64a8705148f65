//! Values as Rust writes them, so that a report can be pasted.
//!
//! A text may have marks in it, which no literal has: Rust escapes control characters. [`readable`] makes of them what a
//! user can paste.

use std::borrow::Cow;
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::ffi::{CStr, CString, OsStr, OsString};
use std::marker::PhantomData;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use std::num::{NonZero, Saturating, Wrapping};
use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// In the place of a value that cannot be written.
const UNKNOWN: &str = "\0";
/// Before the full path of a type that can be built wherever it can be named.
const OPEN: char = '\u{1}';
/// Before that of a type with private fields, which is built in its module or below.
const CLOSED: char = '\u{2}';

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

impl<T: Literal> Literal for [T] {
    fn literal(&self) -> String {
        format!("[{}]", items(self))
    }
}

impl<T: Literal, const N: usize> Literal for [T; N] {
    fn literal(&self) -> String {
        self[..].literal()
    }
}

impl<T: Literal> Literal for Vec<T> {
    fn literal(&self) -> String {
        format!("vec![{}]", items(self))
    }
}

/// What is made from an array.
macro_rules! collections {
    ($($name:ident[$($param:ident)+] $path:literal;)*) => {$(
        impl<$($param: Literal),+> Literal for $name<$($param),+> {
            fn literal(&self) -> String {
                let items: Vec<String> = self.iter().map(|it| it.literal()).collect();
                format!("{}::from([{}])", $path, items.join(", "))
            }
        }
    )*};
}

collections! {
    BTreeSet[T] "std::collections::BTreeSet";
    BinaryHeap[T] "std::collections::BinaryHeap";
    LinkedList[T] "std::collections::LinkedList";
    VecDeque[T] "std::collections::VecDeque";
    HashSet[T] "std::collections::HashSet";
    BTreeMap[K V] "std::collections::BTreeMap";
    HashMap[K V] "std::collections::HashMap";
}

/// What holds a value of another type, written by a function of it.
macro_rules! wrappers {
    ($($ty:ty, $function:literal, |$it:ident| $inner:expr;)*) => {$(
        impl<T: Literal> Literal for $ty {
            fn literal(&self) -> String {
                let $it = self;
                format!("{}({})", $function, $inner.literal())
            }
        }
    )*};
}

wrappers! {
    Box<T>, "Box::new", |it| **it;
    Rc<T>, "std::rc::Rc::new", |it| **it;
    Arc<T>, "std::sync::Arc::new", |it| **it;
    Rc<[T]>, "std::rc::Rc::from", |it| **it;
    Arc<[T]>, "std::sync::Arc::from", |it| **it;
    Box<[T]>, "Box::from", |it| **it;
    Reverse<T>, "std::cmp::Reverse", |it| it.0;
    Saturating<T>, "std::num::Saturating", |it| it.0;
    Wrapping<T>, "std::num::Wrapping", |it| it.0;
}

/// What is made from a text.
macro_rules! texts {
    ($($ty:ty, $function:literal;)*) => {$(
        impl Literal for $ty {
            fn literal(&self) -> String {
                format!("{}({:?})", $function, &**self)
            }
        }
    )*};
}

texts! {
    Box<str>, "Box::from";
    Rc<str>, "std::rc::Rc::from";
    Arc<str>, "std::sync::Arc::from";
    Cow<'_, str>, "std::borrow::Cow::from";
}

macro_rules! read_from_text {
    ($($ty:ty)*) => {$(
        impl Literal for $ty {
            fn literal(&self) -> String {
                format!("\"{self}\".parse().unwrap()")
            }
        }
    )*};
}

read_from_text! { IpAddr Ipv4Addr Ipv6Addr SocketAddr SocketAddrV4 SocketAddrV6 }

macro_rules! non_zero {
    ($($ty:ty)*) => {$(
        impl Literal for NonZero<$ty> {
            fn literal(&self) -> String {
                format!("std::num::NonZero::new({self}).unwrap()")
            }
        }
    )*};
}

non_zero! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize }

impl Literal for Path {
    fn literal(&self) -> String {
        self.to_str().map_or(UNKNOWN.to_string(), |it| format!("std::path::PathBuf::from({it:?})"))
    }
}

impl Literal for PathBuf {
    fn literal(&self) -> String {
        (**self).literal()
    }
}

impl Literal for OsStr {
    fn literal(&self) -> String {
        self.to_str().map_or(UNKNOWN.to_string(), |it| format!("std::ffi::OsString::from({it:?})"))
    }
}

impl Literal for OsString {
    fn literal(&self) -> String {
        (**self).literal()
    }
}

impl Literal for CStr {
    fn literal(&self) -> String {
        format!("std::ffi::CString::new({}).unwrap()", self.to_bytes().to_vec().literal())
    }
}

impl Literal for CString {
    fn literal(&self) -> String {
        (**self).literal()
    }
}

impl Literal for SystemTime {
    fn literal(&self) -> String {
        match self.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(after) => format!("std::time::SystemTime::UNIX_EPOCH + {}", after.literal()),
            Err(before) => format!("std::time::SystemTime::UNIX_EPOCH - {}", before.duration().literal()),
        }
    }
}

impl Literal for Ordering {
    fn literal(&self) -> String {
        format!("std::cmp::Ordering::{self:?}")
    }
}

impl<T: Literal> Literal for Range<T> {
    fn literal(&self) -> String {
        format!("{}..{}", self.start.literal(), self.end.literal())
    }
}

impl<T: Literal> Literal for RangeInclusive<T> {
    fn literal(&self) -> String {
        format!("{}..={}", self.start().literal(), self.end().literal())
    }
}

impl<T: ?Sized> Literal for PhantomData<T> {
    fn literal(&self) -> String {
        "std::marker::PhantomData".to_string()
    }
}

impl Literal for () {
    fn literal(&self) -> String {
        "()".to_string()
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

tuples! {
    (A 0) (A 0, B 1) (A 0, B 1, C 2) (A 0, B 1, C 2, D 3) (A 0, B 1, C 2, D 3, E 4) (A 0, B 1, C 2, D 3, E 4, F 5)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6) (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
}

/// A value that may have a literal: asked by the traits of [`probes`], of which the compiler finds the first that
/// there is.
///
/// ```
/// use probity_core::literal::{LiteralProbe, probes::*, readable};
/// struct Plain;
/// assert_eq!((&LiteralProbe(&[1, 2])).write(), "[1, 2]");
/// assert_eq!(readable(&(&LiteralProbe(&Plain)).write(), "a", ""), None);
/// ```
pub struct LiteralProbe<'a, T: ?Sized>(pub &'a T);

/// The traits that find literals; see [`LiteralProbe`].
///
/// ```
/// use probity_core::literal::{LiteralProbe, probes::*};
/// assert_eq!((&LiteralProbe("a")).write(), "\"a\"");
/// ```
pub mod probes {
    use super::{Literal, LiteralProbe, UNKNOWN};

    /// See [`LiteralProbe`].
    #[doc(hidden)]
    pub trait HasLiteralText {
        fn write(&self) -> String;
    }

    impl<T: Literal + ?Sized> HasLiteralText for LiteralProbe<'_, T> {
        fn write(&self) -> String {
            self.0.literal()
        }
    }

    /// See [`LiteralProbe`].
    #[doc(hidden)]
    pub trait LacksLiteralText {
        fn write(&self) -> String;
    }

    impl<T: ?Sized> LacksLiteralText for &LiteralProbe<'_, T> {
        fn write(&self) -> String {
            UNKNOWN.to_string()
        }
    }
}

/// The text of a variant or a struct of the type `T`, with its fields: by name, or none of them. What derives write.
///
/// ```
/// use probity_core::literal::{constructed, readable};
/// struct Point(u8);
/// let text = constructed::<Point>("", false, &[("", "3".to_string())]);
/// assert!(readable(&text, "elsewhere::tests", "Point").unwrap() == "Point(3)");
/// ```
pub fn constructed<T>(variant: &str, is_closed: bool, fields: &[(&str, String)]) -> String {
    let mark = if is_closed { CLOSED } else { OPEN };
    let name = std::any::type_name::<T>();
    let path = &name[..name.find('<').unwrap_or(name.len())];
    let separator = if variant.is_empty() { "" } else { "::" };
    let head = format!("{mark}{path}{OPEN}{separator}{variant}");
    let parts =
        |write: &dyn Fn(&(&str, String)) -> String| fields.iter().map(write).collect::<Vec<_>>().join(", ");
    match fields {
        [] => head,
        [("", _), ..] => format!("{head}({})", parts(&|it| it.1.clone())),
        _ => format!("{head} {{ {} }}", parts(&|it| format!("{}: {}", it.0, it.1))),
    }
}

/// A text with paths as they are written in `module`, where the types in `written` have the paths that they have there.
/// None if it has something that cannot be written, or not there.
///
/// ```
/// use probity_core::literal::{LiteralProbe, probes::*, readable};
/// let text = (&LiteralProbe(&Some(-1i8))).write();
/// assert_eq!(readable(&text, "shop::tests", "").as_deref(), Some("Some(-1)"));
/// ```
pub fn readable(text: &str, module: &str, written: &str) -> Option<String> {
    if text.contains(UNKNOWN) {
        return None;
    }
    let mut res = String::new();
    let mut rest = text;
    while let Some(at) = rest.find([OPEN, CLOSED]) {
        let is_closed = rest[at..].starts_with(CLOSED);
        let (path, after) = rest[at + 1..].split_once(OPEN)?;
        res.push_str(&rest[..at]);
        res.push_str(&path_in(path, is_closed, module, written)?);
        rest = after;
    }
    Some(res + rest)
}

/// How the type at `path` is called in `module`.
fn path_in(path: &str, is_closed: bool, module: &str, written: &str) -> Option<String> {
    let (home, name) = path.rsplit_once("::").unwrap_or(("", path));
    let is_within = module == home || module.strip_prefix(home).is_some_and(|it| it.starts_with("::"));
    if path.contains('{') || is_closed && !is_within {
        return None;
    }
    let is_path = |it: char| it.is_alphanumeric() || it == '_' || it == ':';
    let mut paths = written.split(|it| !is_path(it)).map(|it| it.trim_matches(':'));
    if let Some(it) = paths.find(|it| it.rsplit("::").next() == Some(name)) {
        return Some(it.to_string());
    }
    if module == home {
        return Some(name.to_string());
    }
    // Of another crate only what its types are called in public is known to its users.
    let (krate, below) = path.split_once("::")?;
    (module.split("::").next() == Some(krate)).then(|| format!("crate::{below}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_of_the_module() {
        let row = |mark: char, path: &str, module: &str, written: &str| {
            readable(&format!("vec![{mark}{path}{OPEN}::A(1)]"), module, written)
        };
        let text = |it: &str| Some(format!("vec![{it}::A(1)]"));
        assert_eq!(row(OPEN, "shop::tests::Op", "shop::tests", "Vec<Op>"), text("Op"));
        assert_eq!(row(OPEN, "shop::tests::Op", "shop::tests", "Outer"), text("Op"));
        assert_eq!(row(OPEN, "shop::ops::Op", "shop::tests", "Vec<ops::Op>"), text("ops::Op"));
        assert_eq!(row(OPEN, "shop::ops::Op", "shop::tests", "Outer"), text("crate::ops::Op"));
        assert_eq!(row(OPEN, "shop::ops::Op", "shop_tests", "Op"), text("Op"));
        assert_eq!(row(OPEN, "shop::ops::Op", "shop_tests", "Opera"), None);
        assert_eq!(row(CLOSED, "shop::Op", "shop::tests", "Op"), text("Op"));
        assert_eq!(row(CLOSED, "shop::ops::Op", "shop::tests", "Op"), None);
        assert_eq!(row(CLOSED, "shop::te::Op", "shop::tests", "Op"), None);
    }
}
