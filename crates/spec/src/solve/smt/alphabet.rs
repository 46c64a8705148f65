//! The characters that a solver gets to choose from.
//!
//! SMT-LIB has characters up to U+2FFFF, and solvers get lost in Unicode's classes of hundreds of ranges (Z3 5.4
//! finds no five characters of `\w` within a minute, but at once if there are ten ranges to choose from). So a solver
//! is given few characters: those of Europe, those of constants, and some of every class that has too few among
//! them. That no text of these will do means that no text will if every character that is left out has
//! stand-ins: characters that no class and no constant tells apart from it.

use std::collections::{BTreeMap, BTreeSet};

use super::text::CHAR_MAX;

/// The characters that there are at first, up to this one.
const EUROPE: u32 = 0x24f;
/// A class with fewer characters among those that there are gets some more.
const MEMBERS_MIN: u64 = 8;
/// How many ranges it gets.
const RANGES_MORE: usize = 4;
/// How many stand-ins make up for all the characters like them.
const STAND_INS_MIN: u64 = 8;
/// Characters that no text has.
const SURROGATES: (u32, u32) = (0xd800, 0xdfff);
/// The greatest character there is.
const SCALAR_MAX: u32 = 0x10_ffff;

/// Ranges of characters, in order.
pub(super) type Ranges = Vec<(u32, u32)>;

/// The characters to choose from, and those that requirements tell apart.
pub(super) struct Alphabet {
    chosen: Ranges,
    classes: BTreeSet<Ranges>,
    constants: BTreeSet<u32>,
    has_order: bool,
}

impl Default for Alphabet {
    fn default() -> Alphabet {
        let (classes, constants) = (BTreeSet::new(), BTreeSet::new());
        Alphabet { chosen: vec![(0, EUROPE)], classes, constants, has_order: false }
    }
}

impl Alphabet {
    /// The characters to choose from.
    pub(super) fn chosen(&self) -> &Ranges {
        &self.chosen
    }

    pub(super) fn has(&self, c: u32) -> bool {
        is_in(&self.chosen, c)
    }

    /// Notes a set of characters.
    pub(super) fn class(&mut self, ranges: &Ranges) {
        if !self.classes.insert(ranges.clone()) {
            return;
        }
        let members: u64 = self.of(ranges).iter().map(|it| u64::from(it.1 - it.0) + 1).sum();
        if members < MEMBERS_MIN {
            let all = [(0, SURROGATES.0 - 1), (SURROGATES.1 + 1, CHAR_MAX)];
            let more = meet(ranges, &all).into_iter().filter(|it| !self.has(it.0) || !self.has(it.1));
            more.take(RANGES_MORE).collect::<Vec<_>>().into_iter().for_each(|it| self.add(it));
        }
    }

    /// Notes a constant.
    pub(super) fn text(&mut self, text: &str) {
        for c in text.chars().map(u32::from) {
            if self.constants.insert(c) && !self.has(c) && c <= CHAR_MAX {
                self.add((c, c));
            }
        }
    }

    /// Notes that texts are compared by their characters.
    pub(super) fn order(&mut self) {
        self.has_order = true;
    }

    fn add(&mut self, range: (u32, u32)) {
        let mut ranges = std::mem::take(&mut self.chosen);
        ranges.push(range);
        ranges.sort_unstable();
        for (lo, hi) in ranges {
            match self.chosen.last_mut() {
                Some(last) if lo <= last.1 + 1 => last.1 = last.1.max(hi),
                _ => self.chosen.push((lo, hi)),
            }
        }
    }

    /// The part of a set that there is to choose from.
    pub(super) fn of(&self, ranges: &Ranges) -> Ranges {
        meet(ranges, &self.chosen)
    }

    /// Takes in all of SMT-LIB's characters; false if they were in already.
    pub(super) fn widen(&mut self) -> bool {
        let all = vec![(0, SURROGATES.0 - 1), (SURROGATES.1 + 1, CHAR_MAX)];
        let is_new = self.chosen != all;
        self.chosen = all;
        is_new
    }

