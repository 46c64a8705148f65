//! The steps that may be flipped, and which of them is next.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use probity_core::Rng;

use crate::expr::Fixed;
use crate::path::{Edge, sort_edges};

/// How a candidate stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CandidateState {
    /// To be solved.
    Open,
    /// Its other sides were run, or there are none.
    Settled,
    /// Given up: not settled.
    Stuck,
    /// Given up because the solver did not settle it.
    Unknown,
}

/// What a run is like.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CandidateFeatures {
    /// How many of its answers are not the simplest, lengths aside.
    pub(super) oddity: u32,
    /// How many are characters that are not ASCII.
    pub(super) foreign: u32,
    /// The edge it took that the fewest runs had taken.
    pub(super) rarest: Edge,
    /// The two branches on its answers that the fewest runs had taken together.
    pub(super) pair: u64,
    /// How novel it was, as a logarithm.
    pub(super) novelty: u8,
}

/// A step of a run that may be flipped.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) run: u32,
    pub(super) step: u32,
    /// The prefix before the step.
    pub(super) prefix: u64,
    pub(super) edge: Edge,
    pub(super) is_pin: bool,
    pub(super) merits: CandidateFeatures,
    /// How often its run would have taken `edge` up to there, counting what is solved for.
    pub(super) nth: u32,
    /// How near to the end of a rejected run it stands: the last steps decide on the rejection.
    pub(super) decides: u8,
    pub(super) asked: u32,
    noise: u8,
    /// How often the solver did not settle it.
    pub(super) tries: u8,
    /// How many other values of a pin were run.
    pub(super) values: u8,
    pub(super) state: CandidateState,
    small: (u32, u32),
}

/// Counts of edges that runs took: how often in one run, as a set of classes of counts.
#[derive(Debug, Default)]
pub(super) struct Covered {
    edges: HashMap<Edge, u32, Fixed>,
    /// How many runs took a branch on their answers just so often.
    turns: HashMap<(Edge, u32), u32, Fixed>,
    /// How many runs took an edge.
    hits: HashMap<Edge, u32, Fixed>,
    /// How many runs took two branches on their answers, by a hash of both.
    pairs: HashMap<u64, u32, Fixed>,
}

/// How many branches of a run are paired, and how many pairs are counted at most.
const PAIRED_MAX: usize = 24;
const PAIRS_MAX: usize = 1 << 20;
/// Up to which number it is worth something that a branch is taken once more: loops over items.
const LOOP_COUNT_MAX: u32 = 45;

impl Covered {
    /// How many edges are new, and how many pairs of an edge and a class of counts. Of a run that `is_longer` than
    /// another only edges are: it takes loops more often, whatever it is like.
    pub(super) fn add(&mut self, edges: &[(Edge, u32)], is_longer: bool) -> (u32, u32) {
        let (mut new_edges, mut new_pairs) = (0, 0);
        for &(edge, count) in edges {
            let class = if count < 8 { count } else { 5 + count.ilog2() };
            *self.hits.entry(edge).or_default() += 1;
            let seen = self.edges.entry(edge).or_default();
            new_edges += u32::from(*seen == 0);
            if is_longer && *seen != 0 {
                continue;
            }
            new_pairs += u32::from(*seen & (1 << (class & 31)) == 0);
            *seen |= 1 << (class & 31);
        }
        (new_edges, new_pairs)
    }

    fn has(&self, edge: Edge) -> bool {
        self.edges.contains_key(&edge)
    }

    /// The edge among these, which were added, that the fewest runs took.
    pub(super) fn rarest(&self, edges: impl Iterator<Item = Edge>) -> Option<Edge> {
        edges.min_by_key(|it| (self.hits_of(*it), *it))
    }

    /// How many runs took an edge.
    pub(super) fn hits_of(&self, edge: Edge) -> u32 {
        self.hits.get(&edge).copied().unwrap_or(0)
    }

