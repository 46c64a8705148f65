//! The concolic engine in a run: a child interprets the test, and what it finds is run here without it.

mod purse;

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use probity_concolic::Prepared;
use probity_concolic::search::{News, Plan};
use probity_core::{
    Annealing, Budget, CHOICES_MAX, Case, Ended, Finding, Found, OriginKind, Progress, Random, Running,
    Source, Tally, Test, Trace, Value, Verdict, run_case, search_near,
};

use self::purse::PURSE;
use super::Runner;
use super::apart::Came;
use super::search::Searched;
use crate::events::Explored;
use crate::isolate::wire::{self, Wire, bytes};
use crate::isolate::{Child, Heard, Isolation, Output, processor_time};
use crate::settings::{Key, Origin, Settings};

/// After how many runs that met no new code the default run gives up: trivial tests then cost next to nothing.
const PATIENCE: u64 = 16;
/// Among how many random cases those are chosen that the engine is given; and how many, of each kind, it is given.
const SAMPLES: u64 = 16;
const GIVEN_MAX: usize = 3;
/// The part of the time that choosing may take.
const CHOOSING: u32 = 50;
/// What the search near its inputs may take: a part of what the engine took, or of what the targeted one did before.
const NEAR_PART: u32 = 4;
/// How many cases of it at most.
const NEAR_MAX: u64 = 1000;
/// How long a child may go on past its time before it is taken for stuck, beside as long as its time again.
const GRACE: Duration = Duration::from_millis(300);
/// How long a child of a default run waits, and how often, for an ordinary run to confirm what it found.
const WAIT: Duration = Duration::from_millis(5);
const WAITS_MAX: u32 = 3;
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

/// What the child says.
#[derive(Debug)]
enum Said {
    /// These answers fail, in this run.
    Fails(Vec<Value>, u64),
    /// These answers reach new code.
    Reaches(Vec<Value>),
    /// It has come to its end.
    Explored(Box<Explored>),
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
            match child.receive(Some(until)) {
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

/// Starts the engine in a child, which tells what it begins. `Err`: why that cannot be done.
fn begin(
    test: &mut dyn Test,
    isolation: &Isolation,
    seed: u64,
    limits: &Limits,
    mut given: Vec<Vec<Value>>,
) -> Result<(Child, Arc<Progress>, Prepared), String> {
    let mut prepared = probity_concolic::prepare()?;
    let begins = isolation.progress();
    let child = Child::fork(Output::Dropped, |pipe| {
        isolation.enter();
        let start = Instant::now();
        if limits.patience.is_some() {
            given.extend(samples(test, seed, start + limits.time / CHOOSING));
        }
        let plan = Plan {
            until: start + limits.time,
            seed,
            given: given.clone(),
            choices_max: limits.choices_max,
            runs_max: limits.runs_max,
            patience: limits.patience,
            dump: None,
        };
        let (mut runs, mut fails) = (0, 0);
        let is_over = || match limits.processor {
            Some(most) => processor_time(libc::CLOCK_PROCESS_CPUTIME_ID).is_some_and(|it| it >= most),
            None => false,
        };
        let it = explore(&mut prepared, test, &plan, &mut |news| {
            match news {
                News::Begins(_) | News::Asks if is_over() => return false,
                News::Asks => {}
                News::Begins(values) => {
                    runs += 1;
                    begins.begin_replay(Some(values));
                }
                News::Fails(values) => {
                    pipe.send(&bytes(&Said::Fails(values, runs)));
                    // Most often that is the end, once it is confirmed: what is done meanwhile is in vain.
                    fails += 1;
                    if limits.processor.is_some() && fails <= WAITS_MAX {
                        std::thread::sleep(WAIT);
                    }
                }
                // What was there before is nothing to give back.
                News::Reaches(values)
                    if limits.patience.is_some() && (runs == 1 || given.contains(&values)) => {}
                News::Reaches(values) => pipe.send(&bytes(&Said::Reaches(values))),
            }
            true
        });
        pipe.send(&bytes(&Said::Explored(Box::new(Explored {
            asked: false,
            runs: it.runs,
            paths: it.paths,
            complete: it.complete,
            complete_to: it.complete_to,
            losses: it.losses,
            unknown: it.unknown,
            queries: it.queries,
            divergences: it.divergences,
            unconfirmed: 0,
            near: 0,
            instructions: it.instructions,
            unsupported: it.unsupported,
            time: Duration::ZERO,
        }))));
    });
    let child = child.map_err(|err| format!("no process can be started: {err}"))?;
    Ok((child, begins, prepared))
}

/// Random cases that pass, as others ran them before: for each set of labels, one of middle length.
fn samples(test: &mut dyn Test, seed: u64, until: Instant) -> Vec<Vec<Value>> {
    let mut kinds: BTreeMap<Vec<String>, Vec<Trace>> = BTreeMap::new();
    for index in 1..=SAMPLES {
        let mut source = Source::new(Box::new(Random::at(seed, index)));
        let Ok(Case { trace, verdict: Verdict::Pass, log }) =
            source.begin().map_err(|_| ()).and_then(|()| run_case(&mut source, test).map_err(|_| ()))
        else {
            continue;
        };
        kinds.entry(log.labels).or_default().push(trace);
        if Instant::now() >= until {
            break;
        }
    }
    let middle = |mut its: Vec<Trace>| {
        its.sort_by_key(|it| it.choices.len());
        its[its.len() / 2].values()
    };
    kinds.into_values().take(GIVEN_MAX).map(middle).collect()
}

/// The engine, or in tests what stands in for it.
fn explore(
    prepared: &mut Prepared,
    test: &mut dyn Test,
    plan: &Plan,
    tell: &mut dyn FnMut(News) -> bool,
) -> probity_concolic::search::Explored {
    #[cfg(test)]
    if let Some(fake) = tests::FAKE.get() {
        return fake(plan, tell);
    }
    probity_concolic::explore(prepared, test, plan, tell)
}

wire::structs! {
    Explored {
        asked, runs, paths, complete, complete_to, losses, unknown, queries, divergences, unconfirmed, near,
        instructions, unsupported, time
    }
}

impl Wire for Said {
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Said::Fails(values, run) => {
                0_u8.put(out);
                values.put(out);
                run.put(out);
            }
            Said::Reaches(values) => {
                1_u8.put(out);
                values.put(out);
            }
            Said::Explored(it) => {
                2_u8.put(out);
                it.put(out);
            }
        }
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        Some(match u8::take(from)? {
            0 => Said::Fails(Wire::take(from)?, Wire::take(from)?),
            1 => Said::Reaches(Wire::take(from)?),
            2 => Said::Explored(Box::new(Explored::take(from)?)),
            _ => return None,
        })
    }
}

