//! A small, fast random generator: one multiplication a step, eight bytes of state.
//!
//! We keep our own because a seed must give the same cases whatever other crates do, and because the
//! fast path needs it inlined with nothing around it. The step is the published `wyrand` recurrence.

/// A stream of pseudo-random words. The same seed always gives the same stream.
///
/// ```
/// use probity_core::Rng;
/// let (mut a, mut b) = (Rng::new(7), Rng::new(7));
/// assert_eq!(a.word(), b.word());
/// assert!(a.below(10) < 10 && !a.chance(0));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rng {
    state: u64,
}

const STEP: u64 = 0xa076_1d64_78bd_642f;
const FOLD: u64 = 0xe703_7ed1_a0b4_28db;

impl Rng {
    /// Starts a stream. Neighboring seeds give unrelated streams.
    #[inline]
    pub fn new(seed: u64) -> Self {
        Rng { state: fold(seed ^ STEP, FOLD) }
    }

    /// Starts a stream at a state that is random already.
    #[inline]
    pub(crate) const fn from_state(state: u64) -> Self {
        Rng { state }
    }

    /// The next 64 random bits.
    #[inline]
    pub fn word(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STEP);
        fold(self.state, self.state ^ FOLD)
    }

    /// The next 128 random bits, as two words: the first is what [`word`](Rng::word) would give. One
    /// multiplication makes both, so together they are no more random than 64 bits.
    #[inline]
    pub(crate) fn two_words(&mut self) -> [u64; 2] {
        self.state = self.state.wrapping_add(STEP);
        let wide = u128::from(self.state) * u128::from(self.state ^ FOLD);
        let (high, low) = ((wide >> 64) as u64, wide as u64);
        [high ^ low, high ^ low.rotate_left(32)]
    }

    /// A number below `n` (zero when `n` is zero). The bias is at most `n / 2^64`.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.word()) * u128::from(n)) >> 64) as u64
    }

    /// True with probability `share / 256`.
    #[inline]
    pub fn chance(&mut self, share: u8) -> bool {
        (self.word() as u8) < share
    }
}

/// Words that follow from two numbers. Neighboring pairs give unrelated words.
#[inline]
pub(crate) fn hash(a: u64, b: u64) -> u64 {
    fold(a ^ STEP, b ^ FOLD ^ a.rotate_left(32))
}

#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let wide = u128::from(a) * u128::from(b);
    (wide >> 64) as u64 ^ wide as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_seeds_do_not_share_words() {
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..1000 {
            let mut rng = Rng::from_state(hash(1, seed));
            for _ in 0..20 {
                assert!(seen.insert(rng.word()));
            }
        }
    }

    #[test]
    fn bits_are_balanced() {
        let mut rng = Rng::new(3);
        let mut ones = [0u32; 64];
        for _ in 0..10_000 {
            let word = rng.word();
            for (bit, n) in ones.iter_mut().enumerate() {
                *n += (word >> bit & 1) as u32;
            }
        }
        assert!(ones.iter().all(|&n| (4_700..5_300).contains(&n)), "{ones:?}");
    }
}
