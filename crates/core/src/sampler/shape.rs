//! How a random case is shaped: how deep its values nest, and how long its lists are.
//!
//! Halving the size budget at every level keeps values small, and with a coin at each level they are smaller still: a
//! derived list was empty in half of the cases and had seven items in none of 100,000. So some cases spend the budget
//! along few branches, and some have one list that is long.

use crate::rng::hash;

/// How the values of a random case nest: evenly in most cases, deep or broad in some.
///
/// Opaque: it is made by the random engine, and an engine that asks another hands it on.
///
/// ```
/// use probity_core::{CaseShape, Ordered, Random};
/// assert_eq!(Random::new(7).shape(), CaseShape::default(), "the first case is the simplest");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CaseShape {
    kind: ShapeKind,
    /// How many values may nest in one another or beside each other before they end.
    values: u32,
    /// What [`ShapeKind::Zigzag`] and [`ShapeKind::Bush`] follow.
    seed: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ShapeKind {
    /// Every level halves the size budget.
    #[default]
    Even,
    /// Each value nests another one, the first where it could nest several: as deep as there are values.
    Chain,
    /// The same, but it is the second that goes on in a quarter, half, three quarters or all of them.
    Zigzag,
    /// One value in eight ends where it could go on: deep, and with branches.
    Bush,
    /// Every level halves the budget, and no value ends before it is spent: all branches are equally deep.
    Broad,
}

impl CaseShape {
    /// One that is not the usual one.
    pub(crate) const PROBE: CaseShape = CaseShape { kind: ShapeKind::Chain, values: 1, seed: 0 };
    /// Every level halves the size budget.
    pub(super) const EVEN: CaseShape = CaseShape { kind: ShapeKind::Even, values: 0, seed: 0 };

    /// Whether lists are short for the sake of depth.
    pub(super) fn is_narrow(self) -> bool {
        matches!(self.kind, ShapeKind::Chain | ShapeKind::Zigzag | ShapeKind::Bush)
    }

    /// The length of a list that has hardly any room because values nest deep: one item at least, or they would not.
    pub(super) fn length(self, min: u32, usual: u32, word: impl FnOnce() -> u64) -> Option<u32> {
        let is_deep = self.is_narrow() && usual - min <= NARROW;
        is_deep.then(|| if word() >> 62 == 0 { usual } else { min + 1 })
    }
}

/// What a value does that may contain values of its own type.
///
/// ```
/// use probity_core::{Nesting, Source, sample};
/// fn depth(src: &mut Source) -> u32 {
///     src.nest("depth", |src| {
///         let weights = match src.nesting() {
///             Nesting::End => [1, 0],
///             Nesting::Free => [1, 1],
///             Nesting::On => [0, 1],
///         };
///         if src.pick_weighted(&weights) == 0 { 0 } else { 1 + depth(src) }
///     })
/// }
/// assert!(sample(&depth, 7) < 64);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nesting {
    /// It contains none: the size budget is spent.
    End,
    /// As it likes.
    Free,
    /// It contains one at least, where it can.
    On,
}

/// What is left of the size budget for a derived enum.
///
/// ```
/// use probity_core::{SizeLeft, Source, sample};
/// assert_eq!(sample(&|src: &mut Source| src.size_left(), 7), SizeLeft::Some, "nothing is spent yet");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeLeft {
    /// Some: any variant will do.
    Some,
    /// None: one that does not contain its type.
    None,
    /// The shape of the case says which; see [`Source::pick_nested`](crate::Source::pick_nested).
    ByShape,
}

/// How far the values of a case have come in nesting.
#[derive(Clone, Debug)]
pub(crate) struct NestingDepth {
    shape: CaseShape,
    /// How many more values may nest; [`UNTOUCHED`] until the first does.
    left: u32,
    /// How many were met.
    n: u32,
    /// The depth of a value that was passed over: it ends, and so does all in it.
    passed: u32,
    /// The type of the first that was met, by its number in the source, where that is known.
    outermost: Option<usize>,
}

const UNTOUCHED: u32 = u32::MAX;
/// From which depth on everything ends, groups counted too: far from where a type counts as endless.
const DEEPEST: u32 = 128;
/// How many items a list has at most where values nest deep.
const NARROW: u32 = 2;

impl NestingDepth {
    pub(crate) const EVEN: NestingDepth =
        NestingDepth { shape: CaseShape::EVEN, left: UNTOUCHED, n: 0, passed: 0, outermost: None };

    pub(crate) fn new(shape: CaseShape) -> Self {
        NestingDepth { shape, ..NestingDepth::EVEN }
    }

    /// Begins another case of the same shape.
    #[inline(always)]
    pub(crate) fn restart(&mut self) {
        self.left = UNTOUCHED;
    }

    #[inline(always)]
    pub(crate) fn is_even(&self) -> bool {
        self.shape.kind == ShapeKind::Even
    }

    /// The type of the first value that was met, where it is known.
    pub(crate) fn outermost(&self) -> Option<usize> {
        if self.left == UNTOUCHED { None } else { self.outermost }
    }

    /// Takes note of a value that may contain others of its type, at this depth. `number` is that of the type, where
    /// it is known.
    #[cold]
    pub(crate) fn enter(&mut self, depth: u32, number: Option<usize>) {
        if self.left == UNTOUCHED {
            (self.left, self.n, self.passed) = (self.shape.values, 0, u32::MAX);
            self.outermost = number;
        }
        if depth > self.passed {
            return;
        }
        let is_after_pass = self.passed != u32::MAX;
        let word = hash(self.shape.seed.into(), self.n.into());
        self.n += 1;
        let passes = match self.shape.kind {
            ShapeKind::Even | ShapeKind::Chain | ShapeKind::Broad => false,
            ShapeKind::Zigzag => !is_after_pass && word >> 62 <= (self.shape.seed & 3).into(),
            ShapeKind::Bush => word >> 61 == 0,
        };
        if passes && self.n > 1 {
            self.passed = depth;
        } else {
            self.passed = u32::MAX;
            self.left = self.left.saturating_sub(1);
        }
    }

