//! One of several alternatives: by weight, of those that are open, and of those that a case does not leave out.

use super::{Mix, Sampler};
use crate::domain::{is_open, n_shut_below, open_at};
use crate::rng::hash;

impl Sampler {
    #[inline]
    pub(crate) fn pick(&mut self, n: u32) -> u32 {
        let it = self.rng.below(u64::from(n)) as u32;
        if self.mix == Mix::Simplest { 0 } else { it }
    }

    #[inline]
    pub(crate) fn weighted(&mut self, weights: &[u32]) -> u32 {
        self.arm(weights, 0)
    }

    /// An alternative that is open, as likely as its weight says; all as likely where none of them has any.
    #[inline]
    pub(crate) fn arm(&mut self, weights: &[u32], shut: u64) -> u32 {
        let weight = |i: usize| if is_open(shut, i as u32) { u64::from(weights[i]) } else { 0 };
        let total: u64 = (0..weights.len()).map(weight).sum();
        if total == 0 {
            return self.weightless(weights.len() as u32, shut);
        }
        let mut at = self.rng.below(total);
        if self.mix == Mix::Simplest {
            at = 0;
        }
        for i in 0..weights.len() {
            match at.checked_sub(weight(i)) {
                Some(rest) => at = rest,
                None => return i as u32,
            }
        }
        0
    }

    /// What the case leaves out of the alternatives of this place, by bit.
    #[inline]
    pub(crate) fn left_out(&self, site: u64) -> u64 {
        match self.swarm {
            0 => 0,
            it if self.is_subset => it,
            it => hash(it, site),
        }
    }

    /// As [`arm`](Self::arm), without what the case leaves out, unless that is all.
    #[inline]
    pub(crate) fn arm_of(&mut self, weights: &[u32], shut: u64, site: u64) -> u32 {
        if self.swarm == 0 { self.arm(weights, shut) } else { self.swarm_arm(weights, shut, 0, site) }
    }

    /// One of `n` variants of a derived enum, of which the first `n_ends` do not contain it.
    #[inline]
    pub(crate) fn variant(&mut self, n: u32, n_ends: u32, site: u64) -> u32 {
        if self.swarm == 0 {
            return self.pick(n);
        }
        self.open_variant(n, n_ends, site)
    }

    /// As [`variant`](Self::variant), in a case that leaves something out.
    #[inline(never)]
    fn open_variant(&mut self, n: u32, n_ends: u32, site: u64) -> u32 {
        if n > OpenVariants::MAX {
            let out = keep_an_end(self.left_out(site), n_ends);
            let n_open = n - n_shut_below(out, n);
            return if n_open == 0 { self.pick(n) } else { open_at(out, self.pick(n_open)) };
        }
        if self.open.n == 0 || self.open.site != site {
            self.open = OpenVariants::new(n, keep_an_end(self.left_out(site), n_ends), site);
        }
        let at = self.pick(self.open.n);
        self.open.number(at)
    }

    /// As [`variant`](Self::variant), with weights.
    #[inline]
    pub(crate) fn weighted_variant(&mut self, weights: &[u32], n_ends: u32, site: u64) -> u32 {
        if self.swarm == 0 { self.weighted(weights) } else { self.swarm_arm(weights, 0, n_ends, site) }
    }

    #[inline(never)]
    fn swarm_arm(&mut self, weights: &[u32], shut: u64, n_ends: u32, site: u64) -> u32 {
        let out = keep_an_end(self.left_out(site), n_ends);
        let has_some = (0..).zip(weights).any(|(at, it)| *it > 0 && is_open(shut | out, at));
        self.arm(weights, if has_some { shut | out } else { shut })
    }

    #[cold]
    fn weightless(&mut self, n: u32, shut: u64) -> u32 {
        open_at(shut, self.pick(n - n_shut_below(shut, n)))
    }
}

/// The variants of an enum that a case does not leave out, or all where it leaves out all. Finding them takes longer than
/// picking one, and a case, and many after it, draw the same.
#[derive(Clone, Debug)]
pub(super) struct OpenVariants {
    site: u64,
    /// Their numbers, of four bits each.
    numbers: u64,
    /// How many they are; zero where nothing is known yet.
    n: u32,
}

impl OpenVariants {
    pub(super) const NONE: OpenVariants = OpenVariants { site: 0, numbers: 0, n: 0 };
    /// Of how many variants the numbers fit.
    const MAX: u32 = 16;

    fn new(n: u32, out: u64, site: u64) -> Self {
        let out = if n_shut_below(out, n) == n { 0 } else { out };
        let mut res = OpenVariants { site, numbers: 0, n: 0 };
        for at in (0..n).filter(|it| is_open(out, *it)) {
            res.numbers |= u64::from(at) << (4 * res.n);
            res.n += 1;
        }
        res
    }

    #[inline(always)]
    fn number(&self, at: u32) -> u32 {
        (self.numbers >> (4 * at)) as u32 & 15
    }
}

/// What is left out of the variants of an enum: where it is all of the first `n_ends`, which do not contain the type,
/// none of them, or values would only end with the size budget.
#[inline]
pub(crate) fn keep_an_end(left_out: u64, n_ends: u32) -> u64 {
    let ends = if n_ends >= u64::BITS { u64::MAX } else { (1 << n_ends) - 1 };
    if left_out & ends == ends { left_out & !ends } else { left_out }
}
