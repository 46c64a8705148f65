//! What runs in the child: the engine, and what it says.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use probity_concolic::Prepared;
use probity_concolic::search::{News, Plan};
use probity_core::{Case, Progress, Random, Source, Test, Trace, Value, Verdict, run_case};

use super::{GIVEN_MAX, Limits};
use crate::events::Explored;
use crate::isolate::wire::{self, Wire, bytes};
use crate::isolate::{Child, Isolation, Output, can_seal, processor_time};

/// Among how many random cases those are chosen that the engine is given.
const SAMPLES: u64 = 16;
/// The part of the time that choosing may take.
const CHOOSING: u32 = 50;
/// What the child says.
#[derive(Debug)]
pub(super) enum Said {
    /// These answers fail, in this run. It waits for a reply, and goes on when it gets one: then they do not.
    Fails(Vec<Value>, u64),
    /// These answers panic, in this run; the test may catch that. It waits for a reply likewise.
    Panics(Vec<Value>, u64),
    /// These answers reach new code.
    Reaches(Vec<Value>),
    /// It has come to its end.
    Explored(Box<Explored>),
}

/// Starts the engine in a child, which tells what it begins. `Err`: why that cannot be done.
pub(super) fn begin(
    test: &mut dyn Test,
    isolation: &Isolation,
    seed: u64,
    limits: &Limits,
    mut given: Vec<Vec<Value>>,
) -> Result<(Child, Arc<Progress>, Prepared), String> {
    let mut prepared = probity_concolic::prepare()?;
    if isolation.is_sealed() && !can_seal(prepared.shared_memory()) {
        return Err("a copy of this process cannot be sealed".to_string());
    }
    let begins = isolation.progress();
    let child = Child::fork(isolation.kind(Output::Dropped), |pipe| {
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
        let runs = Cell::new(0);
        let ask = |said: Said| {
            pipe.send(&bytes(&said));
            pipe.wait();
        };
        // If they fail, it does not come to the answer.
        let mut witness = |values: &[Value]| {
            ask(Said::Panics(values.to_vec(), runs.get()));
            false
        };
        let is_over = || match limits.processor {
            Some(most) => processor_time(libc::CLOCK_PROCESS_CPUTIME_ID).is_some_and(|it| it >= most),
            None => false,
        };
        let mut tell = |news| {
            match news {
                News::Begins(_) | News::Asks if is_over() => return false,
                News::Asks => {}
                News::Begins(values) => {
                    runs.set(runs.get() + 1);
                    begins.begin_replay(Some(values));
                }
                News::Fails(values) => ask(Said::Fails(values, runs.get())),
                // What was there before is nothing to give back.
                News::Reaches(values)
                    if limits.patience.is_some() && (runs.get() == 1 || given.contains(&values)) => {}
                News::Reaches(values) => pipe.send(&bytes(&Said::Reaches(values))),
            }
            true
        };
        let it = explore(&mut prepared, test, &plan, &mut tell, &mut witness);
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
fn explore<'t>(
    prepared: &mut Prepared,
    test: &'t mut dyn Test,
    plan: &Plan,
    tell: &mut dyn FnMut(News) -> bool,
    witness: &'t mut dyn FnMut(&[Value]) -> bool,
) -> probity_concolic::search::Explored {
    #[cfg(test)]
    if let Some(fake) = super::tests::FAKE.get() {
        return fake(plan, tell);
    }
    probity_concolic::explore(prepared, test, plan, tell, Some(witness))
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
            Said::Panics(values, run) => {
                3_u8.put(out);
                values.put(out);
                run.put(out);
            }
        }
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        Some(match u8::take(from)? {
            0 => Said::Fails(Wire::take(from)?, Wire::take(from)?),
            1 => Said::Reaches(Wire::take(from)?),
            2 => Said::Explored(Box::new(Explored::take(from)?)),
            3 => Said::Panics(Wire::take(from)?, Wire::take(from)?),
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