impl Wire for Duration {
    fn put(&self, out: &mut Vec<u8>) {
        (self.as_nanos() as u64).put(out);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        Some(Duration::from_nanos(u64::take(from)?))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;
    use crate::Check;

    /// What stands in for the engine on this thread: the runner has to be right whatever it says or does.
    pub(super) type Fake = fn(&Plan, &mut dyn FnMut(News) -> bool) -> probity_concolic::search::Explored;

    thread_local! {
        pub(super) static FAKE: Cell<Option<Fake>> = const { Cell::new(None) };
    }

    /// The events of a run with a fake engine.
    fn run(engine: &str, fake: Fake, test: fn(u64)) -> String {
        static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
        let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("probity-concolic-{}-{number}", std::process::id()));
        FAKE.set(Some(fake));
        let check = Check::new("t")
            .engine(engine)
            .seed(7)
            .store(false)
            .cases(20)
            .concolic("200ms")
            .events(path.to_str().unwrap());
        let ended = catch_unwind(AssertUnwindSafe(|| check.run(|src: &mut Source| test(src.any()))));
        FAKE.set(None);
        let events = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(path).unwrap();
        assert_eq!(ended.is_err(), !events.contains("\"event\":\"passed\""), "{events}");
        events
    }

    fn magic(n: u64) {
        assert!(n != 0xdead_beef, "magic");
    }

    fn says(values: &[i128], what: fn(Vec<Value>) -> News) -> News {
        what(values.iter().map(|it| Value::Int(*it)).collect())
    }

    fn explored() -> probity_concolic::search::Explored {
        probity_concolic::search::Explored { paths: 2, complete: true, ..Default::default() }
    }

    #[test]
    fn what_fails_is_confirmed_and_reported() {
        for engine in ["auto", "concolic"] {
            let events = run(
                engine,
                |_, tell| {
                    tell(says(&[17], News::Fails)); // not true
                    tell(says(&[0xdead_beef], News::Begins));
                    tell(says(&[0xdead_beef], News::Fails));
                    explored()
                },
                magic,
            );
            let parts = ["\"engine\":\"concolic\"", "\"message\":\"magic\"", "\"value\":\"3735928559\""];
            assert!(parts.iter().all(|it| events.contains(it)), "{events}");
        }
    }

    #[test]
    fn what_is_not_true_does_not_count() {
        for engine in ["auto", "concolic"] {
            let lies = |_: &Plan, tell: &mut dyn FnMut(News) -> bool| {
                tell(says(&[17], News::Reaches));
                tell(says(&[17], News::Fails));
                explored()
            };
            let events = run(engine, lies, magic);
            assert!(events.contains("\"unconfirmed\":1") && events.contains("\"exact\":false"), "{events}");
        }
    }

