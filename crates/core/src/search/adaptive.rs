//! The search that adapts to its test: it samples, and climbs once the test says how good a case is.

use std::sync::Arc;

use crate::engine::{KeptEngine, Targeted};
use crate::{Annealing, Budget, Engine, Evidence, Misuse, SearchResult, Seed, Tally, Test, Value};

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
    pub best: Vec<BestAnswers>,
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
        let scores = |peaks: &[BestAnswers]| peaks.iter().map(|it| it.scores.clone()).collect::<Vec<_>>();
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
/// use probity_core::{BestAnswers, Value};
/// let it = BestAnswers { case: 7, scores: vec![3.0], values: vec![Value::Int(3)] };
/// assert_eq!(it.values.len(), 1, "its answers, to be replayed");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BestAnswers {
    /// The number of the case.
    pub case: u64,
    /// Its scores, as the test gave them, in the order of [`Trajectory::curves`]; NaN where it has none.
    pub scores: Vec<f64>,
    /// Its answers.
    pub values: Vec<Value>,
}

/// Searches with the random engine until the test gives a score, and then with the targeted one. `before`
/// is what other cases came to, which count. Once there is a score, the search lasts as many cases as
/// `annealing` says, if that is more. There is no [`Trajectory`] where no case has a score.
///
/// ```
/// use probity_core::{Annealing, Budget, Source, Tally, context::maximize, search_adaptive};
/// let budget = Budget { cases: 5000, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
/// let mut test = |src: &mut Source| {
///     let n: u64 = src.any();
///     maximize("digits", f64::from(n.count_ones()));
///     assert!(n.count_ones() < 60);
/// };
/// let finding = search_adaptive(Tally::default(), 7, Annealing::default(), &mut test, budget).unwrap();
/// assert_eq!(finding.failures.len(), 1);
/// ```
pub fn search_adaptive(
    before: Tally,
    seed: impl Into<Seed>,
    annealing: Annealing,
    test: &mut dyn Test,
    budget: Budget<'_>,
) -> Result<SearchResult, Misuse> {
    let (seed, progress) = (seed.into(), Arc::clone(&budget.progress));
    let mut kept = None;
    let make = &mut |index| {
        let engine = KeptEngine::new(Targeted::at(seed, index, annealing).watched(Arc::clone(&progress)));
        kept = Some(engine.clone());
        Box::new(engine) as Box<dyn Engine>
    };
    let finding = super::search_fast(before, seed, annealing.cases, test, budget, make);
    progress.end_answers();
    Ok(climbed(finding?, kept.and_then(|it| it.into_inner().take_climb())))
}

/// A result with how its search climbed.
pub(super) fn climbed(result: SearchResult, climb: Option<Trajectory>) -> SearchResult {
    SearchResult { evidence: Evidence { climb, ..Evidence::default() }, ..result }
}
