//! Collections of generated items.

use std::collections::{BinaryHeap, LinkedList, VecDeque};
use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

use crate::source::SIZE;
use crate::{Any, Combine, Generate, Generator, Part, Source, Spaces, SpanKind, any};

/// How many items a collection may have: `5`, `0..10`, `1..=8`, `..8`, `..=8`; `2..` and `..` have no bound of their own:
/// random ones keep to the size budget, but for a few long ones, and other engines go on from there.
///
/// ```
/// use probity_core::{any, sample, vec};
/// assert_eq!(sample(&vec(any::<bool>(), 5), 1).len(), 5);
/// assert!(sample(&vec(any::<bool>(), ..8), 1).len() < 8);
/// assert!(sample(&vec(any::<bool>(), ..), 1).len() < 1000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lengths {
    min: usize,
    max: Option<usize>,
    /// The greatest length that makes sense.
    cap: usize,
}

impl Lengths {
    const fn new(min: usize, max: Option<usize>) -> Lengths {
        Lengths { min, max, cap: usize::MAX }
    }

    /// Draws a length.
    #[inline]
    pub(crate) fn draw(self, source: &mut Source) -> u32 {
        let (min, max) = self.bounds();
        match self.max {
            Some(_) => source.length(min, max, max),
            None => source.length_within_size(min, max),
        }
    }

    /// Draws a list of items that all differ. Where every input is visited, more than [`SIZE`] are not tried: so
    /// many values have more sets than are ever visited, and where there are fewer values, no set is longer.
    pub(crate) fn draw_distinct(self, source: &mut Source) -> u32 {
        match self.max {
            None if source.visits_all() => self.up_to(self.min + SIZE as usize).draw(source),
            _ => self.draw(source),
        }
    }

    /// These, and no more than `n`.
    pub(crate) fn up_to(self, n: usize) -> Lengths {
        Lengths { cap: self.cap.min(n), ..self }
    }

    /// Draws a list.
    pub(crate) fn list(self, source: &mut Source, label: &'static str, item: impl FnMut(&mut Source, u32)) {
        source.span(label, SpanKind::List, |src| {
            let len = self.draw(src);
            src.items(len, item);
        });
    }

    /// The least and the greatest length.
    ///
    /// ```
    /// use probity_core::Lengths;
    /// assert_eq!(Lengths::from(1..=20).bounds(), (1, 20));
    /// ```
    #[inline]
    pub fn bounds(self) -> (u32, u32) {
        let max = self.max.unwrap_or(u32::MAX as usize).min(self.cap);
        if max < self.min || u32::try_from(max).is_err() {
            crate::misuse(format!("no length in {}..={max}; swap the bounds, or stay below 2^32", self.min));
        }
        (self.min as u32, max as u32)
    }

    /// A list of this many items, of which there are no more than `n_items`.
    pub(crate) fn space(self, spaces: &mut Spaces, item: Part, n_items: usize) -> Part {
        let most = u32::try_from(n_items).unwrap_or(u32::MAX);
        match (u32::try_from(self.min), self.max.map(u32::try_from)) {
            (Ok(min), Some(Ok(max))) => spaces.list(item, min, max.min(most)),
            (Ok(min), None) => spaces.list_within_size(item, min, most),
            _ => spaces.unknown("a list of 2^32 items or more"),
        }
    }
}

impl From<usize> for Lengths {
    fn from(len: usize) -> Self {
        Lengths::new(len, Some(len))
    }
}

impl From<Range<usize>> for Lengths {
    fn from(it: Range<usize>) -> Self {
        match it.end.checked_sub(1) {
            Some(max) => Lengths::new(it.start, Some(max)),
            None => crate::misuse("no length in 0..0; give an end above the start"),
        }
    }
}

impl From<RangeTo<usize>> for Lengths {
    fn from(it: RangeTo<usize>) -> Self {
        (0..it.end).into()
    }
}

impl From<RangeFull> for Lengths {
    fn from(_: RangeFull) -> Self {
        ANY
    }
}

impl From<RangeInclusive<usize>> for Lengths {
    fn from(it: RangeInclusive<usize>) -> Self {
        Lengths::new(*it.start(), Some(*it.end()))
    }
}

impl From<RangeToInclusive<usize>> for Lengths {
    fn from(it: RangeToInclusive<usize>) -> Self {
        Lengths::new(0, Some(it.end))
    }
}

impl From<RangeFrom<usize>> for Lengths {
    fn from(it: RangeFrom<usize>) -> Self {
        Lengths::new(it.start, None)
    }
}

/// A vector of generated items.
///
/// ```
/// use probity_core::{sample, vec};
/// let v = sample(&vec(0..10, 1..=3), 7);
/// assert!((1..=3).contains(&v.len()));
/// ```
pub fn vec<G>(item: G, lengths: impl Into<Lengths>) -> VecOf<G> {
    VecOf { item, lengths: lengths.into() }
}

/// See [`vec()`].
#[derive(Clone, Debug)]
pub struct VecOf<G> {
    item: G,
    lengths: Lengths,
}

impl<G: Generator> Generator for VecOf<G> {
    type Value = Vec<G::Value>;

    #[inline]
    fn generate(&self, source: &mut Source) -> Self::Value {
        vec_of(source, self.lengths, |src, n| self.item.generate_items(src, n))
    }

