//! Counting the inputs of each size, and building the one at an index.
//!
//! Numbers are saturated: `TOO_MANY` represents itself and everything above. An index below it is found
//! all the same, because it lies within the first inputs, up to a limit, of a part that has more.

use std::ops::Range;

use super::graph::{PieceShape, RepeatedPart, Room, SpaceGraph};
use crate::rng::hash;
use crate::{Choice, Domain, Value, size};

/// More than can be counted.
pub(super) const TOO_MANY: u128 = u128::MAX;
/// How many numbers are remembered. They can be computed again, so past this all are forgotten.
const KNOWN_MAX: usize = 1 << 20;

/// What was computed already: how many inputs a piece has of a size, or one of the two below. A table of our own,
/// open and with linear probing: a map of the standard library is ten times as much code to compile.
#[derive(Debug, Default)]
pub(super) struct CountTable {
    slots: Vec<Option<(Key, u128)>>,
    len: usize,
}

type Key = (RepeatedPart, Room, u64);

impl CountTable {
    /// Where `key` is or would be. At least every second slot is free.
    fn slot(&self, key: &Key) -> usize {
        let (piece, room, size) = key;
        let mask = self.slots.len() - 1;
        let mut at = hash(hash(piece.word(), room.word()), *size) as usize & mask;
        while self.slots[at].is_some_and(|it| it.0 != *key) {
            at = (at + 1) & mask;
        }
        at
    }

    fn get(&self, key: &Key) -> Option<u128> {
        if self.slots.is_empty() { None } else { self.slots[self.slot(key)].map(|it| it.1) }
    }

    fn insert(&mut self, key: Key, number: u128) {
        if self.len * 2 >= self.slots.len() {
            let larger = (self.slots.len() * 2).max(64);
            let old = std::mem::replace(&mut self.slots, vec![None; larger]);
            for it in old.into_iter().flatten() {
                let at = self.slot(&it.0);
                self.slots[at] = Some(it);
            }
        }
        let at = self.slot(&key);
        self.len += usize::from(self.slots[at].is_none());
        self.slots[at] = Some((key, number));
    }

    fn forget(&mut self) {
        *self = CountTable::default();
    }
}

/// In the place of a size: the greatest there is, `NO_SIZE` where there is no input at all.
const GREATEST: u64 = u64::MAX;
const NO_SIZE: u128 = u128::MAX;
/// In the place of a size: how many inputs there are of all sizes.
const TOTAL: u64 = u64::MAX - 1;

impl SpaceGraph {
    /// How many inputs of `piece` have this size.
    pub(super) fn count(&self, known: &mut CountTable, piece: RepeatedPart, room: Room, size: u64) -> u128 {
        let (shape, piece, room) = self.resolve(piece, room);
        match shape {
            PieceShape::Nothing => return u128::from(size == 0),
            PieceShape::One(domain) => return len(&members(domain, size)),
            _ if self.greatest(known, piece, room).is_none_or(|it| it < size) => return 0,
            _ => {}
        }
        let key = (piece, room, size);
        if let Some(n) = known.get(&key) {
            return n;
        }
        let n = match shape {
            PieceShape::Two(a, b) => self.splits(known, (a, b), room, size).fold(0, |sum: u128, left| {
                let first = self.count(known, a, room, left);
                sum.saturating_add(first.saturating_mul(self.count(known, b, room, size - left)))
            }),
            PieceShape::Either(_, parts) => parts.iter().enumerate().fold(0, |sum: u128, (rank, part)| {
                let Some(rest) = size.checked_sub(u64::from(rank > 0)) else { return sum };
                sum.saturating_add(self.count(known, (*part).into(), room, rest))
            }),
            PieceShape::List { item, min, max } => lengths(min, max, size).fold(0, |sum: u128, times| {
                let rest = size - u64::from(times - min);
                sum.saturating_add(self.count(known, RepeatedPart { part: item, times }, room, rest))
            }),
            PieceShape::Nothing | PieceShape::Never | PieceShape::One(_) => 0,
        };
        if known.len >= KNOWN_MAX {
            known.forget();
        }
        known.insert(key, n);
        n
    }

