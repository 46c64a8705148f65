//! The order in which small inputs come: every member of a domain has a cost, and the size of an input
//! is the sum of the costs of its answers.
//!
//! | domain | cost of a member |
//! | --- | --- |
//! | any | 0 for the simplest |
//! | bool, pick | 1 for every other; 0 where a pick is free |
//! | integer | its distance from the simplest |
//! | length | how many items there are beyond the least |
//! | character | 1 for every other where there are at most 64; else 1 for a few that stand for the rest, then one at a time |
//! | float | 1 for a few that stand for the rest, which are never reached |
//!
//! Only the simplest member is free, but for picks that say so, of which there is an end behind each other choice; so there
//! are finitely many inputs of each size. And no cost is skipped, so an engine that takes the members of one cost after
//! those of the one before meets every input at its size without ever computing it.

use std::ops::Range;

use crate::{Domain, Value};

/// A character domain of at most this many members is taken whole, like a pick.
const FEW_CHARS: u64 = 64;
/// Characters that stand for all the others: another letter, a digit, a space, an upper-case letter,
/// punctuation, a quote, a line end, two bytes of UTF-8, four bytes.
const CHARS: [char; 9] = ['b', '0', ' ', 'A', '-', '"', '\n', 'é', '😀'];
/// Floats that stand for all the others, besides the ends of their domain.
const FLOATS: [f64; 12] = [
    1.0,
    -1.0,
    2.0,
    0.5,
    -0.0,
    0.1,
    f64::MIN_POSITIVE,
    1e16,
    f64::MAX,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

/// What comes after a member, in the order of costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    /// Another member of the same cost.
    Same,
    /// A member that costs one more.
    Next,
    /// Nothing.
    End,
}

/// The member of `domain` at a place in the order of costs. Place 0 is the simplest.
pub(crate) fn at(domain: &Domain, place: u64) -> Value {
    let found = match domain {
        Domain::Float { .. } => few_floats(domain).get(place as usize).copied(),
        Domain::Char { .. } if FEW_CHARS < len(domain) => many_chars(domain, place),
        _ => domain.at(u128::from(place)),
    };
    found.unwrap_or_else(|| domain.simplest())
}

/// What comes after the member at `place`.
pub(crate) fn after(domain: &Domain, place: u64) -> After {
    match *domain {
        _ if len(domain) <= place.saturating_add(1) => After::End,
        Domain::Int { min, max, origin } => after_int(
            place,
            u64::try_from(origin.abs_diff(min)).unwrap_or(u64::MAX),
            u64::try_from(max.abs_diff(origin)).unwrap_or(u64::MAX),
        ),
        Domain::Length { .. } => After::Next,
        Domain::Pick { free: true, .. } => After::Same,
        Domain::Char { .. } if FEW_CHARS < len(domain) => match place {
            0 => After::Next,
            _ if place < stand_ins(domain).len() as u64 => After::Same,
            _ => After::Next,
        },
        _ => after_pick(place),
    }
}

/// What comes after a place in an integer domain that is not the last: places alternate between the two
/// sides while both have members.
#[inline]
pub(crate) fn after_int(place: u64, below: u64, above: u64) -> After {
    let is_first_of_two = place % 2 == 1 && place / 2 < below.min(above);
    if is_first_of_two { After::Same } else { After::Next }
}

/// What comes after an alternative that is not the last.
#[inline]
pub(crate) fn after_pick(place: u64) -> After {
    if place == 0 { After::Next } else { After::Same }
}

/// How many members are ever reached.
pub(crate) fn len(domain: &Domain) -> u64 {
    match domain.last_rank() {
        Some(last) => u64::try_from(last).unwrap_or(u64::MAX).saturating_add(1),
        None => few_floats(domain).len() as u64,
    }
}

/// Whether every member is reached in the end.
pub(crate) fn is_whole(domain: &Domain) -> bool {
    match *domain {
        Domain::Float { min, max, nan, .. } => min.to_bits() == max.to_bits() && !nan,
        _ => true,
    }
}

/// What a member costs.
pub(crate) fn cost(domain: &Domain, value: Value) -> u64 {
    match *domain {
        Domain::Int { .. } | Domain::Length { .. } => {
            u64::try_from(domain.distance(value)).unwrap_or(u64::MAX)
        }
        Domain::Pick { free: true, .. } => 0,
        Domain::Char { .. } if FEW_CHARS < len(domain) => {
            let (rank, ranks) = (domain.rank(value) as u64, rank_of_stand_ins(domain));
            if ranks.contains(&rank) || rank == 0 {
                return u64::from(rank > 0);
            }
            rank + 1 - ranks.partition_point(|it| *it < rank) as u64
        }
        _ => u64::from(value != domain.simplest()),
    }
}

