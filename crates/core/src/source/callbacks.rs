//! Questions that functions answer, with nothing recorded: for an engine that runs the test's own code in an
//! interpreter, sees these calls, and keeps its own account of what was asked.

use super::Source;
use super::answerer::{Answerer, SharedAnswerer};
use crate::int::Int;
use crate::{Domain, Narrow, Value};

/// The functions that answer. Both have the calling convention of C, so that an interpreter knows where to find their
/// arguments.
///
/// ```
/// use probity_core::{Callbacks, Domain, ScalarKind, Source, Value, Verdict, run_case};
/// extern "C" fn greatest(_: ScalarKind, _: u64, max: u64) -> u64 { max }
/// extern "C" fn untouched(_: &Domain, _: &mut Value) {}
/// let mut source = Source::with_callbacks(Callbacks { scalar: greatest, other: untouched });
/// let mut seen = 0;
/// let case = run_case(&mut source, &mut |src: &mut Source| seen = src.draw(1..=6)).unwrap();
/// assert_eq!((seen, case.verdict, case.trace.choices.len()), (6, Verdict::Pass, 0));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Callbacks {
    /// The answer to a question of this kind, from the least to the greatest member, in 64 bits; for
    /// [`Open`](ScalarKind::Open), the two say something else.
    pub scalar: extern "C" fn(kind: ScalarKind, min: u64, max: u64) -> u64,
    /// The answer to any other question: replaces a value, which is the simplest member of the domain.
    pub other: extern "C" fn(domain: &Domain, value: &mut Value),
}

/// The kinds of questions whose answers fit into 64 bits.
///
/// ```
/// use probity_core::ScalarKind;
/// assert_eq!(ScalarKind::from_code(ScalarKind::Pick as u32), Some(ScalarKind::Pick));
/// assert_eq!(ScalarKind::from_code(99), None);
/// ```
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarKind {
    /// A coin: 0 or 1.
    Bool,
    /// An integer without a sign.
    Unsigned,
    /// An integer with a sign; the bounds and the answer are sign-extended.
    Signed,
    /// A character, by its code point.
    Char,
    /// One of several alternatives, from 0 on.
    Pick,
    /// A length.
    Length,
    /// One of several alternatives of which some are shut: those that `min` says, by bit. `max` is the last.
    Open,
}

impl ScalarKind {
    const ALL: [ScalarKind; 7] = [
        ScalarKind::Bool,
        ScalarKind::Unsigned,
        ScalarKind::Signed,
        ScalarKind::Char,
        ScalarKind::Pick,
        ScalarKind::Length,
        ScalarKind::Open,
    ];

    /// The kind with this code, as an interpreter finds it in a register.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|it| *it as u32 == code)
    }

    /// The domain of a question of this kind.
    ///
    /// ```
    /// use probity_core::{Domain, ScalarKind};
    /// assert_eq!(ScalarKind::Signed.domain(-5i64 as u64, 9), Domain::int(-5, 9));
    /// ```
    pub fn domain(self, min: u64, max: u64) -> Domain {
        match self {
            ScalarKind::Bool => Domain::Bool,
            ScalarKind::Unsigned => Domain::int(min.into(), max.into()),
            ScalarKind::Signed => Domain::int((min as i64).into(), (max as i64).into()),
            ScalarKind::Char => {
                let char = |it: u64| char::from_u32(it as u32).unwrap_or('\0');
                Domain::Char { min: char(min), max: char(max) }
            }
            ScalarKind::Pick => Domain::pick(max as u32 + 1),
            ScalarKind::Length => Domain::length(min as u32, max as u32),
            ScalarKind::Open => Domain::Pick { n: max as u32 + 1, weights: None, shut: min, free: false },
        }
    }

    /// The kind of the integers of a type.
    #[inline]
    pub(super) fn of_int<T: Int>() -> Self {
        if T::LEAST < T::from_bits(0) { ScalarKind::Signed } else { ScalarKind::Unsigned }
    }
}

