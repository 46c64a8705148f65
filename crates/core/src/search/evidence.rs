//! What a search knows beside its failures and counts.

use std::time::Duration;

use super::Trajectory;
use crate::Reach;

/// What backs the words of a report: each engine adds what it alone knows, and a run may have several.
///
/// ```
/// use probity_core::{Bounds, Budget, Source, search_exhaustive};
/// let budget = Budget { cases: 1000, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
/// let mut test = |src: &mut Source| _ = src.any::<u8>();
/// let evidence = search_exhaustive(Bounds::default(), &mut test, budget).unwrap().evidence;
/// assert!(evidence.reach.unwrap().all && evidence.climb.is_none());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// How far it came, where inputs were visited in order of size.
    pub reach: Option<Reach>,
    /// How it climbed, where the test gives a score.
    pub climb: Option<Trajectory>,
    /// Which paths were run, where the concolic engine answered.
    pub explored: Option<Box<Explored>>,
}

/// Which paths a concolic search ran.
///
/// ```
/// use probity_core::Explored;
/// let it = Explored { paths: 214, complete: true, ..Explored::default() };
/// assert!(it.is_exact() && !Explored { unknown: 1, ..it }.is_exact());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explored {
    /// Whether it was asked for by name.
    pub asked: bool,
    /// How often it ran the test.
    pub runs: u64,
    /// How many different paths those runs took.
    pub paths: u64,
    /// Whether every path of every input was run.
    pub complete: bool,
    /// Every path of inputs with at most this many choices was run: how many choices, and how many paths.
    pub complete_to: Option<(u32, u64)>,
    /// What was not followed, and how often.
    pub losses: Vec<(String, u64)>,
    /// How many questions the solver did not settle.
    pub unknown: u64,
    /// How many it was asked.
    pub queries: u64,
    /// How many runs went another way than they were meant to.
    pub divergences: u64,
    /// How many runs fail, as the interpreter sees it.
    pub failing: u64,
    /// How many runs failed, but not when they were run without the engine.
    pub unconfirmed: u64,
    /// How many ordinary cases were run that are like what it reached new code with.
    pub near: u64,
    /// How many instructions were interpreted.
    pub instructions: u64,
    /// Why it could not go on, where it could not.
    pub unsupported: Option<String>,
    /// How long it took.
    pub time: Duration,
}

impl Explored {
    /// Whether what [`complete`](Self::complete) and [`complete_to`](Self::complete_to) say is the whole truth: all that
    /// depends on the inputs was followed, and every question was settled.
    ///
    /// ```
    /// use probity_core::Explored;
    /// let it = Explored { complete: true, divergences: 1, ..Explored::default() };
    /// assert!(!it.is_exact(), "one run was not followed");
    /// ```
    pub fn is_exact(&self) -> bool {
        let lost = self.unknown + self.divergences + self.unconfirmed;
        lost == 0 && self.losses.is_empty() && self.unsupported.is_none()
    }
}
