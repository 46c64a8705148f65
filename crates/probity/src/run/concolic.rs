//! The concolic engine in a run: a child interprets the test, and what it finds is run here without it.

mod child;
mod confirm;
mod purse;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use probity_core::{
    Annealing, Budget, CHOICES_MAX, Ended, Finding, Found, OriginKind, Progress, Running, Tally, Value,
    Verdict, search_near,
};

use self::child::{Said, begin};
use self::confirm::Confirmed;
use self::purse::{PURSE, Stall};
use super::Runner;
use super::apart::Came;
use super::search::Searched;
use crate::events::Explored;
use crate::isolate::wire;
use crate::isolate::{Child, End, Heard, Isolation, Mode};
use crate::settings::{Key, Origin, Settings};

/// After how many runs that met no new code the default run gives up: trivial tests then cost next to nothing.
const PATIENCE: u64 = 16;
/// How many of the best cases by score, and how many random ones, the engine is given.
const GIVEN_MAX: usize = 3;
/// What the search near its inputs may take: a part of what the engine took, or of what the targeted one did before.
const NEAR_PART: u32 = 4;
/// How many cases of it at most.
const NEAR_MAX: u64 = 1000;
/// How long a child may go on past its time before it is taken for stuck, beside as long as its time again.
const GRACE: Duration = Duration::from_millis(300);
/// How many inputs that reach new code are run as ordinary cases.
const REACHES_MAX: usize = 1000;
/// How many choices an input may ask for in a default run.
const CHOICES_SHARE: u32 = 4096;
/// How long the engine may go on where the test is about to fail because most of its cases were rejected, and how long cases
/// near to its inputs: without them, nothing is tested.
const STARVING_TIME: Duration = Duration::from_secs(3);
const STARVING_NEAR: Duration = Duration::from_secs(1);

/// How far to go.
#[derive(Clone, Copy)]
struct Limits {
    time: Duration,
    /// Time of the processor.
    processor: Option<Duration>,
    choices_max: u32,
    runs_max: u64,
    patience: Option<u64>,
}

impl Limits {
    /// When a child is taken for stuck.
    fn longest(&self) -> Duration {
        self.time * 2 + GRACE
    }
}

/// What the engine came to, and what of it is true without it.
struct Walked {
    explored: Explored,
    failures: Vec<Found>,
    /// Answers that reach new code.
    reaches: Vec<Vec<Value>>,
}

