//! What is drawn in parts: types that nest, lists that share a size budget, structures that keep an invariant.

use super::answerer::Answerer;
use super::{DEPTH_MAX, FREE_DEPTH, SIZE, Source, narrowed};
use crate::space::TypeKey;
use crate::unwind::{Unwind, unwind};
use crate::{Generate, Narrow, Nesting, Site, SizeLeft, SourcePlace, SpanKind};

impl Source {
    /// Groups the choices of one value of a type. Deep nesting halves the size budget, so that types
    /// that contain each other come to an end; see [`nest`](Source::nest).
    ///
    /// ```
    /// use probity_core::{Source, sample};
    /// #[derive(Debug)]
    /// struct Point { x: i8, y: i8 }
    /// let point = |src: &mut Source| src.group("Point", |src| Point { x: src.int(0, 9), y: src.int(0, 9) });
    /// let it = sample(&point, 7);
    /// assert!(it.x <= 9 && it.y <= 9);
    /// ```
    #[inline(always)]
    pub fn group<T>(&mut self, label: &'static str, f: impl FnOnce(&mut Self) -> T) -> T {
        let nests = self.depth >= FREE_DEPTH;
        self.enter(label, if nests { self.size / 2 } else { self.size }, |src| src.look(label, nests), f)
    }

    /// As [`group`](Source::group), for a type that is described: what `#[derive(Generate)]` calls. In random cases
    /// that nest deep, such types do too that contain themselves by way of others.
    ///
    /// ```
    /// use probity_core::{Generate, Part, Source, Spaces, any, sample};
    /// #[derive(Debug)]
    /// struct Point { x: i8, y: i8 }
    /// impl Generate for Point {
    ///     fn generate(src: &mut Source) -> Self {
    ///         src.group_of("Point", |src| Point { x: src.int(0, 9), y: src.int(0, 9) })
    ///     }
    /// }
    /// let it = sample(&any::<Point>(), 7);
    /// assert!(it.x <= 9 && it.y <= 9);
    /// ```
    #[inline(always)]
    pub fn group_of<T: Generate>(&mut self, label: &'static str, f: impl FnOnce(&mut Self) -> T) -> T {
        let size = if self.depth >= FREE_DEPTH { self.size / 2 } else { self.size };
        self.enter(label, size, |src| src.look_at(label, TypeKey::of::<T>(), false), f)
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
        self.enter(label, self.size / 2, |src| src.look(label, true), f)
    }

    /// As [`nest`](Source::nest), for a type that is described; see [`group_of`](Source::group_of).
    ///
    /// ```
    /// use probity_core::{Generate, Source, any, sample};
    /// #[derive(Debug)]
    /// struct Chain(Option<Box<Chain>>);
    /// impl Generate for Chain {
    ///     fn generate(src: &mut Source) -> Self {
    ///         src.nest_of("Chain", |src| Chain(Generate::generate(src)))
    ///     }
    /// }
    /// let (mut it, mut n) = (sample(&any::<Chain>(), 7), 1);
    /// while let Some(next) = it.0 { (it, n) = (*next, n + 1) }
    /// assert!(n < 64);
    /// ```
    #[inline(always)]
    pub fn nest_of<T: Generate>(&mut self, label: &'static str, f: impl FnOnce(&mut Self) -> T) -> T {
        self.enter(label, self.size / 2, |src| src.look_at(label, TypeKey::of::<T>(), true), f)
    }

    #[inline(always)]
    fn enter<T>(
        &mut self,
        label: &'static str,
        size: u32,
        look: impl FnOnce(&mut Self),
        f: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let outer = std::mem::replace(&mut self.size, size);
        self.depth += 1;
        if self.depth > self.free_depth {
            look(self);
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
        let site = Site { what: "invariant", location: SourcePlace::caller() };
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
        // A list with more items than the whole budget leaves each of them a little, or all would be alike. By bits, not by `max`:
        // an engine that sees branches would ask for the list that is so long, which takes a hundred times as long as a short one.
        let each = outer / (len | u32::from(len == 0));
        self.size = each | (u32::from(each == 0) & u32::from(outer == SIZE));
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
            self.descent.enter(self.depth, None);
        }
    }

