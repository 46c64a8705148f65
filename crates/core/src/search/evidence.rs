//! What a search knows beside its failures and counts.

use std::fmt;
use std::time::Duration;

use crate::{Input, Reach, Value};

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
    /// The fewest choices of an input that the test accepts, as far as runs have met any.
    pub accepted: Option<u32>,
    /// The most choices of an input that a proof was asked for, where it was asked for up to some number.
    pub bound: Option<u32>,
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

    /// For which inputs the test is proved to pass.
    ///
    /// ```
    /// use probity_core::{Explored, Proof};
    /// let it = Explored { complete_to: Some((4, 9)), accepted: Some(1), ..Explored::default() };
    /// assert_eq!(it.proof(), Proof::UpTo(4));
    /// let lost = Explored { losses: vec![("threads are not followed".to_string(), 1)], ..it.clone() };
    /// assert_eq!(lost.proof().to_string(), "not proved: threads are not followed");
    /// assert_eq!(Explored { complete: true, ..it }.proof(), Proof::EveryInput);
    /// ```
    pub fn proof(&self) -> Proof {
        if let Some(why) = self.why_lossy() {
            return Proof::Missing(why);
        }
        let accepts = |most: u32| self.accepted.is_some_and(|it| it <= most);
        match self.complete_to {
            _ if self.complete && accepts(u32::MAX) => Proof::EveryInput,
            // Nothing was tested.
            _ if self.complete => Proof::Missing("the test accepts no input".to_string()),
            Some((most, 1..)) if accepts(most) => Proof::UpTo(most),
            Some((most, 1..)) => {
                Proof::Missing(format!("the test accepts none of its inputs of up to {most} choices"))
            }
            _ => Proof::Missing(
                "the time was over before all paths of the smallest inputs were run".to_string(),
            ),
        }
    }

    /// Why nothing can be claimed, if so.
    fn why_lossy(&self) -> Option<String> {
        if let Some(why) = &self.unsupported {
            return Some(why.clone());
        }
        // That a library function was not followed is often how a greater matter shows itself.
        let is_detail = |it: &&(String, u64)| it.0.starts_with("the library function");
        let loss = self.losses.iter().find(|it| !is_detail(it)).or(self.losses.first());
        match loss {
            Some((what, _)) => Some(what.clone()),
            None if self.unknown > 0 => Some("the solver did not settle every question".to_string()),
            None if self.divergences > 0 => Some("a run went another way than it was meant to".to_string()),
            None if self.unconfirmed > 0 => Some("a run failed, but only in the engine".to_string()),
            None if self.failing > 0 => Some("an input fails".to_string()),
            None => None,
        }
    }
}

/// For which inputs a test is proved to pass: for the code as it was compiled, with the state that a case finds at its beginning.
///
/// ```
/// use probity_core::Proof;
/// assert_eq!(Proof::EveryInput.to_string(), "proved for every input");
/// assert_eq!(Proof::UpTo(6).to_string(), "proved for every input of up to 6 choices");
/// assert!(!Proof::Missing("the time was over".to_string()).is_there());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// For all there are.
    EveryInput,
    /// For every input that asks for at most this many choices.
    UpTo(u32),
    /// For none, and why.
    Missing(String),
}

impl Proof {
    /// Whether something is proved.
    pub fn is_there(&self) -> bool {
        !matches!(self, Proof::Missing(_))
    }
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Proof::EveryInput => f.write_str("proved for every input"),
            Proof::UpTo(1) => f.write_str("proved for every input of one choice"),
            Proof::UpTo(most) => write!(f, "proved for every input of up to {most} choices"),
            Proof::Missing(why) => write!(f, "not proved: {why}"),
        }
    }
}

