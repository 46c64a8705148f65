//! Answers that make conditions true.
//!
//! A question goes through what is cheap first: `slice` leaves only the conditions that share variables with what
//! is wanted, `small` tries all values where there are few, `guess` runs the goal backwards, `ranges` and `cut`
//! show what can never be, `sample` tries values at random for bits of hashes, `blast` asks a SAT solver, `fix` asks it
//! with some of the values given, and `descend` searches over concrete values where floats are computed or the SAT
//! solver gives up.

mod blast;
mod cut;
mod descend;
mod distance;
mod dump;
mod fix;
mod guess;
mod newton;
mod program;
mod ranges;
mod sample;
mod slice;
mod small;
#[cfg(test)]
mod tests;

use std::fmt;
use std::time::Duration;

use crate::clock::Deadline;
use crate::expr::{Dag, Expr, Op, Var};
use blast::Blaster;
use descend::{DescentEffort, descend};
pub use dump::dump;
use fix::{fix, multiplies};
use guess::guess;
use program::{ConditionProgram, Marks};
use sample::{Difficulty, mix, sample};
use slice::Slicer;
use small::Small;

/// This many steps are computed in a search over floats before the SAT solver is asked whether there can be a model.
const STEPS_FIRST: u64 = 400_000;
/// And this many afterwards.
const STEPS_FLOATS: u64 = 20_000_000;
/// This many are computed for integers that the SAT solver does not settle: a short try.
const STEPS_ELSE: u64 = 1_000_000;
/// This many are computed with values at random for a goal on bits of a hash before the SAT solver is asked.
const STEPS_MIXED_FIRST: u64 = 300_000;
/// And afterwards, for each conflict that was allowed; and at most.
const STEPS_MIXED: (u64, u64) = (1000, 20_000_000);
/// The SAT solver gets this part of its conflicts for such a goal: it finds a proof or a model soon or never.
const MIXED_PART: u64 = 8;
/// That try may take so long even when the time is over, or as long as was given for the whole question.
const GRACE: Duration = Duration::from_millis(5);

/// What a solver says of conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// These values of variables make them true (checked by evaluation). Variables that are not named keep their
    /// values of the run.
    Sat(Vec<(u32, u128)>),
    /// Nothing makes them true: a proof.
    Unsat,
    /// It was not settled within the limits.
    Unknown,
}

impl Answer {
    /// As SMT-LIB says it.
    pub(crate) fn status(&self) -> &'static str {
        match self {
            Answer::Sat(_) => "sat",
            Answer::Unsat => "unsat",
            Answer::Unknown => "unknown",
        }
    }
}

/// How much may be spent on one question.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// No later than this.
    pub until: Deadline,
    /// At most this many conflicts of the SAT solver.
    pub conflicts: u64,
}

/// Counts of what was asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct QueryCounts {
    /// Questions.
    pub queries: u64,
    /// Of those, settled without a SAT solver.
    pub enumerated: u64,
    /// Answered with a model.
    pub sat: u64,
    /// Answered with a proof that there is none.
    pub unsat: u64,
    /// Not settled.
    pub unknown: u64,
    /// Models that a search over concrete values found.
    pub descended: u64,
    /// Models that values at random were.
    pub sampled: u64,
    /// Models of the SAT solver that evaluation did not confirm: we are wrong, and the answer was "unknown".
    pub wrong_models: u64,
}

/// A solver for the questions about one run: they share their expressions and mostly their conditions.
#[derive(Default)]
pub struct Session {
    /// What was asked so far.
    pub counts: QueryCounts,
    /// The variables with their values in the run, by index.
    vars: Vec<Option<(Var, u128)>>,
    /// How many nodes of the graph were searched for variables.
    scanned: usize,
    slicer: Slicer,
    marks: Marks,
    small: Small,
    blaster: Option<Blaster>,
    /// Ask the SAT solver at once: for tests.
    only_sat: bool,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("counts", &self.counts).finish_non_exhaustive()
    }
}

