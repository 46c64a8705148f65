//! Sets of whole numbers: intervals with holes, all members congruent to one number.

use std::sync::Arc;

/// A set of whole numbers: sorted disjoint intervals, of which those members count that leave `residue` when divided
/// by `modulus`. Exact, cheap to clone, and small for the sets that propagation makes.
///
/// ```
/// use probity_spec::IntSet;
/// let mut even = IntSet::range(0, 100).congruent(0, 2);
/// even.remove(4);
/// assert_eq!((even.min(), even.max(), even.count()), (Some(0), Some(100), 50));
/// assert_eq!(even.nth(2), Some(6));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntSet {
    /// Every interval begins and ends with a member.
    parts: Intervals,
    modulus: i128,
    residue: i128,
}

type Interval = (i128, i128);

/// One interval needs no allocation.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Intervals {
    One([Interval; 1]),
    Many(Arc<Vec<Interval>>),
}

/// More members than this are not spelled out to unite sets with different congruences.
const SPELLED_OUT: u128 = 1 << 16;

impl IntSet {
    /// No number.
    pub fn empty() -> IntSet {
        IntSet { parts: Intervals::Many(Arc::new(Vec::new())), modulus: 1, residue: 0 }
    }

    /// The numbers from `lo` to `hi`, both included.
    pub fn range(lo: i128, hi: i128) -> IntSet {
        if lo > hi {
            return IntSet::empty();
        }
        IntSet { parts: Intervals::One([(lo, hi)]), modulus: 1, residue: 0 }
    }

    /// These numbers.
    pub fn of(members: impl IntoIterator<Item = i128>) -> IntSet {
        IntSet::of_intervals(members.into_iter().map(|it| (it, it)))
    }

    /// The numbers in any of these intervals, ends included.
    pub fn of_intervals(intervals: impl IntoIterator<Item = (i128, i128)>) -> IntSet {
        let mut sorted: Vec<Interval> = intervals.into_iter().filter(|it| it.0 <= it.1).collect();
        sorted.sort_unstable();
        let mut merged: Vec<Interval> = Vec::with_capacity(sorted.len());
        for (lo, hi) in sorted {
            match merged.last_mut() {
                Some(last) if lo <= last.1.saturating_add(1) => last.1 = last.1.max(hi),
                _ => merged.push((lo, hi)),
            }
        }
        IntSet::from_parts(merged, 1, 0)
    }

    /// The intervals must be sorted and disjoint; their ends are moved to members.
    fn from_parts(mut intervals: Vec<Interval>, modulus: i128, residue: i128) -> IntSet {
        if modulus > 1 {
            intervals.retain_mut(|it| {
                *it = (up(it.0, modulus, residue), down(it.1, modulus, residue));
                // At the ends of 128 bits there may be none further on.
                it.0 <= it.1 && it.0.rem_euclid(modulus) == residue && it.1.rem_euclid(modulus) == residue
            });
        }
        match intervals[..] {
            [(lo, hi)] if lo == hi => IntSet::range(lo, lo),
            [one] => IntSet { parts: Intervals::One([one]), modulus, residue },
            [] => IntSet::empty(),
            _ => IntSet { parts: Intervals::Many(Arc::new(intervals)), modulus, residue },
        }
    }

    /// The intervals, sorted; each begins and ends with a member.
    pub fn intervals(&self) -> &[(i128, i128)] {
        match &self.parts {
            Intervals::One(one) => one,
            Intervals::Many(many) => many,
        }
    }

    /// The modulus and the residue that all members share: `(1, 0)` when they share none.
    pub fn congruence(&self) -> (i128, i128) {
        (self.modulus, self.residue)
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.intervals().is_empty()
    }

    /// The least member.
    pub fn min(&self) -> Option<i128> {
        Some(self.intervals().first()?.0)
    }

    /// The greatest member.
    pub fn max(&self) -> Option<i128> {
        Some(self.intervals().last()?.1)
    }

    /// The member, if there is exactly one.
    pub fn single(&self) -> Option<i128> {
        match self.intervals() {
            [(lo, hi)] if lo == hi => Some(*lo),
            _ => None,
        }
    }

    /// Whether `it` is a member.
    pub fn contains(&self, it: i128) -> bool {
        let place = self.intervals().partition_point(|part| part.1 < it);
        self.intervals().get(place).is_some_and(|part| part.0 <= it)
            && (self.modulus == 1 || it.rem_euclid(self.modulus) == self.residue)
    }

    /// How many members there are; at most `u128::MAX`.
    pub fn count(&self) -> u128 {
        self.intervals().iter().fold(0_u128, |sum, it| sum.saturating_add(self.count_in(it)))
    }

    fn count_in(&self, (lo, hi): &Interval) -> u128 {
        (hi.wrapping_sub(*lo) as u128 / self.modulus as u128).saturating_add(1)
    }

    /// The member that `n` others are less than.
    pub fn nth(&self, n: u128) -> Option<i128> {
        let mut left = n;
        for part in self.intervals() {
            let here = self.count_in(part);
            if left < here {
                return Some(part.0.wrapping_add((left as i128).wrapping_mul(self.modulus)));
            }
            left -= here;
        }
        None
    }

