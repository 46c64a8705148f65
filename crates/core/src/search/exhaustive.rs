//! The search that visits every input.

use std::cell::Cell;
use std::sync::Arc;

use super::{Budget, Evidence, Found, SearchResult, SearchState, Tally};
use crate::engine::Walk;
use crate::unwind::{BatchEnd, run_batch};
use crate::{Bounds, Ended, Failure, Misuse, Narrow, Site, Source, Test, Verdict, run_case};

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
/// let finding = search_exhaustive(Bounds::default(), &mut test, budget).unwrap();
/// assert_eq!(finding.failures[0].case.trace.size(), 23);
/// ```
pub fn search_exhaustive(
    bounds: Bounds,
    test: &mut dyn Test,
    budget: Budget<'_>,
) -> Result<SearchResult, Misuse> {
    walk(bounds, test, &Cell::new(0), budget, Limits::NONE)
}

/// As [`search_exhaustive`], but leaves a test that gives scores to an engine that goes by them: after `cases` of its
/// cases the budget is spent. A test that draws by anything but its inputs is left to other engines, too; see
/// [`Reach::strayed`](crate::Reach::strayed).
///
/// ```
/// use probity_core::{Bounds, Budget, Ended, Source, context, search_exhaustive_unscored};
/// let mut test = |src: &mut Source| context::maximize("number", src.any::<u8>().into());
/// let budget = Budget { cases: 1000, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
/// let finding = search_exhaustive_unscored(Bounds::default(), 5, &mut test, budget).unwrap();
/// let reach = finding.evidence.reach.unwrap();
/// assert_eq!((finding.ended, finding.tally.cases, reach.all), (Ended::Budget, 5, false));
/// ```
pub fn search_exhaustive_unscored(
    bounds: Bounds,
    cases: u64,
    test: &mut dyn Test,
    budget: Budget<'_>,
) -> Result<SearchResult, Misuse> {
    let limits = Limits { scored: cases, is_part: true, ..Limits::NONE };
    walk(bounds, test, &Cell::new(0), budget, limits)
}

/// As [`search_exhaustive`], for a part of a search that goes on with other engines: rejected inputs count. It puts up
/// with as many as cases are wanted, and with [`Budget::rejects`] more for each that is accepted. A test that draws by
/// anything but its inputs is left to the others; see [`Reach::strayed`](crate::Reach::strayed).
///
/// ```
/// use probity_core::{Budget, Ended, Source, context, search_smallest};
/// let mut test = |src: &mut Source| context::assume(src.any::<u32>() > 1 << 20, "large");
/// let budget = Budget { cases: 1000, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
/// let finding = search_smallest(&mut test, budget).unwrap();
/// assert_eq!((finding.ended, finding.tally.cases, finding.tally.rejected()), (Ended::Budget, 0, 1000));
/// ```
pub fn search_smallest(test: &mut dyn Test, budget: Budget<'_>) -> Result<SearchResult, Misuse> {
    let limits = Limits { rejects: Some((budget.cases, budget.rejects)), is_part: true, ..Limits::NONE };
    walk(Bounds::default(), test, &Cell::new(0), budget, limits)
}

/// What ends an exhaustive search before its budget does.
#[derive(Clone, Copy)]
struct Limits {
    /// How many cases it runs of a test that gives scores.
    scored: u64,
    /// How many inputs may be rejected: this many, and this many more for each that is accepted.
    rejects: Option<(u64, u64)>,
    /// Whether other engines go on where it cannot.
    is_part: bool,
}

impl Limits {
    const NONE: Limits = Limits { scored: u64::MAX, rejects: None, is_part: false };

    fn is_reached(self, tally: &Tally, refused: &[(Site, u64)]) -> bool {
        let is_scored = tally.cases >= self.scored && tally.scores.iter().next().is_some();
        is_scored
            || self.rejects.is_some_and(|(most, each)| {
                // What is rejected in place is not in the tally yet.
                let rejected = tally.rejected() + refused.iter().map(|it| it.1).sum::<u64>();
                rejected >= most.saturating_add(each.saturating_mul(tally.cases))
            })
    }
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
) -> Result<SearchResult, Misuse> {
    let skipped = Cell::new(0);
    walk(bounds, &mut SharedTest { test, share, skipped: &skipped }, &skipped, budget, Limits::NONE)
}

/// A test that only runs on its share of the inputs.
struct SharedTest<'a> {
    test: &'a mut dyn Test,
    share: Share,
    /// How many inputs were left to others.
    skipped: &'a Cell<u64>,
}