impl Callbacks {
    #[inline]
    pub(super) fn int<T: Int>(&self, min: T, max: T) -> T {
        T::from_bits((self.scalar)(ScalarKind::of_int::<T>(), min.bits(), max.bits()))
    }

    pub(super) fn char(&self, min: char, max: char) -> char {
        let code = (self.scalar)(ScalarKind::Char, u32::from(min).into(), u32::from(max).into());
        char::from_u32(code as u32).unwrap_or(min)
    }

    #[inline]
    pub(super) fn pick(&self, n: u32) -> u32 {
        (self.scalar)(ScalarKind::Pick, 0, u64::from(n) - 1) as u32
    }

    /// One of `n` alternatives that is open.
    #[inline]
    pub(super) fn open(&self, n: u32, shut: u64) -> u32 {
        match shut {
            0 => self.pick(n),
            _ => (self.scalar)(ScalarKind::Open, shut, u64::from(n) - 1) as u32,
        }
    }

    pub(super) fn member(&self, domain: &Domain) -> Value {
        let mut value = domain.simplest();
        (self.other)(domain, &mut value);
        value
    }
}

/// Does nothing. It is called when a generator can make more than it asks for, for an interpreter of the test's code: all
/// paths of the test are then not all that there are. See [`Ordered::narrow`](crate::Ordered::narrow).
///
/// ```
/// probity_core::narrowed(probity_core::Narrow::Size);
/// ```
#[inline(never)]
pub extern "C" fn narrowed(by: Narrow) {
    std::hint::black_box(by);
}

impl Source {
    /// A source whose questions `callbacks` answer. Nothing is recorded; what a filter refuses is rejected. See [`Callbacks`].
    pub fn with_callbacks(callbacks: Callbacks) -> Self {
        Source::with(Answerer::Callbacks(callbacks), SharedAnswerer::Callbacks(callbacks))
    }
}

#[cfg(test)]
mod tests {
    use crate::*;

    extern "C" fn least(kind: ScalarKind, min: u64, max: u64) -> u64 {
        if kind == ScalarKind::Open { kind.domain(min, max).simplest().scalar().unwrap() } else { min }
    }

    extern "C" fn untouched(_: &Domain, _: &mut Value) {}

    const CALLBACKS: Callbacks = Callbacks { scalar: least, other: untouched };

    /// The least answers are the simplest for questions from zero on, so asking agrees with replaying nothing.
    #[test]
    fn asking_draws_what_replaying_the_simplest_answers_draws() {
        fn draws(src: &mut Source) -> String {
            let ints: (u8, u64, bool, char) = (src.int(0, 9), src.int(3, 9), src.bool(), src.char('a', 'z'));
            let floats = (src.f64(0.0, 1.0, false), src.f32(0.5, 1.0, false), src.int(0i128, 9));
            let lists: (Vec<u8>, Option<String>) = (src.draw(vec(0..9, 2..=4)), src.any());
            let picks = (
                src.pick(3),
                src.pick_weighted(&[1, 0]),
                src.pick_open(&[1, 1, 2], 0b11),
                src.draw(btree_set(0..9u8, 0..=1)),
            );
            let lazy: Lazy<u8> = src.draw(lazy(0..=9u8));
            format!("{ints:?} {floats:?} {lists:?} {picks:?} {:?}", *lazy)
        }
        let mut texts = Vec::new();
        let asking = Source::with_callbacks(CALLBACKS);
        let replaying = Source::new(Box::new(Replay::new(Vec::new(), Tail::Simplest)));
        for mut source in [asking, replaying] {
            let mut test = |src: &mut Source| texts.push(draws(src));
            assert_eq!(run_case(&mut source, &mut test).unwrap().verdict, Verdict::Pass);
        }
        assert_eq!(texts[0], texts[1]);
    }

    #[test]
    fn what_a_filter_refuses_is_rejected() {
        let mut source = Source::with_callbacks(CALLBACKS);
        let mut test = |src: &mut Source| {
            src.draw(from(0..9).filter(|it| *it > 0));
        };
        assert!(matches!(run_case(&mut source, &mut test).unwrap().verdict, Verdict::Reject(_)));
    }
}
