//! Index arithmetic for sampling distinct members of counted spaces without remembering which were drawn.

use num_bigint::BigUint;

/// A seeded bijection on `0..size`: its first `n` images are `n` distinct members in a random-looking order.
///
/// A Feistel network over as many bits as are needed, walked until it lands inside, which takes less than two steps
/// on average.
#[derive(Clone, Debug)]
pub(crate) struct Permutation {
    size: u128,
    bits: u32,
    keys: [u64; ROUNDS],
    /// Pairs of images that change places, so that the ends of the range come up early.
    swaps: Vec<(u128, u128)>,
}

/// Rounds of the network; four make it look random.
const ROUNDS: usize = 4;

impl Permutation {
    pub(crate) fn new(size: u128, seed: u64) -> Permutation {
        let bits = 128 - size.saturating_sub(1).leading_zeros();
        let keys = std::array::from_fn(|at| mix(seed ^ (at as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)));
        Permutation { size, bits, keys, swaps: Vec::new() }
    }

    /// The same, with the first and the last member among its first `n` images.
    pub(crate) fn with_ends(size: u128, n: u64, seed: u64) -> Permutation {
        let mut res = Permutation::new(size, seed);
        if n >= 2 && size > u128::from(n) {
            let first = mix(seed ^ 1) % n;
            let last = (first + 1 + mix(seed ^ 2) % (n - 1)) % n;
            for (place, end) in [(first, 0), (last, size - 1)] {
                let there = res.at(place.into());
                res.swaps.push((there, end));
            }
        }
        res
    }

    /// The image of a member of `0..size`.
    pub(crate) fn at(&self, index: u128) -> u128 {
        if self.size <= 1 {
            return 0;
        }
        let mut at = index;
        loop {
            at = self.step(at);
            if at < self.size {
                break;
            }
        }
        for &(one, two) in &self.swaps {
            at = if at == one {
                two
            } else if at == two {
                one
            } else {
                at
            };
        }
        at
    }

    /// A bijection on numbers of `bits` bits. An even number of rounds brings the halves back to their sides.
    fn step(&self, at: u128) -> u128 {
        let low = self.bits.div_ceil(2);
        let mask = |bits: u32| if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
        let (mut left_mask, mut right_mask) = (mask(self.bits - low), mask(low));
        let (mut left, mut right) = ((at >> low) as u64, at as u64 & right_mask);
        for key in self.keys {
            (left, right) = (right, left ^ (mix(right ^ key) & left_mask));
            (left_mask, right_mask) = (right_mask, left_mask);
        }
        (u128::from(left) << low) | u128::from(right)
    }
}

/// The ends are included among this many or more: of a few texts of each length, `aaaa` and `zzzz` would be most.
const ENDS_FROM: u64 = 16;

/// Distinct members of `0..size` for a size of any number of digits.
#[derive(Clone, Debug)]
pub(crate) enum Distinct {
    /// Small enough for a shuffle.
    Shuffle(Permutation),
    /// Steps of a fixed size around the circle: distinct as long as it does not come round.
    Steps {
        /// How many members there are.
        size: BigUint,
        /// Where the first lies.
        start: BigUint,
        /// How far the next one is.
        step: BigUint,
    },
}

impl Distinct {
    /// The first `n` members are distinct (`n` is at most the size).
    pub(crate) fn new(size: &BigUint, n: u64, seed: u64) -> Distinct {
        if let Some(size) = to_u128(size) {
            let shuffle = if n < ENDS_FROM {
                Permutation::new(size, seed)
            } else {
                Permutation::with_ends(size, n, seed)
            };
            return Distinct::Shuffle(shuffle);
        }
        let digits = size.to_u64_digits().len();
        let random = |salt: u64| {
            let digit = |at: u64| mix(mix(seed ^ salt).wrapping_add(at));
            (0..digits as u64).fold(BigUint::ZERO, |res, at| (res << 64_u32) + digit(at)) % size
        };
        // Times any factor of a step near the golden section of the size, the size is passed only after more steps
        // than a u64 holds, and an odd step next to it has at worst the small divisors of the size in common.
        let step = (size * 618_034_u32) / 1_000_000_u32 + (random(2) % (size / 1000_u32 + 1_u32));
        let mut step = step | BigUint::from(1_u32);
        while gcd(step.clone(), size.clone()) != BigUint::from(1_u32) {
            step += 2_u32;
            if step >= *size {
                step = BigUint::from(1_u32);
            }
        }
        Distinct::Steps { size: size.clone(), start: random(3), step }
    }

