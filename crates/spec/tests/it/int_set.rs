//! Sets of whole numbers against lists of them: every set over a small range, with every congruence.

use std::collections::BTreeSet;

use probity_spec::IntSet;

const LO: i128 = -4;
const HI: i128 = 5;

/// Every set of numbers in the range that has at most three intervals, with a few congruences.
fn sets() -> Vec<(IntSet, BTreeSet<i128>)> {
    let mut sets = Vec::new();
    for bits in 0..1_u32 << (HI - LO + 1) {
        let members: Vec<i128> = (LO..=HI).filter(|it| bits >> (it - LO) & 1 == 1).collect();
        let set = IntSet::of(members.iter().copied());
        if set.intervals().len() > 3 || bits % 5 != 0 && set.intervals().len() > 1 {
            continue;
        }
        for (residue, modulus) in [(0, 1), (1, 2), (2, 3), (-1, 4)] {
            let kept = members
                .iter()
                .copied()
                .filter(|it| it.rem_euclid(modulus) == i128::rem_euclid(residue, modulus));
            sets.push((set.congruent(residue, modulus), kept.collect()));
        }
    }
    sets
}

fn members(set: &IntSet) -> BTreeSet<i128> {
    set.iter().collect()
}

#[test]
fn every_operation_agrees_with_lists() {
    for (set, list) in sets() {
        assert_eq!(members(&set), list, "{set:?}");
        assert_eq!((set.min(), set.max()), (list.first().copied(), list.last().copied()), "{set:?}");
        assert_eq!((set.count(), set.is_empty()), (list.len() as u128, list.is_empty()), "{set:?}");
        assert_eq!(set.single(), if list.len() == 1 { list.first().copied() } else { None }, "{set:?}");
        for (place, it) in (0..).zip(&list) {
            assert_eq!(set.nth(place), Some(*it), "{set:?}");
        }
        assert_eq!(set.nth(list.len() as u128), None, "{set:?}");
        assert_eq!(members(&set.shift(7)), list.iter().map(|it| it + 7).collect(), "{set:?}");
        for it in LO - 1..=HI + 1 {
            assert_eq!(set.contains(it), list.contains(&it), "{it} of {set:?}");
            assert_eq!(set.next_at_least(it), list.range(it..).next().copied(), "{it} of {set:?}");
            let clipped = set.clip(it, it + 3);
            assert_eq!(members(&clipped), list.range(it..=it + 3).copied().collect(), "{it} of {set:?}");
            let mut less = set.clone();
            less.remove(it);
            assert_eq!(
                members(&less),
                list.iter().copied().filter(|of| *of != it).collect(),
                "{it} of {set:?}"
            );
        }
    }
}

#[test]
fn operations_on_two_agree_with_lists() {
    let sets: Vec<_> = sets().into_iter().step_by(7).collect();
    for (a, x) in &sets {
        for (b, y) in &sets {
            assert_eq!(members(&a.intersect(b)), x & y, "{a:?} {b:?}");
            assert_eq!(a.meets(b), !x.is_disjoint(y), "{a:?} {b:?}");
            assert_eq!(a.union(b).map(|it| members(&it)), Some(x | y), "{a:?} {b:?}");
            assert_eq!(a.minus(b).map(|it| members(&it)), Some(x - y), "{a:?} {b:?}");
        }
    }
}

/// The largest choice with a distance, by trying every subset.
fn largest(list: &[i128], distance: i128) -> usize {
    let fits = |bits: u32| {
        let chosen: Vec<i128> = (0..).zip(list).filter(|it| bits >> it.0 & 1 == 1).map(|it| *it.1).collect();
        chosen.windows(2).all(|it| it[1] - it[0] >= distance).then_some(chosen.len())
    };
    (0..1 << list.len()).filter_map(fits).max().unwrap_or(0)
}

#[test]
fn packing_is_the_largest() {
    for (set, list) in sets().into_iter().step_by(5) {
        let list: Vec<i128> = list.into_iter().collect();
        for distance in 1..6 {
            let packed: Vec<i128> = set
                .pack(distance)
                .into_iter()
                .flat_map(|(first, step, many)| (0..many as i128).map(move |it| first + it * step))
                .collect();
            assert!(packed.windows(2).all(|it| it[1] - it[0] >= distance), "{set:?} {distance}: {packed:?}");
            assert!(packed.iter().all(|it| set.contains(*it)), "{set:?} {distance}: {packed:?}");
            assert_eq!(packed.len(), largest(&list, distance), "{set:?} {distance}");
        }
    }
}

#[test]
fn the_ends_of_128_bits_are_no_special_case() {
    let all = IntSet::range(i128::MIN, i128::MAX);
    assert_eq!(all.nth(u128::MAX - 1), Some(i128::MAX - 1));
    assert_eq!(all.congruent(1, 2).max(), Some(i128::MAX));
    assert_eq!(all.minus(&all), Some(IntSet::empty()));
    let wide = all.congruent(3, 1 << 70).congruent(5, (1 << 70) - 1);
    assert!(wide.count() <= 1 && wide.iter().all(|it| it.rem_euclid(1 << 70) == 3));
}
