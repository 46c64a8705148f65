//! What every engine must keep: the laws beside [`Engine`], as one suite.
//!
//! [`check`] is for every engine, [`check_wrapper`] for one that asks another, [`check_findable`] for one that samples
//! or enumerates: no member of a domain may be out of its reach. [`check_search`] and [`check_search_findable`] are for
//! what is no [`Engine`], such as an interpreter of the test's code; the others rest on them.

mod brute;
mod finding;
mod probe;
mod small_tests;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use crate::{Case, Choice, Domain, Ended, Engine, Source, Stop, Test, Trace, Value, Verdict, run_case};
use small_tests::{TESTS, UNBOUNDED};

pub use finding::{check_findable, check_search_findable};
pub use probe::check_wrapper;

/// How many cases of each test a search is asked for, and how many inputs a test may have to be visited by brute
/// force.
const CASES: usize = 2_000;
/// How many cases an engine may take for them, rejected ones included.
const CASES_MAX: usize = 60_000;

/// What a search says of the cases that it runs.
///
/// ```
/// use probity_core::conformance::{Claims, Extent};
/// let exhaustive = Claims { once: true, complete: Extent::Inputs };
/// assert_ne!(exhaustive.complete, Extent::Paths);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claims {
    /// Whether it runs no input twice.
    pub once: bool,
    /// What [`Ended::Complete`] speaks of.
    pub complete: Extent,
}

/// What is visited where all is said to be.
///
/// ```
/// use probity_core::conformance::Extent;
/// assert_ne!(Extent::Inputs, Extent::Paths);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Every input.
    Inputs,
    /// An input of each kind: one for all that ask for the same choices and end alike.
    Paths,
}

/// Panics when an engine that `make` makes breaks a law of [`Engine`]. `make` must give the same engine
/// every time.
///
/// ```
/// use probity_core::{Random, conformance};
/// conformance::check(|| Box::new(Random::new(7)));
/// ```
pub fn check(make: impl Fn() -> Box<dyn Engine>) {
    let claims = claims(make());
    check_search(|test, each| run(make(), test, each), claims);
}

/// As [`check`], with a test of your own: for an engine that is made for one test.
///
/// ```
/// use probity_core::{Source, Space, any, conformance};
/// let space = || Space::of(&any::<(bool, Option<bool>)>()).unwrap();
/// let test = |src: &mut Source| { src.any::<(bool, Option<bool>)>(); };
/// conformance::check_on(|| Box::new(space().replay(0, 1, None)), test);
/// ```
pub fn check_on(make: impl Fn() -> Box<dyn Engine>, test: impl Fn(&mut Source)) {
    let claims = claims(make());
    check_search_on(&|test, each| run(make(), test, each), claims, &test);
}

/// Panics when a search of any kind breaks a law. It is handed a test and calls the function behind it with the answers
/// of each case that is not rejected, for as long as that is true; it returns why it ended. It must go the same way every
/// time.
///
/// ```
/// use probity_core::conformance::{Claims, Extent, check_search};
/// use probity_core::{Ended, Replay, Source, Tail, Verdict, run_case};
/// let simplest = |test: &mut dyn probity_core::Test, each: &mut dyn FnMut(&[probity_core::Value]) -> bool| {
///     let case = run_case(&mut Source::new(Box::new(Replay::new(vec![], Tail::Simplest))), test).unwrap();
///     if !matches!(case.verdict, Verdict::Reject(_)) {
///         each(&case.trace.values());
///     }
///     Ended::Exhausted
/// };
/// check_search(simplest, Claims { once: true, complete: Extent::Inputs });
/// ```
pub fn check_search(
    search: impl Fn(&mut dyn Test, &mut dyn FnMut(&[Value]) -> bool) -> Ended,
    claims: Claims,
) {
    for test in TESTS {
        check_search_on(&search, claims, &test);
    }
    for mut test in UNBOUNDED {
        let mut left = CASES;
        let ended = search(&mut test, &mut |_| count_down(&mut left));
        assert_ne!(ended, Ended::Complete, "said to be complete, which it cannot be");
    }
    let mut none = 0;
    let ended = search(&mut |_: &mut Source| (), &mut |_| {
        none += 1;
        none < CASES
    });
    assert!(none > 0, "a test that draws nothing was not run");
    if ended != Ended::Budget {
        assert_eq!(none, 1, "a test that draws nothing was run more than once");
    }
}

type Search<'a> = &'a dyn Fn(&mut dyn Test, &mut dyn FnMut(&[Value]) -> bool) -> Ended;

