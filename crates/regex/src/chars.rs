//! Sets of characters, and how one is picked from them.
//!
//! A character is counted by its *place*: its code point, with the gap of the surrogates closed. So ranges of places
//! have no holes.

use std::sync::OnceLock;

use regex_syntax::hir::{Class, Hir, HirKind};

use crate::Random;

/// How many characters there are.
pub const CHARS: u32 = 0x11_0000 - SURROGATES;
const SURROGATES: u32 = 0x800;
const FIRST_SURROGATE: u32 = 0xd800;

/// The place of a character.
#[inline]
pub fn place(c: char) -> u32 {
    let code = c as u32;
    if code < FIRST_SURROGATE { code } else { code - SURROGATES }
}

/// The character at a place.
#[inline]
pub fn at(place: u32) -> char {
    let code = if place < FIRST_SURROGATE { place } else { place + SURROGATES };
    char::from_u32(code).unwrap_or(char::MAX)
}

/// A set of characters: ranges of places, both ends included, in order, with gaps between them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct CharSet(Vec<(u32, u32)>);

impl CharSet {
    pub fn of(mut ranges: Vec<(u32, u32)>) -> CharSet {
        ranges.sort_unstable();
        let mut res: Vec<(u32, u32)> = Vec::with_capacity(ranges.len());
        for (lo, hi) in ranges {
            match res.last_mut() {
                Some(last) if lo <= last.1 + 1 => last.1 = last.1.max(hi),
                _ => res.push((lo, hi)),
            }
        }
        CharSet(res)
    }

    pub fn of_chars(ranges: impl IntoIterator<Item = (char, char)>) -> CharSet {
        CharSet::of(ranges.into_iter().map(|(lo, hi)| (place(lo), place(hi))).collect())
    }

    pub fn one(c: char) -> CharSet {
        CharSet(vec![(place(c), place(c))])
    }

    pub fn ranges(&self) -> &[(u32, u32)] {
        &self.0
    }

    /// The same ranges as characters; one over the gap of the surrogates becomes two.
    pub fn char_ranges(&self) -> impl Iterator<Item = (char, char)> {
        let parts = |&(lo, hi): &(u32, u32)| match lo < FIRST_SURROGATE && FIRST_SURROGATE <= hi {
            true => [Some((lo, FIRST_SURROGATE - 1)), Some((FIRST_SURROGATE, hi))],
            false => [Some((lo, hi)), None],
        };
        self.0.iter().flat_map(parts).flatten().map(|it| (at(it.0), at(it.1)))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn len(&self) -> u32 {
        self.0.iter().map(|it| it.1 - it.0 + 1).sum()
    }

    pub fn contains(&self, c: char) -> bool {
        let place = place(c);
        let after = self.0.partition_point(|it| it.0 <= place);
        after > 0 && place <= self.0[after - 1].1
    }

    pub fn and(&self, other: &CharSet) -> CharSet {
        let (mut a, mut b) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut res = Vec::new();
        while let (Some(&&x), Some(&&y)) = (a.peek(), b.peek()) {
            let (lo, hi) = (x.0.max(y.0), x.1.min(y.1));
            if lo <= hi {
                res.push((lo, hi));
            }
            if x.1 < y.1 {
                a.next();
            } else {
                b.next();
            }
        }
        CharSet(res)
    }

    pub fn not(&self) -> CharSet {
        let mut res = Vec::new();
        let mut from = 0;
        for &(lo, hi) in &self.0 {
            if from < lo {
                res.push((from, lo - 1));
            }
            from = hi + 1;
        }
        if from < CHARS {
            res.push((from, CHARS - 1));
        }
        CharSet(res)
    }
}

/// Unicode word characters, as `\w` and `\b` know them.
pub fn word() -> &'static CharSet {
    static WORD: OnceLock<CharSet> = OnceLock::new();
    WORD.get_or_init(|| match regex_syntax::parse(r"\w").map(Hir::into_kind) {
        Ok(HirKind::Class(Class::Unicode(class))) => {
            CharSet::of_chars(class.iter().map(|it| (it.start(), it.end())))
        }
        other => unreachable!("{other:?} is no class"),
    })
}

