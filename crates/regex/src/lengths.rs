//! The lengths that the texts of a language have.

use super::dfa::DEAD;
use super::language::{Count, Language};

/// The lengths that the texts of a language have, in characters.
///
/// ```
/// use probity_regex::{Count, Regex};
/// let odd = Regex::new("a(aa)*|b{4}").unwrap().language()?;
/// assert_eq!(odd.lengths().first(4), [1, 3, 4, 5]);
/// assert!(odd.lengths().contains(1_000_001) && !odd.lengths().contains(1_000_000));
/// assert_eq!(odd.lengths().count(), Count::Infinite);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lengths {
    /// Whether there is a text of each length, up to where it repeats itself.
    bits: Vec<bool>,
    /// From where on it repeats itself; none where there are no longer texts.
    repeats: Option<usize>,
}

/// This many steps are made to find where lengths repeat; languages that take more are treated as if they ended there.
const STEPS_MAX: usize = 10_000_000;

/// The states that can be reached by texts of one length.
type States = Vec<bool>;

pub(super) fn of(language: &Language) -> Lengths {
    let dfa = &language.dfa;
    let targets: Vec<Vec<u32>> = (0..dfa.len() as u32)
        .map(|state| {
            let mut to: Vec<u32> = dfa.row(state).iter().copied().filter(|&it| it != DEAD).collect();
            to.sort_unstable();
            to.dedup();
            to
        })
        .collect();
    let step = |states: &States| {
        let mut res = vec![false; states.len()];
        for (_, to) in states.iter().zip(&targets).filter(|it| *it.0) {
            to.iter().for_each(|&it| res[it as usize] = true);
        }
        res
    };
    let ends = |states: &States| states.iter().zip(&dfa.accepts).any(|it| *it.0 && *it.1);
    let mut start = vec![false; dfa.len()];
    if dfa.start != DEAD {
        start[dfa.start as usize] = true;
    }
    // Brent's way to find a cycle: no sets are kept but one that is met again.
    let mut bits = Vec::new();
    let (mut kept, mut now) = (start.clone(), start);
    let (mut since, mut power) = (0, 1);
    let limit = STEPS_MAX / (dfa.len() + targets.iter().map(Vec::len).sum::<usize>());
    loop {
        if !now.contains(&true) || bits.len() >= limit {
            bits.truncate(bits.iter().rposition(|&it| it).map_or(0, |it| it + 1));
            return Lengths { bits, repeats: None };
        }
        bits.push(ends(&now));
        now = step(&now);
        since += 1;
        if now == kept {
            break;
        }
        if since == power {
            kept = now.clone();
            (since, power) = (0, power * 2);
        }
    }
    let repeats = bits.len() - since;
    Lengths { bits, repeats: Some(repeats) }
}

impl Lengths {
    /// Whether some text has that length.
    pub fn contains(&self, len: usize) -> bool {
        match self.repeats {
            Some(from) if len >= self.bits.len() => self.bits[from + (len - from) % (self.bits.len() - from)],
            _ => self.bits.get(len).copied().unwrap_or(false),
        }
    }

    /// The first that is at least `len`.
    pub fn next_at_least(&self, len: usize) -> Option<usize> {
        let period = self.repeats.map_or(0, |from| self.bits.len() - from);
        let until = self.bits.len().max(len.saturating_add(period));
        (len..until).find(|&it| self.contains(it))
    }

    /// The lengths in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        let mut from = Some(0);
        std::iter::from_fn(move || {
            let len = self.next_at_least(from?)?;
            from = len.checked_add(1);
            Some(len)
        })
    }

    /// The first `n` lengths, fewer where there are fewer.
    pub fn first(&self, n: usize) -> Vec<usize> {
        self.iter().take(n).collect()
    }

    /// The least; none where there is no text.
    pub fn min(&self) -> Option<usize> {
        self.next_at_least(0)
    }

    /// The greatest; none where there is no end, or no text.
    pub fn max(&self) -> Option<usize> {
        if self.is_endless() { None } else { self.bits.iter().rposition(|&it| it) }
    }

    /// How many there are.
    pub fn count(&self) -> Count {
        match self.is_endless() {
            true => Count::Infinite,
            false => Count::of(self.bits.iter().filter(|&&it| it).count() as u64),
        }
    }

    fn is_endless(&self) -> bool {
        self.repeats.is_some_and(|from| self.bits[from..].contains(&true))
    }
}
