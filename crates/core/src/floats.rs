//! A total order of floats in which simple values come first.
//!
//! Whole numbers by size, then fractions by how many binary places they need, then whole numbers too
//! large to count one by one, then infinities, then NaN. A negative value follows its positive twin.

/// Whole numbers below this are counted exactly.
const EXACT: f64 = 9_007_199_254_740_992.0; // 2^53

/// The place of `it` in the order: smaller is simpler. Injective but for NaN payloads.
pub(crate) fn rank(it: f64) -> u128 {
    let sign = u128::from(it.is_sign_negative());
    let size = it.abs();
    let (class, within) = if it.is_nan() {
        (4, 0)
    } else if size.is_infinite() {
        (3, 0)
    } else if size.fract() != 0.0 {
        let (odd, places) = odd_and_places(size);
        (1, u128::from(places) << 64 | u128::from(odd))
    } else if size < EXACT {
        (0, size as u128)
    } else {
        (2, u128::from(size.to_bits()))
    };
    class << 120 | within << 1 | sign
}

/// The float at a place, where there is one.
pub(crate) fn at(rank: u128) -> Option<f64> {
    let within = rank << 8 >> 9;
    let size = match rank >> 120 {
        0 if within < EXACT as u128 => within as f64,
        1 => (within as u64) as f64 * 0.5f64.powi((within >> 64) as i32),
        2 => f64::from_bits(within as u64),
        3 => f64::INFINITY,
        4 => f64::NAN,
        _ => return None,
    };
    let it = size.copysign(if rank & 1 == 1 { -1.0 } else { 1.0 });
    (self::rank(it) == rank).then_some(it)
}

/// `size` as an odd whole number over a power of two.
fn odd_and_places(size: f64) -> (u64, u32) {
    let bits = size.to_bits();
    let exponent = (bits >> 52) as i32;
    let fraction = bits & ((1 << 52) - 1);
    let (whole, scale) =
        if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    let zeros = whole.trailing_zeros();
    (whole >> zeros, (-(scale + zeros as i32)) as u32)
}

/// The simplest float in `min..=max`; both finite or infinite, `min <= max`.
pub(crate) fn simplest_between(min: f64, max: f64) -> f64 {
    if min <= 0.0 && 0.0 <= max {
        return if min.total_cmp(&0.0).is_le() && 0.0f64.total_cmp(&max).is_le() { 0.0 } else { -0.0 };
    }
    if max < 0.0 {
        return -simplest_between(-max, -min);
    }
    let mut scale = 1.0f64;
    // Each round doubles the scale; past 2^1074 every float is whole, so this ends.
    for _ in 0..=1074 {
        let it = (min * scale).ceil() / scale;
        if it.is_finite() && min <= it && it <= max {
            return it;
        }
        scale *= 2.0;
        if !(min * scale).is_finite() {
            break;
        }
    }
    min
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simple_comes_first() {
        let order = [0.0, -0.0, 1.0, -1.0, 2.0, 1e15, 0.5, -0.5, 1.5, 0.25, 0.75, 0.1, 5e-324, 1e16, 1e300];
        let order: Vec<f64> = order.into_iter().chain([f64::INFINITY, f64::NEG_INFINITY, f64::NAN]).collect();
        for pair in order.windows(2) {
            assert!(rank(pair[0]) < rank(pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn rank_and_at_are_inverse() {
        let mut rng = crate::Rng::new(1);
        for _ in 0..20_000 {
            let it = f64::from_bits(rng.word());
            let back = at(rank(it)).unwrap();
            assert!(back.to_bits() == it.to_bits() || it.is_nan() && back.is_nan(), "{it:?} {back:?}");
        }
        assert_eq!(at(1 << 120 | 2 << 1), None, "an even numerator is not in lowest terms");
    }

    #[test]
    fn simplest_of_an_interval_has_the_least_rank() {
        let ends =
            [-1e300, -7.5, -1.0, -0.3, -5e-324, 0.0, 5e-324, 0.1, 0.3, 0.9, 1.0, 1.1, 2.7, 1e17, f64::MAX];
        for (i, &min) in ends.iter().enumerate() {
            for &max in &ends[i..] {
                let best = simplest_between(min, max);
                assert!(min <= best && best <= max, "{best} in {min}..={max}");
                for &other in ends.iter().filter(|it| (min..=max).contains(it)) {
                    assert!(rank(best) <= rank(other), "{best} {other}");
                }
            }
        }
    }
}
