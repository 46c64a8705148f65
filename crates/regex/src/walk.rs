//! The automaton of a language, for those who go through it one character at a time.

use super::chars::at;
use super::dfa::DEAD;
use super::language::Language;

/// For the crates of ours that draw and encode languages.
#[doc(hidden)]
impl Language {
    /// Where every text begins.
    pub fn start(&self) -> u32 {
        self.dfa.start
    }

    /// How many states there are.
    pub fn states(&self) -> usize {
        self.dfa.len()
    }

    /// Whether a text may end there.
    pub fn accepts(&self, state: u32) -> bool {
        self.dfa.accepts[state as usize]
    }

    /// The states where a state goes; not where no text is accepted.
    pub fn targets(&self, state: u32) -> Vec<u32> {
        let mut to: Vec<u32> = self.dfa.row(state).iter().copied().filter(|&it| it != DEAD).collect();
        to.sort_unstable();
        to.dedup();
        to
    }

    /// Where a state goes, by ranges of characters in order; not where no text is accepted.
    pub fn steps(&self, state: u32) -> Vec<(char, char, u32)> {
        let row = self.dfa.row(state);
        let mut res: Vec<(u32, u32, u32)> = Vec::new();
        for (low, high, letter) in self.dfa.alphabet.segments() {
            match res.last_mut() {
                _ if row[letter] == DEAD => {}
                Some(last) if last.1 + 1 == low && last.2 == row[letter] => last.1 = high,
                _ => res.push((low, high, row[letter])),
            }
        }
        res.into_iter().map(|(low, high, to)| (at(low), at(high), to)).collect()
    }
}
