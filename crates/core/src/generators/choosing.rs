//! Generators that choose among what is there: elements, orders, positions, branches.

use crate::{
    Any, Combine, Domain, Generate, Generator, Part, Site, Source, SourcePlace, Spaces, SpanKind, any,
};

use super::collections::Lengths;

/// One of `values`, the first the simplest. A slice or an array by reference does the same.
///
/// ```
/// use probity_core::{sample, select};
/// assert!(["tea", "milk"].contains(&sample(&select(["tea", "milk"]), 7)));
/// assert!(["tea", "milk"].contains(&sample(&&["tea", "milk"], 7)));
/// ```
pub fn select<T>(values: impl IntoIterator<Item = T>) -> Select<T> {
    Select(values.into_iter().collect())
}

/// See [`select`].
#[derive(Clone, Debug)]
pub struct Select<T>(Vec<T>);

impl<T: Clone> Generator for Select<T> {
    type Value = T;

    #[inline]
    fn generate(&self, source: &mut Source) -> T {
        (&*self.0).generate(source)
    }

    fn space(&self, spaces: &mut Spaces) -> Part {
        pick(spaces, self.0.len())
    }
}

impl<T: Clone> Combine for Select<T> {}

/// One element, the first the simplest.
impl<T: Clone> Generator for &[T] {
    type Value = T;

    #[inline]
    fn generate(&self, source: &mut Source) -> T {
        self[source.pick(self.len())].clone()
    }

    fn space(&self, spaces: &mut Spaces) -> Part {
        pick(spaces, self.len())
    }
}

/// What `one_of!(src, ..)` picks one of: the characters of a text, or the elements of a slice or an array.
///
/// ```
/// use probity_core::{Source, one_of, sample};
/// let path = |src: &mut Source| one_of!(src, "aAbB/.");
/// assert!("aAbB/.".contains(sample(&path, 7)));
/// let size = |src: &mut Source| one_of!(src, &[1, 512, 4096]);
/// assert!([1, 512, 4096].contains(&sample(&size, 7)));
/// ```
pub trait Alternatives {
    /// What is picked.
    type Alternative: Clone;
    /// The generator that picks.
    ///
    /// ```
    /// use probity_core::{Alternatives, sample};
    /// assert!("+-".contains(sample(&"+-".select(), 7)));
    /// ```
    fn select(self) -> Select<Self::Alternative>;
}

impl Alternatives for &str {
    type Alternative = char;

    fn select(self) -> Select<char> {
        select(self.chars())
    }
}

impl<T: Clone> Alternatives for &[T] {
    type Alternative = T;

    fn select(self) -> Select<T> {
        select(self.iter().cloned())
    }
}

impl<T: Clone> Alternatives for &Vec<T> {
    type Alternative = T;

    fn select(self) -> Select<T> {
        select(self.iter().cloned())
    }
}

impl<T: Clone, const N: usize> Alternatives for &[T; N] {
    type Alternative = T;

    fn select(self) -> Select<T> {
        select(self.iter().cloned())
    }
}

impl<T: Clone, const N: usize> Alternatives for [T; N] {
    type Alternative = T;

    fn select(self) -> Select<T> {
        select(self)
    }
}

/// A pick without anything after it.
pub(super) fn pick(spaces: &mut Spaces, n: usize) -> Part {
    match u32::try_from(n) {
        Ok(0) => spaces.unknown("a pick among nothing"),
        Ok(n) => spaces.choice(Domain::pick(n)),
        Err(_) => spaces.unknown(format!("a pick among {n} values")),
    }
}

/// One element, the first the simplest.
impl<T: Clone, const N: usize> Generator for &[T; N] {
    type Value = T;

    #[inline]
    fn generate(&self, source: &mut Source) -> T {
        self[source.pick(N)].clone()
    }

    fn space(&self, spaces: &mut Spaces) -> Part {
        pick(spaces, N)
    }
}

/// Some of `values`, each position at most once, in their order.
///
/// ```
/// use probity_core::{sample, subset};
/// let some = sample(&subset(1..=9, 2..=4), 7);
/// assert!((2..=4).contains(&some.len()) && some.is_sorted());
/// ```
#[track_caller]
pub fn subset<T>(values: impl IntoIterator<Item = T>, lengths: impl Into<Lengths>) -> Subset<T> {
    Subset { values: values.into_iter().collect(), lengths: lengths.into(), location: SourcePlace::caller() }
}

/// See [`subset`].
#[derive(Clone, Debug)]
pub struct Subset<T> {
    values: Vec<T>,
    lengths: Lengths,
    location: SourcePlace,
}

impl<T: Clone> Generator for Subset<T> {
    type Value = Vec<T>;

    fn generate(&self, source: &mut Source) -> Vec<T> {
        let n = self.values.len();
        let (min, _) = self.lengths.bounds();
        if n < min as usize {
            crate::misuse(format!("no subset of {n} values has {min}; ask for at most {n}"));
        }
        let mut chosen = vec![false; n];
        let site = Site { what: "subset", location: self.location };
        let mut last = None;
        self.lengths.up_to(n).list(source, "subset", |src, _| {
            let mark = src.mark();
            let at = loop {
                let at = src.pick(n);
                // Where every input is visited, positions come in order, so that each subset comes once.
                let is_free = src.places_since(mark).is_none() || last.is_none_or(|it| it < at);
                if is_free || !src.take_back(mark, site) {
                    break at;
                }
            };
            src.accept(mark);
            last = Some(at);
            // A position that is taken gives way to the next free one. So each choice means the same
            // whatever stands before it, and shrinking can leave one out without moving the others.
            let free = (at..n).chain(0..at).find(|&it| !chosen[it]);
            chosen[free.expect("fewer are chosen than there are")] = true;
        });
        self.values.iter().zip(chosen).filter(|(_, chosen)| *chosen).map(|(it, _)| it.clone()).collect()
    }