    /// Whether the characters left out could make a difference.
    pub(super) fn may_miss(&self) -> bool {
        // An order tells characters apart by their place: leave room above the greatest.
        let last = self.chosen.last().map_or(0, |it| it.1);
        let greatest = self.constants.last().copied().unwrap_or(0);
        if self.has_order && u64::from(greatest) + self.constants.len() as u64 + STAND_INS_MIN > last.into() {
            return true;
        }
        // Between two neighbours of these, no class tells characters apart.
        let mut starts = vec![0, SURROGATES.0, SURROGATES.1 + 1];
        for (lo, hi) in self.classes.iter().flatten().chain(&self.chosen) {
            starts.extend([*lo, hi + 1]);
        }
        starts.sort_unstable();
        starts.dedup();
        let members = |c: u32| -> Vec<bool> { self.classes.iter().map(|it| is_in(it, c)).collect() };
        let mut stand_ins: BTreeMap<Vec<bool>, u64> = BTreeMap::new();
        let mut lost: BTreeSet<Vec<bool>> = BTreeSet::new();
        for (i, start) in starts.iter().enumerate().filter(|it| *it.1 <= SCALAR_MAX) {
            if is_in(&[SURROGATES], *start) {
                continue;
            }
            if !self.has(*start) {
                lost.insert(members(*start));
                continue;
            }
            let end = starts.get(i + 1).copied().unwrap_or(SCALAR_MAX + 1);
            let used = self.constants.range(*start..end).count() as u64;
            *stand_ins.entry(members(*start)).or_insert(0) += u64::from(end - start) - used;
        }
        lost.iter().any(|it| stand_ins.get(it).copied().unwrap_or(0) < STAND_INS_MIN)
    }
}

fn is_in(ranges: &[(u32, u32)], c: u32) -> bool {
    let after = ranges.partition_point(|it| it.0 <= c);
    after > 0 && c <= ranges[after - 1].1
}

/// What is in both.
fn meet(a: &[(u32, u32)], b: &[(u32, u32)]) -> Ranges {
    let mut res = Vec::new();
    let (mut i, mut j) = (0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        let (lo, hi) = (x.0.max(y.0), x.1.min(y.1));
        if lo <= hi {
            res.push((lo, hi));
        }
        if x.1 < y.1 { i += 1 } else { j += 1 }
    }
    res
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_left_out_need_stand_ins() {
        let alphabet = |classes: &[&[(u32, u32)]], constant: &str| {
            let mut alphabet = Alphabet::default();
            classes.iter().for_each(|it| alphabet.class(&it.to_vec()));
            alphabet.text(constant);
            alphabet
        };
        let may_miss = |classes: &[&[(u32, u32)]], constant: &str| alphabet(classes, constant).may_miss();
        assert!(!may_miss(&[], "abc"));
        assert!(!may_miss(&[&[(0x61, 0x7a)]], ""));
        assert!(!may_miss(&[&[(0, 0x60), (0x62, SCALAR_MAX)]], "a"));
        // A class of letters on both sides of the border, and one beyond it.
        assert!(!may_miss(&[&[(0x61, 0x7a), (0x3_0000, 0x3_1000)]], ""));
        assert!(may_miss(&[&[(0x3_0000, 0x3_1000)]], ""));
        // One that has few stand-ins, and one whose stand-ins constants use up.
        assert!(may_miss(&[&[(CHAR_MAX - 4, SCALAR_MAX)]], ""));
        assert!(!may_miss(&[&[(CHAR_MAX - 9, SCALAR_MAX)]], ""));
        assert!(may_miss(&[&[(CHAR_MAX - 9, SCALAR_MAX)]], "\u{2ffff}\u{2fffe}\u{2fffd}"));
        // A class far away and characters of constants are taken in.
        let far = alphabet(&[&[(0x4e00, 0x9fff)], &[(0xd7ff, 0xe000)]], "\u{1f600}");
        assert!([0, 0x24f, 0x4e00, 0x9fff, 0xd7ff, 0xe000, 0x1f600].iter().all(|it| far.has(*it)));
        assert!([0x250, 0xd800, 0xdfff, 0x1f601].iter().all(|it| !far.has(*it)));
        assert!(!far.may_miss());
    }
}
