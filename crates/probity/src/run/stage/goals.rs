//! Goals of a test: inputs that come to a `reach!` with its condition true. To seek one is to search for a failure, in a mode in
//! which coming to it is one; so every engine can, shrinking makes the input simple, and all paths without one are a proof.

use std::sync::Arc;
use std::time::{Duration, Instant};

use probity_core::context::{SoughtGoal, goal_failure};
use probity_core::{Budget, Case, Found, GoalTally, Proof, Value, search_random, shrink};

use super::super::portfolio::EngineKind;
use super::super::{Runner, misuse_message};
use super::concolic;
use super::pace::is_within;
use crate::events::{Event, GoalEnd};

/// How long one goal may be sought.
const GOAL_TIME: Duration = Duration::from_secs(2);
/// How many goals of one test are sought.
const GOALS_MAX: usize = 32;

/// Seeks the goals that cases have come by, where none of them failed.
pub(in crate::run) fn seek(runner: &mut Runner<'_>) -> Result<(), String> {
    if runner.inner || runner.should_panic || !runner.state.result.failures.is_empty() {
        return Ok(());
    }
    let mut goals = runner.state.smallest.goals.clone();
    for (label, goal) in runner.state.result.tally.goals.iter() {
        goals.entry(*label, || GoalTally { held: 0, ..goal.clone() }).held += goal.held;
    }
    let goals: Vec<(&'static str, GoalTally)> = goals.iter().map(|it| (*it.0, it.1.clone())).collect();
    let mut missed = None;
    for (label, goal) in goals.into_iter().take(GOALS_MAX) {
        let end = {
            let _sought = SoughtGoal::new(label);
            runner.seek_one(label, &goal)?
        };
        let Some(end) = end else { return Ok(()) };
        let place = goal.location.to_string();
        if goal.must && !end.is_reached() {
            missed.get_or_insert_with(|| format!("the goal `{label}` is not reached, at {place}"));
        }
        let reporters = if end.is_reached() { runner.reporters.clone() } else { runner.reporters.direct() };
        reporters.tell(&Event::Goal { label, place, must: goal.must, end });
    }
    missed.map_or(Ok(()), Err)
}

impl Runner<'_> {
    /// What came of one goal; none where a failure was found on the way.
    fn seek_one(&mut self, label: &'static str, goal: &GoalTally) -> Result<Option<GoalEnd>, String> {
        let is_goal = |it: &Found| it.failure.origin == goal_failure(label).origin;
        if goal.held > 0
            && let Some(found) = self.sampled()?.into_iter().find(is_goal)
        {
            return Ok(Some(self.reached(found)?));
        }
        let time = self.settings.time.min(GOAL_TIME);
        let (explored, failures) = match concolic::seek(self, time)? {
            Ok(it) => it,
            Err(why) => return Ok(Some(GoalEnd::NotReached(why))),
        };
        if let Some(at) = failures.iter().position(is_goal) {
            let found = failures.into_iter().nth(at).expect("it is there");
            return Ok(Some(self.reached(found)?));
        }
        if !failures.is_empty() {
            (self.state.engine, self.state.result.failures) = (EngineKind::Concolic, failures);
            return Ok(None);
        }
        Ok(Some(match explored.proof() {
            // A case has come to it, and it was not met again.
            _ if goal.held > 0 => GoalEnd::Reached(Vec::new()),
            Proof::EveryInput => GoalEnd::Unreachable,
            Proof::UpTo(most) => GoalEnd::NotReached(format!("only for inputs of up to {most} choices")),
            Proof::Missing(why) => GoalEnd::NotReached(why),
        }))
    }

    /// The cases among random ones that come to the goal, which ordinary cases did.
    fn sampled(&mut self) -> Result<Vec<Found>, String> {
        let (start, cases) = (Instant::now(), self.settings.cases);
        let (rejects, seed) = (self.settings.max_rejects.into(), self.seed);
        let time = self.settings.time.min(GOAL_TIME);
        let result = self.search(Box::new(|test, progress| {
            let watched = Arc::clone(&progress);
            let mut go_on = |ran| is_within(time, start, ran, &watched);
            let budget = Budget { cases, rejects, go_on: &mut go_on, progress };
            search_random(seed, test, budget)
        }))?;
        Ok(result.failures)
    }

    /// The simplest input like the one that was found.
    fn reached(&mut self, found: Found) -> Result<GoalEnd, String> {
        let start = Instant::now();
        let go_on = &mut |_: &[Value]| start.elapsed() < GOAL_TIME;
        let runs = self.settings.max_shrink;
        let case: Case = found.case;
        let shrunk = self.with_test(|test| shrink(case, test, runs, go_on)).map_err(misuse_message)?;
        let rendered = self.render(shrunk.case.trace.values())?;
        Ok(GoalEnd::Reached(rendered.log.inputs))
    }
}