    /// Counts pairs of branches on answers that a run took; returns the one that the fewest runs had. To have met one
    /// condition with another is something, where each was met alone before.
    pub(super) fn add_pairs(&mut self, branches: &[Edge]) -> u64 {
        let mut branches: Vec<(Edge, u32)> = branches.iter().map(|it| (*it, self.hits_of(*it))).collect();
        sort_edges(&mut branches, &|a, b| (a.1, a.0).cmp(&(b.1, b.0)));
        branches.dedup();
        branches.truncate(PAIRED_MAX);
        sort_edges(&mut branches, &|a, b| a.0.cmp(&b.0));
        let mut rarest = (u32::MAX, 0);
        for (at, (a, _)) in branches.iter().enumerate() {
            for (b, _) in &branches[..at] {
                let key = hash(*a).rotate_left(1) ^ hash(*b);
                if self.pairs.len() == PAIRS_MAX && !self.pairs.contains_key(&key) {
                    continue;
                }
                let hits = self.pairs.entry(key).or_default();
                *hits += 1;
                rarest = rarest.min((*hits, key));
            }
        }
        rarest.1
    }

    /// How many runs took two branches.
    pub(super) fn pair_hits(&self, pair: u64) -> u32 {
        self.pairs.get(&pair).copied().unwrap_or(0)
    }

    /// Notes that a run took a branch on its answers `n` times.
    pub(super) fn met(&mut self, edge: Edge, n: u32) {
        if n <= LOOP_COUNT_MAX {
            *self.turns.entry((edge, n)).or_default() += 1;
        }
    }

    /// What it is worth to take a branch as often as few runs did.
    fn worth_of_turn(&self, it: &Candidate) -> i64 {
        if it.is_pin || it.nth > LOOP_COUNT_MAX {
            return 0;
        }
        let runs = self.turns.get(&(it.edge, it.nth)).copied().unwrap_or(0);
        // Less with each turn, so that a loop does not grow without end while there is something else to try; and
        // less for texts with characters of several bytes, or they would take the place of plain ones.
        let worth = (900 - 20 * i64::from(it.nth)).max(0) / (1 + i64::from(runs));
        worth * 2 / (2 + i64::from(it.merits.foreign))
    }
}

