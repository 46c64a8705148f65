//! Numbers, characters and truth values, by type and by range.

use std::num::NonZero;
use std::ops::{Range, RangeFrom, RangeInclusive, RangeTo, RangeToInclusive};

use crate::int::Int;
use crate::{Domain, Generate, Generator, Part, Source, Spaces};

impl Generate for bool {
    #[inline]
    fn generate(source: &mut Source) -> Self {
        source.bool()
    }

    fn space(spaces: &mut Spaces) -> Part {
        spaces.choice(Domain::Bool)
    }
}

impl Generate for char {
    #[inline]
    fn generate(source: &mut Source) -> Self {
        source.char('\0', char::MAX)
    }

    fn space(spaces: &mut Spaces) -> Part {
        spaces.choice(Domain::Char { min: '\0', max: char::MAX })
    }
}

impl Generate for f64 {
    #[inline]
    fn generate(source: &mut Source) -> Self {
        source.f64(f64::NEG_INFINITY, f64::INFINITY, true)
    }

    fn space(spaces: &mut Spaces) -> Part {
        spaces.choice(float(f64::NEG_INFINITY, f64::INFINITY, true, false))
    }
}

impl Generate for f32 {
    #[inline]
    fn generate(source: &mut Source) -> Self {
        source.f32(f32::NEG_INFINITY, f32::INFINITY, true)
    }

    fn space(spaces: &mut Spaces) -> Part {
        spaces.choice(float(f64::NEG_INFINITY, f64::INFINITY, true, true))
    }
}

fn float(min: f64, max: f64, nan: bool, single: bool) -> Domain {
    Domain::Float { min, max, nan, single }
}

/// A type whose ranges are generators.
///
/// Each kind of range has one generic impl, so that `let n: u8 = src.draw(0..9)` gives the range its
/// type; with an impl for each number type, a literal range would fall back to `i32`.
///
/// ```
/// use probity_core::{Ranged, sample};
/// let n: u8 = sample(&(0..9), 1);
/// assert!(n <= 9.below());
/// ```
///
/// With one's own numbers, too:
///
/// ```
/// use probity_core::{Part, Ranged, Source, Space, Spaces, sample};
/// #[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
/// struct Month(u8);
/// impl Ranged for Month {
///     const LEAST: Month = Month(1);
///     const GREATEST: Month = Month(12);
///     fn below(self) -> Month {
///         Month(self.0 - 1)
///     }
///     fn between(source: &mut Source, min: Month, max: Month) -> Month {
///         Month(source.int(min.0, max.0))
///     }
///     fn space_between(spaces: &mut Spaces, min: Month, max: Month) -> Part {
///         u8::space_between(spaces, min.0, max.0)
///     }
/// }
/// assert!(sample(&(Month(6)..), 7) >= Month(6));
/// assert_eq!(Space::of(&(Month(6)..Month(9))).unwrap().total(), Some(3));
/// ```
pub trait Ranged: Copy + PartialOrd + std::fmt::Debug {
    /// Where a range without a start begins.
    const LEAST: Self;
    /// Where a range without an end stops.
    const GREATEST: Self;
    /// The greatest value below this one; never asked of the least.
    fn below(self) -> Self;
    /// Draws a value of `min..=max`, which is not empty.
    fn between(source: &mut Source, min: Self, max: Self) -> Self;
    /// Describes the choices of [`between`](Ranged::between); see [`Generator::space`].
    fn space_between(spaces: &mut Spaces, min: Self, max: Self) -> Part {
        spaces.unknown(format!("{min:?}..={max:?}"))
    }
}

impl<T: Ranged> Generator for RangeInclusive<T> {
    type Value = T;

    #[inline]
    fn generate(&self, source: &mut Source) -> T {
        if self.is_empty() {
            empty(self);
        }
        T::between(source, *self.start(), *self.end())
    }