    fn space(&self, spaces: &mut Spaces) -> Part {
        let item = self.item.space(spaces);
        self.lengths.space(spaces, item, usize::MAX)
    }
}

impl<G: Generator> Combine for VecOf<G> {}

impl<T: Generate> Generate for Vec<T> {
    #[inline]
    fn generate(source: &mut Source) -> Self {
        vec_of(source, ANY, T::generate_items)
    }

    fn space(spaces: &mut Spaces) -> Part {
        let item = T::space(spaces);
        spaces.list_within_size(item, 0, u32::MAX)
    }
}

/// How many items a collection has that is drawn by its type: at random, as many as are left of the size budget.
pub(super) const ANY: Lengths = Lengths::new(0, None);

#[inline]
fn vec_of<T>(
    source: &mut Source,
    lengths: Lengths,
    items: impl FnOnce(&mut Source, u32) -> Vec<T>,
) -> Vec<T> {
    source.span(std::any::type_name::<Vec<T>>(), SpanKind::List, |src| {
        let len = lengths.draw(src);
        items(src, len)
    })
}

/// A byte string, for code that takes its input raw.
///
/// ```
/// use probity_core::{bytes, sample};
/// assert_eq!(sample(&bytes(4), 7).len(), 4);
/// ```
pub fn bytes(lengths: impl Into<Lengths>) -> VecOf<Any<u8>> {
    vec(any(), lengths)
}

/// A string of generated characters. `lengths` counts characters, not bytes.
///
/// ```
/// use probity_core::{sample, string};
/// let name = sample(&string('a'..='z', 1..=8), 7);
/// assert!((1..=8).contains(&name.len()));
/// ```
pub fn string<G>(chars: G, lengths: impl Into<Lengths>) -> StringOf<G> {
    StringOf { chars, lengths: lengths.into() }
}

/// See [`string`].
#[derive(Clone, Debug)]
pub struct StringOf<G> {
    chars: G,
    lengths: Lengths,
}

impl<G: Generator<Value = char>> Generator for StringOf<G> {
    type Value = String;

    #[inline]
    fn generate(&self, source: &mut Source) -> String {
        string_of(source, self.lengths, |src| self.chars.generate(src))
    }

    fn space(&self, spaces: &mut Spaces) -> Part {
        let char = self.chars.space(spaces);
        self.lengths.space(spaces, char, usize::MAX)
    }
}

impl<G: Generator<Value = char>> Combine for StringOf<G> {}

impl Generate for String {
    #[inline]
    fn generate(source: &mut Source) -> Self {
        let mut res = String::new();
        source.span("String", SpanKind::List, |src| {
            let len = ANY.draw(src);
            src.add_chars(len, &mut res);
        });
        res
    }

    fn space(spaces: &mut Spaces) -> Part {
        <Vec<char>>::space(spaces)
    }
}

#[inline]
fn string_of(source: &mut Source, lengths: Lengths, mut char: impl FnMut(&mut Source) -> char) -> String {
    let mut res = String::new();
    lengths.list(source, "String", |src, _| res.push(char(src)));
    res
}

/// A double-ended queue of generated items, laid out in two parts where it has at least two items, so
/// that code which reads only the first of its [`as_slices`](VecDeque::as_slices) is found out.
///
/// ```
/// use probity_core::{sample, vec_deque};
/// assert!(sample(&vec_deque(0..10, 2..=3), 7).len() >= 2);
/// ```
pub fn vec_deque<G>(item: G, lengths: impl Into<Lengths>) -> VecDequeOf<G> {
    VecDequeOf(vec(item, lengths))
}

/// See [`vec_deque`].
#[derive(Clone, Debug)]
pub struct VecDequeOf<G>(VecOf<G>);

impl<G: Generator> Generator for VecDequeOf<G> {
    type Value = VecDeque<G::Value>;

    fn generate(&self, source: &mut Source) -> Self::Value {
        in_two_parts(self.0.generate(source))
    }

    fn space(&self, spaces: &mut Spaces) -> Part {
        self.0.space(spaces)
    }
}

impl<G: Generator> Combine for VecDequeOf<G> {}

impl<T: Generate> Generate for VecDeque<T> {
    fn generate(source: &mut Source) -> Self {
        in_two_parts(Vec::generate(source))
    }

    fn space(spaces: &mut Spaces) -> Part {
        <Vec<T>>::space(spaces)
    }
}

fn in_two_parts<T>(mut items: Vec<T>) -> VecDeque<T> {
    let mut res = VecDeque::with_capacity(items.len());
    res.extend(items.drain(items.len() / 2..));
    for item in items.into_iter().rev() {
        res.push_front(item);
    }
    res
}

impl<T: Generate> Generate for LinkedList<T> {
    fn generate(source: &mut Source) -> Self {
        Vec::generate(source).into_iter().collect()
    }

    fn space(spaces: &mut Spaces) -> Part {
        <Vec<T>>::space(spaces)
    }
}

impl<T: Generate + Ord> Generate for BinaryHeap<T> {
    fn generate(source: &mut Source) -> Self {
        Vec::generate(source).into()
    }

    fn space(spaces: &mut Spaces) -> Part {
        <Vec<T>>::space(spaces)
    }
}