    /// Adds the choices of the input of `piece` with this size at `index` among those of its size. The
    /// caller has made sure that there is one.
    pub(super) fn build(
        &self,
        known: &mut CountTable,
        (piece, room): (RepeatedPart, Room),
        size: u64,
        mut index: u128,
        res: &mut Vec<Choice>,
    ) {
        let (shape, _, room) = self.resolve(piece, room);
        match shape {
            PieceShape::Nothing | PieceShape::Never => {}
            PieceShape::One(domain) => {
                let value = member(domain, members(domain, size).start + index);
                let value = value.expect("the input at an index has only members");
                res.push(Choice { domain: domain.clone(), value });
            }
            PieceShape::Two(a, b) => {
                for left in self.splits(known, (a, b), room, size) {
                    let seconds = self.count(known, b, room, size - left);
                    let n = self.count(known, a, room, left).saturating_mul(seconds);
                    if is_below(index, n) {
                        let (first, second) = match seconds {
                            TOO_MANY => (0, index),
                            _ => (index / seconds, index % seconds),
                        };
                        self.build(known, (a, room), left, first, res);
                        return self.build(known, (b, room), size - left, second, res);
                    }
                    index -= n;
                }
            }
            PieceShape::Either(domain, parts) => {
                for (rank, part) in parts.iter().enumerate() {
                    let Some(rest) = size.checked_sub(u64::from(rank > 0)) else { continue };
                    let n = self.count(known, (*part).into(), room, rest);
                    if is_below(index, n) {
                        let value = domain.at(rank as u128).expect("there is a part for each answer");
                        res.push(Choice { domain: domain.clone(), value });
                        return self.build(known, ((*part).into(), room), rest, index, res);
                    }
                    index -= n;
                }
            }
            PieceShape::List { item, min, max } => {
                for times in lengths(min, max, size) {
                    let (items, rest) = (RepeatedPart { part: item, times }, size - u64::from(times - min));
                    let n = self.count(known, items, room, rest);
                    if is_below(index, n) {
                        if min < max {
                            let domain = Domain::length(min, max);
                            res.push(Choice { domain, value: Value::Length(times) });
                        }
                        return self.build(known, (items, room), rest, index, res);
                    }
                    index -= n;
                }
            }
        }
    }

    /// The sizes that the first of two pieces can have where both have `size` together.
    fn splits(
        &self,
        known: &mut CountTable,
        (a, b): (RepeatedPart, RepeatedPart),
        room: Room,
        size: u64,
    ) -> impl Iterator<Item = u64> + use<> {
        let first = self.greatest(known, a, room).unwrap_or(0);
        let second = self.greatest(known, b, room).unwrap_or(0);
        size.saturating_sub(second)..=size.min(first)
    }

    /// The greatest size of an input of `piece`, `u64::MAX` where there is none; nothing where there is no
    /// input.
    pub(super) fn greatest(&self, known: &mut CountTable, piece: RepeatedPart, room: Room) -> Option<u64> {
        let (shape, piece, room) = self.resolve(piece, room);
        match shape {
            PieceShape::Nothing => return Some(0),
            PieceShape::Never => return None,
            PieceShape::One(domain) => return Some(greatest_cost(domain)),
            _ => {}
        }
        let key = (piece, room, GREATEST);
        if let Some(it) = known.get(&key) {
            return u64::try_from(it).ok();
        }
        // What stands here while it is computed is seen only by a part that contains itself without ever
        // nesting deeper: then there is no greatest.
        known.insert(key, u64::MAX.into());
        let res = match shape {
            PieceShape::Two(a, b) => {
                let (a, b) = (self.greatest(known, a, room), self.greatest(known, b, room));
                a.zip(b).map(|(a, b)| a.saturating_add(b))
            }
            PieceShape::Either(_, parts) => {
                let of = |(rank, part): (usize, &super::Part)| {
                    Some(self.greatest(known, (*part).into(), room)?.saturating_add(u64::from(rank > 0)))
                };
                parts.iter().enumerate().filter_map(of).max()
            }
            PieceShape::List { item, min, max } => {
                let each = match max {
                    0 => Some(0),
                    _ => self.greatest(known, item.into(), room),
                };
                match each {
                    Some(each) => Some(each.saturating_mul(max.into()).saturating_add(u64::from(max - min))),
                    None => (min == 0).then_some(0),
                }
            }
            PieceShape::Nothing | PieceShape::Never | PieceShape::One(_) => None,
        };
        known.insert(key, res.map_or(NO_SIZE, u128::from));
        res
    }