    /// The member drawn at a place.
    pub(crate) fn at(&self, index: u64) -> BigUint {
        match self {
            Distinct::Shuffle(it) => BigUint::from(it.at(index.into())),
            Distinct::Steps { size, start, step } => (start + step * index) % size,
        }
    }
}

fn gcd(mut a: BigUint, mut b: BigUint) -> BigUint {
    while b != BigUint::ZERO {
        (a, b) = (b.clone(), a % b);
    }
    a
}

/// The number, if it has at most 128 bits.
pub(crate) fn to_u128(number: &BigUint) -> Option<u128> {
    let digits = number.to_u64_digits();
    match digits[..] {
        [] => Some(0),
        [low] => Some(low.into()),
        [low, high] => Some((u128::from(high) << 64) | u128::from(low)),
        _ => None,
    }
}

/// The number, or the greatest u64 if it is greater.
pub(crate) fn clamped(number: &BigUint) -> u64 {
    to_u128(number).map_or(u64::MAX, |it| u64::try_from(it).unwrap_or(u64::MAX))
}

/// Spreads 64 bits: the finisher of splitmix64.
pub(crate) fn mix(bits: u64) -> u64 {
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// Shares `n` out evenly among parts that take at most a given number each.
pub(crate) fn shares(rooms: &[u64], n: u64) -> Vec<u64> {
    let mut res = vec![0; rooms.len()];
    let mut order: Vec<usize> = (0..rooms.len()).collect();
    order.sort_by_key(|&at| rooms[at]);
    let mut left = n;
    for (done, &at) in order.iter().enumerate() {
        let parts = (order.len() - done) as u64;
        // The widest come last and take what is left over.
        res[at] =
            rooms[at].min(left / parts + u64::from(!left.is_multiple_of(parts) && rooms[at] > left / parts));
        left -= res[at];
    }
    res
}

/// Parts laid end to end in a shuffled order: which part an item falls in, and which of that part's it is.
#[derive(Clone, Debug)]
pub(crate) struct Concatenation {
    ends: Vec<u64>,
    order: Permutation,
}

impl Concatenation {
    pub(crate) fn new(sizes: impl IntoIterator<Item = u64>, seed: u64) -> Concatenation {
        let mut end = 0;
        let ends: Vec<u64> = sizes.into_iter().map(|it| (end += it, end).1).collect();
        Concatenation { order: Permutation::new(end.into(), seed), ends }
    }

    pub(crate) fn len(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    pub(crate) fn at(&self, index: u64) -> (usize, u64) {
        let at = self.order.at(index.into()) as u64;
        let part = self.ends.partition_point(|&end| end <= at);
        let start = if part == 0 { 0 } else { self.ends[part - 1] };
        (part, at - start)
    }
}

/// Distinct cells of a grid, such that every coordinate is used about equally often.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    /// The axes from the longest to the shortest, each with its size, how many cells the later axes span, and how
    /// its coordinates are tied to theirs.
    axes: Vec<(usize, u64, u64, Permutation)>,
}

impl Grid {
    pub(crate) fn new(sizes: &[u64], seed: u64) -> Grid {
        let mut order: Vec<usize> = (0..sizes.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(sizes[at]));
        let mut span = 1_u64;
        let mut axes: Vec<(usize, u64, u64, Permutation)> = Vec::new();
        for &at in order.iter().rev() {
            axes.push((at, sizes[at], span, Permutation::new(span.into(), mix(seed ^ at as u64))));
            span = span.saturating_mul(sizes[at]);
        }
        axes.reverse();
        Grid { axes }
    }

    /// How many cells there are, at most the greatest u64.
    pub(crate) fn len(&self) -> u64 {
        self.axes.first().map_or(1, |it| it.1.saturating_mul(it.2))
    }

    /// The coordinates of a cell, given in the order of the sizes.
    pub(crate) fn at(&self, index: u64, coordinates: &mut [u64]) {
        let mut index = index;
        for (axis, size, span, tie) in &self.axes {
            let here = index % size;
            coordinates[*axis] = here;
            index = if *span == 1 {
                0
            } else {
                // Any shift that depends on this coordinate alone keeps cells apart.
                let shift = tie.at((here % span).into()) as u64;
                ((u128::from(index / size) + u128::from(shift)) % u128::from(*span)) as u64
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffle_is_a_bijection_and_shows_the_ends() {
        for size in [1, 2, 3, 5, 64, 65, 1000] {
            for seed in 0..4 {
                let shuffle = Permutation::with_ends(size, 2, seed);
                let mut images: Vec<u128> = (0..size).map(|it| shuffle.at(it)).collect();
                if size > 2 {
                    assert!(images[..2].contains(&0) && images[..2].contains(&(size - 1)), "{size} {seed}");
                }
                images.sort_unstable();
                assert!(images.iter().copied().eq(0..size), "{size} {seed}");
            }
        }
        let wide = Permutation::new(u128::MAX, 7);
        assert!((0..1000).all(|it| wide.at(it) < u128::MAX));
    }

    #[test]
    fn large_sizes_are_stepped_through_without_repeating() {
        let size = BigUint::from(10_u32).pow(60);
        let distinct = Distinct::new(&size, 1000, 3);
        let mut seen: Vec<BigUint> = (0..1000).map(|it| distinct.at(it)).collect();
        seen.sort();
        seen.dedup();
        assert!(seen.len() == 1000 && seen.iter().all(|it| *it < size));
    }

    #[test]
    fn shares_are_even_within_the_rooms() {
        assert_eq!(shares(&[1, 10, 10], 11), [1, 5, 5]);
        assert_eq!(shares(&[5, 1, 0], 100), [5, 1, 0]);
        assert_eq!(shares(&[9, 9], 7).iter().sum::<u64>(), 7);
        for (a, b, c) in [(0, 0, 0), (3, 1, 7), (2, 2, 2), (100, 1, 1)] {
            for n in 0..12 {
                let rooms = [a, b, c];
                let res = shares(&rooms, n);
                assert_eq!(res.iter().sum::<u64>(), n.min(a + b + c));
                assert!(res.iter().zip(rooms).all(|(it, room)| *it <= room));
            }
        }
    }

    #[test]
    fn a_grid_visits_every_cell_once_and_uses_coordinates_evenly() {
        for sizes in [vec![2, 2, 2], vec![13, 4], vec![3, 7, 2], vec![1], vec![5, 5]] {
            let grid = Grid::new(&sizes, 9);
            let cell = |index| {
                let mut res = vec![0; sizes.len()];
                grid.at(index, &mut res);
                res
            };
            let mut cells: Vec<Vec<u64>> = (0..grid.len()).map(cell).collect();
            cells.sort();
            cells.dedup();
            assert_eq!(cells.len() as u64, sizes.iter().product::<u64>());
            let some = grid.len().min(sizes.iter().max().unwrap() * 2);
            for (axis, size) in sizes.iter().enumerate() {
                let uses = |at| (0..some).filter(|it| cell(*it)[axis] == at).count() as u64;
                assert!((0..*size).all(|at| uses(at) <= 2 * some.div_ceil(*size)), "{sizes:?} axis {axis}");
            }
        }
    }
}