fn check_search_on(search: Search<'_>, claims: Claims, test: &dyn Fn(&mut Source)) {
    let first = first_cases(search, test);
    assert_eq!(first, first_cases(search, test), "the same search gave different answers");
    let (cases, ended) = first;
    let replayed: Vec<Case> = cases.iter().map(|it| replay(test, it)).collect();
    let mut seen = HashSet::new();
    let is_new = cases.iter().all(|it| seen.insert(it));
    assert!(is_new || !claims.once, "said to run no input twice, and ran one twice");
    if ended != Ended::Complete {
        return;
    }
    assert!(is_new, "said to be complete, and visited an input twice");
    match (claims.complete, brute::all(test, CASES)) {
        (Extent::Inputs, None) => panic!("said to be complete, but there are more inputs than were visited"),
        (Extent::Inputs, Some(all)) => {
            let missed = all.iter().map(|it| it.trace.values()).find(|it| !seen.contains(it));
            assert!(missed.is_none(), "said to be complete, but never visited {missed:?}");
        }
        // Nobody knows them all.
        (Extent::Paths, None) => {}
        (Extent::Paths, Some(all)) => {
            let missed = all.iter().find(|it| !replayed.iter().any(|known| is_alike(it, known)));
            assert!(missed.is_none(), "said to be complete, but ran nothing like {missed:?}");
        }
    }
}

/// The answers of the first cases, and why there were no more.
fn first_cases(search: Search<'_>, test: &dyn Fn(&mut Source)) -> (Vec<Vec<Value>>, Ended) {
    let (mut cases, mut left) = (Vec::new(), CASES);
    let ended = search(&mut |src: &mut Source| test(src), &mut |values| {
        cases.push(values.to_vec());
        count_down(&mut left)
    });
    (cases, ended)
}

fn count_down(left: &mut usize) -> bool {
    *left -= 1;
    *left > 0
}

/// Whether the two ask for the same choices and end alike. The bounds of a number may depend on earlier answers: then one
/// path has many of them.
fn is_alike(a: &Case, b: &Case) -> bool {
    let is_same = |(at, (a, b)): (usize, (&Choice, &Choice))| {
        // The first choice has no answer before it.
        at > 0 && matches!((&a.domain, &b.domain), (Domain::Int { .. }, Domain::Int { .. }))
            || a.domain == b.domain
    };
    std::mem::discriminant(&a.verdict) == std::mem::discriminant(&b.verdict)
        && a.trace.choices.len() == b.trace.choices.len()
        && a.trace.choices.iter().zip(&b.trace.choices).enumerate().all(is_same)
}

/// Runs a case that a search has run, as an ordinary one: its answers are members of what is asked for, and nothing is left over.
fn replay(test: &dyn Fn(&mut Source), values: &[Value]) -> Case {
    let engine = Verbatim(values.to_vec());
    let case = run_case(&mut Source::new(Box::new(engine)), &mut |src: &mut Source| test(src));
    let case = case.unwrap_or_else(|it| panic!("{}", it.message));
    let is_run = matches!(case.verdict, Verdict::Pass | Verdict::Overrun);
    assert!(is_run, "{values:?} ran to a verdict, and replayed it comes to {:?}", case.verdict);
    assert_eq!(case.trace.values(), values, "these are not the answers that were asked for");
    case
}

/// Recorded answers as they are. The source refuses one that is no member of its domain, where [`Replay`](crate::Replay)
/// would take the nearest that is.
struct Verbatim(Vec<Value>);

impl Engine for Verbatim {
    fn begin(&mut self) -> Result<(), Ended> {
        Ok(())
    }

    fn answer(&mut self, _: &Domain, so_far: &Trace) -> Result<Value, Stop> {
        self.0.get(so_far.choices.len()).copied().ok_or(Stop::Overrun)
    }

    fn end(&mut self, _: &Case) {}
}

/// What an engine claims.
fn claims(mut engine: Box<dyn Engine>) -> Claims {
    let once = engine.order().is_some_and(|it| it.places(0).is_some());
    Claims { once, complete: Extent::Inputs }
}

/// The cases of an engine.
fn run(engine: Box<dyn Engine>, test: &mut dyn Test, each: &mut dyn FnMut(&[Value]) -> bool) -> Ended {
    let mut source = Source::new(engine);
    for _ in 0..CASES_MAX {
        if let Err(ended) = source.begin() {
            assert_eq!(source.begin(), Err(ended), "it ended, and then it did not");
            return ended;
        }
        // A non-member is refused where it is answered, so a failure here is a broken law.
        let case = run_case(&mut source, test).unwrap_or_else(|it| panic!("{}", it.message));
        assert!(!matches!(case.verdict, Verdict::Fail(_)), "{:?}", case.verdict);
        source.end(&case);
        if !matches!(case.verdict, Verdict::Reject(_)) && !each(&case.trace.values()) {
            break;
        }
    }
    Ended::Budget
}
