//! Collections of generated items.

use std::ops::{Range, RangeFrom, RangeInclusive, RangeToInclusive};

use crate::source::SIZE;
use crate::{Combine, Generate, Generator, Source, SpanKind};

/// How many items a collection may have: `5`, `0..10`, `1..=8`, `..=8`; `2..` has no bound of its own
/// and takes its greatest length from the size budget.
///
/// ```
/// use probity_core::{any, sample, vec};
/// assert_eq!(sample(&vec(any::<bool>(), 5), 1).len(), 5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lengths {
    min: usize,
    max: Option<usize>,
}

impl Lengths {
    /// The least and greatest length here, where `source` has so much of its size budget left.
    #[inline]
    pub(crate) fn bounds(self, source: &Source) -> (u32, u32) {
        let min = self.min as u32;
        let max = match self.max {
            Some(max) => max,
            None => self.min + source.size() as usize,
        };
        if max < self.min || u32::try_from(max).is_err() {
            crate::misuse(format!("no length in {}..={max}; swap the bounds, or stay below 2^32", self.min));
        }
        (min, max as u32)
    }
}

impl From<usize> for Lengths {
    fn from(len: usize) -> Self {
        Lengths { min: len, max: Some(len) }
    }
}

impl From<Range<usize>> for Lengths {
    fn from(it: Range<usize>) -> Self {
        match it.end.checked_sub(1) {
            Some(max) => Lengths { min: it.start, max: Some(max) },
            None => crate::misuse("no length in 0..0; give an end above the start"),
        }
    }
}

impl From<RangeInclusive<usize>> for Lengths {
    fn from(it: RangeInclusive<usize>) -> Self {
        Lengths { min: *it.start(), max: Some(*it.end()) }
    }
}

impl From<RangeToInclusive<usize>> for Lengths {
    fn from(it: RangeToInclusive<usize>) -> Self {
        Lengths { min: 0, max: Some(it.end) }
    }
}

impl From<RangeFrom<usize>> for Lengths {
    fn from(it: RangeFrom<usize>) -> Self {
        Lengths { min: it.start, max: None }
    }
}

/// A vector of generated items.
///
/// ```
/// use probity_core::{sample, vec};
/// let v = sample(&vec(0..10, 1..=3), 7);
/// assert!((1..=3).contains(&v.len()));
/// ```
pub fn vec<G: Generator>(item: G, lengths: impl Into<Lengths>) -> VecOf<G> {
    VecOf { item, lengths: lengths.into() }
}

/// See [`vec`].
#[derive(Clone, Debug)]
pub struct VecOf<G> {
    item: G,
    lengths: Lengths,
}

impl<G: Generator> Generator for VecOf<G> {
    type Value = Vec<G::Value>;

    #[inline]
    fn generate(&self, source: &mut Source) -> Self::Value {
        let (min, max) = self.lengths.bounds(source);
        vec_of(source, min, max, |src| self.item.generate(src))
    }
}

impl<G: Generator> Combine for VecOf<G> {}

impl<T: Generate> Generate for Vec<T> {
    #[inline]
    fn generate(source: &mut Source) -> Self {
        let max = source.size().min(SIZE);
        vec_of(source, 0, max, T::generate)
    }
}

#[inline]
fn vec_of<T>(source: &mut Source, min: u32, max: u32, mut item: impl FnMut(&mut Source) -> T) -> Vec<T> {
    source.span(std::any::type_name::<Vec<T>>(), SpanKind::List, |src| {
        let len = src.length(min, max);
        // A length is only a wish until its items are drawn: a huge one must not allocate at once.
        let mut res = Vec::with_capacity(len.min(1024) as usize);
        src.items(len, |src, _| res.push(item(src)));
        res
    })
}

impl<T: Generate> Generate for Option<T> {
    #[inline]
    fn generate(source: &mut Source) -> Self {
        let some = if source.size() == 0 { 0 } else { source.pick_weighted(&[1, 3]) };
        (some == 1).then(|| T::generate(source))
    }
}

impl<T: Generate> Generate for Box<T> {
    #[inline]
    fn generate(source: &mut Source) -> Self {
        Box::new(T::generate(source))
    }
}

impl Generate for String {
    fn generate(source: &mut Source) -> Self {
        let mut res = String::new();
        let max = source.size().min(SIZE);
        source.list("String", 0, max, |src, _| res.push(char::generate(src)));
        res
    }
}

macro_rules! tuples {
    ($(($($t:ident $i:tt),*))*) => {$(
        impl<$($t: Generator),*> Generator for ($($t,)*) {
            type Value = ($($t::Value,)*);
            #[inline]
            fn generate(&self, source: &mut Source) -> Self::Value {
                ($(self.$i.generate(source),)*)
            }
        }
        impl<$($t: Generate),*> Generate for ($($t,)*) {
            #[inline]
            fn generate(source: &mut Source) -> Self {
                ($($t::generate(source),)*)
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
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11)
}
