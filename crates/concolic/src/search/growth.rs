//! Inputs that are made longer where they are not at their end: by a character within a text, or an item within a list.
//!
//! How long a part of a text is often decides, and shows in no condition that could be flipped: in `"a,,"` the part in the
//! middle has no character, and to give it two, a character at the end has to become a comma, that in the middle
//! something else, twice, and on the way there is nothing to tell that it leads anywhere. So runs that took an edge which
//! few took are also run with one more item in each place, and those that still take it with another one.

use std::collections::HashMap;

use probity_core::{Choice, Value};

use super::queue::{CandidateFeatures, Covered};
use super::rows::{self, ItemRow};
use crate::expr::Fixed;
use crate::path::Edge;

/// How many runs are kept to be made longer.
const KEPT_MAX: usize = 64;
/// An edge is rare if at most this many runs took it.
const RARE: u32 = 16;
/// As much as having been taken by twice as many runs, it counts against an edge that this many longer inputs were tried.
const TRIED: u32 = 12;

/// So often a run is made longer at its end, if there is one that was not made longer at all.
const ENDS_EVERY: u64 = 3;

/// A run to be made longer.
#[derive(Debug)]
struct GrowthSeed {
    choices: Vec<Choice>,
    merits: CandidateFeatures,
    /// Where items go, and whether as copies; the last first.
    places: Vec<(ItemRow, u32, bool)>,
    /// Whether none was tried yet: the first is its end.
    is_fresh: bool,
}

/// The runs to be made longer.
#[derive(Debug, Default)]
pub(super) struct Growth {
    kept: Vec<GrowthSeed>,
    /// How many longer inputs were tried for each edge.
    tried: HashMap<Edge, u32, Fixed>,
    picks: u64,
}

impl Growth {
    /// Keeps a run, if it is worth it.
    pub(super) fn keep(&mut self, choices: &[Choice], merits: CandidateFeatures, covered: &Covered) {
        if covered.hits_of(merits.rarest) > RARE {
            return;
        }
        let mut places = Vec::new();
        for row in rows::rows(choices) {
            places.extend((0..=row.items).flat_map(|at| [(row, at, false), (row, at, true)]));
        }
        if places.is_empty() {
            return;
        }
        if self.kept.len() == KEPT_MAX
            && let Some(worst) = (0..KEPT_MAX).max_by_key(|&at| self.rank(&self.kept[at], covered))
        {
            self.kept.swap_remove(worst);
        }
        self.kept.push(GrowthSeed { choices: choices.to_vec(), merits, places, is_fresh: true });
    }

    /// The longer input that is most promising.
    pub(super) fn pick(&mut self, covered: &Covered) -> Option<Vec<Value>> {
        self.picks += 1;
        // In turn: any place, or the end of a run that was not tried at all.
        let ends = self.picks.is_multiple_of(ENDS_EVERY);
        let rank = |at: &usize| (ends && !self.kept[*at].is_fresh, self.rank(&self.kept[*at], covered));
        let best = (0..self.kept.len()).min_by_key(rank)?;
        let it = &mut self.kept[best];
        let (row, at, copy) = it.places.pop()?;
        it.is_fresh = false;
        *self.tried.entry(it.merits.rarest).or_default() += 1;
        let res = rows::insert(&it.choices, row, at, copy);
        if it.places.is_empty() {
            self.kept.swap_remove(best);
        }
        Some(res)
    }

    /// How rare the edge of a run is, less the more was tried for it; then the shorter, the better.
    fn rank(&self, it: &GrowthSeed, covered: &Covered) -> (u32, u32, usize) {
        let tried = self.tried.get(&it.merits.rarest).copied().unwrap_or(0);
        (
            covered.hits_of(it.merits.rarest).max(1).ilog2() + tried / TRIED,
            covered.pair_hits(it.merits.pair).max(1).ilog2(),
            it.choices.len(),
        )
    }
}
