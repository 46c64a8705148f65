//! What is drawn in parts: types that nest, lists that share a size budget, structures that keep an invariant.

use super::answerer::Answerer;
use super::{DEPTH_MAX, FREE_DEPTH, SIZE, Source, narrowed};
use crate::unwind::{Unwind, unwind};
use crate::{Narrow, Nesting, Site, SpanKind};

impl Source {
    /// Groups the choices of one value of a type. Deep nesting halves the size budget, so that types
    /// that contain each other come to an end; see [`nest`](Source::nest).
    ///
    /// ```
    /// use probity_core::{Source, sample};
    /// struct Point { x: i8, y: i8 }
    /// let point = |src: &mut Source| src.group("Point", |src| Point { x: src.int(0, 9), y: src.int(0, 9) });
    /// let it = sample(&point, 7);
    /// assert!(it.x <= 9 && it.y <= 9);
    /// ```
    #[inline(always)]
    pub fn group<T>(&mut self, label: &'static str, f: impl FnOnce(&mut Self) -> T) -> T {
        let nests = self.depth >= FREE_DEPTH;
        self.enter(label, if nests { self.size / 2 } else { self.size }, nests, f)
    }

    /// As [`group`](Source::group), for a value that may contain values of its own type: each level
    /// halves the size budget, so that nesting ends; see [`size`](Source::size) and [`nesting`](Source::nesting).
    ///
    /// ```
    /// use probity_core::{Source, sample};
    /// fn depth(src: &mut Source) -> u32 {
    ///     if src.size() == 0 { 0 } else { src.nest("depth", |src| 1 + depth(src)) }
    /// }
    /// assert_eq!(sample(&depth, 7), 7, "100 halved seven times is nothing");
    /// ```
    #[inline(always)]
    pub fn nest<T>(&mut self, label: &'static str, f: impl FnOnce(&mut Self) -> T) -> T {
        self.enter(label, self.size / 2, true, f)
    }

    #[inline(always)]
    fn enter<T>(&mut self, label: &'static str, size: u32, nests: bool, f: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.size, size);
        self.depth += 1;
        if self.depth > self.free_depth {
            self.look(label, nests);
        }
        let res = self.span(label, SpanKind::Group, f);
        self.depth -= 1;
        self.size = outer;
        res
    }

    /// Draws what `make` makes, for which the invariant `holds`: what `#[invariant(..)]` on a derived type
    /// calls. See [`Combine::such_that`](crate::Combine::such_that).
    ///
    /// ```
    /// use probity_core::{Source, sample};
    /// struct Span { from: u8, to: u8 }
    /// let span = |src: &mut Source| src.such_that(
    ///     |src| Span { from: src.int(0, 255), to: src.int(0, 255) },
    ///     |it| it.from <= it.to,
    /// );
    /// let it = sample(&span, 7);
    /// assert!(it.from <= it.to);
    /// ```
    #[track_caller]
    pub fn such_that<T>(&mut self, make: impl FnMut(&mut Self) -> T, holds: impl Fn(&T) -> bool) -> T {
        let site = Site { what: "invariant", location: std::panic::Location::caller() };
        crate::generators::filtered(self, site, make, holds)
    }

    /// What is left of the size budget here, for generators that end by it: what they draw where it is less than
    /// at the beginning is not all they could draw, and no run of them is called complete. A generator that gives
    /// what does not end a weight of zero, and asks the same questions otherwise, asks for the
    /// [`budget`](Source::budget) instead.
    ///
    /// ```
    /// use probity_core::{SIZE, Source, sample};
    /// assert_eq!(sample(&|src: &mut Source| src.size(), 7), SIZE);
    /// ```
    #[inline]
    pub fn size(&self) -> u32 {
        if self.size < SIZE {
            self.by_size.set(true);
            if let Answerer::Callbacks(_) = self.answerer {
                narrowed(Narrow::Size);
            }
        }
        self.size
    }

    /// What is left of the size budget here, for generators that ask the same questions whatever it is: it may
    /// decide over weights and over how long random lists are, but not over what can be drawn.
    ///
    /// ```
    /// use probity_core::{Bounds, Budget, Source, search_exhaustive};
    /// fn depth(src: &mut Source) -> u32 {
    ///     src.nest("depth", |src| {
    ///         let weights = if src.budget() == 0 { [1, 0] } else { [1, 1] };
    ///         if src.pick_weighted(&weights) == 0 { 0 } else { 1 + depth(src) }
    ///     })
    /// }
    /// let budget = Budget { cases: 50, rejects: 0, go_on: &mut |_| true, progress: Default::default() };
    /// let mut deepest = 0;
    /// search_exhaustive(Bounds::default(), &mut |src: &mut Source| deepest = depth(src), budget).unwrap();
    /// assert_eq!(deepest, 49, "far past what is left of the budget at random");
    /// ```
    #[inline]
    pub fn budget(&self) -> u32 {
        self.size
    }

