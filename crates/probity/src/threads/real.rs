//! A run on threads of the system, whose interleaving nobody knows.

use std::sync::{Arc, Barrier};

use super::execution::{Ending, Execution, Job, RunClock};

/// How often each program runs.
pub(super) const TIMES: u32 = 20;

pub(super) fn run<M, S>(job: &Arc<Job<M, S>>) -> Execution
where
    M: Send + Sync + 'static,
    S: Send + Sync + 'static,
{
    let clock = RunClock::default();
    let ending = match job.begin() {
        Ok(system) => run_threads(job, &system, &clock),
        Err(ending) => ending,
    };
    let events = std::mem::take(&mut clock.seen().events);
    Execution { events, ending, points: 0, has_inner_points: true, interruptions: Vec::new() }
}

fn run_threads<M, S>(job: &Job<M, S>, system: &S, clock: &RunClock) -> Ending
where
    M: Send + Sync + 'static,
    S: Send + Sync + 'static,
{
    let n = job.program.threads.len();
    // So that they begin together.
    let barrier = Barrier::new(n);
    std::thread::scope(|scope| {
        for thread in 0..n {
            let barrier = &barrier;
            scope.spawn(move || {
                barrier.wait();
                job.run_thread(thread, system, clock, &mut |_| ());
            });
        }
    });
    if clock.seen().is_ended { Ending::CaseEnded } else { Ending::Finished }
}
