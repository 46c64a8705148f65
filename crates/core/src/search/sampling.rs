//! Searches that sample: at random, and by scores once the test says how good a case is.

use std::sync::Arc;

use super::{Budget, Evidence, Found, SearchResult, SearchState, Tally, Trajectory, search_recorded};
use crate::engine::{KeptEngine, Targeted};
use crate::unwind::{BatchEnd, run_batch};
use crate::{Annealing, Ended, Engine, Misuse, Random, Seed, Source, Test, context, run_case};

/// The longest run of cases between two looks at the clock.
const BATCH_MAX: u64 = 1 << 12;

/// Searches with the random engine at full speed: cases are recorded only when they fail, or when the
/// test counts something.
///
/// ```
/// use probity_core::{Budget, Source, search_random};
/// let budget = Budget { cases: 1000, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
/// let mut test = |src: &mut Source| assert!(src.draw(0..100) < 95);
/// let finding = search_random(7, &mut test, budget).unwrap();
/// assert_eq!(finding.failures.len(), 1);
/// ```
pub fn search_random(
    seed: impl Into<Seed>,
    test: &mut dyn Test,
    budget: Budget<'_>,
) -> Result<SearchResult, Misuse> {
    let seed = seed.into();
    let make = &mut |index| Box::new(Random::at(seed, index)) as Box<dyn Engine>;
    search_fast(Tally::default(), seed, 0, test, budget, make)
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
    let finding = search_fast(before, seed, annealing.cases, test, budget, make);
    progress.end_answers();
    Ok(climbed(finding?, kept.and_then(|it| it.into_inner().take_climb())))
}

/// A result with how its search climbed.
pub(super) fn climbed(result: SearchResult, climb: Option<Trajectory>) -> SearchResult {
    SearchResult { evidence: Evidence { climb, ..Evidence::default() }, ..result }
}

/// Searches with the random engine at full speed; from the case on that has to be recorded, with the engine
/// that `make` makes for that case's number. `scored` cases are wanted at least once there is a score.
fn search_fast(
    before: Tally,
    seed: Seed,
    scored: u64,
    test: &mut dyn Test,
    mut budget: Budget<'_>,
    make: &mut dyn FnMut(u64) -> Box<dyn Engine>,
) -> Result<SearchResult, Misuse> {
    let _preferring = context::PreferenceGuard::new();
    let first = before.cases.min(1);
    let mut state = SearchState { tally: before, may_skip: true, ..SearchState::default() };
    let mut source = Source::fast(seed, first, Arc::clone(&budget.progress));
    let mut batch = 1;
    while state.wants_more(&mut budget) {
        let first = source.next_index();
        source.allow(first + batch.min(state.left(&budget)).min(budget.progress.pace()));
        let end = run_batch(&mut source, test);
        let begun = source.next_index() - first;
        if begun == 0 {
            continue; // ended from outside, before its first case
        }
        let current = source.next_index() - 1;
        state.tally.cases += begun - 1;
        state.has_begun |= !matches!(end, BatchEnd::Skipped);
        let again = match end {
            BatchEnd::Done => {
                state.tally.cases += 1;
                batch = (batch * 2).min(BATCH_MAX);
                continue;
            }
            BatchEnd::Misuse(misuse) => return Err(misuse),
            BatchEnd::Skipped => continue,
            BatchEnd::Reject(site) => {
                *state.tally.rejects.entry(site, || 0) += 1;
                continue;
            }
            BatchEnd::Overrun => {
                state.overran(test)?;
                continue;
            }
            BatchEnd::Failed(failure) => {
                if state.count_repeat(&failure.origin) {
                    state.tally.cases += 1;
                    continue;
                }
                Some(failure)
            }
            BatchEnd::NeedsRecording => None,
        };
        let Some(failure) = again else {
            source.tally_arms(&mut state.tally);
            return search_recorded(make(current), current, scored, test, budget, state);
        };
        let mut random = Random::at(seed, current);
        random.begin().ok();
        let case = run_case(&mut Source::new(Box::new(random)), test)?;
        state.tally.cases += 1;
        state.keep(Found { index: current, failure, case });
    }
    source.tally_arms(&mut state.tally);
    Ok(state.result(Ended::Budget))
}
