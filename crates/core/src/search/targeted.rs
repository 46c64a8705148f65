//! Searches that climb: the test says how good a case is, and what is like a good case is tried next.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use crate::engine::Targeted;
use crate::{
    Annealing, Budget, Case, Domain, Ended, Engine, Finding, Misuse, Refusal, Site, Stop, Tally, Test, Trace,
    Value,
};

/// How a targeted search went.
///
/// ```
/// use probity_core::{Annealing, Budget, Source, Tally, context::maximize, search_targeted};
/// let budget = Budget { cases: 500, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
/// let mut test = |src: &mut Source| maximize("sum", src.draw((0..100, 0..100)).0.into());
/// let (_, climb) = search_targeted(Tally::default(), 7, Annealing::default(), &mut test, budget).unwrap();
/// let climb = climb.unwrap();
/// assert_eq!((climb.curves[0].label, climb.best[0].scores[0]), ("sum", 99.0));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Climb {
    /// One for each label, in the order in which the test came to them.
    pub curves: Vec<Curve>,
    /// How many cases took the place of the one they are like.
    pub accepted: u64,
    /// How often it began anew.
    pub restarts: u64,
    /// The best cases: of several scores, none of them is better than another in all. The best first.
    pub best: Vec<Peak>,
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
/// use probity_core::{Peak, Value};
/// let it = Peak { case: 7, scores: vec![3.0], values: vec![Value::Int(3)] };
/// assert_eq!(it.values.len(), 1, "its answers, to be replayed");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Peak {
    /// The number of the case.
    pub case: u64,
    /// Its scores, as the test gave them, in the order of [`Climb::curves`]; NaN where it has none.
    pub scores: Vec<f64>,
    /// Its answers.
    pub values: Vec<Value>,
}

/// Searches with the random engine until the test gives a score, and then with the targeted one. `before`
/// is what other cases came to, which count. Once there is a score, the search lasts as many cases as
/// `annealing` says, if that is more. There is no [`Climb`] where no case has a score.
///
/// ```
/// use probity_core::{Annealing, Budget, Source, Tally, context::maximize, search_targeted};
/// let budget = Budget { cases: 5000, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
/// let mut test = |src: &mut Source| {
///     let n: u64 = src.any();
///     maximize("digits", f64::from(n.count_ones()));
///     assert!(n.count_ones() < 60);
/// };
/// let (finding, _) = search_targeted(Tally::default(), 7, Annealing::default(), &mut test, budget).unwrap();
/// assert_eq!(finding.failures.len(), 1);
/// ```
pub fn search_targeted(
    before: Tally,
    seed: u64,
    annealing: Annealing,
    test: &mut dyn Test,
    budget: Budget<'_>,
) -> Result<(Finding, Option<Climb>), Misuse> {
    let progress = Arc::clone(&budget.progress);
    let mut kept = None;
    let make = &mut |index| {
        let engine = Targeted::at(seed, index, annealing).watched(Arc::clone(&progress));
        let engine = Rc::new(RefCell::new(engine));
        kept = Some(Rc::clone(&engine));
        Box::new(Kept(engine)) as Box<dyn Engine>
    };
    let finding = super::search_fast(before, seed, annealing.cases, test, budget, make);
    progress.end_answers();
    let climb = kept.and_then(|it| it.borrow_mut().take_climb());
    Ok((finding?, climb))
}

/// An engine that is asked afterwards how it went.
struct Kept(Rc<RefCell<Targeted>>);

impl Engine for Kept {
    fn begin(&mut self) -> Result<(), Ended> {
        self.0.borrow_mut().begin()
    }

    fn answer(&mut self, domain: &Domain, so_far: &Trace) -> Result<Value, Stop> {
        self.0.borrow_mut().answer(domain, so_far)
    }

    fn end(&mut self, case: &Case) {
        self.0.borrow_mut().end(case);
    }

    fn refuse(&mut self, start: usize, can_return: bool, site: Site) -> Refusal {
        self.0.borrow_mut().refuse(start, can_return, site)
    }

    fn is_sample(&self) -> bool {
        self.0.borrow().is_sample()
    }
}
