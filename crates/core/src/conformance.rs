//! What every engine must keep: the laws beside [`Engine`], as one suite.
//!
//! [`check`] is for every engine, [`check_wrapper`] for one that asks another, [`check_findable`] for one that samples
//! or enumerates: no member of a domain may be out of its reach.

mod brute;
mod finding;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::collections::HashSet;
use std::panic::Location;
use std::rc::Rc;

use crate::{
    Case, Combine, Domain, Ended, Engine, Narrow, Refusal, Site, Source, SpanKind, Stop, Trace, Value,
    Verdict, from, run_case, vec,
};

pub use finding::check_findable;

/// How many cases of each test an engine is asked for, and how many inputs a test may have to be visited by brute
/// force.
const CASES: usize = 2_000;

/// Panics when an engine that `make` makes breaks a law of [`Engine`]. `make` must give the same engine
/// every time.
///
/// ```
/// use probity_core::{Random, conformance};
/// conformance::check(|| Box::new(Random::new(7)));
/// ```
pub fn check(make: impl Fn() -> Box<dyn Engine>) {
    for test in TESTS {
        check_on(&make, test);
    }
    // Of these there is more than any engine is asked for.
    for test in [endless_lists as fn(&mut Source), neighbours, by_size] {
        let ended = run(make(), &test).ended;
        assert_ne!(ended, Some(Ended::Complete), "said to be complete, which it cannot be");
    }
    let none = run(make(), &|_: &mut Source| ());
    assert!(!none.cases.is_empty(), "a test that draws nothing was not run");
    if none.ended.is_some() {
        assert_eq!(none.cases.len(), 1, "a test that draws nothing was run more than once");
    }
}

/// As [`check`], with a test of your own: for an engine that is made for one test.
///
/// ```
/// use probity_core::{Listed, Source, Space, any, conformance};
/// let space = || Space::of(&any::<(bool, Option<bool>)>()).unwrap();
/// let test = |src: &mut Source| { src.any::<(bool, Option<bool>)>(); };
/// conformance::check_on(|| Box::new(Listed::new(space(), 0, 1, None)), test);
/// ```
pub fn check_on(make: impl Fn() -> Box<dyn Engine>, test: impl Fn(&mut Source)) {
    let first = run(make(), &test);
    assert_eq!(first, run(make(), &test), "the same engine gave different answers");
    let mut seen = HashSet::new();
    let is_new = first.cases.iter().all(|it| seen.insert(it));
    if first.visits_all {
        assert!(is_new, "an engine that visits every input visited one twice");
    }
    if first.ended == Some(Ended::Complete) {
        assert!(is_new, "said to be complete, and visited an input twice");
        let all = brute::all(&test, CASES)
            .expect("said to be complete, but there are more inputs than were visited");
        let missed = all.iter().find(|it| !seen.contains(it));
        assert!(missed.is_none(), "said to be complete, but never visited {missed:?}");
    }
}

/// Panics when an engine that `wrap` puts around another keeps from it what an engine has to know, or from others what
/// it says.
///
/// ```
/// use probity_core::{Replay, Tail, Value, conformance};
/// conformance::check_wrapper(|inner| Box::new(Replay::new(vec![Value::Bool(true)], Tail::Engine(inner))));
/// ```
pub fn check_wrapper(wrap: impl Fn(Box<dyn Engine>) -> Box<dyn Engine>) {
    for test in TESTS {
        let (probe, seen) = Probe::new();
        run(wrap(Box::new(probe)), &test);
        assert!(seen.borrow().cases > 1, "what is wrapped has more than one case");
        assert!(!seen.borrow().is_running, "a case was begun but never ended");
    }
    let (probe, seen) = Probe::new();
    let mut engine = wrap(Box::new(probe));
    engine.begin().expect("what is wrapped has a case");
    assert!(!engine.is_sample(), "what is wrapped does not sample");
    assert!(engine.places(LATE).is_some(), "what is wrapped visits every input");
    let site = Site { what: "a law", location: Location::caller() };
    assert_eq!(engine.refuse(LATE, true, site), Refusal::Reject, "what is wrapped rejects");
    engine.narrow(Narrow::Neighbors);
    assert!(seen.borrow().is_narrow, "what is wrapped was not told that there is more");
}

/// A choice that comes after those which a wrapper answers by itself.
const LATE: usize = 100;

/// Tests that have an end.
const TESTS: [fn(&mut Source); 6] = [every_domain, every_kind, dependent_draws, filtered, floats, |src| {
    src.draw(vec(from(0..3).filter(|it| *it != 1), 0..=3));
}];

fn every_domain(source: &mut Source) {
    let float = |min, max, nan, single| Domain::Float { min, max, nan, single };
    for domain in [
        Domain::Bool,
        Domain::int(0, 0),
        Domain::int(-3, 7),
        Domain::int(5, 9),
        Domain::Int { min: -2, max: 5, origin: 2 },
        Domain::int(i128::MIN, i128::MAX),
        Domain::int(0, i128::MAX),
        Domain::int(i64::MIN.into(), i64::MAX.into()),
        float(f64::NEG_INFINITY, f64::INFINITY, true, false),
        float(0.5, 0.75, false, true),
        float(-0.0, 0.0, false, false),
        float(5e-324, 1e-322, false, false),
        Domain::Char { min: 'a', max: 'c' },
        Domain::Char { min: '\0', max: char::MAX },
        Domain::Char { min: '\u{d7fe}', max: '\u{e001}' },
        Domain::Pick { n: 1, weights: None },
        Domain::Pick { n: 3, weights: Some([0, 2, 1].into()) },
        Domain::length(2, 2),
        Domain::length(0, 300),
        Domain::Length { min: 1, max: u32::MAX, usual: 1 },
        Domain::Length { min: 0, max: u32::MAX, usual: 20 },
    ] {
        source.choose(domain);
    }
}