    fn space(&self, spaces: &mut Spaces) -> Part {
        if self.is_empty() {
            none(spaces, self)
        } else {
            T::space_between(spaces, *self.start(), *self.end())
        }
    }
}

impl<T: Ranged> Generator for Range<T> {
    type Value = T;

    #[inline]
    fn generate(&self, source: &mut Source) -> T {
        if self.is_empty() {
            empty(self);
        }
        T::between(source, self.start, self.end.below())
    }

    fn space(&self, spaces: &mut Spaces) -> Part {
        if self.is_empty() {
            none(spaces, self)
        } else {
            T::space_between(spaces, self.start, self.end.below())
        }
    }
}

impl<T: Ranged> Generator for RangeFrom<T> {
    type Value = T;

    #[inline]
    fn generate(&self, source: &mut Source) -> T {
        T::between(source, self.start, T::GREATEST)
    }

    fn space(&self, spaces: &mut Spaces) -> Part {
        T::space_between(spaces, self.start, T::GREATEST)
    }
}

impl<T: Ranged> Generator for RangeToInclusive<T> {
    type Value = T;

    #[inline]
    fn generate(&self, source: &mut Source) -> T {
        T::between(source, T::LEAST, self.end)
    }

    fn space(&self, spaces: &mut Spaces) -> Part {
        T::space_between(spaces, T::LEAST, self.end)
    }
}

impl<T: Ranged> Generator for RangeTo<T> {
    type Value = T;

    #[inline]
    fn generate(&self, source: &mut Source) -> T {
        if self.end <= T::LEAST {
            empty(self);
        }
        T::between(source, T::LEAST, self.end.below())
    }

    fn space(&self, spaces: &mut Spaces) -> Part {
        if self.end <= T::LEAST {
            return none(spaces, self);
        }
        T::space_between(spaces, T::LEAST, self.end.below())
    }
}

/// An empty range is an error of the one who draws from it, and that is told when it is drawn.
fn none(spaces: &mut Spaces, range: &dyn std::fmt::Debug) -> Part {
    spaces.unknown(format!("{range:?}, which is empty"))
}

#[cold]
fn empty(range: &dyn std::fmt::Debug) -> ! {
    crate::misuse(format!("no value in {range:?}; swap the bounds or widen them"))
}

macro_rules! ranged {
    ($t:ident, $least:expr, $greatest:expr, $draw:expr, $below:expr, $space:expr) => {
        impl Ranged for $t {
            const LEAST: $t = $least;
            const GREATEST: $t = $greatest;
            #[inline]
            fn below(self) -> $t {
                ($below)(self)
            }
            #[inline]
            fn between(source: &mut Source, min: $t, max: $t) -> $t {
                ($draw)(source, min, max)
            }
            fn space_between(spaces: &mut Spaces, min: $t, max: $t) -> Part {
                ($space)(spaces, min, max)
            }
        }
    };
}

macro_rules! ints {
    ($($t:ident)*) => {$(
        impl Generate for $t {
            #[inline]
            fn generate(source: &mut Source) -> Self {
                source.int($t::MIN, $t::MAX)
            }
            #[inline]
            fn generate_items(source: &mut Source, n: u32) -> Vec<Self> {
                source.ints(n, $t::MIN, $t::MAX)
            }
            fn space(spaces: &mut Spaces) -> Part {
                int(spaces, $t::MIN, $t::MAX)
            }
        }
        ranged!($t, $t::MIN, $t::MAX, Source::int, |end: $t| end - 1, int);
    )*};
}