    /// What a value does that may contain values of its own type, for generators that ask the same questions whatever
    /// it is, as with the [`budget`](Source::budget). In some random cases values nest deep.
    ///
    /// ```
    /// use probity_core::{Nesting, Source, sample};
    /// assert_eq!(sample(&|src: &mut Source| src.nesting(), 7), Nesting::Free, "nothing is spent yet");
    /// ```
    #[inline]
    pub fn nesting(&self) -> Nesting {
        self.descent.nesting(self.size, self.depth)
    }

    /// Draws a length, then calls `item` that many times, each in a span of its own.
    ///
    /// ```
    /// use probity_core::{Random, Source, run_case};
    /// let mut source = Source::new(Box::new(Random::new(7)));
    /// run_case(&mut source, &mut |src: &mut Source| {
    ///     let mut bits = Vec::new();
    ///     src.list("bits", 0, 8, |src, _| bits.push(src.bool()));
    ///     assert!(bits.len() <= 8);
    /// }).unwrap();
    /// ```
    #[inline]
    pub fn list(&mut self, label: &'static str, min: u32, max: u32, mut item: impl FnMut(&mut Self, u32)) {
        self.span(label, SpanKind::List, |src| {
            let len = src.length(min, max, max);
            src.items(len, &mut item);
        });
    }

    /// As [`list`](Source::list), where random lists have at most as many items beyond `min` as are left of the size
    /// budget: for lists without a bound of their own. Engines with other bounds go on up to `max`.
    ///
    /// ```
    /// use probity_core::{Source, sample};
    /// fn rose(src: &mut Source) -> usize {
    ///     let mut nodes = 1;
    ///     src.nest("rose", |src| src.list_within_size("children", 0, u32::MAX, |src, _| nodes += rose(src)));
    ///     nodes
    /// }
    /// assert!(sample(&rose, 7) < 1000, "however deep it could be");
    /// ```
    #[inline]
    pub fn list_within_size(
        &mut self,
        label: &'static str,
        min: u32,
        max: u32,
        mut item: impl FnMut(&mut Self, u32),
    ) {
        self.span(label, SpanKind::List, |src| {
            let len = src.length_within_size(min, max);
            src.items(len, &mut item);
        });
    }

    /// A length of `min..=max`, where random ones keep to the size budget.
    #[inline]
    pub(crate) fn length_within_size(&mut self, min: u32, max: u32) -> u32 {
        let room = self.descent.room(self.size, self.depth);
        self.length(min, min.saturating_add(room).min(max), max)
    }

    /// The items of a list whose length is drawn; shares the size budget among them.
    #[inline]
    pub(crate) fn items(&mut self, len: u32, item: impl FnMut(&mut Self, u32)) {
        self.parts(SpanKind::Item, len, item);
    }

    /// As [`items`](Self::items), in spans of another kind.
    #[inline]
    pub(crate) fn parts(&mut self, kind: SpanKind, len: u32, mut item: impl FnMut(&mut Self, u32)) {
        let outer = self.size;
        // A list with more items than the whole budget leaves each of them a little, or all would be alike.
        self.size = (outer / len.max(1)).max(u32::from(outer == SIZE));
        for i in 0..len {
            self.span("item", kind, |src| item(src, i));
        }
        self.size = outer;
    }

    /// Looks at a value that nests where not every one may.
    #[cold]
    fn look(&mut self, label: &str, nests: bool) {
        if self.depth > DEPTH_MAX {
            self.too_deep(label);
        }
        if nests {
            self.descent.enter(self.depth);
        }
    }

    #[cold]
    fn too_deep(&mut self, label: &str) -> ! {
        let is_walked = matches!(&self.answerer, Answerer::Walk(walk) if !walk.is_simplest());
        if is_walked || self.recorder.get().is_outside_random_support() {
            unwind(Unwind::Overrun);
        }
        endless(label)
    }
}

#[cold]
fn endless(label: &str) -> ! {
    crate::misuse(format!(
        "`{label}` nests more than {DEPTH_MAX} deep: it has no end; \
         give it a variant without itself, or put it behind an Option or a Vec"
    ))
}
