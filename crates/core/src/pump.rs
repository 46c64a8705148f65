//! Values that are better taken one by one than reasoned about: the paper DeepState calls it pumping.

use crate::context::pump_point;
use crate::int::Int;

/// Returns `x`, and asks the concolic engine to take at most `max` values for it, the smallest first.
///
/// A loop that runs `x` times, or a table that is read at `x`, has a path for each value of `x`, and the engine would
/// have to solve for each of them on its way. Behind `pump` it knows `x` for sure: it goes on with the smallest value
/// that the path so far allows, then with the next, and tries no others. So all paths with a pumped value are not all
/// paths, and the report does not say so.
///
/// Under every other engine nothing happens, for a value that was drawn is what it is. They prefer small values anyhow:
/// the random engine has cases of small values among the others, and the exhaustive engine visits the small ones first.
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
pub fn pump<T: Int>(x: T, max: u32) -> T {
    pump_in(x, max, SMALLEST)
}

/// As [`pump`], the greatest values first.
///
/// ```
/// assert_eq!(probity_core::pump_max(-7i8, 10), -7);
/// ```
#[inline]
pub fn pump_max<T: Int>(x: T, max: u32) -> T {
    pump_in(x, max, GREATEST)
}

/// As [`pump`], the smallest and the greatest values in turn.
///
/// ```
/// assert_eq!(probity_core::pump_min_max(u64::MAX, 10), u64::MAX);
/// ```
#[inline]
pub fn pump_min_max<T: Int>(x: T, max: u32) -> T {
    pump_in(x, max, ENDS)
}

/// The orders that [`pump_point`] knows.
const SMALLEST: u32 = 0;
const GREATEST: u32 = 1;
const ENDS: u32 = 2;

fn pump_in<T: Int>(x: T, max: u32, order: u32) -> T {
    if T::WIDE {
        return x; // it does not fit into a word, and nobody loops so often
    }
    // With the sign turned over, words without a sign are in the order of the values.
    let sign = if T::LEAST < T::from_bits(0) { 1 << 63 } else { 0 };
    T::from_bits(pump_point(x.bits() ^ sign, max.max(1), order) ^ sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_what_they_are() {
        for x in i8::MIN..=i8::MAX {
            assert_eq!((pump(x, 3), pump_max(x, 0), pump_min_max(x, 1)), (x, x, x));
            assert_eq!((pump(x as u64, 3), pump(i128::from(x), 3)), (x as u64, i128::from(x)));
        }
    }
}
