//! Groups: variables that depend on each other, through requirements or through a difference that looks at both.

use std::collections::HashMap;

use super::differ::Differ;
use super::frame::RequestFrame;
use probity_spec::Term;

/// A partition of some variables. A group is named by its first variable.
pub(crate) struct Groups {
    vars: Vec<usize>,
    /// For every variable of the frame, one of its group that comes no later.
    parents: Vec<usize>,
}

impl Groups {
    /// Variables are together when a requirement or a leaf of the difference speaks about both. Where parts of an
    /// `all-of` or `some-of` share a group, their groups become one, so that every group is in one place.
    pub(crate) fn of(frame: &RequestFrame, vars: &[usize], requires: &[Term], differ: &Differ) -> Groups {
        let mut groups = Groups { vars: vars.to_vec(), parents: (0..frame.vars.len()).collect() };
        requires.iter().for_each(|it| groups.join(&frame.vars_of(it)));
        groups.join_leaves(frame, differ);
        while groups.join_overlaps(frame, differ) {}
        groups
    }

    fn root(&self, var: usize) -> usize {
        let mut var = var;
        while self.parents[var] != var {
            var = self.parents[var];
        }
        var
    }

    fn join(&mut self, vars: &[usize]) {
        for pair in vars.windows(2) {
            let (one, two) = (self.root(pair[0]), self.root(pair[1]));
            self.parents[one.max(two)] = one.min(two);
        }
    }

    fn join_leaves(&mut self, frame: &RequestFrame, differ: &Differ) {
        match differ {
            Differ::All(parts) | Differ::Any(parts) => {
                parts.iter().for_each(|it| self.join_leaves(frame, it))
            }
            leaf => self.join(&leaf.vars(frame)),
        }
    }

    /// Joins the groups of parts that share one, unless both are within it; whether there were such.
    fn join_overlaps(&mut self, frame: &RequestFrame, differ: &Differ) -> bool {
        let (Differ::All(parts) | Differ::Any(parts)) = differ else { return false };
        let mut joined = false;
        for part in parts {
            joined |= self.join_overlaps(frame, part);
        }
        let spoken: Vec<Vec<usize>> = parts.iter().map(|it| self.spoken(frame, it)).collect();
        // The first part that speaks about a group; what speaks about several joins those that it meets.
        let mut first: HashMap<usize, usize> = HashMap::new();
        for (at, groups) in spoken.iter().enumerate() {
            for group in groups {
                let before = *first.entry(*group).or_insert(at);
                if before != at && (groups.len() > 1 || spoken[before].len() > 1) {
                    self.join(&[&groups[..], &spoken[before]].concat());
                    joined = true;
                }
            }
        }
        joined
    }

    /// The groups that a difference speaks about.
    pub(crate) fn spoken(&self, frame: &RequestFrame, differ: &Differ) -> Vec<usize> {
        let mut res: Vec<usize> = differ.vars(frame).into_iter().map(|it| self.root(it)).collect();
        res.sort_unstable();
        res.dedup();
        res
    }

    /// The variables of a group.
    pub(crate) fn members(&self, group: usize) -> Vec<usize> {
        self.vars.iter().copied().filter(|it| self.root(*it) == group).collect()
    }

    /// All groups.
    pub(crate) fn all(&self) -> Vec<Vec<usize>> {
        self.vars.iter().filter(|it| self.root(**it) == **it).map(|it| self.members(*it)).collect()
    }

    /// The groups that a difference does not speak about.
    pub(crate) fn free(&self, differ: &Differ, frame: &RequestFrame) -> Vec<Vec<usize>> {
        let spoken = self.spoken(frame, differ);
        self.all().into_iter().filter(|it| !spoken.contains(&self.root(it[0]))).collect()
    }

    /// The requirements that concern some of the variables.
    pub(crate) fn requires(&self, frame: &RequestFrame, vars: &[usize], requires: &[Term]) -> Vec<Term> {
        requires.iter().filter(|it| frame.vars_of(it).iter().any(|it| vars.contains(it))).cloned().collect()
    }
}
