//! The search that visits every input.

use std::sync::Arc;

use super::{Budget, Finding, Found, State};
use crate::engine::Walk;
use crate::unwind::{BatchEnd, run_batch};
use crate::{Bounds, Ended, Failure, Misuse, Reach, Source, Test, run_case};

/// The longest run of cases between two looks at the clock.
const BATCH_MAX: u64 = 1 << 9;

/// Searches with the exhaustive engine at full speed: every input exactly once, the smallest first, so
/// that no failing input is smaller than the first that is found. Cases are recorded only when they
/// fail, or when the test counts something. Rejected cases do not count against the budget.
///
/// ```
/// use probity_core::{Bounds, Budget, Ended, Source, search_exhaustive};
/// let budget = Budget { cases: 100_000, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
/// let mut test = |src: &mut Source| { let (a, b): (u8, u8) = src.any(); assert!(a < 20 || b < 3) };
/// let (finding, _) = search_exhaustive(Bounds::default(), &mut test, budget).unwrap();
/// assert_eq!(finding.failures[0].case.trace.size(), 23);
/// ```
pub fn search_exhaustive(
    bounds: Bounds,
    test: &mut dyn Test,
    budget: Budget<'_>,
) -> Result<(Finding, Reach), Misuse> {
    search_share(bounds, &mut SharedTest { test, share: None, skipped: 0 }, budget)
}

/// Which inputs a part of an exhaustive search is for. All parts go the same way, but each runs the test on
/// its own inputs only, and draws the others without it.
///
/// ```
/// use probity_core::{Bounds, Budget, Share, Source, search_exhaustive_share};
/// let mut seen = Vec::new();
/// for part in 0..3 {
///     let budget = Budget { cases: 1000, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
///     let share = Share { inputs: |src| { src.any::<u8>(); }, part, of: 3, start: 0 };
///     let mut test = |src: &mut Source| seen.push(src.any::<u8>());
///     search_exhaustive_share(Bounds::default(), share, &mut test, budget).unwrap();
/// }
/// seen.sort();
/// assert!(seen.into_iter().eq(0..=255), "each of them once");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Share {
    /// Draws what the test draws, and does nothing else.
    pub inputs: fn(&mut Source),
    /// Which part, from 0.
    pub part: u64,
    /// How many parts there are; at least one.
    pub of: u64,
    /// How many inputs are left to others before the first of any part.
    pub start: u64,
}

/// As [`search_exhaustive`], for a share of the inputs; see [`Share`]. What the test draws has to be
/// drawn by the time its inputs are: [`Lazy`](crate::Lazy) parts and functions are misuse.
pub fn search_exhaustive_share(
    bounds: Bounds,
    share: Share,
    test: &mut dyn Test,
    budget: Budget<'_>,
) -> Result<(Finding, Reach), Misuse> {
    search_share(bounds, &mut SharedTest { test, share: Some(share), skipped: 0 }, budget)
}

/// A test that only runs on its share of the inputs.
struct SharedTest<'a> {
    test: &'a mut dyn Test,
    share: Option<Share>,
    /// How many inputs were left to others.
    skipped: u64,
}

impl Test for SharedTest<'_> {
    fn case(&mut self, source: &mut Source) {
        let index = source.next_index().saturating_sub(1);
        match self.share {
            Some(Share { part, of, start, .. }) if start <= index && index % of.max(1) == part => {
                self.test.case(source);
            }
            Some(Share { inputs, .. }) => {
                inputs(source);
                self.skipped += 1;
            }
            None => self.test.case(source),
        }
        if self.share.is_some() && source.has_parts() {
            crate::misuse(
                "this test draws parts of its inputs when they are read, so nobody can tell beforehand which \
                 inputs there are to share; leave out `shard` and `start`",
            );
        }
    }

    fn batch(&mut self, source: &mut Source) {
        match self.share {
            None => self.test.batch(source),
            Some(_) => {
                while source.next_fast() {
                    self.case(source);
                }
            }
        }
    }
}

fn search_share(
    bounds: Bounds,
    test: &mut SharedTest<'_>,
    budget: Budget<'_>,
) -> Result<(Finding, Reach), Misuse> {
    let mut budget = Budget { rejects: u64::MAX, ..budget };
    let mut source = Source::walking(Box::new(Walk::new(bounds)), Arc::clone(&budget.progress));
    let mut state = State { is_in_order: true, ..State::default() };
    let mut batch = 1;
    let mut is_recorded = false;
    let ended = loop {
        state.tally.cases -= std::mem::take(&mut test.skipped);
        if !state.wants_more(&mut budget) {
            break Ended::Budget;
        }
        let first = source.next_index();
        source.allow(
            first + if is_recorded { 1 } else { batch.min(state.left(&budget)).min(budget.progress.pace()) },
        );
        if is_recorded {
            if !source.next_fast() {
                break source.walk().ended().unwrap_or(Ended::Exhausted);
            }
            record(&mut source, None, test, &mut state)?;
            budget.progress.reach(source.walk().reach());
            continue;
        }
        let end = run_batch(&mut source, test);
        let begun = source.next_index() - first;
        state.tally.cases += begun.saturating_sub(1);
        match end {
            BatchEnd::Done => {
                state.tally.cases += u64::from(begun > 0);
                batch = (batch * 2).min(BATCH_MAX);
                if let Some(ended) = source.walk().ended() {
                    break ended;
                }
            }
            BatchEnd::Misuse(misuse) => return Err(misuse),
            BatchEnd::Reject(site) => *state.tally.rejects.entry(site, || 0) += 1,
            BatchEnd::Overrun => state.overran(test)?,
            BatchEnd::Failed(failure) if state.is_repeat(&failure.origin) => state.tally.cases += 1,
            BatchEnd::Failed(failure) => again(&mut source, Some(failure), test, &mut state)?,
            BatchEnd::NeedsRecording => {
                is_recorded = true;
                again(&mut source, None, test, &mut state)?;
            }
        }
        budget.progress.reach(source.walk().reach());
    };
    state.tally.cases -= std::mem::take(&mut test.skipped);
    budget.progress.end_walk();
    let walk = source.walk();
    // What is rejected in place is not seen by the search.
    for (site, n) in walk.refused() {
        *state.tally.rejects.entry(*site, || 0) += n;
    }
    let reach = walk.reach();
    // An input that could not be run to its end was not tested.
    let reach = Reach { all: reach.all && state.tally.overruns == 0, ..reach };
    walk.misuse().map_or(Ok((state.finding(ended), reach)), Err)
}

/// Runs the case that has run once more, and records it.
fn again(
    source: &mut Source,
    failure: Option<Failure>,
    test: &mut dyn Test,
    state: &mut State,
) -> Result<(), Misuse> {
    let walk = source.walk();
    walk.again();
    walk.begin().ok();
    record(source, failure, test, state)
}

/// Runs and records a case that has begun. `failure` is how it failed before.
fn record(
    source: &mut Source,
    failure: Option<Failure>,
    test: &mut dyn Test,
    state: &mut State,
) -> Result<(), Misuse> {
    source.record(true);
    let case = run_case(source, test)?;
    source.record(false);
    state.tally.add(&case, true);
    let index = source.next_index() - 1;
    if let Some(failure) = failure.or_else(|| case.verdict.failure().cloned())
        && !state.is_repeat(&failure.origin)
    {
        state.keep(Found { index, failure, case });
    }
    Ok(())
}
