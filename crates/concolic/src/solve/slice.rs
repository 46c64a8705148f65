//! Which conditions a question is about: those that share variables with a goal, directly or through others.

use std::collections::HashMap;

use crate::expr::{Dag, Expr, Fixed};

/// No set of variables.
const NONE: u32 = u32::MAX;

/// Finds slices. Sets of variables are numbered once, so that a question costs a few steps for each condition,
/// however many variables they have.
#[derive(Debug, Default)]
pub(super) struct Slicer {
    stamp: u32,
    /// The number of the set of variables of a condition, by the condition's number.
    set_of: Vec<u32>,
    /// The number of a set by its place in memory: the graph keeps each set once.
    numbers: HashMap<(usize, usize), u32, Fixed>,
    /// The sets, by number: when it last was in a question, when in a slice, and its variables.
    sets: Vec<(u32, u32, Box<[u32]>)>,
    /// The sets that have a variable, by the variable's index.
    having: Vec<Vec<u32>>,
    /// When a variable last was in a slice.
    reached: Vec<u32>,
    /// When a condition last was in a slice.
    listed: Vec<u32>,
    work: Vec<u32>,
}

impl Slicer {
    /// The goals among `conditions` (false in the run) and what is connected with them: the goals first, each
    /// once, and how many those are.
    pub(super) fn slice(&mut self, dag: &Dag, conditions: &[Expr]) -> (Vec<Expr>, usize) {
        self.stamp += 1;
        let stamp = self.stamp;
        if self.set_of.len() <= dag.len() {
            self.set_of.resize(dag.len() + 1, NONE);
            self.listed.resize(dag.len() + 1, 0);
        }
        let mut slice = Vec::new();
        for &condition in conditions {
            let set = self.set(dag, condition);
            self.sets[set as usize].0 = stamp;
            if dag.value(condition) == 0 && self.listed[condition.index()] != stamp {
                self.listed[condition.index()] = stamp;
                slice.push(condition);
                self.reach(set);
            }
        }
        let goals = slice.len();
        while let Some(var) = self.work.pop() {
            for at in 0..self.having[var as usize].len() {
                let set = self.having[var as usize][at];
                if self.sets[set as usize].0 == stamp {
                    self.reach(set);
                }
            }
        }
        for &condition in conditions {
            let set = self.set_of[condition.index()];
            if self.sets[set as usize].1 == stamp && self.listed[condition.index()] != stamp {
                self.listed[condition.index()] = stamp;
                slice.push(condition);
            }
        }
        (slice, goals)
    }

    fn reach(&mut self, set: u32) {
        let (_, sliced, vars) = &mut self.sets[set as usize];
        if *sliced == self.stamp {
            return;
        }
        *sliced = self.stamp;
        for &var in vars.iter() {
            if self.reached[var as usize] != self.stamp {
                self.reached[var as usize] = self.stamp;
                self.work.push(var);
            }
        }
    }

    fn set(&mut self, dag: &Dag, condition: Expr) -> u32 {
        let known = self.set_of[condition.index()];
        if known != NONE {
            return known;
        }
        let vars = dag.support(condition);
        let next = self.sets.len() as u32;
        let set = *self.numbers.entry((vars.as_ptr() as usize, vars.len())).or_insert(next);
        if set == next {
            for &var in vars {
                let var = var as usize;
                if self.having.len() <= var {
                    self.having.resize_with(var + 1, Vec::new);
                    self.reached.resize(var + 1, 0);
                }
                self.having[var].push(set);
            }
            self.sets.push((0, 0, vars.into()));
        }
        self.set_of[condition.index()] = set;
        set
    }
}
