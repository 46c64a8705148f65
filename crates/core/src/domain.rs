//! The permitted answers of one choice, simplest first.

use std::sync::Arc;

use crate::{Value, chars, floats};

/// The set of values one choice may take. A closed set of kinds: new types are built above it.
///
/// Every domain has a simplest member and an order. [`rank`](Domain::rank) is a value's place in that
/// order; for integers it alternates between the two sides of the origin (0, 1, -1, 2, …), so a
/// search for a bound uses [`distance`](Domain::distance) and stays on one side instead.
///
/// ```
/// use probity_core::{Domain, Value};
/// let digit = Domain::int(-3, 9);
/// assert_eq!(digit.simplest(), Value::Int(0));
/// assert_eq!(digit.at(2), Some(Value::Int(-1)));
/// assert!(digit.contains(Value::Int(9)) && !digit.contains(Value::Int(10)));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Domain {
    /// `false`, then `true`.
    Bool,
    /// Every integer in `min..=max`, simplest at `origin`.
    Int {
        /// The least member.
        min: i128,
        /// The greatest member.
        max: i128,
        /// The simplest member.
        origin: i128,
    },
    /// Floats in `min..=max` by total order, and NaN where `nan` says so.
    Float {
        /// The least member.
        min: f64,
        /// The greatest member.
        max: f64,
        /// Whether NaN (of either sign) is a member.
        nan: bool,
        /// Whether only values that an `f32` can hold are members.
        single: bool,
    },
    /// Every character in `min..=max`, readable ones first.
    Char {
        /// The least member by code point.
        min: char,
        /// The greatest member by code point.
        max: char,
    },
    /// One of `n` alternatives, the first that is open the simplest. Weights steer random answers only.
    Pick {
        /// How many alternatives there are; at least one of them is open.
        n: u32,
        /// How often each is wanted, relative to the others; all alike when absent.
        weights: Option<Arc<[u32]>>,
        /// Which of the first 64 alternatives are shut, by bit: they are no members, and the others keep their numbers.
        shut: u64,
        /// Whether no alternative makes an input larger than another does; see
        /// [`Source::pick_free`](crate::Source::pick_free).
        free: bool,
    },
    /// How many items follow in the enclosing list span.
    Length {
        /// The least length.
        min: u32,
        /// The greatest length.
        max: u32,
        /// The greatest length of most random answers: what is left of the size budget, where that is less. It steers
        /// random answers only, as weights do.
        usual: u32,
    },
}

impl Domain {
    /// The integers of `min..=max`, simplest nearest to zero. Panics when `max < min`.
    ///
    /// ```
    /// use probity_core::{Domain, Value};
    /// assert_eq!(Domain::int(5, 9).simplest(), Value::Int(5));
    /// ```
    pub fn int(min: i128, max: i128) -> Domain {
        assert!(min <= max, "no integer in {min}..={max}; swap the bounds");
        Domain::Int { min, max, origin: 0.clamp(min, max) }
    }

    /// One of `n` alternatives, all of them open. Panics when `n` is zero.
    ///
    /// ```
    /// use probity_core::{Domain, Value};
    /// assert_eq!(Domain::pick(3).at(2), Some(Value::Pick(2)));
    /// ```
    pub fn pick(n: u32) -> Domain {
        assert!(n > 0, "no alternative; give at least one");
        Domain::Pick { n, weights: None, shut: 0, free: false }
    }

    /// One of as many alternatives as there are weights, all of them open. Panics when there are none.
    ///
    /// ```
    /// use probity_core::{Domain, Value};
    /// assert!(Domain::weighted([1, 9]).contains(Value::Pick(1)));
    /// ```
    pub fn weighted(weights: impl Into<Arc<[u32]>>) -> Domain {
        let weights = weights.into();
        assert!(!weights.is_empty(), "no alternative; give at least one");
        Domain::Pick { n: weights.len() as u32, weights: Some(weights), shut: 0, free: false }
    }

    /// A length of `min..=max`, however much is left of the size budget. Panics when `max < min`.
    ///
    /// ```
    /// use probity_core::{Domain, Value};
    /// assert_eq!(Domain::length(2, 9).simplest(), Value::Length(2));
    /// ```
    pub fn length(min: u32, max: u32) -> Domain {
        assert!(min <= max, "no length in {min}..={max}; swap the bounds");
        Domain::Length { min, max, usual: max }
    }

