//! The concolic engine in a run: a child interprets the test, and what it finds is run here without it.

mod budget;
mod child;
mod confirm;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use probity_concolic::search::FIRST_TRY;
use probity_core::{
    CHOICES_MAX, Ended, Evidence, Explored, Found, OriginKind, Progress, Running, SearchResult, Tally, Value,
    Verdict,
};

pub(in crate::run) use self::budget::Grant;
use self::budget::Stall;
use self::child::{CHOOSING, ChildMessage, begin};
pub(in crate::run) use self::confirm::Confirmed;
use super::super::Runner;
use super::super::portfolio::{AfterStage, EngineKind, Stage};
use super::pace::BUSY;
use crate::isolate::wire;
use crate::isolate::{Child, Isolation, IsolationMode, ProcessEnd, Received};
use crate::settings::{Key, ProofGoal};

/// The part of the first slice that the first try of a question may take in a default run.
const FIRST_TRY_PART: u32 = 3;
/// How many of the best cases by score, and how many random ones, the engine is given.
const GIVEN_MAX: usize = 3;
/// How long a child may go on past its time before it is taken for stuck, beside as long as its time again.
const GRACE: Duration = Duration::from_millis(300);
/// How much of the processor a copy may take past its time: more takes only one that waits in a loop for what another thread
/// does, who is not there.
const SPIN: Duration = Duration::from_millis(50);
/// How many inputs that reach new code are run as ordinary cases.
const REACHES_MAX: usize = 1000;
/// How many choices an input may ask for in a default run.
const CHOICES_SHARE: u32 = 4096;
/// How long the engine may go on where the test is about to fail because most of its cases were rejected: without what it
/// finds, nothing is tested.
const STARVING_TIME: Duration = Duration::from_secs(3);

/// How far to go.
#[derive(Clone, Copy)]
struct SearchLimits {
    time: Duration,
    /// Time of the processor, after which it is to be asked for more.
    processor: Option<Duration>,
    first_try: Duration,
    choices_max: u32,
    runs_max: u64,
    /// Whether it is a part of a default run.
    is_share: bool,
}

impl SearchLimits {
    /// When a child is taken for stuck.
    fn longest(&self) -> Duration {
        self.time * 2 + GRACE
    }

    /// Whether a copy that took so much of the processor is stuck: it looks at the clock between its runs and in them, but not
    /// in the ordinary cases that it chooses from before the first.
    fn is_stuck(&self, processor: Duration, has_begun: bool) -> bool {
        processor > SPIN + if has_begun { self.time } else { self.time / CHOOSING }
    }
}

/// Whether a copy works for longer than it can need.
fn is_stuck(child: &Child, limits: &SearchLimits, begins: &Progress) -> bool {
    let has_begun = matches!(begins.running().1, Running::Replay(_));
    child.processor_time().is_some_and(|it| limits.is_stuck(it, has_begun))
}

/// The search of the engine alone: `engine = "concolic"`.
pub(in crate::run) fn run(runner: &mut Runner<'_>, stage: &Stage) -> Result<AfterStage, String> {
    let start = Instant::now();
    let size = runner.settings.size.unwrap_or(u64::MAX).min(most_choices(runner).into());
    let limits = SearchLimits {
        time: stage.time(runner.settings),
        processor: None,
        first_try: FIRST_TRY,
        choices_max: size as u32,
        runs_max: stage.cases(runner.settings),
        is_share: false,
    };
    if runner.inner {
        return Err("the concolic engine cannot run a test inside the case of another; use engine = \
                    \"random\" for the inner one"
            .to_string());
    }
    let cannot =
        |why: String| format!("the concolic engine cannot run this test: {why}; use engine = \"random\"");
    let isolation = runner.isolation.clone();
    let isolation = isolation.ok_or_else(|| cannot("no memory can be shared with processes".to_string()))?;
    // Side effects of the test are repeated: that is what was asked for.
    let before = isolation.turn(IsolationMode::Copies);
    let explored = runner.explore(&isolation, &limits, Vec::new())?;
    let dies = |it: &Found| it.failure.origin.kind == OriginKind::Died;
    if !explored.as_ref().is_ok_and(|it| it.1.iter().any(dies)) {
        isolation.turn(before);
    }
    let (mut explored, mut failures) = explored.map_err(cannot)?;
    (explored.asked, explored.bound) = (true, bound(runner));
    // What leads to new code is run as any other case is.
    let mut tally = Tally::default();
    runner.count_reached(&runner.state.reached.clone())?;
    for values in std::mem::take(&mut runner.state.reached).into_iter().take(REACHES_MAX) {
        if !failures.is_empty() || start.elapsed() >= limits.longest() {
            break;
        }
        let case = runner.run_values(values)?;
        tally.add(&case, false);
        if let Verdict::Fail(failure) = case.verdict.clone() {
            failures.push(Found { index: 0, failure, case });
        }
    }
    // Where nothing ran at all, that is no lack of inputs.
    if failures.is_empty() && tally.cases == 0 && tally.rejected() == 0 && tally.overruns == 0 {
        let lost = explored.losses.first().map(|it| it.0.clone());
        let late = (explored.runs == 0).then(|| "no run came to an end in time".to_string());
        if let Some(why) = explored.unsupported.clone().or(lost).or(late) {
            return Err(cannot(why));
        }
    }
    let evidence = Evidence { explored: Some(Box::new(explored)), ..Evidence::default() };
    let result = SearchResult { failures, ended: Ended::Exhausted, tally, evidence };
    runner.state.set(EngineKind::Concolic, result, start.elapsed());
    Ok(AfterStage::Verdict)
}

