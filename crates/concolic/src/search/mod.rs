//! Which branch to solve for next.

mod ask;
mod explore;
mod growth;
mod queue;
mod rows;
mod runs;
#[cfg(test)]
mod tests;
mod texts;
mod tree;

use std::time::Instant;

use probity_core::Value;

use self::explore::Explorer;
use crate::path::Subject;
use crate::solve::Session;

/// What to search, and how far.
#[derive(Clone, Debug)]
pub struct Plan {
    /// When to stop at the latest.
    pub until: Instant,
    /// Of random decisions.
    pub seed: u64,
    /// Answers to run where the search gets no further from the simplest ones: the best that other engines know.
    pub given: Vec<Vec<Value>>,
    /// How many choices an input may ask for.
    pub choices_max: u32,
    /// At most so many runs.
    pub runs_max: u64,
    /// Stop after so many runs in a row that met nothing new in the code, if at all.
    pub patience: Option<u64>,
    /// A folder to write the solver's questions to, as SMT-LIB 2, if any.
    pub dump: Option<std::path::PathBuf>,
}

/// What is told during a search.
#[derive(Clone, Debug, PartialEq)]
pub enum News {
    /// A run is about to begin with these answers: if the process dies now, they are why.
    Begins(Vec<Value>),
    /// The solver is about to be asked.
    Asks,
    /// These answers fail: an ordinary run has to confirm it.
    Fails(Vec<Value>),
    /// These answers reached code that no run had reached before.
    Reaches(Vec<Value>),
}

/// What a search came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explored {
    /// Interpreted runs.
    pub runs: u64,
    /// Different paths among them.
    pub paths: u64,
    /// Every path of inputs with at most this many choices was run, and how many those are. `None`: not even
    /// those without choices. Only exact where `losses` is empty and `unknown` is zero.
    pub complete_to: Option<(u32, u64)>,
    /// Whether every path of every input was run.
    pub complete: bool,
    /// What made it less than exact: what, how often.
    pub losses: Vec<(String, u64)>,
    /// How many questions the solver did not settle.
    pub unknown: u64,
    /// Questions to the solver in all.
    pub queries: u64,
    /// How many runs went another way than the solver meant them to.
    pub divergences: u64,
    /// How many runs fail.
    pub failing: u64,
    /// Instructions that were interpreted.
    pub instructions: u64,
    /// Why the machine could not go on, where it could not.
    pub unsupported: Option<String>,
}

/// Searches the paths of `subject`, most promising first. `tell` returns whether to go on.
///
/// Runs yield paths; each condition of a path that no path met before is a candidate: the search picks one, asks the
/// solver for answers that go the other way there, and runs them. When no candidate is left, all paths were run.
pub fn search(subject: &mut dyn Subject, plan: &Plan, tell: &mut dyn FnMut(News) -> bool) -> Explored {
    Explorer::<Session>::new(subject, plan, tell).explore()
}