    // Some answers give the same subset, so counting them would not count subsets.
    fn space(&self, spaces: &mut Spaces) -> Part {
        spaces.unknown("`subset`")
    }
}

impl<T: Clone> Combine for Subset<T> {}

/// All of `values` in some order; their own is the simplest.
///
/// ```
/// use probity_core::{sample, shuffle};
/// let mut cards = sample(&shuffle(1..=52), 7);
/// cards.sort();
/// assert!(cards.into_iter().eq(1..=52));
/// ```
pub fn shuffle<T>(values: impl IntoIterator<Item = T>) -> Shuffle<T> {
    Shuffle(values.into_iter().collect())
}

/// See [`shuffle`].
#[derive(Clone, Debug)]
pub struct Shuffle<T>(Vec<T>);

impl<T: Clone> Generator for Shuffle<T> {
    type Value = Vec<T>;

    fn generate(&self, source: &mut Source) -> Vec<T> {
        let mut res = self.0.clone();
        source.span("shuffle", SpanKind::Group, |src| {
            for i in 1..res.len() {
                // Each choice brings one element forward and leaves the order of the others alone, so
                // that lowering it changes as little as it can.
                let ahead = src.pick(res.len() - i + 1);
                res[i - 1..i + ahead].rotate_right(1);
            }
        });
        res
    }

    fn space(&self, spaces: &mut Spaces) -> Part {
        let parts: Vec<Part> = (2..=self.0.len()).rev().map(|n| pick(spaces, n)).collect();
        spaces.sequence(&parts)
    }
}

impl<T: Clone> Combine for Shuffle<T> {}

/// A truth value that is `true` in about `percent` of a hundred draws; never at 0, always at 100.
///
/// ```
/// use probity_core::{chance, sample};
/// assert!(sample(&chance(100), 7) && !sample(&chance(0), 7));
/// ```
pub fn chance(percent: u32) -> Chance {
    if percent > 100 {
        crate::misuse(format!("a chance of {percent} in a hundred; give at most 100"));
    }
    Chance(percent)
}

/// See [`chance`].
#[derive(Clone, Copy, Debug)]
pub struct Chance(u32);

impl Generator for Chance {
    type Value = bool;

    #[inline]
    fn generate(&self, source: &mut Source) -> bool {
        match self.0 {
            0 => false,
            100 => true,
            percent => source.pick_weighted(&[100 - percent, percent]) == 1,
        }
    }

    fn space(&self, spaces: &mut Spaces) -> Part {
        if matches!(self.0, 0 | 100) { spaces.nothing() } else { pick(spaces, 2) }
    }
}

impl Combine for Chance {}

/// A position in a collection whose length is not known yet.
///
/// ```
/// use probity_core::{index, sample};
/// let at = sample(&index(), 7);
/// assert!(at.of(10) < 10);
/// assert!(["tea", "milk"].contains(at.get(&["tea", "milk"])));
/// ```
pub fn index() -> Any<Index> {
    any()
}

/// See [`index`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Index(u32);

impl Index {
    /// The position in a collection of `len` elements. The first is the simplest. Panics where `len` is
    /// zero.
    ///
    /// ```
    /// use probity_core::{index, sample};
    /// assert_eq!(sample(&index(), 7).of(1), 0);
    /// ```
    #[track_caller]
    pub fn of(self, len: usize) -> usize {
        assert!(len > 0, "no position in an empty collection; require it to have an element");
        // Scaled rather than reduced modulo `len`, so that lower ranks are earlier positions and the
        // greatest rank is the last position, whatever the length.
        ((u128::from(self.0) * len as u128) >> 32) as usize
    }

    /// The element at that position. Panics where `values` is empty.
    ///
    /// ```
    /// use probity_core::{index, sample};
    /// assert_eq!(sample(&index(), 7).get(&["tea"]), &"tea");
    /// ```
    #[track_caller]
    pub fn get<T>(self, values: &[T]) -> &T {
        &values[self.of(values.len())]
    }
}

impl Generate for Index {
    #[inline]
    fn generate(source: &mut Source) -> Self {
        Index(u32::generate(source))
    }

    fn space(spaces: &mut Spaces) -> Part {
        u32::space(spaces)
    }
}

/// A generator that depends on what is left of the size budget; see [`Source::size`].
///
/// ```
/// use probity_core::{any, sample, sized, vec};
/// let short = sized(|size| vec(any::<u8>(), ..=size / 10));
/// assert!(sample(&short, 7).len() <= 10);
/// ```
pub fn sized<G: Generator, F: Fn(usize) -> G>(f: F) -> BySize<F> {
    BySize(f)
}

/// See [`sized`].
#[derive(Clone, Debug)]
pub struct BySize<F>(F);

impl<G: Generator, F: Fn(usize) -> G> Generator for BySize<F> {
    type Value = G::Value;

    #[inline]
    fn generate(&self, source: &mut Source) -> G::Value {
        (self.0)(source.size() as usize).generate(source)
    }

    fn space(&self, spaces: &mut Spaces) -> Part {
        spaces.unknown("`sized`")
    }
}

impl<G: Generator, F: Fn(usize) -> G> Combine for BySize<F> {}
