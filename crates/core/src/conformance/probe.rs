//! That a wrapper uses what it wraps as an engine is used, and passes on what it says.

use std::cell::RefCell;
use std::rc::Rc;

use super::run;
use super::small_tests::TESTS;
use crate::{
    Case, CaseShape, Domain, Ended, Engine, Narrow, Ordered, Refusal, Site, SourcePlace, Stop, Trace, Value,
};

/// Panics when an engine that `wrap` puts around another keeps from it what an engine has to know, or from others what
/// it says.
///
/// ```
/// use probity_core::{Replay, Tail, Value, conformance};
/// conformance::check_wrapper(|inner| Box::new(Replay::new(vec![Value::Bool(true)], Tail::Engine(inner))));
/// ```
pub fn check_wrapper(wrap: impl Fn(Box<dyn Engine>) -> Box<dyn Engine>) {
    for mut test in TESTS {
        let (probe, seen) = Probe::new();
        run(wrap(Box::new(probe)), &mut test, &mut |_| true);
        assert!(seen.borrow().cases > 1, "what is wrapped has more than one case");
        assert!(!seen.borrow().is_running, "a case was begun but never ended");
    }
    let (probe, seen) = Probe::new();
    let mut engine = wrap(Box::new(probe));
    engine.begin().expect("what is wrapped has a case");
    let order = engine.order().expect("what is wrapped has an order");
    assert!(!order.is_sample(), "what is wrapped does not sample");
    assert_eq!(order.shape(), CaseShape::PROBE, "what is wrapped says how values nest");
    assert!(order.is_beyond_random(), "what is wrapped goes beyond random cases");
    assert!(order.places(LATE).is_some(), "what is wrapped visits every input");
    let site = Site { what: "a law", location: SourcePlace::caller() };
    assert_eq!(order.refuse(LATE, true, site), Refusal::Reject, "what is wrapped rejects");
    order.narrow(Narrow::Neighbors);
    assert!(seen.borrow().is_narrow, "what is wrapped was not told that there is more");
}

/// A choice that comes after those which a wrapper answers by itself.
const LATE: usize = 100;

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

    fn order(&mut self) -> Option<&mut dyn Ordered> {
        Some(self)
    }
}

impl Ordered for Probe {
    fn refuse(&mut self, _: usize, _: bool, _: Site) -> Refusal {
        assert!(self.0.borrow().is_running, "`refuse` was called before `begin` or after `end`");
        Refusal::Reject
    }

    fn narrow(&mut self, _: Narrow) {
        self.0.borrow_mut().is_narrow = true;
    }

    fn is_sample(&mut self) -> bool {
        false
    }

    fn shape(&mut self) -> CaseShape {
        CaseShape::PROBE
    }

    fn places(&mut self, _: usize) -> Option<Vec<u64>> {
        Some(Vec::new())
    }
}