    /// How many inputs `piece` has.
    pub(super) fn total(&self, known: &mut CountTable, piece: RepeatedPart, room: Room) -> u128 {
        let (shape, piece, room) = self.resolve(piece, room);
        match shape {
            PieceShape::Nothing => return 1,
            PieceShape::Never => return 0,
            PieceShape::One(domain) => return n_members(domain),
            _ => {}
        }
        let key = (piece, room, TOTAL);
        if let Some(n) = known.get(&key) {
            return n;
        }
        // As above: a part that contains itself without nesting deeper has no end of inputs.
        known.insert(key, TOO_MANY);
        let n = match shape {
            PieceShape::Two(a, b) => self.total(known, a, room).saturating_mul(self.total(known, b, room)),
            PieceShape::Either(_, parts) => parts
                .iter()
                .fold(0, |sum: u128, part| sum.saturating_add(self.total(known, (*part).into(), room))),
            PieceShape::List { item, min, max } => {
                let each = self.total(known, item.into(), room);
                let mut sum: u128 = 0;
                for times in min..=max {
                    if each <= 1 && times > 0 {
                        // All the longer ones have as many.
                        sum = sum.saturating_add(each * u128::from(max - times + 1));
                        break;
                    }
                    sum = sum.saturating_add(each.saturating_pow(times));
                    if sum == TOO_MANY {
                        break;
                    }
                }
                sum
            }
            PieceShape::Nothing | PieceShape::Never | PieceShape::One(_) => 0,
        };
        known.insert(key, n);
        n
    }
}

/// Whether `index` is one of the first `n`, of which there may be more than `n` says.
pub(super) fn is_below(index: u128, n: u128) -> bool {
    index < n || n == TOO_MANY
}

/// The lengths of lists of at most this size.
fn lengths(min: u32, max: u32, size: u64) -> impl Iterator<Item = u32> {
    min..=max.min(min.saturating_add(u32::try_from(size).unwrap_or(u32::MAX)))
}

/// The places of the members of one cost; see [`small`]. An integer domain may have more places than
/// `small` has numbers for.
pub(super) fn members(domain: &Domain, cost: u64) -> Range<u128> {
    if let Domain::Int { min, max, origin } = *domain {
        let (below, above) = (origin.abs_diff(min), max.abs_diff(origin));
        let (cost, both) = (u128::from(cost), below.min(above));
        return match cost {
            0 => 0..1,
            _ if cost <= both => cost * 2 - 1..cost * 2 + 1,
            _ if cost <= below.max(above) => cost + both..cost + both + 1,
            _ => 0..0,
        };
    }
    let places = size::places(domain, cost);
    places.start.into()..places.end.into()
}

/// The member at a place.
pub(super) fn member(domain: &Domain, place: u128) -> Option<Value> {
    if let Domain::Int { .. } = domain {
        return domain.at(place);
    }
    (place < n_members(domain)).then(|| size::at(domain, place as u64))
}

fn n_members(domain: &Domain) -> u128 {
    match *domain {
        Domain::Int { min, max, .. } => max.abs_diff(min).saturating_add(1),
        _ => size::len(domain).into(),
    }
}

fn greatest_cost(domain: &Domain) -> u64 {
    match *domain {
        Domain::Int { min, max, origin } => {
            u64::try_from(origin.abs_diff(min).max(max.abs_diff(origin))).unwrap_or(u64::MAX)
        }
        _ => size::cost(domain, size::at(domain, size::len(domain) - 1)),
    }
}

fn len(range: &Range<u128>) -> u128 {
    range.end - range.start
}
