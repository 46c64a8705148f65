//! Which of several ways to go: mostly those that have helped before.

use crate::Rng;

/// Several ways, each with how often it was gone and how often that helped. What is long ago counts less.
pub(in crate::engine) struct Bandit<const N: usize> {
    prior: [f32; N],
    tries: [f32; N],
    wins: [f32; N],
    /// Those of this case, a bit each.
    gone: u32,
    weights: [u32; N],
    /// After how many cases the weights are looked at again.
    stale_in: u32,
}

/// How many tries a way's own experience needs to outweigh that of all together.
const DOUBT: f32 = 20.0;
/// After how many tries the older ones count half.
const MEMORY: f32 = 400.0;
/// The share of its first weight that a way never falls below.
const FLOOR: f32 = 0.15;
/// For how many cases the weights stay as they are.
const FRESH: u32 = 8;
/// What a weight of one is as a whole number.
const ONE: f32 = 1024.0;

impl<const N: usize> Bandit<N> {
    pub(in crate::engine) fn new(prior: [f32; N]) -> Self {
        let mut res =
            Bandit { prior, tries: [0.0; N], wins: [0.0; N], gone: 0, weights: [0; N], stale_in: FRESH };
        res.weigh();
        res
    }

    /// One of the ways whose bit is in `open`, of which there is at least one.
    pub(in crate::engine) fn pick(&mut self, rng: &mut Rng, open: u32) -> usize {
        let is_open = |at: usize| open >> at & 1 == 1;
        let mut total = 0;
        for (at, weight) in self.weights.iter().enumerate() {
            total += if is_open(at) { *weight } else { 0 };
        }
        let mut left = rng.below(total.into()) as u32;
        let mut res = 0;
        for (at, weight) in self.weights.iter().enumerate() {
            if is_open(at) {
                res = at;
                if left < *weight {
                    break;
                }
                left -= weight;
            }
        }
        self.gone |= 1 << res;
        res
    }

    /// Says whether the ways gone in this case helped.
    pub(in crate::engine) fn learn(&mut self, helped: bool) {
        let mut gone = std::mem::take(&mut self.gone);
        while gone != 0 {
            let at = gone.trailing_zeros() as usize;
            gone &= gone - 1;
            self.tries[at] += 1.0;
            self.wins[at] += f32::from(u8::from(helped));
            if self.tries[at] > MEMORY {
                self.tries[at] /= 2.0;
                self.wins[at] /= 2.0;
            }
        }
        self.stale_in -= 1;
        if self.stale_in == 0 {
            self.stale_in = FRESH;
            self.weigh();
        }
    }

    fn weigh(&mut self) {
        let (tries, wins): (f32, f32) = (self.tries.iter().sum(), self.wins.iter().sum());
        let mean = (wins + 1.0) / (tries + DOUBT);
        for at in 0..N {
            let rate = (self.wins[at] + mean * DOUBT) / (self.tries[at] + DOUBT);
            self.weights[at] = (self.prior[at] * (rate / mean).max(FLOOR) * ONE) as u32;
        }
    }
}
