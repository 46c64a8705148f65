//! The letters of an automaton: sets of characters that it does not tell apart.

use std::collections::{BTreeSet, HashMap};

use super::chars::{self, CHARS, CharSet};

/// A partition of all characters into letters, numbered by where they first occur.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Alphabet {
    /// Where segments start, by place; the first at 0.
    starts: Vec<u32>,
    /// The letter of each segment; neighbors differ.
    letters: Vec<u16>,
    /// The letters of ASCII, which are asked for most.
    ascii: [u16; 128],
    len: usize,
}

/// More letters than this are refused.
const LETTERS_MAX: usize = 1 << 14;
/// This many steps are made to find them.
const STEPS_MAX: usize = 4_000_000;

impl Alphabet {
    /// The coarsest partition that distinguishes the sets, and for every set which letters are in it.
    pub(super) fn of_sets(sets: &[CharSet]) -> Result<(Alphabet, Vec<Vec<bool>>), String> {
        let mut events: Vec<(u32, usize)> = Vec::new();
        for (id, set) in sets.iter().enumerate() {
            events.extend(set.ranges().iter().flat_map(|&(lo, hi)| [(lo, id), (hi + 1, id)]));
        }
        events.sort_unstable();
        let mut seen: HashMap<Vec<usize>, u32> = HashMap::new();
        let mut segments = Vec::new();
        let mut members: Vec<Vec<usize>> = Vec::new();
        let mut inside = BTreeSet::new();
        let (mut from, mut at) = (0, 0);
        let mut steps = 0;
        while from < CHARS {
            // An id that both ends and begins here stays as it was.
            while at < events.len() && events[at].0 == from {
                if !inside.remove(&events[at].1) {
                    inside.insert(events[at].1);
                }
                at += 1;
            }
            steps += inside.len() + 1;
            if steps > STEPS_MAX || members.len() > LETTERS_MAX {
                return Err(format!(
                    "tells too many kinds of characters apart (more than {LETTERS_MAX}, or in too \
                     many ways); use fewer classes"
                ));
            }
            let signature: Vec<usize> = inside.iter().copied().collect();
            let letter = *seen.entry(signature).or_insert_with_key(|it| {
                members.push(it.clone());
                members.len() as u32 - 1
            });
            segments.push((from, letter));
            from = events.get(at).map_or(CHARS, |it| it.0);
        }
        let mut has = vec![vec![false; members.len()]; sets.len()];
        for (letter, sets) in members.iter().enumerate() {
            sets.iter().for_each(|&set| has[set][letter] = true);
        }
        Ok((Alphabet::of_segments(segments, members.len()), has))
    }

    /// Segments in order, each with where it starts and its letter.
    fn of_segments(segments: Vec<(u32, u32)>, len: usize) -> Alphabet {
        let (mut starts, mut letters): (Vec<u32>, Vec<u16>) = (Vec::new(), Vec::new());
        for (start, letter) in segments {
            if letters.last() != Some(&(letter as u16)) {
                starts.push(start);
                letters.push(letter as u16);
            }
        }
        let mut res = Alphabet { starts, letters, ascii: [0; 128], len };
        res.ascii = std::array::from_fn(|it| res.find(it as u32));
        res
    }

    fn find(&self, place: u32) -> u16 {
        self.letters[self.starts.partition_point(|&it| it <= place) - 1]
    }

    /// How many letters there are.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The letter of a character.
    #[inline]
    pub(super) fn letter(&self, c: char) -> usize {
        let letter = if c.is_ascii() { self.ascii[c as usize] } else { self.find(chars::place(c)) };
        letter.into()
    }

    /// All segments in order: first and last place, letter.
    pub(super) fn segments(&self) -> impl Iterator<Item = (u32, u32, usize)> + '_ {
        let ends = self.starts[1..].iter().copied().chain([CHARS]);
        self.starts.iter().zip(ends).zip(&self.letters).map(|((&lo, end), &it)| (lo, end - 1, it.into()))
    }

    /// The characters of each letter.
    pub(super) fn sets(&self) -> Vec<CharSet> {
        let mut ranges = vec![Vec::new(); self.len];
        self.segments().for_each(|(lo, hi, letter)| ranges[letter].push((lo, hi)));
        ranges.into_iter().map(CharSet::of).collect()
    }

    /// The coarsest alphabet that refines both, and for each letter the two that it is part of.
    pub(super) fn refine(&self, other: &Alphabet) -> Result<(Alphabet, Vec<(usize, usize)>), String> {
        let starts: BTreeSet<u32> = self.starts.iter().chain(&other.starts).copied().collect();
        let mut seen = HashMap::new();
        let mut pairs = Vec::new();
        let mut segments = Vec::new();
        for start in starts {
            let pair = (usize::from(self.find(start)), usize::from(other.find(start)));
            let letter = *seen.entry(pair).or_insert_with(|| {
                pairs.push(pair);
                pairs.len() as u32 - 1
            });
            segments.push((start, letter));
        }
        if pairs.len() > LETTERS_MAX {
            return Err(format!(
                "tells more than {LETTERS_MAX} kinds of characters apart; use fewer classes"
            ));
        }
        Ok((Alphabet::of_segments(segments, pairs.len()), pairs))
    }

    /// The alphabet in which letters with one class are one, and for each of its letters one of those it was made of.
    pub(super) fn join(&self, classes: &[u32]) -> (Alphabet, Vec<usize>) {
        let mut seen = HashMap::new();
        let mut from = Vec::new();
        let mut segments = Vec::new();
        for (lo, _, letter) in self.segments() {
            let new = *seen.entry(classes[letter]).or_insert_with(|| {
                from.push(letter);
                from.len() as u32 - 1
            });
            segments.push((lo, new));
        }
        (Alphabet::of_segments(segments, from.len()), from)
    }
}
