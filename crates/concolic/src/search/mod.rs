//! Which branch to solve for next.

mod ask;
mod explore;
mod goals;
mod growth;
mod queue;
mod rows;
mod runs;
#[cfg(test)]
mod tests;
mod texts;
mod tree;

use std::time::{Duration, Instant};

use probity_core::{Explored, Value};

use self::explore::Explorer;
pub use self::goals::{GoalLimits, GoalSearch};
use crate::path::Subject;
use crate::solve::Session;

/// What to search, and how far.
#[derive(Clone, Debug)]
pub struct ExplorePlan {
    /// When to stop at the latest.
    pub until: Instant,
    /// Of random decisions.
    pub seed: u64,
    /// Answers to run where the search gets no further from the simplest ones: the best that other engines know.
    pub given: Vec<Vec<Value>>,
    /// How many choices an input may ask for.
    pub choices_max: u32,
    /// At most this many runs.
    pub runs_max: u64,
    /// How long the first try of a question may take, in time of the processor. Questions that it does not settle are
    /// tried again with more while there is time: see [`FIRST_TRY`].
    pub first_try: Duration,
    /// A folder to write the solver's questions to, as SMT-LIB 2, if any.
    pub dump: Option<std::path::PathBuf>,
}

/// What the first try of a question may take where there are seconds for the search.
pub const FIRST_TRY: Duration = Duration::from_millis(40);

/// What is told during a search.
#[derive(Clone, Debug, PartialEq)]
pub enum SearchEvent {
    /// A run is about to begin with these answers: if the process dies now, they are why.
    Begins(Vec<Value>),
    /// The solver is about to be asked; whether for a side of a branch that no run has taken, and that was not asked for in vain
    /// so often that there is little hope.
    Asks(bool),
    /// These answers fail: an ordinary run has to confirm it.
    Fails(Vec<Value>),
    /// These answers reached code that no run had reached before.
    Reaches(Vec<Value>),
}

/// Searches the paths of `subject`, most promising first. `tell` returns whether to go on.
///
/// Runs yield paths; each condition of a path that no path met before is a candidate: the search picks one, asks the
/// solver for answers that go the other way there, and runs them. When no candidate is left, all paths were run.
pub fn search(
    subject: &mut dyn Subject,
    plan: &ExplorePlan,
    tell: &mut dyn FnMut(SearchEvent) -> bool,
) -> Explored {
    Explorer::<Session>::new(subject, plan, tell).explore()
}
