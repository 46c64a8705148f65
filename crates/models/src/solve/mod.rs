//! Solvers: one small trait, a built-in one that needs nothing installed, and any SMT-LIB 2 solver as a process.

pub mod builtin;
mod checked;
pub mod smt;

pub(crate) use checked::CheckedSolver;

use probity_spec::flat::{Expr, Scalar};

/// Finds models of a flat spec, one at a time, with requirements that come and go.
pub trait Solver {
    /// What it is called in reports.
    fn name(&self) -> String;

    /// Requires one thing more, until the level that it was required at is left.
    fn require(&mut self, expr: &Expr);

    /// Enters a level.
    fn push(&mut self);

    /// Leaves the innermost level with its requirements.
    fn pop(&mut self);

    /// A model of everything that is required, or that there is none, or why it cannot be told.
    fn solve(&mut self, effort: &Effort) -> Answer;
}

/// How much a query may cost.
pub struct Effort<'a> {
    /// Asked now and then; a query ends with [`Answer::Unknown`] when it says so. The caller owns the clock.
    pub stop: &'a dyn Fn() -> bool,
    /// The time left in milliseconds, for solvers that keep their own clock.
    pub millis: u64,
    /// Where to start in the space of models: another seed, another model.
    pub seed: u64,
}

/// What a solver says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A model: one scalar for every slot.
    Sat(Vec<Scalar>),
    /// There is none.
    Unsat,
    /// It cannot be told, and why.
    Unknown(String),
}
