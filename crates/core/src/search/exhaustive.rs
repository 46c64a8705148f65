//! The search that visits every input.

use std::sync::Arc;

use super::{BATCH_MAX, Budget, Finding, Found, State};
use crate::engine::Walk;
use crate::unwind::{BatchEnd, run_batch};
use crate::{Bounds, Ended, Failure, Misuse, Reach, Source, Test, run_case};

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
    let mut budget = Budget { rejects: u64::MAX, ..budget };
    let mut source = Source::walking(Box::new(Walk::new(bounds)), Arc::clone(&budget.progress));
    let mut state = State { is_in_order: true, ..State::default() };
    let mut batch = 1;
    let mut is_recorded = false;
    let ended = loop {
        if !state.wants_more(&mut budget) {
            break Ended::Budget;
        }
        let first = source.next_index();
        source.allow(first + if is_recorded { 1 } else { batch.min(state.left(&budget)) });
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
            BatchEnd::Reject(site) => *state.tally.rejects.entry(site).or_default() += 1,
            BatchEnd::Overrun => state.tally.overruns += 1,
            BatchEnd::Failed(failure) if state.is_repeat(&failure.origin) => state.tally.cases += 1,
            BatchEnd::Failed(failure) => again(&mut source, Some(failure), test, &mut state)?,
            BatchEnd::NeedsRecording => {
                is_recorded = true;
                again(&mut source, None, test, &mut state)?;
            }
        }
        budget.progress.reach(source.walk().reach());
    };
    budget.progress.end_walk();
    let walk = source.walk();
    // What is rejected in place is not seen by the search.
    for (site, n) in walk.refused() {
        *state.tally.rejects.entry(*site).or_default() += n;
    }
    walk.misuse().map_or(Ok((state.finding(ended), walk.reach())), Err)
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
    state.tally.add(&case);
    let index = source.next_index() - 1;
    // A flaky test may have failed in two ways; the input will not come up a second time.
    for failure in [failure, case.verdict.failure().cloned()].into_iter().flatten() {
        if !state.is_repeat(&failure.origin) {
            state.keep(Found { index, failure, case: case.clone() });
        }
    }
    Ok(())
}