    /// Whether `value` is a permitted answer.
    ///
    /// ```
    /// use probity_core::{Domain, Value};
    /// assert!(Domain::Bool.contains(Value::Bool(true)));
    /// assert!(!Domain::length(0, 9).contains(Value::Int(3)), "another kind of value");
    /// ```
    pub fn contains(&self, value: Value) -> bool {
        match (self, value) {
            (Domain::Bool, Value::Bool(_)) => true,
            (Domain::Int { min, max, .. }, Value::Int(it)) => (min..=max).contains(&&it),
            (Domain::Float { nan, .. }, Value::Float(it)) if it.is_nan() => *nan,
            (&Domain::Float { min, max, single, .. }, Value::Float(it)) => {
                min.total_cmp(&it).is_le()
                    && it.total_cmp(&max).is_le()
                    && (!single || f64::from(it as f32) == it)
            }
            (Domain::Char { min, max }, Value::Char(it)) => (min..=max).contains(&&it),
            (Domain::Pick { n, shut, .. }, Value::Pick(it)) => it < *n && is_open(*shut, it),
            (Domain::Length { min, max, .. }, Value::Length(it)) => (min..=max).contains(&&it),
            _ => false,
        }
    }

    /// The member of rank zero.
    ///
    /// ```
    /// use probity_core::{Domain, Value};
    /// assert_eq!(Domain::Char { min: '0', max: 'z' }.simplest(), Value::Char('a'));
    /// ```
    pub fn simplest(&self) -> Value {
        match *self {
            Domain::Bool => Value::Bool(false),
            Domain::Int { origin, .. } => Value::Int(origin),
            Domain::Float { min, max, single, .. } => {
                let it = floats::simplest_between(min, max);
                Value::Float(if single { round_inward(it, max) } else { it })
            }
            Domain::Char { min, max } => {
                Value::Char(chars::at(0, min, max).expect("a range has a first member"))
            }
            Domain::Pick { shut, .. } => Value::Pick(shut.trailing_ones()),
            Domain::Length { min, .. } => Value::Length(min),
        }
    }

    /// The member nearest to `value`: itself where it is one, the simplest where the kinds differ or the alternative is
    /// shut.
    ///
    /// ```
    /// use probity_core::{Domain, Value};
    /// assert_eq!(Domain::int(0, 9).fit(Value::Int(12)), Value::Int(9));
    /// assert_eq!(Domain::int(0, 9).fit(Value::Bool(true)), Value::Int(0));
    /// ```
    pub fn fit(&self, value: Value) -> Value {
        if self.contains(value) {
            return value;
        }
        match (self, value) {
            (&Domain::Int { min, max, .. }, Value::Int(it)) => Value::Int(it.clamp(min, max)),
            (&Domain::Length { min, max, .. }, Value::Length(it)) => Value::Length(it.clamp(min, max)),
            (&Domain::Pick { n, .. }, Value::Pick(it)) if it >= n => {
                let last = self.last_rank().and_then(|it| self.at(it));
                last.unwrap_or_else(|| self.simplest())
            }
            (&Domain::Float { min, max, single, .. }, Value::Float(it)) if !it.is_nan() => {
                let near = if it.total_cmp(&min).is_lt() {
                    min
                } else if it.total_cmp(&max).is_gt() {
                    max
                } else {
                    it
                };
                let near = Value::Float(if single { round_inward(near, max) } else { near });
                if self.contains(near) { near } else { self.simplest() }
            }
            _ => self.simplest(),
        }
    }

    /// A value's place in the order; zero is simplest. Panics when `value` is not a member.
    ///
    /// ```
    /// use probity_core::{Domain, Value};
    /// let ranks = [0, 1, -1, 2, -2].map(|n| Domain::int(-9, 9).rank(Value::Int(n)));
    /// assert_eq!(ranks, [0, 1, 2, 3, 4]);
    /// ```
    pub fn rank(&self, value: Value) -> u128 {
        assert!(self.contains(value), "{value:?} is not a member of {self:?}");
        match (self, value) {
            (Domain::Bool, Value::Bool(it)) => u128::from(it),
            (&Domain::Int { min, max, origin }, Value::Int(it)) => {
                let both = origin.abs_diff(min).min(max.abs_diff(origin));
                let step = it.abs_diff(origin);
                match (step <= both, origin < it) {
                    (true, true) => step * 2 - 1,
                    (true, false) => step * 2,
                    (false, _) => step + both,
                }
            }
            (Domain::Float { .. }, Value::Float(it)) => floats::rank(it),
            (&Domain::Char { min, max }, Value::Char(it)) => u128::from(chars::rank(it, min, max)),
            (&Domain::Pick { shut, .. }, Value::Pick(it)) => u128::from(it - n_shut_below(shut, it)),
            (Domain::Length { min, .. }, Value::Length(it)) => u128::from(it - min),
            _ => unreachable!("kinds were checked above"),
        }
    }