/// How a targeted search went.
///
/// ```
/// use probity_core::{Annealing, Budget, Source, Tally, context::maximize, search_adaptive};
/// let budget = Budget { cases: 500, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
/// let mut test = |src: &mut Source| maximize("sum", src.draw((0..100, 0..100)).0.into());
/// let climb = search_adaptive(Tally::default(), 7, Annealing::default(), &mut test, budget).unwrap().evidence.climb;
/// let climb = climb.unwrap();
/// assert_eq!((climb.curves[0].label, climb.best[0].scores[0]), ("sum", 99.0));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trajectory {
    /// One for each label, in the order in which the test came to them.
    pub curves: Vec<Curve>,
    /// How many cases took the place of the one they are like.
    pub accepted: u64,
    /// How often it began anew.
    pub restarts: u64,
    /// The best cases: of several scores, none of them is better than another in all. The best first.
    pub best: Vec<BestCase>,
}

impl Trajectory {
    /// Adds how the search went on from its best cases, with other inputs besides.
    ///
    /// ```
    /// use probity_core::{Trajectory, Curve, Point};
    /// let climb = |case, best| {
    ///     let points = vec![Point { case, current: best, best }];
    ///     Trajectory { curves: vec![Curve { label: "size", minimize: false, points }], ..Trajectory::default() }
    /// };
    /// let mut it = climb(7, 3.0);
    /// it.go_on(climb(8, 2.0));
    /// assert_eq!(it.curves[0].points[1].best, 3.0, "that is still the best");
    /// ```
    pub fn go_on(&mut self, after: Trajectory) {
        let is_alike = after.curves.iter().zip(&self.curves).all(|(a, b)| a.label == b.label);
        self.accepted += after.accepted;
        self.restarts += after.restarts;
        for mut curve in after.curves {
            let Some(known) = self.curves.iter_mut().find(|it| it.label == curve.label) else {
                self.curves.push(curve);
                continue;
            };
            let best = known.points.last().map_or(f64::NAN, |it| it.best);
            for point in &mut curve.points {
                // NaN is no score.
                point.best = if curve.minimize { point.best.min(best) } else { point.best.max(best) };
            }
            known.points.append(&mut curve.points);
        }
        let scores = |peaks: &[BestCase]| peaks.iter().map(|it| it.scores.clone()).collect::<Vec<_>>();
        if is_alike && !after.best.is_empty() && scores(&self.best) != scores(&after.best) {
            self.best = after.best;
        }
    }
}

/// How one score went up, or down.
///
/// ```
/// use probity_core::{Curve, Point};
/// let points = vec![Point { case: 0, current: 3.0, best: 3.0 }, Point { case: 1, current: 2.0, best: 3.0 }];
/// let curve = Curve { label: "size", minimize: false, points };
/// assert_eq!(curve.points.last().unwrap().best, 3.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What is measured.
    pub label: &'static str,
    /// Whether the test asked for low numbers.
    pub minimize: bool,
    /// Its course: of a long search, every second, fourth or eighth case and so on.
    pub points: Vec<Point>,
}

/// Where a search stood after a case. Numbers are as the test gave them.
///
/// ```
/// let it = probity_core::Point { case: 7, current: 2.0, best: 3.0 };
/// assert!(it.current < it.best, "it may go down, to come up elsewhere");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The number of the case.
    pub case: u64,
    /// The score of the case that is varied.
    pub current: f64,
    /// The best score so far.
    pub best: f64,
}

/// One of the best cases.
///
/// ```
/// use probity_core::{BestCase, Value};
/// let it = BestCase { case: 7, scores: vec![3.0], values: vec![Value::Int(3)], inputs: Vec::new() };
/// assert_eq!(it.values.len(), 1, "its answers, to be replayed");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BestCase {
    /// The number of the case.
    pub case: u64,
    /// Its scores, as the test gave them, in the order of [`Trajectory::curves`]; NaN where it has none.
    pub scores: Vec<f64>,
    /// Its answers.
    pub values: Vec<Value>,
    /// Its inputs, where they were rendered for somebody to read.
    pub inputs: Vec<Input>,
}