/// Blocks outside ASCII whose characters people can read and programs often get wrong: Latin with accents, Greek,
/// Cyrillic, Hebrew, Arabic, Devanagari, Hiragana, common ideographs, Hangul, emoji.
const READABLE: [(char, char); 11] = [
    ('\u{c0}', '\u{d6}'),
    ('\u{d8}', '\u{f6}'),
    ('\u{f8}', '\u{17f}'),
    ('\u{3b1}', '\u{3c9}'),
    ('\u{410}', '\u{44f}'),
    ('\u{5d0}', '\u{5ea}'),
    ('\u{627}', '\u{64a}'),
    ('\u{3042}', '\u{3093}'),
    ('\u{4e00}', '\u{4fff}'),
    ('\u{ac00}', '\u{ac80}'),
    ('\u{1f600}', '\u{1f64f}'),
];

/// Out of 256 texts, in how many there may be characters that are not printable ASCII where others would do.
const ODD_TEXTS: u8 = 24;
/// Out of 256 characters of such a text, how many are printable ASCII all the same.
const PRINTABLE_SHARE: u8 = 192;
/// Out of 256 of the others, how many are of the blocks that people can read.
const READABLE_SHARE: u8 = 192;

/// Which characters a text has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CharPreference {
    /// Each as likely as the others.
    Even,
    /// Printable ASCII wherever it is permitted.
    Plain,
    /// Now and then one from elsewhere.
    Odd,
}

impl CharPreference {
    /// For a text that people are to read: now and then an odd one. A text as a whole is odd or plain, because one
    /// odd character in a hundred would make most long texts odd.
    pub fn nice(random: &mut Random) -> CharPreference {
        if random.chance(ODD_TEXTS) { CharPreference::Odd } else { CharPreference::Plain }
    }
}

/// Picks characters of a set.
#[derive(Clone, Debug)]
pub struct Picker {
    ranges: Vec<(u32, u32)>,
    /// Where the range at each place ends among all characters of the set.
    ends: Vec<u32>,
    printable: Vec<char>,
    readable: Vec<(u32, u32)>,
}

impl Picker {
    /// The set must not be empty.
    pub fn new(set: &CharSet) -> Picker {
        let printable = set.and(&CharSet::of_chars([(' ', '~')]));
        let printable = printable.0.iter().flat_map(|&(lo, hi)| lo..=hi).map(at).collect();
        let readable = set.and(&CharSet::of_chars(READABLE)).0;
        let mut end = 0;
        let ends = set.0.iter().map(|it| {
            end += it.1 - it.0 + 1;
            end
        });
        Picker { ends: ends.collect(), ranges: set.0.clone(), printable, readable }
    }

    /// Any, each as likely as the others.
    #[inline]
    fn uniform(&self, random: &mut Random) -> char {
        let n = *self.ends.last().unwrap_or(&1);
        let place = random.below(n.into()) as u32;
        if self.ranges.len() == 1 {
            return at(self.ranges[0].0 + place);
        }
        let range = self.ends.partition_point(|&end| end <= place);
        at(self.ranges[range].1 - (self.ends[range] - 1 - place))
    }

    #[inline]
    pub fn pick(&self, random: &mut Random, preference: CharPreference) -> char {
        if preference == CharPreference::Even {
            return self.uniform(random);
        }
        if !self.printable.is_empty()
            && (preference == CharPreference::Plain || random.chance(PRINTABLE_SHARE))
        {
            return self.printable[random.index(self.printable.len())];
        }
        if !self.readable.is_empty() && random.chance(READABLE_SHARE) {
            let (lo, hi) = self.readable[random.index(self.readable.len())];
            return at(lo + random.below(u64::from(hi - lo) + 1) as u32);
        }
        self.uniform(random)
    }

    /// Appends `n` of them.
    pub fn fill(&self, random: &mut Random, n: usize, preference: CharPreference, text: &mut String) {
        if self.ranges.len() == 1 && self.ranges[0].1 < 0x80 {
            // Two characters of one word: 2^32 is enough to be fair among 128.
            let (lo, len) = (self.ranges[0].0 as u8, u64::from(self.ends[0]));
            let pick = |half: u64| char::from(lo + ((half * len) >> 32) as u8);
            for _ in 0..n / 2 {
                let word = random.bits();
                text.extend([pick(word >> 32), pick(word & 0xffff_ffff)]);
            }
            text.extend((n % 2 == 1).then(|| pick(random.bits() >> 32)));
        } else {
            text.extend((0..n).map(|_| self.pick(random, preference)));
        }
    }
}
