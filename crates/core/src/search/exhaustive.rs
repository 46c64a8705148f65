//! The search that visits every input.

use std::sync::Arc;

use super::{Budget, Finding, Found, State};
use crate::engine::Walk;
use crate::unwind::{BatchEnd, run_batch};
use crate::{Bounds, Ended, Failure, Misuse, Narrow, Reach, Source, Test, Verdict, run_case};

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
    search_share(bounds, &mut SharedTest { test, share: None, skipped: 0 }, budget, u64::MAX)
}

/// As [`search_exhaustive`], but leaves a test that gives scores to an engine that goes by them: after `cases` of its
/// cases the budget is spent.
///
/// ```
/// use probity_core::{Bounds, Budget, Ended, Source, context, search_exhaustive_unscored};
/// let mut test = |src: &mut Source| context::maximize("number", src.any::<u8>().into());
/// let budget = Budget { cases: 1000, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
/// let (finding, reach) = search_exhaustive_unscored(Bounds::default(), 5, &mut test, budget).unwrap();
/// assert_eq!((finding.ended, finding.tally.cases, reach.all), (Ended::Budget, 5, false));
/// ```
pub fn search_exhaustive_unscored(
    bounds: Bounds,
    cases: u64,
    test: &mut dyn Test,
    budget: Budget<'_>,
) -> Result<(Finding, Reach), Misuse> {
    search_share(bounds, &mut SharedTest { test, share: None, skipped: 0 }, budget, cases)
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
    search_share(bounds, &mut SharedTest { test, share: Some(share), skipped: 0 }, budget, u64::MAX)
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
    scored_max: u64,
) -> Result<(Finding, Reach), Misuse> {
    let mut budget = Budget { rejects: u64::MAX, ..budget };
    let mut source = Source::walking(Box::new(Walk::new(bounds)), Arc::clone(&budget.progress));
    let mut state = State { is_in_order: true, ..State::default() };
    let mut batch = 1;
    let mut is_recorded = false;
    let mut ended = loop {
        state.tally.cases -= std::mem::take(&mut test.skipped);
        let is_scored = state.tally.cases >= scored_max && state.tally.scores.iter().next().is_some();
        if is_scored || !state.wants_more(&mut budget) {
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
            BatchEnd::Overrun => {
                state.overran(test)?;
                source.walk().narrow(Narrow::Deep);
            }
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
    if source.is_by_size() {
        source.walk().narrow(Narrow::Size);
    }
    let walk = source.walk();
    if let Some(known) = walk.ended() {
        ended = known;
    }
    // What is rejected in place is not seen by the search.
    for (site, n) in walk.refused() {
        *state.tally.rejects.entry(*site, || 0) += n;
    }
    let reach = walk.reach();
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
    if case.verdict == Verdict::Overrun {
        source.walk().narrow(Narrow::Deep);
    }
    state.tally.add(&case, true);
    let index = source.next_index() - 1;
    if let Some(failure) = failure.or_else(|| case.verdict.failure().cloned())
        && !state.is_repeat(&failure.origin)
    {
        state.keep(Found { index, failure, case });
    }
    Ok(())
}