impl Session {
    /// Looks for values that make all of `conditions` (one bit each) true, within the ranges of the variables.
    ///
    /// `dag` is the same in all calls, and may have grown in between.
    ///
    /// ```
    /// use std::time::Duration;
    /// use probity_concolic::clock::Deadline;
    /// use probity_concolic::expr::{Dag, Op, Var};
    /// use probity_concolic::solve::{Answer, Limits, Session};
    ///
    /// let mut dag = Dag::new();
    /// let x = dag.var(Var { index: 0, width: 32, min: 0, max: u32::MAX.into() }, 0);
    /// let by = dag.constant(31, 32);
    /// let product = dag.binary(Op::Mul, x, by);
    /// let wanted = dag.constant(93, 32);
    /// let goal = dag.eq(product, wanted);
    /// let limits = Limits { until: Deadline::after(Duration::from_secs(5)), conflicts: 10_000 };
    /// assert_eq!(Session::default().solve(&dag, &[goal], limits), Answer::Sat(vec![(0, 3)]));
    /// ```
    pub fn solve(&mut self, dag: &Dag, conditions: &[Expr], limits: Limits) -> Answer {
        self.counts.queries += 1;
        let answer = self.answer(dag, conditions, limits);
        match answer {
            Answer::Sat(_) => self.counts.sat += 1,
            Answer::Unsat => self.counts.unsat += 1,
            Answer::Unknown => self.counts.unknown += 1,
        }
        answer
    }

    fn answer(&mut self, dag: &Dag, conditions: &[Expr], limits: Limits) -> Answer {
        let given = limits.until.left();
        self.scan(dag);
        if conditions.iter().any(|it| dag.as_constant(*it) == Some(0)) {
            self.counts.enumerated += 1;
            return Answer::Unsat;
        }
        let (slice, goals) = self.slicer.slice(dag, conditions);
        if goals == 0 {
            self.counts.enumerated += 1;
            return Answer::Sat(Vec::new());
        }
        let now = |index: u32| self.vars[index as usize].expect("expressions have variables of the graph");
        let answer = match self.only_sat {
            false => self.small.solve(dag, &mut self.marks, &now, &slice, goals, limits),
            true => Answer::Unknown,
        };
        let mut program = ConditionProgram::new(dag, &mut self.marks, &slice);
        match answer {
            Answer::Unknown => {}
            Answer::Unsat => {
                self.counts.enumerated += 1;
                return Answer::Unsat;
            }
            Answer::Sat(model) => {
                self.counts.enumerated += 1;
                return self.checked(dag, &mut program, &model);
            }
        }
        if !self.only_sat && guess(dag, &mut program, &slice[..goals]) {
            self.counts.enumerated += 1;
            return Answer::Sat(program.changes(dag));
        }
        let is_never = |goal: &Expr| cut::excludes(dag, *goal);
        if !self.only_sat
            && (slice[..goals].iter().any(is_never) || ranges::exclude(dag, &program, &self.small.ranges))
        {
            self.counts.enumerated += 1;
            return Answer::Unsat;
        }
        if program.has_floats && self.descends(dag, &mut program, &[], STEPS_FIRST, limits) {
            return Answer::Sat(program.changes(dag));
        }
        let mix = if self.only_sat { Difficulty::Plain } else { mix(&program, goals) };
        let steps = if mix == Difficulty::Mixed { STEPS_MIXED_FIRST } else { 0 };
        if mix != Difficulty::Plain && self.samples(dag, &mut program, goals, steps, limits) {
            return Answer::Sat(program.changes(dag));
        }
        let allowed = limits;
        let conflicts =
            if mix == Difficulty::Plain { limits.conflicts } else { limits.conflicts / MIXED_PART };
        let limits = Limits { conflicts, ..limits };
        if limits.until.is_over() {
            return Answer::Unknown;
        }
        if self.blaster.as_ref().is_some_and(Blaster::is_full) {
            self.blaster = None;
        }
        // What multiplies unknowns may be too hard for it as a whole.
        let multiplies =
            !self.only_sat && !program.has_floats && mix == Difficulty::Plain && multiplies(&program);
        let mut limits = limits;
        if multiplies {
            limits.until = limits.until.sooner(allowed.until.left() / 2);
        }
        match self.blaster.get_or_insert_with(Blaster::new).solve(dag, &program, &[], limits) {
            Answer::Sat(model) => match self.checked(dag, &mut program, &model) {
                Answer::Unknown if self.descends(dag, &mut program, &model, STEPS_FLOATS, limits) => {
                    Answer::Sat(program.changes(dag))
                }
                answer => answer,
            },
            Answer::Unknown if mix != Difficulty::Plain => {
                let steps = allowed.conflicts.saturating_mul(STEPS_MIXED.0).min(STEPS_MIXED.1);
                match mix == Difficulty::Mixed && self.samples(dag, &mut program, goals, steps, allowed) {
                    true => Answer::Sat(program.changes(dag)),
                    false => Answer::Unknown,
                }
            }
            Answer::Unknown if multiplies && self.fixes(dag, &mut program, allowed) => {
                Answer::Sat(program.changes(dag))
            }
            Answer::Unknown => {
                let steps = if program.has_floats { STEPS_FLOATS } else { STEPS_ELSE };
                let grace = GRACE.min(given);
                let until = if limits.until.left() < grace { Deadline::after(grace) } else { limits.until };
                let more = Limits { until, ..limits };
                match self.descends(dag, &mut program, &[], steps, more) {
                    true => Answer::Sat(program.changes(dag)),
                    false => Answer::Unknown,
                }
            }
            Answer::Unsat => Answer::Unsat,
        }
    }

