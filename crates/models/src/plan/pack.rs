//! Numbers of a set at a distance from each other.

use probity_spec::Decimal;
use probity_spec::IntSet;
use probity_spec::NumericKind;
use probity_spec::Random;

/// `n` members of a set, ascending, of which any two are at least `distance` apart; all of a largest choice if there
/// are not as many. What is left of the room is spread at random.
pub(crate) fn apart(set: &IntSet, open: bool, distance: i128, n: u64, random: &mut Random) -> Vec<i128> {
    let mut set = set.clone();
    if open {
        // As wide as four times what is needed, around the member next to zero.
        let half = i128::from(n).saturating_mul(distance).saturating_mul(2).saturating_add(1000);
        let center = 0.clamp(set.min().unwrap_or(0), set.max().unwrap_or(0));
        let near = set.clip(center.saturating_sub(half), center.saturating_add(half));
        if most(&near, distance) >= n.into() {
            set = near;
        }
    }
    let n = u128::from(n).min(most(&set, distance)) as usize;
    if n == 0 {
        return Vec::new();
    }
    // The latest place of each number that leaves room for those after it.
    let mut latest = vec![0; n];
    let mut last = set.max().unwrap_or(0);
    for at in (0..n).rev() {
        latest[at] = last;
        if at > 0 {
            last = at_most(&set, last.saturating_sub(distance));
        }
    }
    let mut res: Vec<i128> = Vec::with_capacity(n);
    for (at, &latest) in latest.iter().enumerate() {
        let from = match res.last() {
            Some(before) => before.saturating_add(distance),
            None => set.min().unwrap_or(0),
        };
        let earliest = set.next_at_least(from).unwrap_or(latest).min(latest);
        let slack = latest.abs_diff(earliest) / (n - at) as u128;
        let step = below(random, slack.saturating_mul(2).saturating_add(1));
        let there = earliest.saturating_add(i128::try_from(step).unwrap_or(i128::MAX));
        res.push(set.next_at_least(there).unwrap_or(latest).min(latest));
    }
    res
}

/// The distance in units of whole numbers, rounded up.
pub(crate) fn in_whole_numbers(distance: Decimal, kind: NumericKind) -> Option<i128> {
    let (scale, finer) = (kind.scale(), distance.scale());
    if finer <= scale {
        return distance.at_scale(scale);
    }
    let by = 10_i128.checked_pow(finer - scale)?;
    let mantissa = distance.mantissa();
    Some(mantissa.div_euclid(by) + i128::from(mantissa.rem_euclid(by) > 0))
}

fn most(set: &IntSet, distance: i128) -> u128 {
    set.pack(distance).iter().fold(0_u128, |sum, it| sum.saturating_add(it.2))
}

/// The greatest member that is at most `it`; the least member if there is none.
fn at_most(set: &IntSet, it: i128) -> i128 {
    let parts = set.intervals();
    let place = parts.partition_point(|part| part.0 <= it);
    let Some(&(lo, hi)) = place.checked_sub(1).and_then(|place| parts.get(place)) else {
        return set.min().unwrap_or(it);
    };
    let it = it.min(hi);
    it - (it - lo) % set.congruence().0
}

fn below(random: &mut Random, n: u128) -> u128 {
    match u64::try_from(n) {
        Ok(n) => random.below(n).into(),
        Err(_) => ((u128::from(random.bits()) << 64) | u128::from(random.bits())) % n,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The most members at a distance, by trying every subset.
    fn brute(set: &IntSet, distance: i128) -> usize {
        let members: Vec<i128> = set.iter().collect();
        let fits = |subset: usize| {
            let chosen: Vec<i128> =
                (0..members.len()).filter(|it| (subset >> it) & 1 == 1).map(|it| members[it]).collect();
            chosen.windows(2).all(|it| it[1] - it[0] >= distance).then_some(chosen.len())
        };
        (0..1_usize << members.len()).filter_map(fits).max().unwrap()
    }

    #[test]
    fn numbers_are_apart_and_as_many_as_brute_force_finds() {
        let sets = [
            IntSet::range(-3, 8),
            IntSet::of([1, 2, 5, 9, 10, 14]),
            IntSet::range(0, 40).congruent(1, 4),
            IntSet::of_intervals([(0, 4), (7, 7), (9, 11)]),
        ];
        for set in sets {
            for distance in 1..7 {
                let most = brute(&set, distance);
                for n in 0..=most as u64 + 1 {
                    let numbers = apart(&set, false, distance, n, &mut Random::new(n));
                    assert_eq!(numbers.len(), most.min(n as usize), "{set:?} {distance}");
                    assert!(numbers.iter().all(|it| set.contains(*it)));
                    assert!(numbers.windows(2).all(|it| it[1] - it[0] >= distance), "{numbers:?}");
                }
            }
        }
    }
}
