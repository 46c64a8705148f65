//! Random numbers for tests.

/// A stream of numbers that look random, the same for the same seed. Not one of the generators that are tested.
///
/// ```
/// use probity_testkit::Stream;
///
/// let (a, b) = (Stream::new(7), Stream::new(7));
/// assert!(a.take(100).eq(b.take(100)));
/// assert_ne!(Stream::new(7).word(), Stream::new(8).word());
/// ```
#[derive(Clone, Debug)]
pub struct Stream(u64);

impl Stream {
    /// Starts one. Neighboring seeds give unrelated streams.
    ///
    /// ```
    /// let mut stream = probity_testkit::Stream::new(0);
    /// assert_ne!(stream.word(), stream.word());
    /// ```
    pub fn new(seed: u64) -> Stream {
        Stream(seed)
    }

    /// 64 bits.
    ///
    /// ```
    /// let mut stream = probity_testkit::Stream::new(7);
    /// assert!((0..100).any(|_| stream.word() > u64::MAX / 2));
    /// ```
    pub fn word(&mut self) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let it = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let it = (it ^ (it >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        it ^ (it >> 31)
    }

    /// A number below `n`, which is not zero. The bias is at most `n / 2^64`.
    ///
    /// ```
    /// let mut stream = probity_testkit::Stream::new(7);
    /// assert!((0..100).all(|_| stream.below(3) < 3));
    /// ```
    #[track_caller]
    pub fn below(&mut self, n: u64) -> u64 {
        assert!(n > 0, "no number is below zero");
        ((u128::from(self.word()) * u128::from(n)) >> 64) as u64
    }

    /// One of several.
    ///
    /// ```
    /// let mut stream = probity_testkit::Stream::new(7);
    /// assert!("abc".contains(*stream.pick(&['a', 'b', 'c'])));
    /// ```
    #[track_caller]
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len() as u64) as usize]
    }
}

impl Iterator for Stream {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        Some(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_spread_evenly() {
        for seed in 0..20 {
            let mut stream = Stream::new(seed);
            let mut counts = [0; 10];
            (0..10_000).for_each(|_| counts[stream.below(10) as usize] += 1);
            assert!(counts.iter().all(|it| (850..=1150).contains(it)), "{counts:?}");
            let ones: u32 = stream.take(1000).map(u64::count_ones).sum();
            assert!((31_000..=33_000).contains(&ones), "{ones}");
        }
    }
}