/// Its share of a default run, in which nothing has failed. It works in sealed copies, so that the run does to the world
/// what it does without. It does without where there is no way.
pub(in crate::run) fn share(runner: &mut Runner<'_>, stage: &Stage) -> Result<AfterStage, String> {
    let Some(share) = runner.settings.concolic.filter(|_| !Stall::are_many()) else {
        return Ok(AfterStage::Stage);
    };
    let Some(isolation) = runner.isolation.clone() else { return Ok(AfterStage::Stage) };
    let mut limits = SearchLimits {
        time: share,
        processor: None,
        first_try: FIRST_TRY,
        choices_max: CHOICES_SHARE,
        runs_max: u64::MAX,
        is_share: true,
    };
    // Who sets it gets it; the default is not to make a suite much slower.
    if runner.has_too_few() {
        // Whether enough is tested must not depend on how busy a machine is.
        let most = share.max(STARVING_TIME);
        (limits.time, limits.processor) = (most * BUSY, Some(most));
    } else if runner.settings.is_default(Key::Concolic) {
        let Some(grant) = Grant::take(share) else { return Ok(AfterStage::Stage) };
        // It is counted in time of the processor: on a busy machine, that takes longer.
        limits.time = grant.most * 2;
        limits.processor = Some(grant.time);
        limits.first_try = grant.time / FIRST_TRY_PART;
        runner.state.grant = Some(grant);
    }
    limits.time = limits.time.min(stage.time(runner.settings));
    // The best that the other engines know.
    let given = runner.best_values();
    let explored = runner.sealed(&isolation, |it| it.explore(&isolation, &limits, given))?;
    let Ok((explored, failures)) = explored else { return Ok(AfterStage::Stage) };
    if explored.unsupported.is_some() {
        runner.state.reached.clear();
    }
    runner.state.result.evidence.explored = Some(Box::new(explored));
    runner.found_beside(failures);
    Ok(AfterStage::Stage)
}

/// The proof that was asked for, of a test that did not fail. It works in sealed copies, as its share of a default run does.
pub(in crate::run) fn prove(runner: &mut Runner<'_>, stage: &Stage) -> Result<AfterStage, String> {
    let limits = SearchLimits {
        time: stage.time(runner.settings),
        processor: None,
        first_try: FIRST_TRY,
        choices_max: most_choices(runner),
        runs_max: u64::MAX,
        is_share: false,
    };
    let explored = match runner.isolation.clone() {
        Some(isolation) => runner.sealed(&isolation, |it| it.explore(&isolation, &limits, Vec::new()))?,
        None => Err("no memory can be shared with processes".to_string()),
    };
    let cannot = |why| (Explored { unsupported: Some(why), ..Explored::default() }, Vec::new());
    let (mut explored, failures) = explored.unwrap_or_else(cannot);
    (explored.asked, explored.bound) = (true, bound(runner));
    runner.state.result.evidence.explored = Some(Box::new(explored));
    runner.found_beside(failures);
    Ok(AfterStage::Verdict)
}

