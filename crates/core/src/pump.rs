//! Values that are better taken one by one than reasoned about: the paper DeepState calls it pumping.

use crate::context::{prefer, pump_point};
use crate::int::Int;

/// Returns `x`, and asks the concolic engine to take at most `max` values for it, the smallest first.
///
/// A loop that runs `x` times, or a table that is read at `x`, has a path for each value of `x`, and the engine would
/// have to solve for each of them on its way. Behind `pump` it knows `x` for sure: it goes on with the smallest value
/// that the path so far allows, then with the next, and tries no others. So all paths with a pumped value are not all
/// paths, and the report does not say so.
///
/// Other engines prefer small values: of four random cases whose `x` is greater than in most cases before, three are passed
/// over, and do not count. The exhaustive engine visits small inputs first anyhow. What is replayed is what it was.
///
/// ```
/// use probity_core::{Random, Source, pump, run_case};
/// fn is_prime(n: u64) -> bool {
///     n > 1 && (2..n).all(|it| n % it != 0)
/// }
/// let mut source = Source::new(Box::new(Random::new(7)));
/// run_case(&mut source, &mut |src: &mut Source| {
///     let x = src.draw(0..40u64);
///     assert!(is_prime(pump(x * x + x + 41, 10))); // Euler's polynomial, up to x = 39
/// }).unwrap();
/// ```
#[inline]
#[track_caller]
pub fn pump<T: Int>(x: T, max: u32) -> T {
    pump_in(x, max, PumpOrder::Smallest)
}

/// As [`pump`], the greatest values first.
///
/// ```
/// assert_eq!(probity_core::pump_max(-7i8, 10), -7);
/// ```
#[inline]
#[track_caller]
pub fn pump_max<T: Int>(x: T, max: u32) -> T {
    pump_in(x, max, PumpOrder::Greatest)
}

/// As [`pump`], the smallest and the greatest values in turn.
///
/// ```
/// assert_eq!(probity_core::pump_min_max(u64::MAX, 10), u64::MAX);
/// ```
#[inline]
#[track_caller]
pub fn pump_min_max<T: Int>(x: T, max: u32) -> T {
    pump_in(x, max, PumpOrder::Ends)
}

/// Which values of a pumped number an interpreter goes on with first.
///
/// ```
/// use probity_core::PumpOrder;
/// assert_eq!(PumpOrder::from_code(PumpOrder::Ends as u32), Some(PumpOrder::Ends));
/// assert_eq!(PumpOrder::from_code(99), None);
/// ```
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PumpOrder {
    /// The smallest.
    Smallest,
    /// The greatest.
    Greatest,
    /// The smallest and the greatest, in turn.
    Ends,
}

impl PumpOrder {
    const ALL: [PumpOrder; 3] = [PumpOrder::Smallest, PumpOrder::Greatest, PumpOrder::Ends];

    /// The order with this code, as an interpreter finds it in a register.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|it| *it as u32 == code)
    }
}

#[track_caller]
fn pump_in<T: Int>(x: T, max: u32, order: PumpOrder) -> T {
    prefer(|| match order {
        PumpOrder::Smallest => above_least(x),
        PumpOrder::Greatest => above_least(T::GREATEST) - above_least(x),
        PumpOrder::Ends => above_least(x).min(above_least(T::GREATEST) - above_least(x)),
    });
    if T::WIDE {
        return x; // it does not fit into a word, and nobody loops so often
    }
    // With the sign turned over, words without a sign are in the order of the values.
    let sign = if T::LEAST < T::from_bits(0) { 1 << 63 } else { 0 };
    T::from_bits(pump_point(x.bits() ^ sign, max.max(1), order) ^ sign)
}

/// How far it is from the least of its type.
fn above_least<T: Int>(x: T) -> u128 {
    (x.wide() as u128).wrapping_sub(T::LEAST.wide() as u128)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bounds, Budget, Source, Tally, search_adaptive, search_exhaustive, search_random};

    fn budget(cases: u64, go_on: &mut dyn FnMut(u64) -> bool) -> Budget<'_> {
        Budget { cases, rejects: 10, go_on, progress: Default::default() }
    }

    /// The mean of what the random engine draws behind a pump.
    fn mean(pump: fn(u64) -> u64, recorded: bool) -> f64 {
        let mut sum = 0.0;
        let mut test = |src: &mut Source| {
            let x = pump(src.draw(0..=1000));
            if recorded {
                crate::context::label(format_args!("any"));
            }
            sum += x as f64;
        };
        let tally = search_random(7, &mut test, budget(2000, &mut |_| true)).unwrap().tally;
        assert_eq!((tally.cases, tally.rejected()), (2000, 0));
        sum / 2000.0
    }

    #[test]
    fn random_cases_prefer_what_comes_first() {
        for recorded in [false, true] {
            let plain = mean(|x| x, recorded);
            assert!((300.0..600.0).contains(&plain), "{plain}");
            let (small, great) = (mean(|x| pump(x, 9), recorded), mean(|x| pump_max(x, 9), recorded));
            assert!(small < plain * 0.8 && great > plain * 1.2, "{small} {great}");
            let ends = mean(|x| pump_min_max(x as i64 - 500, 9).unsigned_abs(), recorded);
            let plain = mean(|x| (x as i64 - 500).unsigned_abs(), recorded);
            assert!(ends > plain, "{ends} {plain}");
        }
    }

    #[test]
    fn other_engines_pass_nothing_over() {
        let mut seen = Vec::new();
        let mut test = |src: &mut Source| seen.push(pump(src.draw(0..50u8), 3));
        let bounds = Bounds { size: None, inputs: None };
        let found = search_exhaustive(bounds, &mut test, budget(1000, &mut |_| true)).unwrap();
        assert_eq!(found.tally.cases, 50);
        seen.sort_unstable();
        assert_eq!(seen, (0..50).collect::<Vec<u8>>());
        // A failure that is found is run again as it was; a search by score counts what it ran.
        let mut test = |src: &mut Source| assert!(pump(src.any::<u64>(), 3) < 1 << 60);
        let found = search_random(7, &mut test, budget(1000, &mut |_| true)).unwrap().failures.remove(0);
        assert_eq!(found.case.verdict.failure(), Some(&found.failure));
        let mut test = |src: &mut Source| {
            crate::context::maximize("x", pump(src.draw(0..1_000_000u32), 3).into());
        };
        let annealing = crate::Annealing::default();
        let found =
            search_adaptive(Tally::default(), 7, annealing, &mut test, budget(100, &mut |_| true)).unwrap();
        let climb = found.evidence.climb.clone();
        assert_eq!((found.tally.cases, found.tally.rejected()), (10_000, 0));
        assert_eq!(climb.unwrap().best[0].scores, [999_999.0]);
    }

    #[test]
    fn values_stay_what_they_are() {
        for x in i8::MIN..=i8::MAX {
            assert_eq!((pump(x, 3), pump_max(x, 0), pump_min_max(x, 1)), (x, x, x));
            assert_eq!((pump(x as u64, 3), pump(i128::from(x), 3)), (x as u64, i128::from(x)));
        }
    }
}