    /// The same, of a value of a type: it counts if it contains itself. Of types that contain each other it is the
    /// first that was met that does, so that each depth is met whatever is between two levels.
    #[cold]
    #[inline(never)]
    fn look_at(&mut self, label: &str, key: TypeKey, nests: bool) {
        if self.depth > DEPTH_MAX {
            self.too_deep(label);
        }
        let number = self.cycles.find(key);
        if !nests && !self.cycles.get(number).is_one {
            return;
        }
        let outermost = self.descent.outermost();
        if outermost.is_none_or(|it| !self.cycles.is_between(it, number)) {
            self.descent.enter(self.depth, Some(number));
        }
    }

    /// How the next pick of a derived enum is to be made; for [`pick_nested`](Source::pick_nested).
    ///
    /// ```
    /// use probity_core::{Source, SizeLeft, sample};
    /// assert_eq!(sample(&|src: &mut Source| src.size_left(), 7), SizeLeft::Some);
    /// ```
    #[inline]
    pub fn size_left(&self) -> SizeLeft {
        match (self.free_depth, self.size) {
            (0, _) => SizeLeft::ByShape,
            (_, 0) if self.depth > FREE_DEPTH => SizeLeft::ByShape,
            (_, 0) => SizeLeft::None,
            _ => SizeLeft::Some,
        }
    }

    /// A variant of `T` where values nest deep: one that leads back to `T` where the case is to go on, and one that
    /// does not where it is to end. As far as is known without its description, the first `n_ends` do not.
    ///
    /// ```
    /// use probity_core::{Generate, SizeLeft, Source, any, sample};
    /// #[derive(Debug)]
    /// enum List { End, More(Box<List>) }
    /// impl Generate for List {
    ///     fn generate(src: &mut Source) -> Self {
    ///         src.nest_of("List", |src| {
    ///             let at = match src.size_left() {
    ///                 SizeLeft::Some => src.pick_variant(2, 1, 7),
    ///                 SizeLeft::None => src.pick_weighted_variant(&[1, 0], 1, 7),
    ///                 SizeLeft::ByShape => src.pick_nested::<List>(&[1, 1], 1, 7),
    ///             };
    ///             if at == 0 { List::End } else { List::More(Generate::generate(src)) }
    ///         })
    ///     }
    /// }
    /// let (mut it, mut n) = (sample(&any::<List>(), 7), 0);
    /// while let List::More(next) = it { (it, n) = (*next, n + 1) }
    /// assert!(n < 64);
    /// ```
    pub fn pick_nested<T: Generate>(&mut self, weights: &[u32], n_ends: u32, site: u64) -> usize {
        self.pick_by_shape(TypeKey::of::<T>(), weights, n_ends, site)
    }

    #[cold]
    #[inline(never)]
    fn pick_by_shape(&mut self, key: TypeKey, weights: &[u32], n_ends: u32, site: u64) -> usize {
        let number = self.cycles.find(key);
        let cycle = self.cycles.get(number);
        let goes_on = |at: usize| match cycle.is_one {
            true => at < 64 && cycle.variants >> at & 1 == 1,
            false => at >= n_ends as usize,
        };
        let nesting = self.nesting();
        let is_wanted = |at: usize| match nesting {
            Nesting::End => !goes_on(at),
            Nesting::Free => true,
            Nesting::On => goes_on(at),
        };
        // The others are left with no weight: an engine that has other bounds may still pick them.
        let of = |weight: &dyn Fn(usize) -> u32| -> Vec<u32> {
            (0..weights.len()).map(|at| if is_wanted(at) { weight(at) } else { 0 }).collect()
        };
        let has_some = |it: &Vec<u32>| it.iter().any(|it| *it > 0);
        // What ends is taken even where it has no weight: else there is no end.
        let chosen = Some(of(&|at| weights[at])).filter(has_some);
        let chosen = chosen.or_else(|| Some(of(&|_| (nesting == Nesting::End).into())).filter(has_some));
        let chosen = chosen.unwrap_or_else(|| weights.to_vec());
        self.pick_weighted_variant(&chosen, n_ends, site)
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