/// Searches for what the running mode calls a failure, for so long. The inner `Err` says why it cannot.
pub(in crate::run) fn seek(
    runner: &mut Runner<'_>,
    time: Duration,
) -> Result<Result<(Explored, Vec<Found>), String>, String> {
    let limits = SearchLimits {
        time,
        processor: None,
        first_try: FIRST_TRY,
        choices_max: CHOICES_MAX,
        runs_max: u64::MAX,
        is_share: false,
    };
    let Some(isolation) = runner.isolation.clone() else {
        return Ok(Err("no memory can be shared with processes".to_string()));
    };
    let explored = runner.sealed(&isolation, |it| it.explore(&isolation, &limits, Vec::new()))?;
    runner.state.reached.clear();
    Ok(explored)
}

/// How many choices the inputs may ask for that a proof is asked for.
fn bound(runner: &Runner<'_>) -> Option<u32> {
    match runner.settings.prove {
        ProofGoal::UpTo(most) => Some(most),
        ProofGoal::EveryInput | ProofGoal::Off => None,
    }
}

fn most_choices(runner: &Runner<'_>) -> u32 {
    bound(runner).unwrap_or(CHOICES_MAX).min(CHOICES_MAX)
}

impl Runner<'_> {
    /// The answers of the best cases, where there is a score.
    pub(in crate::run) fn best_values(&self) -> Vec<Vec<Value>> {
        let peaks = self.state.result.evidence.climb.iter().flat_map(|it| &it.best);
        peaks.take(GIVEN_MAX).map(|it| it.values.clone()).collect()
    }

    /// Takes failures that were found beside the test's ordinary cases, and confirmed.
    pub(in crate::run) fn found_beside(&mut self, failures: Vec<Found>) {
        if !failures.is_empty() {
            self.state.grant.iter_mut().for_each(|it| it.was_worth_it = true);
            self.state.engine = EngineKind::Concolic;
            self.state.result.failures = failures;
        }
    }

    /// Does something with sealed copies in the place of cases. Where a failure ends processes, cases are isolated
    /// from then on.
    pub(in crate::run) fn sealed<T>(
        &mut self,
        isolation: &Isolation,
        work: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let before = isolation.turn(IsolationMode::SealedCopies);
        let res = work(self);
        if isolation.is_sealed() {
            isolation.turn(before);
        }
        res
    }

    /// Runs the engine for so long, in copies as `isolation` makes them now, for another engine that gets no further. The inner
    /// `Err` says why it cannot run.
    #[cfg(feature = "coverage")]
    pub(in crate::run) fn explore_for(
        &mut self,
        isolation: &Isolation,
        time: Duration,
        given: Vec<Vec<Value>>,
    ) -> Result<Result<(Explored, Vec<Found>), String>, String> {
        let limits = SearchLimits {
            time,
            processor: None,
            first_try: FIRST_TRY,
            choices_max: CHOICES_SHARE,
            runs_max: u64::MAX,
            is_share: false,
        };
        self.explore(isolation, &limits, given)
    }

    /// Runs the engine, in copies as `isolation` makes them now. The inner `Err` says why it cannot run.
    fn explore(
        &mut self,
        isolation: &Isolation,
        limits: &SearchLimits,
        given: Vec<Vec<Value>>,
    ) -> Result<Result<(Explored, Vec<Found>), String>, String> {
        let start = Instant::now();
        let (mut child, begins, prepared) = match begin(self.test, isolation, self.seed, limits, given) {
            Ok(begun) => begun,
            Err(why) => return Ok(Err(why)),
        };
        let mut res = (Explored::default(), Vec::new());
        let is_whole = self.listen(&mut child, isolation, limits, &begins, &mut res)?;
        let taken = child.processor_time().unwrap_or_else(|| start.elapsed());
        self.state.grant.iter_mut().for_each(|it| it.taken += taken);
        drop(child);
        // What was prepared is the next one's only now: they share its memory. One that has been ended for what it found or
        // did leaves it whole, for it is written so; but who knows what became of one that died, or got stuck.
        if !is_whole {
            std::mem::forget(prepared);
        }
        res.0.time = start.elapsed();
        Ok(Ok(res))
    }

    /// Hears what the engine says until it ends, or has found something. Returns whether it left its memory whole.
    fn listen(
        &mut self,
        child: &mut Child,
        isolation: &Isolation,
        limits: &SearchLimits,
        begins: &Progress,
        (explored, failures): &mut (Explored, Vec<Found>),
    ) -> Result<bool, String> {
        let until = Instant::now() + limits.longest();
        let mut stall = Stall::default();
        let mut caught = None;
        loop {
            match child.receive(Some(until.min(Instant::now() + Stall::LOOK))) {
                Received::Message(message) => match wire::read::<ChildMessage>(&message) {
                    // It was asked for before: the test catches that panic, whatever came of it in the engine.
                    Some(ChildMessage::Fails(values, _)) if caught.as_ref() == Some(&values) => {
                        explored.unconfirmed += 1;
                        child.reply(b"");
                    }
                    Some(said @ (ChildMessage::Fails(..) | ChildMessage::Panics(..))) => {
                        let is_panic = matches!(said, ChildMessage::Panics(..));
                        let (ChildMessage::Fails(values, run) | ChildMessage::Panics(values, run)) = said
                        else {
                            continue;
                        };
                        match self.confirm(isolation, values.clone(), run)? {
                            Confirmed::Yes(found) => {
                                failures.push(*found);
                                return Ok(true);
                            }
                            // What a copy says of this test is not so here: there is no use in going on.
                            Confirmed::OnlyThere => {
                                explored.unconfirmed += 1;
                                return Ok(true);
                            }
                            Confirmed::No if is_panic => caught = Some(values),
                            Confirmed::No => explored.unconfirmed += 1,
                        }
                        child.reply(b"");
                        stall = Stall::default();
                    }
                    Some(ChildMessage::Reaches(values)) => self.state.reached.push(values),
                    Some(ChildMessage::IsOver(has_news)) => {
                        let grant = self.state.grant.as_mut();
                        let more = grant.map_or(Duration::ZERO, |it| it.extend(has_news));
                        child.reply(&wire::bytes(&more));
                    }
                    Some(ChildMessage::Explored(said)) => {
                        *explored = Explored { unconfirmed: explored.unconfirmed, ..*said };
                        return Ok(true);
                    }
                    None => {}
                },
                Received::Ended(ProcessEnd::Sealed(reason)) => {
                    explored.unsupported = Some(reason.to_string());
                    return Ok(true);
                }
                Received::Ended(end) => {
                    let loss = format!("the interpreter {end}");
                    explored.losses.push((loss, 1));
                    failures.extend(self.blame(isolation, begins)?);
                    return Ok(false);
                }
                Received::Late if Instant::now() >= until => {
                    let loss = "the interpreter did not end in time".to_string();
                    explored.losses.push((loss, 1));
                    if !limits.is_share {
                        failures.extend(self.blame(isolation, begins)?);
                    }
                    return Ok(false);
                }
                Received::Late if isolation.is_sealed() && is_stuck(child, limits, begins) => {
                    Stall::note();
                    let loss = "the interpreter did not end in time".to_string();
                    explored.losses.push((loss, 1));
                    return Ok(false);
                }
                Received::Late if isolation.is_sealed() && stall.waits_longer(child, Stall::LIMIT) => {
                    Stall::note();
                    explored.unsupported = Some("it waits for something outside".to_string());
                    return Ok(false);
                }
                // Asked for by name, it may wait as long as a case may take.
                Received::Late
                    if !isolation.is_sealed()
                        && self.settings.hang.is_some_and(|it| stall.waits_longer(child, it)) =>
                {
                    let loss = "the interpreter waited for something".to_string();
                    explored.losses.push((loss, 1));
                    failures.extend(self.blame(isolation, begins)?);
                    return Ok(false);
                }
                // No case runs here that could hang: anyone who watches sees that.
                Received::Late => self.progress.begin_replay(None),
            }
        }
    }

    /// The interpreter died or got stuck: perhaps because the test does, in the run that had begun.
    fn blame(&mut self, isolation: &Isolation, begins: &Progress) -> Result<Option<Found>, String> {
        let Running::Replay(values) = begins.running().1 else { return Ok(None) };
        Ok(match self.confirm(isolation, values, 0)? {
            Confirmed::Yes(found) => Some(*found),
            _ => None,
        })
    }
}
