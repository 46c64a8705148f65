//! The characters that a solver gets to choose from.
//!
//! SMT-LIB has characters up to U+2FFFF, and solvers get lost in Unicode's classes of hundreds of ranges (Z3 5.4
//! finds no five characters of `\w` within a minute, but at once if there are ten ranges to choose from). So a solver
//! is given few characters: those of Europe, those of constants, and some of every class that has too few among
//! them. That no text of these will do means that no text will if every character that is left out has
//! stand-ins: characters that no class and no constant distinguishes from it.

use std::collections::{BTreeMap, BTreeSet};

use probity_spec::regex::chars::{CHARS, CharSet, at, place};

use super::text::CHAR_MAX;

/// The characters that there are at first, up to this one.
const EUROPE: char = '\u{24f}';
/// A class with fewer characters among those that there are gets some more.
const MEMBERS_MIN: u32 = 8;
/// How many ranges it gets.
const RANGES_MORE: usize = 4;
/// How many stand-ins make up for all the characters like them.
const STAND_INS_MIN: u32 = 8;

/// The characters to choose from, and those that requirements tell apart.
pub(super) struct SolverAlphabet {
    chosen: CharSet,
    classes: BTreeSet<CharSet>,
    constants: BTreeSet<char>,
    has_order: bool,
}

impl Default for SolverAlphabet {
    fn default() -> SolverAlphabet {
        let (classes, constants) = (BTreeSet::new(), BTreeSet::new());
        SolverAlphabet { chosen: CharSet::of_chars([('\0', EUROPE)]), classes, constants, has_order: false }
    }
}

impl SolverAlphabet {
    /// The characters to choose from.
    pub(super) fn chosen(&self) -> &CharSet {
        &self.chosen
    }

    pub(super) fn has(&self, c: char) -> bool {
        self.chosen.contains(c)
    }

    /// Notes a set of characters.
    pub(super) fn class(&mut self, set: &CharSet) {
        if !self.classes.insert(set.clone()) {
            return;
        }
        if self.of(set).len() < MEMBERS_MIN {
            let all = set.and(&everything());
            let more = all.char_ranges().filter(|it| !self.has(it.0) || !self.has(it.1));
            self.add(&CharSet::of_chars(more.take(RANGES_MORE)));
        }
    }

    /// Notes a constant.
    pub(super) fn text(&mut self, text: &str) {
        for c in text.chars() {
            if self.constants.insert(c) && !self.has(c) && c <= CHAR_MAX {
                self.add(&CharSet::one(c));
            }
        }
    }

    /// Notes that texts are compared by their characters.
    pub(super) fn order(&mut self) {
        self.has_order = true;
    }

    fn add(&mut self, set: &CharSet) {
        self.chosen = CharSet::of([self.chosen.ranges(), set.ranges()].concat());
    }

    /// The part of a set that there is to choose from.
    pub(super) fn of(&self, set: &CharSet) -> CharSet {
        set.and(&self.chosen)
    }

    /// Takes in all of SMT-LIB's characters; false if they were in already.
    pub(super) fn widen(&mut self) -> bool {
        let is_new = self.chosen != everything();
        self.chosen = everything();
        is_new
    }

    /// Whether the characters left out could make a difference.
    pub(super) fn may_miss(&self) -> bool {
        // An order distinguishes characters by their place: leave room above the greatest.
        let last = self.chosen.ranges().last().map_or(0, |it| it.1);
        let greatest = self.constants.last().map_or(0, |it| place(*it));
        if self.has_order && greatest + self.constants.len() as u32 + STAND_INS_MIN > last {
            return true;
        }
        // Between two neighbors of these, no class distinguishes characters.
        let mut starts = vec![0];
        for set in self.classes.iter().chain([&self.chosen]) {
            starts.extend(set.ranges().iter().flat_map(|it| [it.0, it.1 + 1]));
        }
        starts.sort_unstable();
        starts.dedup();
        let members = |c: char| -> Vec<bool> { self.classes.iter().map(|it| it.contains(c)).collect() };
        let mut stand_ins: BTreeMap<Vec<bool>, u32> = BTreeMap::new();
        let mut lost: BTreeSet<Vec<bool>> = BTreeSet::new();
        for (i, start) in starts.iter().copied().enumerate().filter(|it| it.1 < CHARS) {
            let first = at(start);
            if !self.has(first) {
                lost.insert(members(first));
                continue;
            }
            let end = starts.get(i + 1).copied().unwrap_or(CHARS);
            let used = self.constants.range(first..=at(end - 1)).count() as u32;
            *stand_ins.entry(members(first)).or_insert(0) += end - start - used;
        }
        lost.iter().any(|it| stand_ins.get(it).copied().unwrap_or(0) < STAND_INS_MIN)
    }
}

/// SMT-LIB's characters.
fn everything() -> CharSet {
    CharSet::of_chars([('\0', CHAR_MAX)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_left_out_need_stand_ins() {
        let code = |it: u32| char::from_u32(it).unwrap();
        let alphabet = |classes: &[&[(u32, u32)]], constant: &str| {
            let mut alphabet = SolverAlphabet::default();
            let class = |it: &&[(u32, u32)]| CharSet::of_chars(it.iter().map(|it| (code(it.0), code(it.1))));
            classes.iter().for_each(|it| alphabet.class(&class(it)));
            alphabet.text(constant);
            alphabet
        };
        const SCALAR_MAX: u32 = char::MAX as u32;
        const CHAR_MAX: u32 = super::CHAR_MAX as u32;
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
        assert!([0, 0x24f, 0x4e00, 0x9fff, 0xd7ff, 0xe000, 0x1f600].iter().all(|it| far.has(code(*it))));
        assert!([0x250, 0x1f601].iter().all(|it| !far.has(code(*it))));
        assert!(!far.may_miss());
    }
}
