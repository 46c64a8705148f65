//! Which entry is varied next, and for how long.

use super::CorpusEntry;
use crate::Rng;

/// The entry that is varied, and how many cases like it are left.
#[derive(Default)]
pub(super) struct Pick {
    base: usize,
    left: u64,
    temperature: f64,
}

/// How many cases are like an entry before it is another's turn.
const CASES_EACH: u64 = 64;
/// How many of them are left once one of them was kept: that one is likely to lead on.
const CASES_AFTER_NEWS: u64 = 8;
/// Among how many entries the best is looked for.
const DRAWN: usize = 6;
/// How many of the last entries half of them are drawn from: they are at the edge of what is known.
const LAST: usize = 32;

impl Pick {
    /// The entry that is varied.
    pub(super) fn base(&self) -> usize {
        self.base
    }

    /// The next case: what it is like, what it may take parts from, and how far it goes.
    pub(super) fn next(&mut self, entries: &mut [CorpusEntry], rng: &mut Rng) -> (usize, Option<usize>, f64) {
        if self.left == 0 || self.base >= entries.len() {
            self.base = choose(entries, rng);
            entries[self.base].picks += 1;
            self.left = CASES_EACH;
            self.temperature = 1.0;
        }
        self.left -= 1;
        let other = rng.below(entries.len() as u64) as usize;
        (self.base, (other != self.base).then_some(other), self.temperature)
    }

    /// Learns whether the last case like the entry was kept.
    pub(super) fn learn(&mut self, entries: &mut [CorpusEntry], is_news: bool) {
        if is_news {
            entries[self.base].finds += 1;
            self.left = self.left.min(CASES_AFTER_NEWS);
        }
    }

    /// Learns that an entry was added at the end, and which one it took the place of.
    pub(super) fn keep(&mut self, entries: &[CorpusEntry], replaced: Option<usize>) {
        match replaced {
            Some(at) if at == self.base => self.left = 0,
            Some(at) if at < self.base => self.base -= 1,
            _ => {}
        }
        self.base = self.base.min(entries.len() - 1);
    }
}

/// One of a few entries, half of them late ones: the one that promises most.
fn choose(entries: &[CorpusEntry], rng: &mut Rng) -> usize {
    let n = entries.len();
    let mut best = (f64::MIN, 0);
    for turn in 0..DRAWN.min(n) {
        let at = match turn % 2 {
            0 => n - 1 - rng.below(n.min(LAST) as u64) as usize,
            _ => rng.below(n as u64) as usize,
        };
        let promise = promise(&entries[at]);
        if promise > best.0 {
            best = (promise, at);
        }
    }
    best.1
}

/// What an entry promises: the more, the rarer it is, the more cases like it were kept, the less often it was
/// picked, and the fewer choices it has.
fn promise(entry: &CorpusEntry) -> f64 {
    let rarity = 1.0 + ((entry.waited + 1) as f64).log2();
    let success = (entry.finds + 1) as f64 / (entry.picks + 1) as f64;
    let cost = ((entry.answers.len() + 16) as f64).sqrt();
    rarity * success / cost
}
