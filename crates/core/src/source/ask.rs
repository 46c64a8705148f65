//! Questions that functions answer, with nothing recorded: for an engine that runs the test's own code in an
//! interpreter, sees these calls, and keeps its own account of what was asked.

use super::recorder::Answers;
use super::{PREALLOCATED_MAX, Source};
use crate::int::Int;
use crate::{Domain, Value};

/// Who answers. Both functions have the calling convention of C, so that an interpreter knows where to find their
/// arguments.
///
/// ```
/// use probity_core::{Ask, Source, Verdict, run_case};
/// extern "C" fn greatest(_: u32, _: u64, max: u64) -> u64 { max }
/// extern "C" fn untouched(_: *const u8, _: *mut u8) {}
/// let mut source = Source::asking(Ask { word: greatest, member: untouched });
/// let mut seen = 0;
/// let case = run_case(&mut source, &mut |src: &mut Source| seen = src.draw(1..=6)).unwrap();
/// assert_eq!((seen, case.verdict, case.trace.choices.len()), (6, Verdict::Pass, 0));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Ask {
    /// The answer to a question of this kind (see the constants), from the least to the greatest member, in 64 bits.
    pub word: extern "C" fn(kind: u32, min: u64, max: u64) -> u64,
    /// The answer to any other question: reads a [`Domain`] and replaces a [`Value`], its simplest member.
    pub member: extern "C" fn(domain: *const u8, value: *mut u8),
}

impl Ask {
    /// A coin: 0 or 1.
    pub const BOOL: u32 = 0;
    /// An integer without a sign.
    pub const UNSIGNED: u32 = 1;
    /// An integer with a sign; all three words are sign-extended.
    pub const SIGNED: u32 = 2;
    /// A character, by its code point.
    pub const CHAR: u32 = 3;
    /// One of several alternatives, from 0 on.
    pub const PICK: u32 = 4;
    /// A length.
    pub const LENGTH: u32 = 5;

    /// The domain of a question for a word.
    ///
    /// ```
    /// use probity_core::{Ask, Domain};
    /// assert_eq!(Ask::domain(Ask::SIGNED, -5i64 as u64, 9), Domain::int(-5, 9));
    /// ```
    pub fn domain(kind: u32, min: u64, max: u64) -> Domain {
        match kind {
            Ask::BOOL => Domain::Bool,
            Ask::SIGNED => Domain::int((min as i64).into(), (max as i64).into()),
            Ask::CHAR => {
                let char = |it: u64| char::from_u32(it as u32).unwrap_or('\0');
                Domain::Char { min: char(min), max: char(max) }
            }
            Ask::PICK => Domain::Pick { n: max as u32 + 1, weights: None },
            Ask::LENGTH => Domain::length(min as u32, max as u32),
            _ => Domain::int(min.into(), max.into()),
        }
    }

    #[inline]
    pub(super) fn int<T: Int>(&self, min: T, max: T) -> T {
        let kind = if T::LEAST < T::from_bits(0) { Ask::SIGNED } else { Ask::UNSIGNED };
        T::from_bits((self.word)(kind, min.bits(), max.bits()))
    }

    #[inline]
    pub(super) fn pick(&self, n: u32) -> u32 {
        (self.word)(Ask::PICK, 0, u64::from(n) - 1) as u32
    }

    pub(super) fn member(&self, domain: &Domain) -> Value {
        let mut value = domain.simplest();
        (self.member)(std::ptr::from_ref(domain).cast(), std::ptr::from_mut(&mut value).cast());
        value
    }
}

impl Source {
    /// A source whose questions `ask` answers. Nothing is recorded; what a filter refuses is rejected.
    pub fn asking(ask: Ask) -> Self {
        let mut source = Source { fast: false, ask: Some(ask), ..Source::with(Answers::Ask(ask), 0, 0) };
        source.recorder.get().silent = true;
        source
    }

    /// As many integers, one question each.
    pub(super) fn asked_ints<T: Int>(&mut self, ask: Ask, n: u32, min: T, max: T) -> Vec<T> {
        let mut res = Vec::with_capacity(n.min(PREALLOCATED_MAX) as usize);
        for _ in 0..n {
            res.push(ask.int(min, max));
        }
        res
    }
}

#[cfg(test)]
mod tests {
    use crate::*;

    extern "C" fn least(_: u32, min: u64, _: u64) -> u64 {
        min
    }

    extern "C" fn untouched(_: *const u8, _: *mut u8) {}

    /// The least answers are the simplest for questions from zero on, so asking agrees with replaying nothing.
    #[test]
    fn asking_draws_what_replaying_the_simplest_answers_draws() {
        fn draws(src: &mut Source) -> String {
            let ints: (u8, u64, bool, char) = (src.int(0, 9), src.int(3, 9), src.bool(), src.char('a', 'z'));
            let floats = (src.f64(0.0, 1.0, false), src.f32(0.5, 1.0, false), src.int(0i128, 9));
            let lists: (Vec<u8>, Option<String>) = (src.draw(vec(0..9, 2..=4)), src.any());
            let picks = (src.pick(3), src.pick_weighted(&[1, 0]), src.draw(btree_set(0..9u8, 0..=1)));
            let lazy: Lazy<u8> = src.draw(lazy(0..=9u8));
            format!("{ints:?} {floats:?} {lists:?} {picks:?} {:?}", *lazy)
        }
        let mut texts = Vec::new();
        let asking = Source::asking(Ask { word: least, member: untouched });
        let replaying = Source::new(Box::new(Replay::new(Vec::new(), Tail::Simplest)));
        for mut source in [asking, replaying] {
            let mut test = |src: &mut Source| texts.push(draws(src));
            assert_eq!(run_case(&mut source, &mut test).unwrap().verdict, Verdict::Pass);
        }
        assert_eq!(texts[0], texts[1]);
    }

    #[test]
    fn what_a_filter_refuses_is_rejected() {
        let mut source = Source::asking(Ask { word: least, member: untouched });
        let mut test = |src: &mut Source| {
            src.draw(from(0..9).filter(|it| *it > 0));
        };
        assert!(matches!(run_case(&mut source, &mut test).unwrap().verdict, Verdict::Reject(_)));
    }
}