    #[test]
    fn a_dead_interpreter_is_a_loss_unless_the_test_dies_too() {
        let dies = |_: &Plan, tell: &mut dyn FnMut(News) -> bool| {
            tell(says(&[77_777_777_777], News::Begins));
            std::process::abort()
        };
        let events = run("auto", dies, magic);
        assert!(events.contains("the interpreter died: abort"), "{events}");
        let events = run("auto", dies, |n| {
            if n == 77_777_777_777 {
                std::process::abort()
            }
        });
        assert!(events.contains("\"message\":\"the process died: abort\""), "{events}");
        assert!(events.contains("\"value\":\"77777777777\""), "{events}");
    }

    #[test]
    fn what_it_cannot_run_is_an_error() {
        let cannot = |_: &Plan, _: &mut dyn FnMut(News) -> bool| probity_concolic::search::Explored {
            unsupported: Some("no memory".to_string()),
            ..Default::default()
        };
        FAKE.set(Some(cannot));
        let check = Check::new("t").engine("concolic").store(false);
        let ended = catch_unwind(AssertUnwindSafe(|| check.run(|src: &mut Source| magic(src.any()))));
        FAKE.set(None);
        let message = ended.unwrap_err().downcast::<String>().unwrap();
        assert!(message.contains("cannot run this test: no memory; use engine = \"random\""), "{message}");
        // The default run does without.
        assert!(run("auto", cannot, magic).contains("\"event\":\"passed\""));
    }

    #[test]
    fn where_it_is_complete_it_says_so() {
        let finds_nothing = |_: &Plan, tell: &mut dyn FnMut(News) -> bool| {
            tell(says(&[0], News::Reaches));
            explored()
        };
        let events = run("concolic", finds_nothing, magic);
        assert!(events.contains("\"paths\":2,\"complete\":true,\"exact\":true"), "{events}");
    }

    #[test]
    fn what_it_reaches_is_where_others_go_on() {
        let reaches = |_: &Plan, tell: &mut dyn FnMut(News) -> bool| {
            tell(says(&[0], News::Begins));
            tell(says(&[0], News::Reaches)); // where it begins: nothing new
            tell(says(&[0xdead_beef], News::Begins));
            tell(says(&[0xdead_beef], News::Reaches));
            std::thread::sleep(Duration::from_millis(200)); // a part of this is for the cases near by
            explored()
        };
        let events = run("auto", reaches, |n| {
            assert!(n == 0xdead_beef || !(0xdead_be00..=0xdead_bfff).contains(&n), "magic")
        });
        assert!(events.contains("\"engine\":\"concolic\"") && events.contains("magic"), "{events}");
        let events = run("auto", reaches, |n| {
            probity_core::context::minimize("distance", n.abs_diff(0xdead_beef + 100) as f64)
        });
        let near = events.split("\"near\":").nth(1).and_then(|it| it.split(',').next()).unwrap();
        assert!(near.parse::<u64>().unwrap() >= 1, "{events}");
        assert!(events.contains("\"minimize\":true,\"best\":"), "{events}");
        let best = events.split("\"best\":").nth(1).and_then(|it| it.split(',').next()).unwrap();
        assert!(best.parse::<f64>().unwrap() <= 100.0, "{events}");
    }

    #[test]
    fn it_is_given_the_best_that_others_know() {
        let run = |fake: Fake, test: fn(u64)| run("auto", fake, test);
        // The greatest of all, which the targeted engine found; and random cases, one of each label.
        let events = run(
            |plan, _| {
                let given = plan.given.iter().map(|it| format!("{it:?}"));
                let losses = given.map(|it| (it, 1)).collect();
                probity_concolic::search::Explored { losses, ..explored() }
            },
            |n| {
                probity_core::context::maximize("ones", n.count_ones().into());
                probity_core::context::label(format_args!("{}", n > 1000));
            },
        );
        let given = events.split("\"what\":\"[Int(").skip(1);
        let given: Vec<u64> = given.map(|it| it.split(')').next().unwrap().parse().unwrap()).collect();
        assert_eq!(given.len(), 3, "{events}");
        assert!(given[0].count_ones() > 40 && given[1] <= 1000 && given[2] > 1000, "{given:?}");
    }

    #[test]
    fn a_stuck_interpreter_is_given_up() {
        let start = Instant::now();
        let stuck = |_: &Plan, _: &mut dyn FnMut(News) -> bool| loop {
            std::thread::sleep(Duration::from_secs(1));
        };
        let events = run("auto", stuck, magic);
        assert!(events.contains("the interpreter did not end in time"), "{events}");
        assert!(start.elapsed() < Duration::from_secs(5));
    }
}