    /// Tries values at random; true if those in `program` are what was wanted.
    fn samples(
        &mut self,
        dag: &Dag,
        program: &mut ConditionProgram,
        goals: usize,
        steps: u64,
        limits: Limits,
    ) -> bool {
        // Not the same values each time.
        let seed = self.counts.queries.wrapping_add(steps);
        let found = sample(dag, &mut self.marks, program, goals, (steps, limits.until), seed);
        self.counts.sampled += u64::from(found);
        found
    }

    /// Tries values for some of the variables; true if those in `program` are what was wanted.
    fn fixes(&mut self, dag: &Dag, program: &mut ConditionProgram, limits: Limits) -> bool {
        let seed = self.counts.queries;
        let Some(blaster) = &mut self.blaster else { return false };
        let Some(model) = fix(blaster, dag, program, limits, seed) else { return false };
        matches!(self.checked(dag, program, &model), Answer::Sat(_))
    }

    /// Searches over concrete values; true if those in `program` are what was wanted.
    fn descends(
        &mut self,
        dag: &Dag,
        program: &mut ConditionProgram,
        also: &[(u32, u128)],
        steps: u64,
        limits: Limits,
    ) -> bool {
        let effort = DescentEffort { until: limits.until, steps, seed: self.counts.queries };
        let found = descend(dag, program, also, effort);
        self.counts.descended += u64::from(found);
        found && program.holds(dag)
    }

    /// A model, if evaluation confirms it: what differs from the run.
    fn checked(&mut self, dag: &Dag, program: &mut ConditionProgram, model: &[(u32, u128)]) -> Answer {
        for &(index, value) in model {
            if let Some(at) = program.vars.iter().position(|it| it.0.index == index) {
                program.set(at, value);
            }
        }
        let in_range = program.vars.iter().all(|(var, at)| {
            let value = program.values[*at as usize];
            value >= var.min && value <= var.max
        });
        if in_range && program.holds(dag) {
            return Answer::Sat(program.changes(dag));
        }
        if !program.has_floats {
            debug_assert!(false, "a wrong model");
            self.counts.wrong_models += 1;
        }
        Answer::Unknown
    }

    fn scan(&mut self, dag: &Dag) {
        for number in self.scanned + 1..=dag.len() {
            let e = Expr(number as u32);
            if let Op::Var(at) = dag.node(e).op {
                let var = dag.vars()[at as usize];
                let index = var.index as usize;
                if self.vars.len() <= index {
                    self.vars.resize(index + 1, None);
                }
                self.vars[index] = Some((var, dag.value(e)));
            }
        }
        self.scanned = dag.len();
    }
}