fn hash(edge: Edge) -> u64 {
    (edge.from ^ edge.to.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// All candidates, by two orders.
#[derive(Debug)]
pub(super) struct Queue {
    all: Vec<Candidate>,
    /// By score. Scores only fall: an outdated one is corrected when it comes to the top.
    best: BinaryHeap<(i64, Reverse<u32>)>,
    /// The least choices first, then the oldest: what finishes the paths of small inputs, and starves nobody.
    smallest: BinaryHeap<Reverse<(u32, u32, u32)>>,
    /// How often each edge was solved for, with weights.
    flips: HashMap<Edge, u32, Fixed>,
    picks: u64,
    pushes: u32,
    rng: Rng,
}

/// Up to which weight of what was solved for (see [`Queue::count`]) there is hope.
const HOPE: u32 = 8;

impl Queue {
    pub(super) fn new(seed: u64) -> Queue {
        Queue {
            all: Vec::new(),
            best: BinaryHeap::new(),
            smallest: BinaryHeap::new(),
            flips: HashMap::default(),
            picks: 0,
            pushes: 0,
            rng: Rng::new(seed),
        }
    }

    /// A candidate that nothing is known of yet.
    pub(super) fn candidate(&mut self, run: u32, step: u32, prefix: u64, edge: Edge) -> Candidate {
        Candidate {
            run,
            step,
            prefix,
            edge,
            is_pin: false,
            merits: CandidateFeatures::default(),
            nth: 0,
            decides: 0,
            asked: 0,
            noise: (self.rng.word() >> 56) as u8,
            tries: 0,
            values: 0,
            state: CandidateState::Open,
            small: (0, 0),
        }
    }

    /// Adds a candidate.
    pub(super) fn add(&mut self, candidate: Candidate, covered: &Covered) {
        let id = self.all.len() as u32;
        self.all.push(candidate);
        self.again(id, covered);
    }

    /// Puts an open candidate into the orders (again).
    pub(super) fn again(&mut self, id: u32, covered: &Covered) {
        let score = self.score(&self.all[id as usize], covered);
        self.pushes += 1;
        let it = &mut self.all[id as usize];
        it.small = (it.asked + 1_000 * u32::from(it.tries) + u32::from(it.values), self.pushes);
        self.best.push((score, Reverse(id)));
        self.smallest.push(Reverse((it.small.0, it.small.1, id)));
    }

    /// The next candidate to solve for.
    pub(super) fn pick(&mut self, covered: &Covered) -> Option<u32> {
        self.picks += 1;
        if self.picks.is_multiple_of(4) { self.pick_smallest() } else { self.pick_best(covered) }
    }

    fn pick_smallest(&mut self) -> Option<u32> {
        while let Some(Reverse((size, age, id))) = self.smallest.pop() {
            let it = &self.all[id as usize];
            if it.state == CandidateState::Open && it.small == (size, age) {
                return Some(id);
            }
        }
        None
    }

    fn pick_best(&mut self, covered: &Covered) -> Option<u32> {
        while let Some((score, Reverse(id))) = self.best.pop() {
            let it = &self.all[id as usize];
            if it.state != CandidateState::Open {
                continue;
            }
            let now = self.score(it, covered);
            if now < score && self.best.peek().is_some_and(|next| next.0 > now) {
                self.best.push((now, Reverse(id)));
                continue;
            }
            return Some(id);
        }
        None
    }

    /// How promising a candidate is.
    fn score(&self, it: &Candidate, covered: &Covered) -> i64 {
        let flips = self.flips.get(&it.edge).copied().unwrap_or(0);
        // Of ways that promise the same, the one with the plainest answers leaves most open.
        let mut res = i64::from(it.noise) / 4 - 70 * i64::from(it.merits.oddity.min(8));
        if self.is_new(it, covered) {
            // Less with each try: most edges that stay new are checks which cannot fail.
            res += 16_000 / (4 + i64::from(flips));
        }
        // What depends on how many there are of something shows no other sign before there are enough.
        res += covered.worth_of_turn(it);
        res += 60 * (6 - i64::from(covered.hits_of(it.merits.rarest).max(1).ilog2())).max(0);
        res += 40 * (6 - i64::from(covered.pair_hits(it.merits.pair).max(1).ilog2())).max(0);
        res += 100 * i64::from(it.merits.novelty);
        res -= 150 * i64::from((flips + 1).ilog2());
        if it.is_pin {
            res -= 400 + 100 * i64::from(it.values);
        }
        res += 80 * i64::from(it.decides);
        res -= 3 * i64::from(it.asked.min(200)) + i64::from((it.step / 16).min(200));
        res - 3_000 * i64::from(it.tries)
    }

    /// Whether the other side of a branch was never taken, as far as is known.
    pub(super) fn is_new(&self, it: &Candidate, covered: &Covered) -> bool {
        !it.is_pin && it.edge.to != 0 && !covered.has(it.edge)
    }

    /// Whether the other side of a branch was never taken, and was not solved for in vain so often that there is little hope:
    /// most sides that nobody takes are of checks that cannot fail.
    pub(super) fn has_hope(&self, it: &Candidate, covered: &Covered) -> bool {
        self.is_new(it, covered) && self.flips.get(&it.edge).is_none_or(|it| *it < HOPE)
    }

    /// Counts that a candidate was solved for; in vain counts more.
    pub(super) fn count(&mut self, id: u32, was_in_vain: bool) {
        let weight = if was_in_vain { 4 } else { 1 };
        *self.flips.entry(self.all[id as usize].edge).or_default() += weight;
    }

    pub(super) fn get(&self, id: u32) -> &Candidate {
        &self.all[id as usize]
    }

    pub(super) fn get_mut(&mut self, id: u32) -> &mut Candidate {
        &mut self.all[id as usize]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Candidate> {
        self.all.iter()
    }
}