/// The places of all members of this cost.
pub(crate) fn places(domain: &Domain, cost: u64) -> Range<u64> {
    let len = len(domain);
    let range = match *domain {
        Domain::Pick { free: true, .. } => 0..if cost == 0 { len } else { 0 },
        _ if cost == 0 => 0..1,
        Domain::Int { min, max, origin } => {
            let (below, above) = (origin.abs_diff(min), max.abs_diff(origin));
            let both = u64::try_from(below.min(above)).unwrap_or(u64::MAX);
            match cost <= both {
                true => cost.saturating_mul(2) - 1..cost.saturating_mul(2).saturating_add(1),
                false => cost.saturating_add(both)..cost.saturating_add(both).saturating_add(1),
            }
        }
        Domain::Length { .. } => cost..cost.saturating_add(1),
        Domain::Char { .. } if FEW_CHARS < len => match stand_ins(domain).len() as u64 {
            n if cost == 1 => 1..n + 1,
            n => (n - 1).saturating_add(cost)..n.saturating_add(cost),
        },
        _ if cost == 1 => 1..len,
        _ => 0..0,
    };
    range.start.min(len)..range.end.min(len)
}

// Loops and vectors below, where iterators would read better: every adapter is code to be compiled, and those here
// were one in twenty of all functions of the crate.

/// The characters of cost 1 in a large domain; at least one.
fn stand_ins(domain: &Domain) -> Vec<char> {
    let simplest = domain.simplest();
    let mut res = Vec::new();
    for it in CHARS {
        if domain.contains(Value::Char(it)) && Value::Char(it) != simplest {
            res.push(it);
        }
    }
    match domain.at(1) {
        Some(Value::Char(second)) if res.is_empty() => res.push(second),
        _ => {}
    }
    res
}

fn rank_of_stand_ins(domain: &Domain) -> Vec<u64> {
    let mut ranks = Vec::new();
    for it in stand_ins(domain) {
        let rank = domain.rank(Value::Char(it)) as u64;
        ranks.insert(ranks.partition_point(|it| *it < rank), rank);
    }
    ranks
}

/// The simplest, those that stand for the rest, then the others by rank.
fn many_chars(domain: &Domain, place: u64) -> Option<Value> {
    let Some(before) = place.checked_sub(1) else { return Some(domain.simplest()) };
    if let Some(it) = stand_ins(domain).get(before as usize) {
        return Some(Value::Char(*it));
    }
    let ranks = rank_of_stand_ins(domain);
    let mut rank = place - ranks.len() as u64;
    for it in ranks {
        rank += u64::from(it <= rank);
    }
    domain.at(u128::from(rank))
}

/// The simplest and those that stand for the rest, each once.
fn few_floats(domain: &Domain) -> Vec<Value> {
    let mut res = vec![domain.simplest()];
    let mut add = |it: f64| {
        let it = Value::Float(it);
        if domain.contains(it) && !res.contains(&it) {
            res.push(it);
        }
    };
    for it in FLOATS {
        add(it);
    }
    if let Domain::Float { min, max, .. } = *domain {
        add(min);
        add(max);
    }
    res
}

#[cfg(test)]
mod tests {
    use super::*;

    fn domains() -> Vec<Domain> {
        let mut res = vec![Domain::Bool, Domain::pick(1)];
        res.push(Domain::pick(5));
        for (min, max) in [(0, 0), (-3, 3), (-2, 9), (-9, 2), (4, 9), (-9, -4), (0, 255)] {
            res.push(Domain::int(min, max));
        }
        res.push(Domain::Int { min: -2, max: 5, origin: 2 });
        res.push(Domain::length(2, 7));
        for (min, max) in [('a', 'z'), ('0', '0'), ('\0', '\u{ff}'), ('а', 'я'), ('\u{100}', '\u{200}')] {
            res.push(Domain::Char { min, max });
        }
        for (min, max, nan, single) in
            [(0.0, 1.0, false, true), (f64::MIN, f64::MAX, true, false), (0.1, 0.3, true, true)]
        {
            res.push(Domain::Float { min, max, nan, single });
        }
        res
    }

    #[test]
    fn costs_rise_by_one_and_every_member_is_met_once() {
        for domain in domains() {
            let n = len(&domain);
            let mut seen = Vec::new();
            let mut expected = 0;
            for place in 0..n {
                let value = at(&domain, place);
                assert!(domain.contains(value) && !seen.contains(&value), "{domain:?} {place} {value:?}");
                seen.push(value);
                assert_eq!(cost(&domain, value), expected, "{domain:?} {place} {value:?}");
                assert!(places(&domain, expected).contains(&place), "{domain:?} {place}");
                match after(&domain, place) {
                    After::Same => assert!(place > 0),
                    After::Next => expected += 1,
                    After::End => assert_eq!(place + 1, n, "{domain:?}"),
                }
            }
            let by_cost: Vec<u64> = (0..=expected).flat_map(|it| places(&domain, it)).collect();
            assert_eq!(by_cost, (0..n).collect::<Vec<_>>(), "{domain:?}");
            assert!(places(&domain, expected + 1).is_empty(), "{domain:?}");
            assert_eq!(seen[0], domain.simplest());
        }
    }

    #[test]
    fn huge_domains_do_not_overflow() {
        for (min, max) in [(i128::MIN, i128::MAX), (0, i128::MAX), (i64::MIN.into(), i64::MAX.into())] {
            let domain = Domain::int(min, max);
            for place in [0, 1, 2, 1000, u64::MAX - 1, u64::MAX] {
                assert!(domain.contains(at(&domain, place)));
                after(&domain, place);
                places(&domain, place);
            }
        }
    }
}