    /// The member at `rank`. `None` past the end, and at places of a float domain that hold no member.
    ///
    /// ```
    /// use probity_core::{Domain, Value};
    /// assert_eq!(Domain::Bool.at(1), Some(Value::Bool(true)));
    /// assert_eq!(Domain::Bool.at(2), None);
    /// ```
    pub fn at(&self, rank: u128) -> Option<Value> {
        if self.last_rank().is_some_and(|last| last < rank) {
            return None;
        }
        let value = match *self {
            Domain::Bool => Value::Bool(rank == 1),
            Domain::Int { min, max, origin } => {
                let (below, above) = (origin.abs_diff(min), max.abs_diff(origin));
                let both = below.min(above);
                let (step, up) = if rank / 2 < both || Some(rank) == both.checked_mul(2) {
                    (rank.div_ceil(2), rank % 2 == 1)
                } else {
                    (rank - both, below < above)
                };
                Value::Int(if up {
                    origin.wrapping_add_unsigned(step)
                } else {
                    origin.wrapping_sub_unsigned(step)
                })
            }
            Domain::Float { .. } => Value::Float(floats::at(rank)?),
            Domain::Char { min, max } => Value::Char(chars::at(rank as u32, min, max)?),
            Domain::Pick { shut, .. } => Value::Pick(open_at(shut, rank as u32)),
            Domain::Length { min, .. } => Value::Length(min + rank as u32),
        };
        self.contains(value).then_some(value)
    }

    /// The greatest rank, one less than the number of members. `None` for floats, whose ranks have gaps.
    ///
    /// ```
    /// use probity_core::Domain;
    /// assert_eq!(Domain::int(-3, 9).last_rank(), Some(12));
    /// ```
    pub fn last_rank(&self) -> Option<u128> {
        Some(match *self {
            Domain::Bool => 1,
            Domain::Int { min, max, .. } => max.abs_diff(min),
            Domain::Float { .. } => return None,
            Domain::Char { min, max } => u128::from(chars::last_rank(min, max)),
            Domain::Pick { n, shut, .. } => u128::from(n - 1 - n_shut_below(shut, n)),
            Domain::Length { min, max, .. } => u128::from(max - min),
        })
    }

    /// How far `value` is from the simplest member, on its own side of it.
    ///
    /// ```
    /// use probity_core::{Domain, Value};
    /// let domain = Domain::int(-9, 9);
    /// assert_eq!(domain.distance(Value::Int(-4)), 4);
    /// assert_eq!(domain.rank(Value::Int(-4)), 8, "the other side is counted too");
    /// ```
    pub fn distance(&self, value: Value) -> u128 {
        match (self, value) {
            (Domain::Int { origin, .. }, Value::Int(it)) => it.abs_diff(*origin),
            _ => self.rank(value),
        }
    }

    /// The value at `distance` from the simplest, on the same side as `value`; at most as far as `value`.
    ///
    /// ```
    /// use probity_core::{Domain, Value};
    /// assert_eq!(Domain::int(-9, 9).nearer(Value::Int(-8), 4), Some(Value::Int(-4)));
    /// ```
    pub fn nearer(&self, value: Value, distance: u128) -> Option<Value> {
        match (self, value) {
            (Domain::Int { origin, .. }, Value::Int(it)) if it < *origin => {
                Some(Value::Int(origin.wrapping_sub_unsigned(distance)))
            }
            (Domain::Int { origin, .. }, Value::Int(_)) => {
                Some(Value::Int(origin.wrapping_add_unsigned(distance)))
            }
            _ => self.at(distance),
        }
    }
}

/// Whether an alternative is open where those of `shut` are not; see [`Domain::Pick`].
#[inline(always)]
pub(crate) fn is_open(shut: u64, at: u32) -> bool {
    shut == 0 || at >= u64::BITS || shut >> at & 1 == 0
}