ints! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 usize }
ranged!(u128, u128::MIN, u128::MAX, nat128, |end: u128| end - 1, nat128_space);
ranged!(char, '\0', char::MAX, Source::char, char_below, |spaces: &mut Spaces, min, max| {
    spaces.choice(Domain::Char { min, max })
});
ranged!(
    f64,
    f64::NEG_INFINITY,
    f64::INFINITY,
    |src: &mut Source, a, b| src.f64(a, b, false),
    f64::next_down,
    |spaces: &mut Spaces, a, b| spaces.choice(float(a, b, false, false))
);
ranged!(
    f32,
    f32::NEG_INFINITY,
    f32::INFINITY,
    |src: &mut Source, a, b| src.f32(a, b, false),
    f32::next_down,
    |spaces: &mut Spaces, a, b| spaces.choice(float(f64::from(a), f64::from(b), false, true))
);

fn int<T: Int>(spaces: &mut Spaces, min: T, max: T) -> Part {
    spaces.choice(Domain::int(min.wide(), max.wide()))
}

fn char_below(end: char) -> char {
    ('\0'..end).next_back().unwrap_or('\0')
}

impl Generate for u128 {
    fn generate(source: &mut Source) -> Self {
        nat128(source, u128::MIN, u128::MAX)
    }

    fn space(spaces: &mut Spaces) -> Part {
        nat128_space(spaces, u128::MIN, u128::MAX)
    }
}

/// The highest bit of a `u128`.
const HIGH: u128 = 1 << 127;

/// A `u128` does not fit the integers of a choice: its highest bit is a choice of its own.
fn nat128(source: &mut Source, min: u128, max: u128) -> u128 {
    let high = if max < HIGH {
        false
    } else if min >= HIGH {
        true
    } else {
        source.bool()
    };
    if high {
        HIGH | source.int(min.saturating_sub(HIGH) as i128, (max - HIGH) as i128) as u128
    } else {
        source.int(min as i128, max.min(HIGH - 1) as i128) as u128
    }
}

fn nat128_space(spaces: &mut Spaces, min: u128, max: u128) -> Part {
    let low = |spaces: &mut Spaces| int(spaces, min as i128, max.min(HIGH - 1) as i128);
    let high = |spaces: &mut Spaces| int(spaces, min.saturating_sub(HIGH) as i128, (max - HIGH) as i128);
    if max < HIGH {
        low(spaces)
    } else if min >= HIGH {
        high(spaces)
    } else {
        let (low, high) = (low(spaces), high(spaces));
        spaces.coin(low, high)
    }
}

macro_rules! nonzero_signed {
    ($($t:ident)*) => {$(
        /// Every value but zero.
        ///
        /// ```
        /// use probity_core::{any, sample};
        /// use std::num::NonZero;
        /// let n: NonZero<i32> = sample(&any(), 7);
        /// assert!(n.get() != 0);
        /// ```
        impl Generate for NonZero<$t> {
            #[inline]
            fn generate(source: &mut Source) -> Self {
                // Without its greatest value the domain has as many members as there are values, and
                // moving its upper half by one leaves out zero and nothing else.
                let it = source.int($t::MIN, $t::MAX - 1);
                NonZero::new(if it < 0 { it } else { it + 1 }).expect("zero was moved to one")
            }
            fn space(spaces: &mut Spaces) -> Part {
                int(spaces, $t::MIN, $t::MAX - 1)
            }
        }
    )*};
}

macro_rules! nonzero_unsigned {
    ($($t:ident)*) => {$(
        /// Every value but zero.
        ///
        /// ```
        /// use probity_core::{any, sample};
        /// use std::num::NonZero;
        /// let n: NonZero<i32> = sample(&any(), 7);
        /// assert!(n.get() != 0);
        /// ```
        impl Generate for NonZero<$t> {
            #[inline]
            fn generate(source: &mut Source) -> Self {
                NonZero::new((1..=$t::MAX).generate(source)).expect("the range begins at one")
            }
            fn space(spaces: &mut Spaces) -> Part {
                (1..=$t::MAX).space(spaces)
            }
        }
    )*};
}

nonzero_signed! { i8 i16 i32 i64 i128 isize }
nonzero_unsigned! { u8 u16 u32 u64 u128 usize }