    /// The least member that is at least `it`.
    pub fn next_at_least(&self, it: i128) -> Option<i128> {
        let place = self.intervals().partition_point(|part| part.1 < it);
        let part = self.intervals().get(place)?;
        Some(if part.0 >= it { part.0 } else { up(it, self.modulus, self.residue) })
    }

    /// The members from the least to the greatest.
    pub fn iter(&self) -> impl Iterator<Item = i128> + '_ {
        self.intervals().iter().flat_map(move |&(lo, hi)| {
            std::iter::successors(Some(lo), move |it| it.checked_add(self.modulus).filter(|it| *it <= hi))
        })
    }

    /// The members from `lo` to `hi`.
    #[must_use]
    pub fn clip(&self, lo: i128, hi: i128) -> IntSet {
        match (self.min(), self.max()) {
            (Some(min), Some(max)) if lo <= min && max <= hi => self.clone(),
            (Some(min), Some(max)) if lo <= max && min <= hi && lo <= hi => {
                let parts = self.intervals();
                let from = parts.partition_point(|it| it.1 < lo);
                let to = parts.partition_point(|it| it.0 <= hi);
                let mut kept = parts[from..to].to_vec();
                if let Some(first) = kept.first_mut() {
                    first.0 = first.0.max(lo);
                }
                if let Some(last) = kept.last_mut() {
                    last.1 = last.1.min(hi);
                }
                IntSet::from_parts(kept, self.modulus, self.residue)
            }
            _ => IntSet::empty(),
        }
    }

    /// The members that leave `residue` when divided by `modulus`, which is at least 1.
    #[must_use]
    pub fn congruent(&self, residue: i128, modulus: i128) -> IntSet {
        let residue = residue.rem_euclid(modulus);
        if self.modulus % modulus == 0 {
            return if self.residue % modulus == residue { self.clone() } else { IntSet::empty() };
        }
        match meet((self.residue, self.modulus), (residue, modulus)) {
            Meet::None => IntSet::empty(),
            Meet::Class(residue, modulus) => IntSet::from_parts(self.intervals().to_vec(), modulus, residue),
            // The common modulus is beyond 128 bits, so few members are left: at most two in 128 bits.
            Meet::TooLarge => {
                let wide = if self.modulus > modulus {
                    self.clone()
                } else {
                    IntSet::from_parts(self.intervals().to_vec(), modulus, residue)
                };
                let (residue, modulus) =
                    if self.modulus > modulus { (residue, modulus) } else { (self.residue, self.modulus) };
                IntSet::of(
                    wide.iter().take(SPELLED_OUT as usize).filter(|it| it.rem_euclid(modulus) == residue),
                )
            }
        }
    }

    /// The members of both.
    #[must_use]
    pub fn intersect(&self, other: &IntSet) -> IntSet {
        let clipped = match (other.min(), other.max()) {
            (Some(lo), Some(hi)) => self.clip(lo, hi),
            _ => return IntSet::empty(),
        };
        let same = clipped.congruent(other.residue, other.modulus);
        if other.intervals().len() == 1 {
            return same;
        }
        let (mut a, mut b) = (same.intervals().iter().peekable(), other.intervals().iter().peekable());
        let mut common = Vec::new();
        while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
            let (lo, hi) = (x.0.max(y.0), x.1.min(y.1));
            if lo <= hi {
                common.push((lo, hi));
            }
            if x.1 < y.1 {
                a.next()
            } else {
                b.next()
            };
        }
        IntSet::from_parts(common, same.modulus, same.residue)
    }

    /// Whether they have a member in common.
    pub fn meets(&self, other: &IntSet) -> bool {
        let (Some(a), Some(b)) = (self.min().zip(self.max()), other.min().zip(other.max())) else {
            return false;
        };
        if a.0 > b.1 || b.0 > a.1 {
            return false;
        }
        let plain = |it: &IntSet| it.modulus == 1 && it.intervals().len() == 1;
        plain(self) && plain(other) || !self.intersect(other).is_empty()
    }

    /// The members of either; none if their congruences differ and there are too many members to spell out.
    pub fn union(&self, other: &IntSet) -> Option<IntSet> {
        if self.is_empty() || other.is_empty() {
            return Some(if self.is_empty() { other.clone() } else { self.clone() });
        }
        if self.congruence() == other.congruence() {
            let both = self.intervals().iter().chain(other.intervals()).copied();
            let merged = IntSet::of_intervals(both);
            return Some(IntSet::from_parts(merged.intervals().to_vec(), self.modulus, self.residue));
        }
        let both = self.spelled_out()?.into_iter().chain(other.spelled_out()?);
        Some(IntSet::of_intervals(both))
    }

    /// The members that `other` has not; none if there are too many to spell out.
    pub fn minus(&self, other: &IntSet) -> Option<IntSet> {
        let (modulus, residue) = self.congruence();
        let inner = self.intersect(other);
        let holes =
            if inner.modulus == modulus { inner.intervals().to_vec() } else { inner.spelled_out()? };
        let mut left = Vec::new();
        let mut holes = holes.into_iter().peekable();
        for &(lo, hi) in self.intervals() {
            let mut lo = lo;
            while let Some(&(from, to)) = holes.peek() {
                if from > hi {
                    break;
                }
                if lo < from {
                    left.push((lo, from - 1));
                }
                holes.next();
                match to.checked_add(1) {
                    Some(next) => lo = next,
                    None => return Some(IntSet::from_parts(left, modulus, residue)),
                }
            }
            if lo <= hi {
                left.push((lo, hi));
            }
        }
        Some(IntSet::from_parts(left, modulus, residue))
    }

    /// All members with `by` added.
    #[must_use]
    pub fn shift(&self, by: i128) -> IntSet {
        let parts = self.intervals().iter().map(|it| (it.0.saturating_add(by), it.1.saturating_add(by)));
        let residue = (self.residue + by.rem_euclid(self.modulus)).rem_euclid(self.modulus);
        IntSet::from_parts(parts.collect(), self.modulus, residue)
    }

    /// Takes one number out.
    pub fn remove(&mut self, it: i128) {
        if !self.contains(it) {
            return;
        }
        let (modulus, residue) = self.congruence();
        let place = self.intervals().partition_point(|part| part.1 < it);
        let (lo, hi) = self.intervals()[place];
        let left = (lo < it).then(|| (lo, it - modulus));
        let right = (it < hi).then(|| (it + modulus, hi));
        if let (Intervals::Many(many), Some(part)) = (&mut self.parts, left.or(right)) {
            let many = Arc::make_mut(many);
            many[place] = part;
            if let (Some(_), Some(right)) = (left, right) {
                many.insert(place + 1, right);
            }
        } else {
            let mut parts = self.intervals().to_vec();
            parts.splice(place..=place, left.into_iter().chain(right));
            *self = IntSet::from_parts(parts, modulus, residue);
        }
    }

    /// The largest choice of members of which any two are at least `distance` apart, in runs of `(first, step, how
    /// many)`. Taking the least that is far enough each time is never worse than any other choice.
    ///
    /// ```
    /// use probity_spec::IntSet;
    /// assert_eq!(IntSet::of_intervals([(0, 25), (40, 41)]).pack(10), [(0, 10, 3), (40, 10, 1)]);
    /// ```
    pub fn pack(&self, distance: i128) -> Vec<(i128, i128, u128)> {
        let distance = distance.max(1);
        let step = up(distance, self.modulus, 0);
        let mut runs = Vec::new();
        let mut next = self.min();
        for &(_, hi) in self.intervals() {
            let Some(first) = next.and_then(|it| self.next_at_least(it)) else { break };
            if first > hi {
                continue;
            }
            let many = hi.wrapping_sub(first) as u128 / step as u128;
            runs.push((first, step, many + 1));
            next = first.wrapping_add(step.wrapping_mul(many as i128)).checked_add(distance);
        }
        runs
    }

    /// Intervals without a congruence, if they are not too many.
    fn spelled_out(&self) -> Option<Vec<Interval>> {
        if self.modulus == 1 {
            return Some(self.intervals().to_vec());
        }
        (self.count() <= SPELLED_OUT).then(|| self.iter().map(|it| (it, it)).collect())
    }
}

