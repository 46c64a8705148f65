//! The one source of randomness of the crate: seeded, so that the same seed gives the same result.

use num_bigint::BigUint;
use probity_core::Rng;

/// A stream of pseudo-random numbers.
///
/// ```
/// use probity_regex::Random;
/// let (mut a, mut b) = (Random::new(7), Random::new(7));
/// assert_eq!(a.bits(), b.bits());
/// assert!(a.below(10) < 10);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Random(Rng);

impl Random {
    /// Starts a stream. Neighboring seeds give unrelated streams.
    pub fn new(seed: u64) -> Random {
        Random(Rng::new(seed))
    }

    /// The next 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.word()
    }

    /// A number below `n`; zero when `n` is zero. The bias is at most `n / 2^64`.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        self.0.below(n)
    }

    /// A position in a list of that length; zero when it is zero.
    #[inline]
    pub fn index(&mut self, len: usize) -> usize {
        self.below(len as u64) as usize
    }

    /// One of some; panics where there is none.
    ///
    /// ```
    /// use probity_regex::Random;
    /// assert!([1, 2, 3].contains(Random::new(7).pick(&[1, 2, 3])));
    /// ```
    #[inline]
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.index(of.len())]
    }

    /// True in about `share` of 256 times.
    #[inline]
    pub fn chance(&mut self, share: u8) -> bool {
        self.0.chance(share)
    }

    /// A number of `0..1`.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number below `n`, each as likely as the others; zero when `n` is zero.
    ///
    /// ```
    /// use num_bigint::BigUint;
    /// use probity_regex::Random;
    /// let n = BigUint::from(10u8).pow(50);
    /// assert!(Random::new(7).below_big(&n) < n);
    /// ```
    pub fn below_big(&mut self, n: &BigUint) -> BigUint {
        let bits = n.bits();
        if bits == 0 {
            return BigUint::default();
        }
        // At least one half of the numbers with as many bits are below `n`, so this ends soon.
        loop {
            let words = bits.div_ceil(32);
            let mut digits: Vec<u32> = (0..words).map(|_| (self.bits() >> 32) as u32).collect();
            if let (Some(last), true) = (digits.last_mut(), !bits.is_multiple_of(32)) {
                *last >>= 32 - bits % 32;
            }
            let it = BigUint::new(digits);
            if it < *n {
                return it;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_below_a_big_one_is_as_likely() {
        let mut random = Random::new(1);
        for n in [1u32, 2, 3, 5, 32, 33] {
            let mut seen = vec![0u32; n as usize];
            for _ in 0..n * 1_000 {
                let it = random.below_big(&n.into());
                seen[it.iter_u32_digits().next().unwrap_or(0) as usize] += 1;
            }
            assert!(seen.iter().all(|it| (800..1_200).contains(it)), "{n}: {seen:?}");
        }
        assert_eq!(random.below_big(&BigUint::default()), BigUint::default());
    }
}