/// How many of the alternatives before number `at` are shut.
#[inline(always)]
pub(crate) fn n_shut_below(shut: u64, at: u32) -> u32 {
    let below = if at >= u64::BITS { u64::MAX } else { (1 << at) - 1 };
    (shut & below).count_ones()
}

/// The number of the open alternative that has `rank` open ones before it.
#[inline]
pub(crate) fn open_at(shut: u64, rank: u32) -> u32 {
    let (mut at, mut shut) = (rank, shut);
    // Each that is shut moves all behind it by one.
    while shut != 0 && shut.trailing_zeros() <= at {
        at += 1;
        shut &= shut - 1;
    }
    at
}

/// `it` as an `f32` value, rounded down where rounding to nearest would leave the domain above.
fn round_inward(it: f64, max: f64) -> f64 {
    let near = it as f32;
    f64::from(if f64::from(near) > max { near.next_down() } else { near })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn domains() -> Vec<Domain> {
        let mut res = vec![Domain::Bool, Domain::pick(1), Domain::pick(5)];
        for (n, shut) in [
            (5, 0b1),
            (5, 0b01110),
            (5, 0b10000),
            (3, 0b101),
            (64, u64::MAX - (1 << 63)),
            (70, u64::MAX),
            (70, 5),
        ] {
            res.push(Domain::Pick { n, weights: None, shut, free: shut == 0 });
        }
        for (min, max) in
            [(-2, 5), (0, 9), (-9, 0), (3, 3), (4, 8), (-8, -4), (i128::MIN, i128::MAX), (0, i128::MAX)]
        {
            res.push(Domain::int(min, max));
        }
        res.push(Domain::Int { min: -2, max: 5, origin: 2 });
        res.push(Domain::length(2, 6));
        res.push(Domain::Char { min: 'X', max: 'c' });
        res.push(Domain::Char { min: '\0', max: char::MAX });
        res
    }

    #[test]
    fn rank_and_at_are_inverse() {
        for domain in domains() {
            let last = domain.last_rank().unwrap();
            for rank in (0..=last.min(300)).chain([last / 3, last - last / 7, last]) {
                let value = domain.at(rank).unwrap();
                assert!(domain.contains(value), "{domain:?} {rank} {value:?}");
                assert_eq!(domain.rank(value), rank, "{domain:?} {value:?}");
                assert_eq!(domain.fit(value), value);
                let distance = domain.distance(value);
                assert_eq!(domain.nearer(value, distance), Some(value));
            }
            assert_eq!(domain.at(0), Some(domain.simplest()));
            assert!(last == u128::MAX || domain.at(last + 1).is_none());
        }
    }

    #[test]
    fn a_shut_alternative_gives_way_to_the_simplest_that_is_open() {
        for n in 1..=6 {
            for shut in 0..(1 << n) - 1 {
                let domain = Domain::Pick { n, weights: None, shut, free: false };
                let open: Vec<u32> = (0..n).filter(|it| shut >> it & 1 == 0).collect();
                let members: Vec<Value> = (0..20).map_while(|rank| domain.at(rank)).collect();
                assert_eq!(members, open.iter().map(|it| Value::Pick(*it)).collect::<Vec<_>>());
                assert_eq!(domain.last_rank(), Some(open.len() as u128 - 1));
                for at in 0..n + 3 {
                    let wanted = match open.contains(&at) {
                        true => at,
                        false if at < n => open[0],
                        false => open[open.len() - 1],
                    };
                    assert_eq!(domain.fit(Value::Pick(at)), Value::Pick(wanted), "{domain:?} {at}");
                }
            }
        }
    }

    #[test]
    fn floats_fit_their_bounds() {
        for (min, max, single) in [(0.1, 0.3, true), (0.1, 0.3, false), (-1.0, 1.0, true), (3.3, 1e30, true)]
        {
            let domain = Domain::Float { min, max, nan: false, single };
            assert!(domain.contains(domain.simplest()), "{domain:?} {:?}", domain.simplest());
            for it in [-5.0, 0.2, 0.7, 1e300, f64::NAN, f64::INFINITY] {
                assert!(domain.contains(domain.fit(Value::Float(it))), "{domain:?} {it}");
            }
        }
    }
}
