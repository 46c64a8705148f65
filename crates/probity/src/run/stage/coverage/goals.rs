//! The interpreter beside a search by coverage: it is asked where no native case gets through.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use probity_concolic::PreparedSearch;
use probity_concolic::search::GoalLimits;
use probity_core::{Test, Value};
use probity_coverage::CodeLog;

use crate::isolate::wire::{bytes, read};
use crate::isolate::{Child, ChildOutput, Isolation, Received, can_seal, processor_time};

/// The interpreter in a copy of the process of the test, which has no breakpoints. It lives as long as the search.
pub(super) struct GoalHelper {
    child: Child,
    prepared: Option<PreparedSearch>,
}

/// What it may take for one case, and for one question, in units of its work (see `probity_concolic::calibrate`), and at
/// least. Where it is optimized: 40 and 20 ms, which found as much as more did.
const CASE_UNITS: u32 = 400;
const CASE_TIME: Duration = Duration::from_millis(40);
const QUESTION_PART: u32 = 2;
/// How long is waited for it beyond that, as a busy machine needs.
const PATIENCE: u32 = 50;
/// How many choices an input may ask for.
const CHOICES_MAX: u32 = 4096;

/// What it found for one case, and the time of the processor that it has taken so far.
pub(super) type GoalAnswers = (Vec<Vec<Value>>, Duration);

impl GoalHelper {
    /// Starts it; `log` is what the search met. `Err`: why that cannot be done.
    pub(super) fn begin(
        test: &mut dyn Test,
        isolation: &Isolation,
        log: &CodeLog,
    ) -> Result<GoalHelper, String> {
        let mut prepared = probity_concolic::prepare()?;
        if isolation.is_sealed() && !can_seal(prepared.shared_memory()) {
            return Err("a copy of this process cannot be sealed".to_string());
        }
        let time = case_time();
        let limits = GoalLimits { time, question: time / QUESTION_PART, choices_max: CHOICES_MAX };
        let child = Child::fork(isolation.kind(ChildOutput::Dropped), |pipe| {
            let (met, seen) = (RefCell::new(BTreeSet::new()), Cell::new(0));
            let is_met = |at: u64| met.borrow().contains(&at);
            let mut next = |found: Vec<Vec<Value>>| {
                let taken = processor_time(libc::CLOCK_PROCESS_CPUTIME_ID).unwrap_or_default();
                let values = read::<Vec<Value>>(&pipe.ask(&bytes(&(found, taken))));
                met.borrow_mut().extend(log.all_blocks(seen.get()));
                seen.set(log.met());
                values
            };
            // Why it cannot is nothing to tell: the search goes on without.
            let _ = probity_concolic::seek_goals(&mut prepared, test, limits, &is_met, &mut next);
        });
        let child = child.map_err(|err| format!("no process can be started: {err}"))?;
        let mut res = GoalHelper { child, prepared: Some(prepared) };
        match res.hear() {
            Some(_) => Ok(res),
            None => Err("code of this process cannot be interpreted".to_string()),
        }
    }

    /// Answers that go where no case went, from this one. `None`: it has ended, or hangs.
    pub(super) fn ask(&mut self, values: &Vec<Value>) -> Option<GoalAnswers> {
        self.child.reply(&bytes(values));
        self.hear()
    }

    fn hear(&mut self) -> Option<GoalAnswers> {
        let until = Instant::now() + case_time() * PATIENCE;
        let message = match self.child.receive(Some(until)) {
            Received::Message(message) => Some(message),
            _ => None,
        };
        let res = message.and_then(|it| read(&it));
        if res.is_none() {
            // Who knows what became of the memory that it shares.
            self.child.kill();
            std::mem::forget(self.prepared.take());
        }
        res
    }
}

fn case_time() -> Duration {
    CASE_TIME.max(probity_concolic::calibrate() * CASE_UNITS)
}