impl Runner<'_> {
    /// The search of the engine alone.
    pub(super) fn search_concolic(&mut self) -> Result<(), String> {
        let start = Instant::now();
        let Settings { time, size, cases, .. } = *self.settings;
        let is_set = *self.settings.origin(Key::Cases) != Origin::Default;
        let choices_max = size.map_or(CHOICES_MAX, |it| it.min(CHOICES_MAX.into()) as u32);
        let runs_max = if is_set { cases } else { u64::MAX };
        let limits = Limits { time, processor: None, choices_max, runs_max, patience: None };
        if self.inner {
            return Err("the concolic engine cannot run a test inside the case of another; use engine = \
                        \"random\" for the inner one"
                .to_string());
        }
        let cannot =
            |why: String| format!("the concolic engine cannot run this test: {why}; use engine = \"random\"");
        let isolation = self.isolation.clone();
        let isolation =
            isolation.ok_or_else(|| cannot("no memory can be shared with processes".to_string()))?;
        // Side effects of the test are repeated: that is what was asked for.
        let before = isolation.turn(Mode::Copies);
        let walked = self.explore(&isolation, &limits, Vec::new())?;
        let dies = |it: &Found| it.failure.origin.kind == OriginKind::Died;
        if !walked.as_ref().is_ok_and(|it| it.failures.iter().any(dies)) {
            isolation.turn(before);
        }
        let Walked { mut explored, mut failures, reaches, .. } = walked.map_err(cannot)?;
        explored.asked = true;
        // What leads to new code is run as any other case is.
        let mut tally = Tally::default();
        for values in reaches.into_iter().take(REACHES_MAX) {
            if !failures.is_empty() || start.elapsed() >= limits.longest() {
                break;
            }
            let case = self.run_values(values)?;
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
        let finding = Finding { failures, ended: Ended::Exhausted, tally };
        self.conclude(Searched {
            engine: "concolic",
            finding,
            reach: None,
            share: None,
            climb: None,
            explored: Some(Box::new(explored)),
            time: start.elapsed(),
        })
    }

    /// Its share of a default run, in which nothing has failed. It works in sealed copies, so that the run does to the
    /// world what it does without. It does without where there is no way.
    pub(super) fn share_concolic(&mut self, searched: &mut Searched) -> Result<(), String> {
        let Settings { concolic, time, .. } = *self.settings;
        let Some(share) = concolic.filter(|_| !self.inner && !self.should_panic) else { return Ok(()) };
        let Some(isolation) = self.isolation.clone() else { return Ok(()) };
        if Stall::are_many() {
            return Ok(());
        }
        let is_starving = self.has_too_few(&searched.finding);
        // Who sets it gets it; the default is not to make a suite much slower.
        let is_default = *self.settings.origin(Key::Concolic) == Origin::Default && !is_starving;
        let (mut processor, mut longest) = (None, if is_starving { share.max(STARVING_TIME) } else { share });
        if is_default {
            // It is counted in time of the processor: on a busy machine, that takes longer.
            longest *= 2;
            processor = PURSE.take(purse::own_time(), share, probity_concolic::unit());
            if processor.is_none() {
                return Ok(());
            }
        }
        let start = Instant::now();
        let limits = Limits {
            time: longest.min(time),
            processor,
            choices_max: CHOICES_SHARE,
            runs_max: u64::MAX,
            patience: (!is_starving).then_some(PATIENCE),
        };
        // The best that the other engines know.
        let peaks = searched.climb.iter().flat_map(|it| &it.best);
        let given = peaks.take(GIVEN_MAX).map(|it| it.values.clone()).collect();
        let before = isolation.turn(Mode::SealedCopies);
        let walked = self.explore(&isolation, &limits, given);
        let walked = match walked {
            Ok(Ok(Walked { explored, failures, reaches, .. })) => {
                let (time, is_clean) = (explored.time, explored.unsupported.is_none());
                searched.explored = Some(Box::new(explored));
                if !failures.is_empty() {
                    searched.engine = "concolic";
                    searched.finding.failures = failures;
                    Ok(())
                } else if !reaches.is_empty() && is_clean {
                    self.search_near(&isolation, searched, reaches, time, is_starving)
                } else {
                    Ok(())
                }
            }
            Ok(Err(_)) => Ok(()),
            Err(err) => Err(err),
        };
        // Where a failure ends processes, cases are isolated from now on.
        if isolation.is_sealed() {
            isolation.turn(before);
        }
        if let Some(taken) = processor {
            purse::own_time(); // a part of what is charged
            // To make sure of a failure may take long, and was worth it.
            let most = if searched.finding.failures.is_empty() { Duration::MAX } else { taken };
            PURSE.give_back(taken, start.elapsed().min(most));
        }
        walked
    }

    /// Gives what reaches new code to the targeted engine, which goes on from there.
    fn search_near(
        &mut self,
        isolation: &Isolation,
        searched: &mut Searched,
        mut given: Vec<Vec<Value>>,
        explored: Duration,
        is_starving: bool,
    ) -> Result<(), String> {
        let has_score = searched.climb.is_some();
        let mut longest = if has_score { searched.time } else { explored } / NEAR_PART;
        if let Some(climb) = &searched.climb {
            given.extend(climb.best.iter().take(GIVEN_MAX).map(|it| it.values.clone()));
        }
        let Settings { cases, max_rejects, schedule, .. } = *self.settings;
        let (seed, first) = (self.seed, searched.finding.tally.cases);
        let mut cases = if has_score { first / u64::from(NEAR_PART) } else { cases.min(NEAR_MAX) };
        if is_starving {
            (longest, cases) = (longest.max(STARVING_NEAR), self.settings.cases);
        }
        let annealing = Annealing { schedule, cases, goal: self.goal };
        let start = Instant::now();
        let came = self.search_apart(isolation.progress(), |test, progress| {
            let mut go_on = |_| start.elapsed() < longest;
            let budget = Budget { cases, rejects: max_rejects.into(), go_on: &mut go_on, progress };
            let (finding, climb) = search_near(given, seed, first, annealing, test, budget)?;
            Ok(Came { finding, reach: None, climb })
        })?;
        if isolation.ended().is_some() {
            return Ok(()); // that is no finding
        }
        let Came { finding, climb, .. } = came;
        if let Some(it) = &mut searched.explored {
            it.near = finding.tally.cases;
        }
        if is_starving {
            searched.finding.tally.cases += finding.tally.cases;
        }
        for found in finding.failures {
            match self.confirm(isolation, found.case.trace.values(), found.index)? {
                Confirmed::Yes(found) => {
                    searched.engine = "concolic";
                    searched.finding.failures = vec![*found];
                    break;
                }
                Confirmed::No => {}
                Confirmed::OnlyThere => {
                    searched.explored.iter_mut().for_each(|it| it.unconfirmed += 1);
                    break;
                }
            }
        }
        if let (Some(before), Some(after)) = (&mut searched.climb, climb) {
            before.go_on(after);
        }
        Ok(())
    }

    /// Runs the engine, in copies as `isolation` makes them now. The inner `Err` says why it cannot run.
    fn explore(
        &mut self,
        isolation: &Isolation,
        limits: &Limits,
        given: Vec<Vec<Value>>,
    ) -> Result<Result<Walked, String>, String> {
        let start = Instant::now();
        let (mut child, begins, prepared) = match begin(self.test, isolation, self.seed, limits, given) {
            Ok(begun) => begun,
            Err(why) => return Ok(Err(why)),
        };
        let mut res = Walked { explored: Explored::default(), failures: Vec::new(), reaches: Vec::new() };
        let is_whole = self.listen(&mut child, isolation, limits, &begins, &mut res)?;
        drop(child);
        // What was prepared is the next one's only now: they share its memory. One that has been ended for what it found or
        // did leaves it whole, for it is written so; but who knows what became of one that died, or got stuck.
        if !is_whole {
            std::mem::forget(prepared);
        }
        res.explored.time = start.elapsed();
        Ok(Ok(res))
    }

    /// Hears what the engine says until it ends, or has found something. Returns whether it left its memory whole.
    fn listen(
        &mut self,
        child: &mut Child,
        isolation: &Isolation,
        limits: &Limits,
        begins: &Progress,
        res: &mut Walked,
    ) -> Result<bool, String> {
        let until = Instant::now() + limits.longest();
        let mut stall = Stall::default();
        let mut caught = None;
        loop {
            match child.receive(Some(until.min(Instant::now() + Stall::LOOK))) {
                Heard::Message(message) => match wire::read::<Said>(&message) {
                    // It was asked for before: the test catches that panic, whatever came of it in the engine.
                    Some(Said::Fails(values, _)) if caught.as_ref() == Some(&values) => {
                        res.explored.unconfirmed += 1;
                        child.reply(0);
                    }
                    Some(said @ (Said::Fails(..) | Said::Panics(..))) => {
                        let is_panic = matches!(said, Said::Panics(..));
                        let (Said::Fails(values, run) | Said::Panics(values, run)) = said else { continue };
                        match self.confirm(isolation, values.clone(), run)? {
                            Confirmed::Yes(found) => {
                                res.failures.push(*found);
                                return Ok(true);
                            }
                            // What a copy says of this test is not so here: there is no use in going on.
                            Confirmed::OnlyThere => {
                                res.explored.unconfirmed += 1;
                                return Ok(true);
                            }
                            Confirmed::No if is_panic => caught = Some(values),
                            Confirmed::No => res.explored.unconfirmed += 1,
                        }
                        child.reply(0);
                        stall = Stall::default();
                    }
                    Some(Said::Reaches(values)) => res.reaches.push(values),
                    Some(Said::Explored(explored)) => {
                        let unconfirmed = res.explored.unconfirmed;
                        res.explored = Explored { unconfirmed, ..*explored };
                        return Ok(true);
                    }
                    None => {}
                },
                Heard::Ended(End::Sealed(reason)) => {
                    res.explored.unsupported = Some(reason.to_string());
                    return Ok(true);
                }
                Heard::Ended(end) => {
                    let loss = format!("the interpreter {end}");
                    self.blame(isolation, begins, loss, res)?;
                    return Ok(false);
                }
                Heard::Late if Instant::now() >= until => {
                    let loss = "the interpreter did not end in time".to_string();
                    match limits.patience {
                        None => self.blame(isolation, begins, loss, res)?,
                        Some(_) => res.explored.losses.push((loss, 1)),
                    }
                    return Ok(false);
                }
                Heard::Late if isolation.is_sealed() && stall.is_over(child, Stall::LIMIT) => {
                    Stall::note();
                    res.explored.unsupported = Some("it waits for something outside".to_string());
                    return Ok(false);
                }
                // Asked for by name, it may wait as long as a case may take.
                Heard::Late
                    if !isolation.is_sealed()
                        && self.settings.hang.is_some_and(|it| stall.is_over(child, it)) =>
                {
                    let loss = "the interpreter waited for something".to_string();
                    self.blame(isolation, begins, loss, res)?;
                    return Ok(false);
                }
                // No case runs here that could hang: whoever watches sees that.
                Heard::Late => self.progress.begin_replay(None),
            }
        }
    }

    /// The interpreter died or got stuck: perhaps because the test does, in the run that had begun.
    fn blame(
        &mut self,
        isolation: &Isolation,
        begins: &Progress,
        loss: String,
        res: &mut Walked,
    ) -> Result<(), String> {
        res.explored.losses.push((loss, 1));
        if let Running::Replay(values) = begins.running().1
            && let Confirmed::Yes(found) = self.confirm(isolation, values, 0)?
        {
            res.failures.push(*found);
        }
        Ok(())
    }
}