/// A few members of each kind.
fn every_kind(source: &mut Source) {
    source.choose(Domain::Int { min: -1, max: 2, origin: 1 });
    source.choose(Domain::Pick { n: 3, weights: Some([0, 2, 1].into()) });
    source.choose(Domain::Char { min: 'a', max: 'c' });
    source.choose(Domain::Length { min: 0, max: 2, usual: 1 });
    source.choose(Domain::int(7, 7));
    source.bool();
}

fn dependent_draws(source: &mut Source) {
    if source.bool() {
        source.span("nested", SpanKind::Group, |src| src.choose(Domain::int(0, 1)));
    }
    source.list("list", 0, 3, |src, i| {
        src.choose(Domain::int(0, i.into()));
    });
    if source.pick(3) == 2 {
        crate::context::assume(false, "not the last of three");
    }
}

fn filtered(source: &mut Source) {
    let first = source.draw(from(0..6).filter(|it| it % 2 == 1));
    let low = source.draw(from((0..4, 0..=first)).such_that(|it| it.0 < it.1));
    if low.0 == 1 {
        source.bool();
    }
}

fn floats(source: &mut Source) {
    source.f64(0.5, 0.75, false);
    source.bool();
}

fn endless_lists(source: &mut Source) {
    source.nest("endless", |src| src.list_within_size("items", 0, u32::MAX, |src, _| endless_lists(src)));
}

fn neighbours(source: &mut Source) {
    source.draw(from(0..3).neighbor(|it, _, _| it + 10));
}

fn by_size(source: &mut Source) {
    source.nest("by size", |src| {
        if src.size() > 90 && src.bool() {
            by_size(src);
        }
    });
    source.nest("by size", |src| src.size() > 3 && src.bool());
}

/// What an engine did with a test.
#[derive(Debug, PartialEq)]
struct Run {
    /// The answers of each case that was not rejected.
    cases: Vec<Vec<Value>>,
    /// Why there was no further case, if there was none.
    ended: Option<Ended>,
    visits_all: bool,
}

fn run(engine: Box<dyn Engine>, test: &dyn Fn(&mut Source)) -> Run {
    let mut res = Run { cases: Vec::new(), ended: None, visits_all: engine.places(0).is_some() };
    let mut source = Source::new(engine);
    for _ in 0..CASES {
        if let Err(ended) = source.begin() {
            assert_eq!(source.begin(), Err(ended), "it ended, and then it did not");
            res.ended = Some(ended);
            break;
        }
        // A non-member is refused where it is answered, so a failure here is a broken law.
        let case = run_case(&mut source, &mut |src: &mut Source| test(src))
            .unwrap_or_else(|it| panic!("{}", it.message));
        assert!(!matches!(case.verdict, Verdict::Fail(_)), "{:?}", case.verdict);
        source.end(&case);
        if !matches!(case.verdict, Verdict::Reject(_)) {
            res.cases.push(case.trace.values());
        }
    }
    res
}

/// An engine that sees to it that it is used as an engine is: `begin` and `end` alternate, and `answer` stands between.
pub(crate) struct Probe(Rc<RefCell<Seen>>);

#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) is_running: bool,
    pub(crate) cases: u64,
    is_narrow: bool,
}

impl Probe {
    pub(crate) fn new() -> (Probe, Rc<RefCell<Seen>>) {
        let seen = Rc::<RefCell<Seen>>::default();
        (Probe(Rc::clone(&seen)), seen)
    }
}

impl Engine for Probe {
    fn begin(&mut self) -> Result<(), Ended> {
        let mut seen = self.0.borrow_mut();
        assert!(!seen.is_running, "`begin` was called twice, with no `end` between");
        if seen.cases == 3 {
            return Err(Ended::Exhausted);
        }
        seen.cases += 1;
        seen.is_running = true;
        Ok(())
    }

    fn answer(&mut self, domain: &Domain, _: &Trace) -> Result<Value, Stop> {
        assert!(self.0.borrow().is_running, "`answer` was called before `begin` or after `end`");
        Ok(domain.simplest())
    }

    fn end(&mut self, _: &Case) {
        let was_running = std::mem::replace(&mut self.0.borrow_mut().is_running, false);
        assert!(was_running, "`end` was called before `begin`, or twice");
    }

    fn refuse(&mut self, _: usize, _: bool, _: Site) -> Refusal {
        assert!(self.0.borrow().is_running, "`refuse` was called before `begin` or after `end`");
        Refusal::Reject
    }

    fn narrow(&mut self, _: Narrow) {
        self.0.borrow_mut().is_narrow = true;
    }

    fn is_sample(&self) -> bool {
        false
    }

    fn places(&self, _: usize) -> Option<Vec<u64>> {
        Some(Vec::new())
    }
}
