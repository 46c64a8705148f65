//! The tree of path prefixes that runs have followed: what is new in a run, and what is left to do.
//!
//! A prefix is known by a hash of where its conditions stand and which way they went; the bounds of choices are
//! not part of it. Two different prefixes with the same hash would be taken for one: with [`NODES_MAX`] nodes and
//! 64 bits that happens once in two million searches.

use std::collections::HashMap;

use crate::expr::{Dag, Fixed, Op};
use crate::path::{Run, Step, StepKind, Verdict};

/// How many prefixes are remembered at most.
const NODES_MAX: usize = 3_000_000;

/// The prefix without conditions.
const ROOT: u64 = 0x243f_6a88_85a3_08d3;

/// Which way a step went, and the way it did not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sides {
    pub(super) taken: u64,
    /// 0 for pins, which have many other sides.
    pub(super) other: u64,
}

/// A place where paths part: one for each prefix.
#[derive(Clone, Copy, Debug)]
struct PathNode {
    /// What stands there; the same in all runs, if the test is deterministic.
    what: u32,
    /// The side that was seen first.
    first: u32,
    /// Whether the other one was seen, too.
    both: bool,
}

/// What a run added to the tree.
#[derive(Debug, Default)]
pub(super) struct PathWalk {
    /// The hash of the prefix before each step, and of the whole path.
    pub(super) prefixes: Vec<u64>,
    /// The steps at places where no run had been.
    pub(super) new: Vec<u32>,
    /// Whether something else stood somewhere than in an earlier run with the same prefix.
    pub(super) contradicts: bool,
    /// The least `asked` of a step for which there was no room.
    pub(super) forgotten: Option<u32>,
}

/// The tree.
#[derive(Debug, Default)]
pub(super) struct PathTree {
    nodes: HashMap<u64, PathNode, Fixed>,
    /// The values that were seen, or are not to be tried again, where something is pinned.
    pins: HashMap<u64, Vec<u128>, Fixed>,
    /// How many choices each path asks for that was run to its end, in the order of the runs.
    ends: Vec<Option<u32>>,
}

impl PathTree {
    /// Adds the path of a run.
    pub(super) fn walk(&mut self, run: &Run) -> PathWalk {
        let mut res =
            PathWalk { prefixes: Vec::with_capacity(run.path.steps.len() + 1), ..PathWalk::default() };
        let mut prefix = ROOT;
        for (at, step) in run.path.steps.iter().enumerate() {
            res.prefixes.push(prefix);
            let Some(sides) = sides(&run.dag, step) else { continue };
            match self.visit(prefix, what(step), sides.taken as u32) {
                PathVisit::New => res.new.push(at as u32),
                PathVisit::Known => {}
                PathVisit::Contradicts => res.contradicts = true,
                PathVisit::NoRoom => res.forgotten = res.forgotten.or(Some(step.asked)),
            }
            if let StepKind::Pin { of, .. } = step.kind {
                self.exclude(prefix, run.dag.value(of));
            }
            prefix = next(prefix, step, sides.taken);
        }
        res.prefixes.push(prefix);
        match self.visit(prefix, 0, 0) {
            PathVisit::New => {
                let is_whole = run.verdict != Verdict::Overrun;
                self.ends.push(is_whole.then_some(run.path.choices.len() as u32));
            }
            PathVisit::Known => {}
            PathVisit::Contradicts => res.contradicts = true,
            PathVisit::NoRoom => res.forgotten = res.forgotten.or(Some(run.path.choices.len() as u32)),
        }
        res
    }

    fn visit(&mut self, prefix: u64, what: u32, side: u32) -> PathVisit {
        let is_full = self.nodes.len() >= NODES_MAX;
        match self.nodes.get_mut(&prefix) {
            Some(node) if node.what != what => PathVisit::Contradicts,
            Some(node) => {
                node.both |= node.first != side;
                PathVisit::Known
            }
            None if is_full => PathVisit::NoRoom,
            None => {
                self.nodes.insert(prefix, PathNode { what, first: side, both: false });
                PathVisit::New
            }
        }
    }

    /// Whether both sides of the branch behind this prefix were seen.
    pub(super) fn saw_both(&self, prefix: u64) -> bool {
        self.nodes.get(&prefix).is_some_and(|it| it.both)
    }

    /// The values that were seen behind this prefix, where something is pinned.
    pub(super) fn values(&self, prefix: u64) -> &[u128] {
        self.pins.get(&prefix).map_or(&[], |it| it)
    }

    /// Remembers a value of what is pinned behind this prefix.
    pub(super) fn exclude(&mut self, prefix: u64, value: u128) {
        let values = self.pins.entry(prefix).or_default();
        if !values.contains(&value) {
            values.push(value);
        }
    }

    /// How many different paths there are.
    pub(super) fn paths(&self) -> u64 {
        self.ends.len() as u64
    }

    /// How many of the paths that came to their end ask for at most `n` choices.
    pub(super) fn paths_to(&self, n: u32) -> u64 {
        self.ends.iter().flatten().filter(|&&it| it <= n).count() as u64
    }

    /// The most choices that a path asks for.
    pub(super) fn most_asked(&self) -> u32 {
        self.ends.iter().flatten().copied().max().unwrap_or(0)
    }
}

enum PathVisit {
    New,
    Known,
    Contradicts,
    NoRoom,
}

/// The hash of the whole path of a run.
pub(super) fn whole(run: &Run) -> u64 {
    let mut prefix = ROOT;
    for step in &run.path.steps {
        if let Some(sides) = sides(&run.dag, step) {
            prefix = next(prefix, step, sides.taken);
        }
    }
    prefix
}

/// Which way `step` went; nothing for bounds.
pub(super) fn sides(dag: &Dag, step: &Step) -> Option<Sides> {
    match step.kind {
        StepKind::Bound => None,
        StepKind::Pin { of, .. } => Some(Sides { taken: fold(dag.value(of)), other: 0 }),
        StepKind::Branch if step.to != step.other && step.to != 0 && step.other != 0 => {
            Some(Sides { taken: step.to, other: step.other })
        }
        // Not known by where it goes: by whether the condition is a negation. Where the other side's condition is
        // written in a way that this does not tell apart, the run counts as a divergence, and nothing is claimed.
        StepKind::Branch => {
            let is_negation = dag.node(step.condition).op == Op::Not;
            Some(Sides { taken: 1 + u64::from(is_negation), other: 2 - u64::from(is_negation) })
        }
    }
}

/// The hash of `prefix` with one more step, which goes to `side`.
pub(super) fn next(prefix: u64, step: &Step, side: u64) -> u64 {
    mix(mix(prefix, step.site ^ u64::from(what(step)) << 48), side)
}

/// The side of a pin with this value.
pub(super) fn fold(value: u128) -> u64 {
    mix(value as u64, (value >> 64) as u64)
}

/// What stands at a step. Never 0, which is the end of a path.
fn what(step: &Step) -> u32 {
    let kind = u64::from(matches!(step.kind, StepKind::Pin { .. }));
    mix(step.site, kind) as u32 | 1
}

#[inline]
fn mix(hash: u64, with: u64) -> u64 {
    let it = (hash.rotate_left(23) ^ with).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (it ^ (it >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93) ^ (it >> 29)
}
