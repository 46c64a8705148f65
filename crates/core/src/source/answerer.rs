//! Who answers the questions of a source.

use super::{CHOICES_MAX, Callbacks, overrun};
use crate::engine::Walk;
use crate::int::Int;
use crate::{CaseShape, Engine, Exhaustive, Sampler, Seed};

/// Exactly one of these answers. A typed method of the source asks for the sampler first, in line, because it answers
/// nearly all cases, and leaves the others to one call.
///
/// Optimized, who answers is kept in a byte of the sampler; without that, a byte of its own is quicker to read.
#[cfg_attr(debug_assertions, repr(u8))]
#[allow(clippy::large_enum_variant, reason = "the sampler is in line: a pointer to it would cost every draw")]
pub(super) enum Answerer {
    /// Random answers. Nothing is recorded.
    Sampler(Sampling),
    /// The exhaustive engine, at hand. Nothing is recorded.
    Walk(Box<Walk>),
    /// The exhaustive engine, which is with the recorder since the case made a part that is drawn later. Nothing is
    /// recorded.
    SharedWalk,
    /// Functions that an interpreter sees. Nothing is recorded.
    Callbacks(Callbacks),
    /// An engine, which is with the recorder. The case is recorded.
    Engine,
}

/// What parts that are drawn later find with the recorder.
pub(super) enum SharedAnswerer {
    /// Nobody: the source answers by itself.
    None,
    /// The exhaustive engine of a walking source, and whether the case is recorded; see [`Answerer::SharedWalk`].
    Walk(Exhaustive, bool),
    /// See [`Answerer::Callbacks`].
    Callbacks(Callbacks),
    /// See [`Answerer::Engine`].
    Engine(Box<dyn Engine>),
}

impl SharedAnswerer {
    /// Who answers the questions of a part that is drawn later.
    pub(super) fn answerer(&self) -> Answerer {
        match self {
            SharedAnswerer::None => unreachable!("a source that answers by itself has no such parts"),
            SharedAnswerer::Walk(_, false) => Answerer::SharedWalk,
            SharedAnswerer::Callbacks(it) => Answerer::Callbacks(*it),
            SharedAnswerer::Walk(_, true) | SharedAnswerer::Engine(_) => Answerer::Engine,
        }
    }

    /// The engine, if one answers.
    #[inline(always)]
    pub(super) fn engine(&mut self) -> Option<&mut dyn Engine> {
        match self {
            SharedAnswerer::Engine(engine) => Some(&mut **engine),
            SharedAnswerer::Walk(engine, _) => Some(engine),
            SharedAnswerer::None | SharedAnswerer::Callbacks(_) => None,
        }
    }
}

/// The sampler at full speed, with the seed of its cases.
pub(super) struct Sampling {
    sampler: Sampler,
    seed: Seed,
    /// How many more choices the case may ask for.
    left: u32,
    /// Whether the case answers integers uniformly, as most do. The compiler keeps who answers in the same byte, so that
    /// a question for an integer is one comparison away from its answer.
    pub(super) is_plain: bool,
}

impl Sampling {
    pub(super) fn new(seed: Seed, first: u64) -> Self {
        let sampler = Sampler::new(seed, first);
        let is_plain = sampler.is_plain();
        Sampling { sampler, seed, left: CHOICES_MAX, is_plain }
    }

    /// Begins the case of this number, which comes after the one before. `true` where it may have another shape.
    #[inline(always)]
    pub(super) fn start_next(&mut self, index: u64) -> bool {
        self.left = CHOICES_MAX;
        let is_other = self.sampler.start_next(&self.seed, index);
        if is_other {
            self.is_plain = self.sampler.is_plain();
        }
        is_other
    }

    /// How the values of the case nest.
    pub(super) fn shape(&self) -> CaseShape {
        self.sampler.shape()
    }

    /// The sampler, for one more choice.
    #[inline(always)]
    pub(super) fn ask(&mut self) -> &mut Sampler {
        if self.left == 0 {
            self.left = overrun();
        }
        self.left -= 1;
        &mut self.sampler
    }

    /// An integer of `min..=max`, which is not empty, of at most 64 bits.
    #[inline]
    pub(super) fn int<T: Int>(&mut self, min: T, max: T) -> T {
        let (base, span, origin) = offsets(min, max);
        T::from_bits(base.wrapping_add(self.ask().offset(base, span, origin)))
    }

    /// Whether the case may ask for `n` more choices.
    #[inline]
    pub(super) fn has(&self, n: u32) -> bool {
        n <= self.left
    }

    /// Adds `n` integers of `min..=max` to `res`, for as many choices, which the case [has](Self::has).
    #[inline]
    pub(super) fn ints<T: Int>(&mut self, n: u32, min: T, max: T, res: &mut Vec<T>) {
        self.left -= n;
        let (base, span, origin) = offsets(min, max);
        let make = |offset: u64| T::from_bits(base.wrapping_add(offset));
        self.sampler.offsets(n as usize, (base, span, origin), res, make);
    }

    /// Adds `n` characters to `res` in a case that is plain, for as many choices, which the case [has](Self::has).
    pub(super) fn plain_chars(&mut self, n: u32, res: &mut String) {
        self.left -= n;
        self.sampler.add_plain_chars(n, res);
    }
}

/// The bits of the least integer, with the distances of the greatest and the simplest from it.
#[inline(always)]
fn offsets<T: Int>(min: T, max: T) -> (u64, u64, u64) {
    let (base, top, origin) = (min.bits(), max.bits(), T::simplest(min, max).bits());
    (base, top.wrapping_sub(base), origin.wrapping_sub(base))
}