/// The least number from `it` up in a residue class; `i128::MAX` (which need not be in it) beyond 128 bits.
fn up(it: i128, modulus: i128, residue: i128) -> i128 {
    it.saturating_add((residue - it.rem_euclid(modulus)).rem_euclid(modulus))
}

/// The greatest number from `it` down in a residue class.
fn down(it: i128, modulus: i128, residue: i128) -> i128 {
    it.saturating_sub((it.rem_euclid(modulus) - residue).rem_euclid(modulus))
}

/// What two residue classes have in common.
enum Meet {
    None,
    Class(i128, i128),
    TooLarge,
}

/// By the Chinese remainder theorem.
fn meet((r1, m1): (i128, i128), (r2, m2): (i128, i128)) -> Meet {
    let (gcd, inverse) = gcd_and_inverse(m1, m2);
    if (r2 - r1) % gcd != 0 {
        return Meet::None;
    }
    let step = m2 / gcd;
    let (Some(modulus), true) = (m1.checked_mul(step), step < 1 << 63) else { return Meet::TooLarge };
    let times = ((r2 - r1) / gcd).rem_euclid(step) * inverse.rem_euclid(step) % step;
    match m1.checked_mul(times).and_then(|it| it.checked_add(r1)) {
        Some(residue) => Meet::Class(residue.rem_euclid(modulus), modulus),
        None => Meet::TooLarge,
    }
}

/// The greatest common divisor of `a` and `b`, and what `a` is multiplied with to give it modulo `b`.
fn gcd_and_inverse(a: i128, b: i128) -> (i128, i128) {
    let (mut old, mut new) = ((a, 1_i128), (b, 0_i128));
    while new.0 != 0 {
        let quotient = old.0 / new.0;
        (old, new) = (new, (old.0 - quotient * new.0, old.1 - quotient * new.1));
    }
    old
}