    /// What a value at this depth does, where `size` is left of the size budget.
    #[inline]
    pub(crate) fn nesting(&self, size: u32, depth: u32) -> Nesting {
        if self.is_even() { by_size(size) } else { self.nesting_by_shape(size, depth) }
    }

    #[cold]
    fn nesting_by_shape(&self, size: u32, depth: u32) -> Nesting {
        match self.shape.kind {
            _ if self.left == UNTOUCHED => by_size(size),
            _ if self.left == 0 || depth >= self.passed.min(DEEPEST) => Nesting::End,
            ShapeKind::Broad if size == 0 => Nesting::End,
            _ => Nesting::On,
        }
    }

    /// How many items a list has at most at random.
    #[inline]
    pub(crate) fn room(&self, size: u32, depth: u32) -> u32 {
        if self.is_even() { size } else { self.room_by_shape(size, depth) }
    }

    #[cold]
    fn room_by_shape(&self, size: u32, depth: u32) -> u32 {
        match self.nesting_by_shape(size, depth) {
            Nesting::End => 0,
            Nesting::On if self.shape.kind != ShapeKind::Broad => NARROW,
            _ => size,
        }
    }
}

#[inline(always)]
fn by_size(size: u32) -> Nesting {
    if size == 0 { Nesting::End } else { Nesting::Free }
}

/// What a case has beside its mix.
#[derive(Clone, Copy, Default)]
pub(super) struct Deal {
    pub(super) shape: CaseShape,
    pub(super) long: Option<&'static Long>,
    /// Whether it is another list than the first that is long: one in the first, or beside it.
    pub(super) is_later: bool,
}

/// A long list.
#[derive(Debug)]
pub(super) struct Long {
    pub(super) len: u32,
    /// Whether all integers and characters from it on are the simplest ones.
    pub(super) is_same: bool,
}

impl Deal {
    /// That of one of the first cases. These are dealt in turn: to draw would leave some depths and lengths out of a run
    /// of a thousand cases.
    pub(super) fn early(seed: u64, index: u64) -> Deal {
        const ROUND: u64 = 32;
        let round = (index / ROUND) as u32;
        // Neighboring rounds are to differ, and each of 32 to come.
        let nth = 13 * round + (hash(seed, 0) >> 32) as u32 % 32;
        let place = index.wrapping_add(hash(seed, 1));
        let seed = (hash(seed, index) >> 32) as u32;
        match place % ROUND {
            0 => Deal::nested(ShapeKind::Chain, nth, seed),
            16 => Deal::nested(ShapeKind::Chain, nth + 16, seed),
            4 => Deal::nested(ShapeKind::Zigzag, nth, seed),
            2 | 10 | 18 | 26 => Deal::nested(ShapeKind::Bush, nth, seed),
            12 => Deal::nested(ShapeKind::Broad, nth, seed),
            // The longest come last: a test that takes long for them has used up its time by then.
            20 => Deal::long(round),
            28 => Deal { is_later: true, ..Deal::long(round) },
            _ => Deal::default(),
        }
    }

    /// That of a run of later cases, by a random word.
    pub(super) fn later(word: u64) -> Deal {
        let (nth, seed) = ((word >> 10) as u32, (word >> 16) as u32);
        match word % 1024 {
            0..8 => Deal::nested(ShapeKind::Chain, nth, seed),
            8..12 => Deal::nested(ShapeKind::Zigzag, nth, seed),
            12..20 => Deal::nested(ShapeKind::Bush, nth, seed),
            20..24 => Deal::nested(ShapeKind::Broad, nth, seed),
            24 => Deal::long(nth),
            25 => Deal { is_later: true, ..Deal::long(nth) },
            _ => Deal::default(),
        }
    }

    fn nested(kind: ShapeKind, nth: u32, seed: u32) -> Deal {
        let values = match kind {
            ShapeKind::Bush => 8 << (nth % 4),
            ShapeKind::Broad => 256,
            // From 1 to 20, and every second one up to 44.
            _ if nth % 32 < 20 => nth % 32 + 1,
            _ => 2 * (nth % 32) - 18,
        };
        Deal { shape: CaseShape { kind, values, seed }, ..Deal::default() }
    }

    fn long(nth: u32) -> Deal {
        Deal { long: Some(&LONG[nth as usize % LONG.len()]), ..Deal::default() }
    }
}

const fn long(len: u32) -> Long {
    Long { len, is_same: false }
}

const fn same(len: u32) -> Long {
    Long { len, is_same: true }
}

/// Powers of two and their neighbors, the longer the rarer: in all, a third of what a thousand other lists have. The
/// first and the last are dealt in part of the runs only that have a thousand cases.
#[rustfmt::skip]
const LONG: [Long; 32] = [
    long(128), long(127), long(128), long(128), long(128), long(128), same(128), long(129), long(129),
    long(255), long(255), long(256), long(256), long(256), long(256), long(256), same(256), long(257), long(257),
    long(511), long(512), long(512), long(512), same(512), long(513),
    long(1023), long(1024), long(1024), same(1024), long(1025), long(4096), long(1024),
];
