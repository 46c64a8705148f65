//! One run of a program: what is run, and what came of it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use probity_core::{CallTime, Failure, catch_panic};

use super::program::CallProgram;
use super::{Invariant, Reply, differs};

/// All that a run of a program needs, for anyone who runs it.
pub(super) struct Job<M: 'static, S: 'static> {
    pub(super) program: CallProgram<M, S>,
    pub(super) system: fn() -> S,
    pub(super) invariants: &'static [Invariant<M, S>],
}

/// What came of a run.
#[cfg_attr(not(feature = "shuttle"), expect(dead_code, reason = "nobody knows the points of real threads"))]
pub(super) struct Execution {
    /// The calls of threads, by when they ended.
    pub(super) events: Vec<CallEvent>,
    pub(super) ending: Ending,
    /// At how many points another thread could have gone on.
    pub(super) points: u64,
    /// Whether one of them was within a call.
    pub(super) has_inner_points: bool,
    pub(super) interruptions: Vec<Interruption>,
}

/// A call that was made.
pub(super) struct CallEvent {
    pub(super) thread: usize,
    /// Which of its thread.
    pub(super) call: usize,
    pub(super) time: CallTime,
    pub(super) reply: Result<Box<dyn Reply>, Failure>,
}

/// That another thread goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Switch {
    /// At which point, counted from the start.
    pub(super) at: u64,
    /// Which of the others, in the order of threads.
    pub(super) to: usize,
}

/// How a run ended.
#[derive(Clone)]
pub(super) enum Ending {
    Finished,
    /// Before there were threads.
    Failed(Failure),
    /// The threads did not come to an end: why.
    #[cfg_attr(not(feature = "shuttle"), expect(dead_code, reason = "real threads hang then"))]
    Stuck(&'static str),
    /// A call ended the case, as `assume!` does.
    CaseEnded,
}

/// A thread that had to wait though it could have gone on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Interruption {
    pub(super) thread: usize,
    /// The call it was in.
    pub(super) call: usize,
    /// At how many points of the call it had gone on.
    pub(super) steps: u64,
}

impl<M, S> Job<M, S> {
    /// Makes the system and the calls that come first, on the thread that runs the case.
    pub(super) fn begin(&self) -> Result<S, Ending> {
        let made = catch_panic(|| {
            let system = (self.system)();
            for step in &self.program.prefix {
                let actual = (step.call.on_system)(&system);
                if !actual.is_same(&*step.expected) {
                    differs(step.call.name, &step.call.text(), &actual.text(), &step.expected.text());
                }
                self.invariants.iter().for_each(|it| it(&step.model, &system));
            }
            system
        });
        made.map_err(|failure| failure.map_or(Ending::CaseEnded, Ending::Failed))
    }

    /// Makes the calls of a thread, up to one that panics; says before each which it is.
    pub(super) fn run_thread(
        &self,
        thread: usize,
        system: &S,
        clock: &RunClock,
        enter: &mut dyn FnMut(usize),
    ) {
        for (call, it) in self.program.threads[thread].iter().enumerate() {
            enter(call);
            let began = clock.tick();
            let reply = catch_panic(|| (it.on_system)(system));
            let time = CallTime { began, ended: clock.tick() };
            let mut seen = clock.seen();
            match reply {
                Ok(reply) => seen.events.push(CallEvent { thread, call, time, reply: Ok(reply) }),
                Err(None) => seen.is_ended = true,
                Err(Some(failure)) => {
                    seen.events.push(CallEvent { thread, call, time, reply: Err(failure) });
                }
            }
            let goes_on = !seen.is_ended && seen.events.last().is_none_or(|it| it.reply.is_ok());
            if !goes_on {
                return;
            }
        }
    }
}

/// The time of a run, and what happened in it.
#[derive(Default)]
pub(super) struct RunClock {
    time: AtomicU64,
    seen: Mutex<SeenCalls>,
}

#[derive(Default)]
pub(super) struct SeenCalls {
    pub(super) events: Vec<CallEvent>,
    /// Whether a call ended the case.
    pub(super) is_ended: bool,
}

impl RunClock {
    fn tick(&self) -> u64 {
        self.time.fetch_add(1, Ordering::SeqCst)
    }

    pub(super) fn seen(&self) -> MutexGuard<'_, SeenCalls> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
