//! What runs in the child: the engine, and what it says.

use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use probity_concolic::PreparedSearch;
use probity_concolic::search::{ExplorePlan, SearchEvent};
use probity_core::{
    Case, Explored, Progress, Random, Replay, Seed, SortedMap, Source, Tail, Test, Trace, Value, Verdict,
    run_case,
};

use super::{GIVEN_MAX, SearchLimits};
use crate::isolate::wire::{self, Wire, bytes, read};
use crate::isolate::{Child, ChildOutput, Isolation, can_seal, processor_time};

/// Among how many random cases those are chosen that the engine is given.
const SAMPLES: u64 = 16;
/// The part of the time that choosing may take.
pub(super) const CHOOSING: u32 = 50;
/// The same of the first slice of what was granted: they are asked for only where the engine comes to nothing new. Where nothing
/// is optimized, 16 cases of a test that draws a text took a fifth of it.
const CHOOSING_OF_SLICE: u32 = 16;
/// Up to this run, it is too early to tell whether new code comes up.
const RUNS_FIRST: u64 = 2;

/// What the child says.
#[derive(Debug)]
pub(super) enum ChildMessage {
    /// These answers fail, in this run. It waits for a reply, and goes on when it gets one: then they do not.
    Fails(Vec<Value>, u64),
    /// These answers panic, in this run; the test may catch that. It waits for a reply likewise.
    Panics(Vec<Value>, u64),
    /// These answers reach new code.
    Reaches(Vec<Value>),
    /// What it may take is taken; whether new code came up in the meantime. It waits for a reply: how much more it may take.
    IsOver(bool),
    /// It has come to its end.
    Explored(Box<Explored>),
}

/// Starts the engine in a child, which reports what it begins. `Err`: why that cannot be done.
pub(super) fn begin(
    test: &mut dyn Test,
    isolation: &Isolation,
    seed: Seed,
    limits: &SearchLimits,
    mut given: Vec<Vec<Value>>,
) -> Result<(Child, Arc<Progress>, PreparedSearch), String> {
    let mut prepared = probity_concolic::prepare()?;
    if isolation.is_sealed() && !can_seal(prepared.shared_memory()) {
        return Err("a copy of this process cannot be sealed".to_string());
    }
    let begins = isolation.progress();
    let child = Child::fork(isolation.kind(ChildOutput::Dropped), |pipe| {
        let start = Instant::now();
        if limits.is_share {
            let time = limits.processor.map_or(limits.time, |it| it * CHOOSING / CHOOSING_OF_SLICE);
            given.extend(samples(test, seed, start + time.min(limits.time) / CHOOSING));
        }
        let plan = ExplorePlan {
            until: start + limits.time,
            seed: seed.own_word(),
            given: given.clone(),
            choices_max: limits.choices_max,
            runs_max: limits.runs_max,
            first_try: limits.first_try,
            dump: None,
        };
        if !limits.is_share {
            // What a test makes once and keeps is no state that its cases change.
            begins.begin_replay(Some(Vec::new()));
            let _ = run_case(&mut Source::new(Box::new(Replay::new(Vec::new(), Tail::Simplest))), test);
        }
        let runs = Cell::new(0);
        let ask = |said: ChildMessage| pipe.ask(&bytes(&said));
        // If they fail, it does not come to the answer.
        let mut witness = |values: &[Value]| {
            ask(ChildMessage::Panics(values.to_vec(), runs.get()));
            false
        };
        let (most, has_hope) = (Cell::new(limits.processor), Cell::new(false));
        let is_over = |is_run: bool| {
            let time = processor_time(libc::CLOCK_PROCESS_CPUTIME_ID);
            let (Some(most_now), Some(time)) = (most.get(), time) else { return false };
            // A run that would end long after it is over does not begin: half of them do, then, by less than half of what one takes.
            let run = time.checked_div(runs.get() as u32).unwrap_or_default();
            let ahead = if is_run { run / 2 } else { Duration::ZERO };
            if time + ahead < most_now {
                return false;
            }
            // Who has not come far yet may still have some.
            let more = ask(ChildMessage::IsOver(has_hope.replace(false) || runs.get() <= RUNS_FIRST));
            let more: Duration = read(&more).unwrap_or_default();
            most.set(Some(most_now + more));
            more.is_zero()
        };
        let mut tell = |news| {
            match news {
                SearchEvent::Begins(_) if is_over(true) => return false,
                SearchEvent::Asks(_) if is_over(false) => return false,
                SearchEvent::Asks(it) => has_hope.set(has_hope.get() || it),
                SearchEvent::Begins(values) => {
                    runs.set(runs.get() + 1);
                    begins.begin_replay(Some(values));
                }
                SearchEvent::Fails(values) => {
                    ask(ChildMessage::Fails(values, runs.get()));
                }
                // What was there before is nothing to give back.
                SearchEvent::Reaches(values)
                    if limits.is_share && (runs.get() == 1 || given.contains(&values)) => {}
                SearchEvent::Reaches(values) => {
                    has_hope.set(true);
                    pipe.send(&bytes(&ChildMessage::Reaches(values)));
                }
            }
            true
        };
        let it = explore(&mut prepared, test, &plan, &mut tell, &mut witness);
        pipe.send(&bytes(&ChildMessage::Explored(Box::new(it))));
    });
    let child = child.map_err(|err| format!("no process can be started: {err}"))?;
    Ok((child, begins, prepared))
}

/// Random cases that pass, as others ran them before: for each set of labels, one of middle length.
fn samples(test: &mut dyn Test, seed: Seed, until: Instant) -> Vec<Vec<Value>> {
    let mut kinds = SortedMap::<Vec<String>, Vec<Trace>>::default();
    for index in 1..=SAMPLES {
        let mut source = Source::new(Box::new(Random::at(seed, index)));
        let Ok(Case { trace, verdict: Verdict::Pass, log, .. }) =
            source.begin().map_err(|_| ()).and_then(|()| run_case(&mut source, test).map_err(|_| ()))
        else {
            continue;
        };
        let same = kinds.entry(log.labels, Vec::new);
        same.insert(same.partition_point(|it| it.choices.len() <= trace.choices.len()), trace);
        if Instant::now() >= until {
            break;
        }
    }
    kinds.values().take(GIVEN_MAX).map(|it| it[it.len() / 2].values()).collect()
}

/// The engine, or in tests what is in for it.
fn explore<'t>(
    prepared: &mut PreparedSearch,
    test: &'t mut dyn Test,
    plan: &ExplorePlan,
    tell: &mut dyn FnMut(SearchEvent) -> bool,
    witness: &'t mut dyn FnMut(&[Value]) -> bool,
) -> Explored {
    #[cfg(test)]
    if let Some(fake) = super::tests::FAKE.get() {
        return fake(plan, tell);
    }
    probity_concolic::explore(prepared, test, plan, tell, Some(witness))
}

wire::enums! {
    ChildMessage { 0 Fails(values, run), 1 Panics(values, run), 2 Reaches(values), 3 IsOver(has_news), 4 Explored(it) }
}
