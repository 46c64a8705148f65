//! The largest set of pairwise compatible things: a maximum weight clique by branch and bound.

use super::work::WorkBudget;

/// Words of bits that are looked at in one step of work.
const WORDS_PER_STEP: u64 = 500;

/// Pairs that go together, as bit rows.
pub(crate) struct PairGraph {
    rows: Vec<Vec<u64>>,
    weights: Vec<u64>,
}

/// What a search found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Clique {
    /// The members.
    pub(crate) members: Vec<usize>,
    /// Whether no clique weighs more.
    pub(crate) is_largest: bool,
    /// Whether it weighs as much as was asked for.
    pub(crate) is_enough: bool,
}

impl PairGraph {
    /// No pair goes together yet; every vertex counts `weight`.
    pub(crate) fn new(weights: Vec<u64>) -> PairGraph {
        let words = weights.len().div_ceil(64);
        PairGraph { rows: vec![vec![0; words]; weights.len()], weights }
    }

    /// The two go together.
    pub(crate) fn join(&mut self, one: usize, two: usize) {
        self.rows[one][two / 64] |= 1 << (two % 64);
        self.rows[two][one / 64] |= 1 << (one % 64);
    }

    /// A clique that weighs at least `enough`, else the heaviest; when the work ends before, one that cannot be
    /// extended.
    pub(crate) fn clique(&self, enough: u64, work: &WorkBudget) -> Clique {
        let n = self.weights.len();
        let (best, here) = (Vec::new(), Vec::new());
        let mut search = CliqueSearch { graph: self, enough, work, best, heaviest: 0, here };
        let mut all = vec![0; n.div_ceil(64)];
        (0..n).for_each(|it| all[it / 64] |= 1 << (it % 64));
        let finished = search.grow(&all, 0);
        if !finished {
            search.extend(all);
        }
        search.best.sort_unstable();
        let is_enough = search.heaviest >= enough;
        Clique { is_largest: finished && !is_enough, is_enough, members: search.best }
    }
}

struct CliqueSearch<'a> {
    graph: &'a PairGraph,
    enough: u64,
    work: &'a WorkBudget<'a>,
    best: Vec<usize>,
    heaviest: u64,
    here: Vec<usize>,
}

impl CliqueSearch<'_> {
    /// Extends the clique at hand by the candidates; false when the search has to end.
    fn grow(&mut self, candidates: &[u64], weight: u64) -> bool {
        if weight > self.heaviest {
            self.heaviest = weight;
            self.best.clone_from(&self.here);
        }
        if self.heaviest >= self.enough {
            return false;
        }
        let words: u32 = candidates.iter().map(|it| it.count_ones()).sum();
        if !self.work.go_on(1 + u64::from(words) * candidates.len() as u64 / WORDS_PER_STEP) {
            return false;
        }
        let mut candidates = candidates.to_vec();
        // From the last color to the first: once the bound of one is too low, so are those before it.
        for &(vertex, bound) in self.coloured(&candidates).iter().rev() {
            if weight.saturating_add(bound) <= self.heaviest {
                return true;
            }
            let row = &self.graph.rows[vertex];
            let below: Vec<u64> = candidates.iter().zip(row).map(|(it, row)| it & row).collect();
            self.here.push(vertex);
            let go_on = self.grow(&below, weight.saturating_add(self.graph.weights[vertex]));
            self.here.pop();
            if !go_on {
                return false;
            }
            candidates[vertex / 64] &= !(1 << (vertex % 64));
        }
        true
    }

    /// Adds to the best clique whatever goes together with all of it, until it is enough.
    fn extend(&mut self, mut candidates: Vec<u64>) {
        for member in &self.best {
            candidates.iter_mut().zip(&self.graph.rows[*member]).for_each(|(it, row)| *it &= row);
        }
        while let Some(word) = candidates.iter().position(|it| *it != 0) {
            if self.heaviest >= self.enough {
                return;
            }
            let vertex = word * 64 + candidates[word].trailing_zeros() as usize;
            candidates.iter_mut().zip(&self.graph.rows[vertex]).for_each(|(it, row)| *it &= row);
            self.heaviest = self.heaviest.saturating_add(self.graph.weights[vertex]);
            self.best.push(vertex);
        }
    }

    /// The candidates color by color (no two of a color go together), each with the most that a clique of it
    /// and those before it can weigh: the sum over the colors of the heaviest of each.
    fn coloured(&self, candidates: &[u64]) -> Vec<(usize, u64)> {
        let mut left = candidates.to_vec();
        let mut res = Vec::new();
        let mut before = 0_u64;
        while left.iter().any(|it| *it != 0) {
            let mut open = left.clone();
            let mut colour = 0;
            while let Some(word) = open.iter().position(|it| *it != 0) {
                let vertex = word * 64 + open[word].trailing_zeros() as usize;
                left[vertex / 64] &= !(1 << (vertex % 64));
                open[vertex / 64] &= !(1 << (vertex % 64));
                open.iter_mut().zip(&self.graph.rows[vertex]).for_each(|(it, row)| *it &= !row);
                colour = colour.max(self.graph.weights[vertex]);
                res.push((vertex, before.saturating_add(colour)));
            }
            before = before.saturating_add(colour);
        }
        res
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::shuffle::mix;

    /// By trying every subset.
    fn brute(weights: &[u64], joined: &dyn Fn(usize, usize) -> bool) -> u64 {
        let n = weights.len();
        let is_clique = |set: usize| {
            (0..n).all(|a| {
                (0..a).all(|b| (set >> a) & 1 == 0 || (set >> b) & 1 == 0 || joined(a, b) || joined(b, a))
            })
        };
        let weight = |set: usize| (0..n).filter(|it| (set >> it) & 1 == 1).map(|it| weights[it]).sum();
        (0..1_usize << n).filter(|it| is_clique(*it)).map(weight).max().unwrap()
    }

    #[test]
    fn cliques_weigh_what_brute_force_finds() {
        for seed in 0..200 {
            let n = (mix(seed) % 10) as usize;
            let density = mix(seed ^ 77) % 10;
            let weights: Vec<u64> = (0..n).map(|it| 1 + mix(seed * 31 + it as u64) % 3).collect();
            let joined = |a: usize, b: usize| b < a && mix(seed << 20 | (a * 64 + b) as u64) % 10 < density;
            let mut graph = PairGraph::new(weights.clone());
            for a in 0..n {
                (0..a).filter(|b| joined(a, *b)).for_each(|b| graph.join(a, b));
            }
            let clique = graph.clique(u64::MAX, &WorkBudget::new(&|| false));
            let weight: u64 = clique.members.iter().map(|it| weights[*it]).sum();
            assert!(clique.is_largest);
            assert_eq!(weight, brute(&weights, &joined), "seed {seed}");
        }
    }

    #[test]
    fn a_search_out_of_steps_says_so() {
        let mut graph = PairGraph::new(vec![1; 5]);
        let found = graph.clique(1, &WorkBudget::new(&|| false));
        assert!(found.members.len() == 1 && found.is_enough && !found.is_largest);
        graph.join(1, 3);
        let found = graph.clique(9, &WorkBudget::new(&|| true));
        assert!(found.members == [0] && !found.is_largest, "{found:?}");
    }
}
