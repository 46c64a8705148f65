//! The concolic engine in a run: a child interprets the test, and what it finds is run here without it.

mod child;
mod purse;
#[cfg(test)]
mod tests;

use std::rc::Rc;
use std::time::{Duration, Instant};

use probity_core::{
    Annealing, Budget, CHOICES_MAX, Ended, Finding, Found, OriginKind, Progress, Running, Tally, Value,
    Verdict, search_near,
};

use self::child::{Said, begin};
use self::purse::PURSE;
use super::Runner;
use super::apart::Came;
use super::search::Searched;
use crate::events::Explored;
use crate::isolate::wire::Wire;
use crate::isolate::{Heard, Isolation};
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
/// How often it is said that the engine is still at work.
const TICK: Duration = Duration::from_millis(500);
/// How many inputs that reach new code are run as ordinary cases.
const REACHES_MAX: usize = 1000;
/// How many choices an input may ask for in a default run.
const CHOICES_SHARE: u32 = 4096;

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
    /// What it took of the processor, if that is known.
    processor: Option<Duration>,
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
        let walked = self.explore(&limits, Vec::new())?;
        let cannot =
            |why: String| format!("the concolic engine cannot run this test: {why}; use engine = \"random\"");
        let Walked { mut explored, mut failures, reaches, .. } = walked.map_err(cannot)?;
        if let (0, Some(why)) = (explored.runs, &explored.unsupported) {
            return Err(cannot(why.clone()));
        }
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
            if let Some(why) = explored.unsupported.clone().or(lost) {
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

    /// Its share of a default run, in which nothing has failed. It does without where there is no way.
    pub(super) fn share_concolic(&mut self, searched: &mut Searched) -> Result<(), String> {
        let Settings { concolic, time, .. } = *self.settings;
        let Some(share) = concolic.filter(|_| !self.inner && !self.should_panic) else { return Ok(()) };
        // Who sets it gets it; the default is not to make a suite much slower.
        let is_default = *self.settings.origin(Key::Concolic) == Origin::Default;
        let (mut processor, mut longest) = (None, share);
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
            patience: Some(PATIENCE),
        };
        // The best that the other engines know.
        let peaks = searched.climb.iter().flat_map(|it| &it.best);
        let given = peaks.take(GIVEN_MAX).map(|it| it.values.clone()).collect();
        let walked = self.explore(&limits, given)?;
        let spent = walked.as_ref().ok().and_then(|it| it.processor).unwrap_or_else(|| start.elapsed());
        if let Ok(Walked { explored, failures, reaches, .. }) = walked {
            let time = explored.time;
            searched.explored = Some(Box::new(explored));
            if !failures.is_empty() {
                searched.engine = "concolic";
                searched.finding.failures = failures;
            } else if !reaches.is_empty() {
                self.search_near(searched, reaches, time)?;
            }
        }
        if let Some(taken) = processor {
            PURSE.give_back(taken, spent + purse::own_time());
        }
        Ok(())
    }

    /// Gives what reaches new code to the targeted engine, which goes on from there.
    fn search_near(
        &mut self,
        searched: &mut Searched,
        mut given: Vec<Vec<Value>>,
        explored: Duration,
    ) -> Result<(), String> {
        let has_score = searched.climb.is_some();
        let longest = if has_score { searched.time } else { explored } / NEAR_PART;
        if let Some(climb) = &searched.climb {
            given.extend(climb.best.iter().take(GIVEN_MAX).map(|it| it.values.clone()));
        }
        let Settings { cases, max_rejects, schedule, .. } = *self.settings;
        let (seed, first) = (self.seed, searched.finding.tally.cases);
        let cases = if has_score { first / u64::from(NEAR_PART) } else { cases.min(NEAR_MAX) };
        let annealing = Annealing { schedule, cases, goal: self.goal };
        let start = Instant::now();
        let Came { finding, climb, .. } = self.apart(|test, progress| {
            let mut go_on = |_| start.elapsed() < longest;
            let budget = Budget { cases, rejects: max_rejects.into(), go_on: &mut go_on, progress };
            let (finding, climb) = search_near(given, seed, first, annealing, test, budget)?;
            Ok(Came { finding, reach: None, climb })
        })?;
        if let Some(it) = &mut searched.explored {
            it.near = finding.tally.cases;
        }
        if !finding.failures.is_empty() {
            searched.engine = "concolic";
            searched.finding.failures = finding.failures;
        }
        if let (Some(before), Some(after)) = (&mut searched.climb, climb) {
            before.go_on(after);
        }
        Ok(())
    }

    /// Runs the engine. The inner `Err` says why it cannot run.
    fn explore(&mut self, limits: &Limits, given: Vec<Vec<Value>>) -> Result<Result<Walked, String>, String> {
        let start = Instant::now();
        let Some(isolation) = self.isolation.clone() else {
            return Ok(Err("no memory can be shared with processes".to_string()));
        };
        let (mut child, begins, prepared) = match begin(self.test, &isolation, self.seed, limits, given) {
            Ok(begun) => begun,
            Err(why) => return Ok(Err(why)),
        };
        let until = start + limits.longest();
        let mut res = Walked {
            explored: Explored::default(),
            processor: None,
            failures: Vec::new(),
            reaches: Vec::new(),
        };
        let (mut unconfirmed, mut is_done, mut is_whole) = (0, false, true);
        loop {
            match child.receive(Some(until.min(Instant::now() + TICK))) {
                // No case runs here that could hang: whoever watches is told.
                Heard::Late if Instant::now() < until => self.progress.begin_replay(None),
                Heard::Message(message) => match Said::take(&mut &*message) {
                    Some(Said::Fails(values, run)) => match self.confirm(&isolation, Some(values), run)? {
                        Some(found) => {
                            res.failures.push(found);
                            break;
                        }
                        None => unconfirmed += 1,
                    },
                    Some(Said::Reaches(values)) => res.reaches.push(values),
                    Some(Said::Explored(explored)) => {
                        res.explored = *explored;
                        is_done = true;
                        break;
                    }
                    None => {}
                },
                Heard::Ended(end) => {
                    is_whole = false;
                    res.explored.losses.push((format!("the interpreter {end}"), 1));
                    let at = begun(&begins);
                    res.failures.extend(self.confirm(&isolation, at, 0)?);
                    break;
                }
                Heard::Late => {
                    is_whole = false;
                    res.explored.losses.push(("the interpreter did not end in time".to_string(), 1));
                    if limits.patience.is_none() {
                        let at = begun(&begins);
                        res.failures.extend(self.confirm(&isolation, at, 0)?);
                    }
                    break;
                }
            }
        }
        res.processor = child.processor_time();
        if is_done {
            child.dismiss()
        } else {
            drop(child)
        }
        // What was prepared is the next one's only now: they share its memory. One that has been killed for what it found
        // leaves it whole, for it is written so; but who knows what became of one that died, or got stuck.
        if !is_whole {
            std::mem::forget(prepared);
        }
        res.explored.unconfirmed += unconfirmed;
        res.explored.time = start.elapsed();
        Ok(Ok(res))
    }

    /// Runs answers that the engine says fail, without it, and in a process of their own: they may do any harm. Where
    /// they end it, all cases are isolated from then on.
    fn confirm(
        &mut self,
        isolation: &Rc<Isolation>,
        values: Option<Vec<Value>>,
        index: u64,
    ) -> Result<Option<Found>, String> {
        let Some(values) = values else { return Ok(None) };
        let was_on = isolation.is_on();
        isolation.turn(true);
        let case = self.run_values(values);
        let failure = case.as_ref().ok().and_then(|it| it.verdict.failure()).cloned();
        isolation.turn(was_on || failure.as_ref().is_some_and(|it| it.origin.kind == OriginKind::Died));
        let case = case?;
        Ok(failure.map(|failure| Found { index, failure, case }))
    }
}

/// The answers of the run that began last, if one has.
fn begun(begins: &Progress) -> Option<Vec<Value>> {
    match begins.running().1 {
        Running::Replay(values) => Some(values),
        _ => None,
    }
}