impl Test for SharedTest<'_> {
    fn case(&mut self, source: &mut Source) {
        let index = source.next_index().saturating_sub(1);
        let Share { inputs, part, of, start } = self.share;
        if start <= index && index % of.max(1) == part {
            self.test.case(source);
        } else {
            inputs(source);
            self.skipped.update(|it| it + 1);
        }
        if source.has_parts() {
            crate::misuse(
                "this test draws parts of its inputs when they are read, so nobody can tell beforehand which \
                 inputs there are to share; leave out `shard` and `start`",
            );
        }
    }

    fn batch(&mut self, source: &mut Source) {
        while source.next_fast() {
            self.case(source);
        }
    }
}

/// Visits inputs, all but those that the test counts as `skipped`.
fn walk(
    bounds: Bounds,
    test: &mut dyn Test,
    skipped: &Cell<u64>,
    budget: Budget<'_>,
    limits: Limits,
) -> Result<SearchResult, Misuse> {
    let mut budget = Budget { rejects: u64::MAX, ..budget };
    let mut source = Source::walking(Box::new(Walk::new(bounds)), Arc::clone(&budget.progress));
    let mut state = SearchState { is_in_order: true, ..SearchState::default() };
    let mut ended = match walk_on(&mut source, test, skipped, &mut state, &mut budget, limits) {
        Ok(ended) => ended,
        Err(_) if limits.is_part && source.walk().has_strayed() => Ended::Exhausted,
        Err(misuse) => return Err(misuse),
    };
    state.tally.cases -= skipped.take();
    budget.progress.end_walk();
    source.tally_arms(&mut state.tally);
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
    let evidence = Evidence { reach: Some(walk.reach()), ..Evidence::default() };
    let misuse = walk.misuse().filter(|_| !limits.is_part);
    misuse.map_or(Ok(SearchResult { evidence, ..state.result(ended) }), Err)
}

/// Visits inputs until there are none left or enough were visited.
fn walk_on(
    source: &mut Source,
    test: &mut dyn Test,
    skipped: &Cell<u64>,
    state: &mut SearchState,
    budget: &mut Budget<'_>,
    limits: Limits,
) -> Result<Ended, Misuse> {
    let mut batch = 1;
    let mut is_recorded = false;
    loop {
        state.tally.cases -= skipped.take();
        if limits.is_reached(&state.tally, source.walk().refused()) || !state.wants_more(budget) {
            return Ok(Ended::Budget);
        }
        let first = source.next_index();
        source.allow(
            first + if is_recorded { 1 } else { batch.min(state.left(budget)).min(budget.progress.pace()) },
        );
        if is_recorded {
            if !source.next_fast() {
                match source.walk().ended() {
                    Some(ended) => return Ok(ended),
                    None => continue, // ended from outside
                }
            }
            record(source, None, test, state)?;
            budget.progress.reach(source.walk().reach());
            continue;
        }
        let end = run_batch(source, test);
        let begun = source.next_index() - first;
        state.tally.cases += begun.saturating_sub(1);
        match end {
            BatchEnd::Done => {
                state.tally.cases += u64::from(begun > 0);
                batch = (batch * 2).min(BATCH_MAX);
                if let Some(ended) = source.walk().ended() {
                    return Ok(ended);
                }
            }
            BatchEnd::Misuse(misuse) => return Err(misuse),
            BatchEnd::Skipped => {} // an input that comes in a shorter form too
            BatchEnd::Reject(site) => *state.tally.rejects.entry(site, || 0) += 1,
            BatchEnd::Overrun => {
                state.overran(test)?;
                source.walk().narrow(Narrow::Deep);
            }
            BatchEnd::Failed(failure) if state.count_repeat(&failure.origin) => state.tally.cases += 1,
            BatchEnd::Failed(failure) => again(source, Some(failure), test, state)?,
            BatchEnd::NeedsRecording => {
                is_recorded = true;
                again(source, None, test, state)?;
            }
        }
        budget.progress.reach(source.walk().reach());
    }
}

/// Runs the case that has run once more, and records it.
fn again(
    source: &mut Source,
    failure: Option<Failure>,
    test: &mut dyn Test,
    state: &mut SearchState,
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
    state: &mut SearchState,
) -> Result<(), Misuse> {
    let case = source.record_walk(|source| run_case(source, test))?;
    if case.verdict == Verdict::Overrun {
        source.walk().narrow(Narrow::Deep);
    }
    state.tally.add(&case, true);
    let index = source.next_index() - 1;
    if let Some(failure) = failure.or_else(|| case.verdict.failure().cloned())
        && !state.count_repeat(&failure.origin)
    {
        state.keep(Found { index, failure, case });
    }
    Ok(())
}
