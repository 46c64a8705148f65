//! A run whose interleaving is drawn: shuttle runs the threads as coroutines, and asks at each point who goes on.
//!
//! Nothing unwinds through shuttle, and no choice is drawn within it: calls catch what they panic with, and the list of
//! switches is known before the run.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use probity_core::{ArmSet, Failure, SWITCHES, Source, catch_panic, fail_case, misuse};
use shuttle::scheduler::{Schedule, Scheduler, Task, TaskId};
use shuttle::{Config, FailurePersistence, MaxSteps, Runner};

use super::execution::{Ending, Execution, Interruption, Job, RunClock, Switch};
use super::{BLIND_MAX, ModelTest};

/// How many switches an interleaving has. Without one, every program runs first.
const SWITCHES_DRAWN: std::ops::RangeInclusive<usize> = 1..=3;
/// After how many points a run is taken for one that does not end.
const STEPS_MAX: u64 = 20_000;
/// After how many points in a row another thread gets its turn, so that one that waits in a loop comes to its end.
const TURN_MAX: u64 = 1_000;
/// The stack of a thread. It is used as far as it is needed: what costs is the address space.
const STACK: usize = 1 << 20;

static SWITCH: ArmSet = ArmSet::new(&["switch"], &[1]);

/// An interleaving that was drawn, and what came of it.
pub(super) struct DrawnSwitches {
    switches: Vec<Switch>,
    failure: Option<Failure>,
}

impl DrawnSwitches {
    /// Fails the case if the run did.
    pub(super) fn conclude(self) {
        if let Some(failure) = self.failure {
            fail_case(failure);
        }
    }
}

impl fmt::Debug for DrawnSwitches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.switches.iter().map(|it| it.at)).finish()
    }
}

impl<M, S> ModelTest<M, S>
where
    M: Clone + Send + Sync + 'static,
    S: Send + Sync + 'static,
{
    /// Runs the program without a switch, then with one more each time. So a position is drawn among those there are, and
    /// what fails with fewer switches is found with fewer.
    pub(super) fn draw_interleaving(&self, source: &mut Source, job: &Arc<Job<M, S>>) -> DrawnSwitches {
        source.group(SWITCHES, |source| self.draw_switches(source, job))
    }

    fn draw_switches(&self, source: &mut Source, job: &Arc<Job<M, S>>) -> DrawnSwitches {
        let mut switches: Vec<Switch> = Vec::new();
        let mut list = None;
        let failure = loop {
            let points = match self.execute(job, &switches) {
                Err(failure) => break Some(failure),
                Ok(execution) => {
                    self.look_for_points(job, &execution);
                    execution.points
                }
            };
            let steps = list.get_or_insert_with(|| source.steps(SWITCHES_DRAWN));
            steps.end_step();
            let first = switches.last().map_or(1, |it| it.at + 1);
            if !steps.has_next() || source.next_step(steps, &SWITCH, u64::from(first > points)).is_none() {
                break None;
            }
            let at = source.int(first, points);
            let others = job.program.threads.len() - 1;
            let to = if others > 1 { source.int(0, others - 1) } else { 0 };
            switches.push(Switch { at, to });
        };
        DrawnSwitches { switches, failure }
    }

    /// A system that uses no type of shuttle is not interrupted within its calls, and passes for nothing.
    fn look_for_points(&self, job: &Job<M, S>, execution: &Execution) {
        let Some(blind) = self.blind.get() else { return };
        if execution.has_inner_points {
            self.blind.set(None);
        } else if job.program.threads.iter().filter(|it| !it.is_empty()).count() > 1 {
            self.blind.set(Some(blind + 1));
            if blind + 1 >= BLIND_MAX {
                misuse(
                    "the feature `shuttle` of probity is on, but no call came to a point where threads can be switched; \
                     let the system use the types of `shuttle::sync` in tests, or write `real_threads` for `threads`",
                );
            }
        }
    }
}

/// Runs shuttle once for nothing, so that it installs its panic hook, which prints two lines for every panic of the
/// process; anyone who calls this then puts another in its place.
pub(crate) fn silence() {
    runner(Arc::default(), &[]).run(|| ());
}

/// Runs a program, with these switches.
pub(super) fn run<M, S>(job: &Arc<Job<M, S>>, switches: &[Switch]) -> Execution
where
    M: Send + Sync + 'static,
    S: Send + Sync + 'static,
{
    let (clock, turns) = (Arc::new(RunClock::default()), Arc::<Turns>::default());
    let ending: Arc<Mutex<Option<Ending>>> = Arc::default();
    let body = {
        let (job, clock, turns, ending) =
            (Arc::clone(job), Arc::clone(&clock), Arc::clone(&turns), Arc::clone(&ending));
        move || {
            let end = main_thread(&job, &clock, &turns);
            *lock(&ending) = Some(end);
        }
    };
    let runner = runner(Arc::clone(&turns), switches);
    let ran = catch_panic(|| runner.run(body));
    let turns = lock(&turns.0);
    let ending = match (ran, lock(&ending).take(), turns.stuck) {
        (_, _, Some(what)) => Ending::Stuck(what),
        (Err(failure), ..) => failure.map_or(Ending::CaseEnded, Ending::Failed),
        (Ok(_), Some(ending), _) => ending,
        (Ok(_), None, _) => Ending::Stuck("the calls did not end"),
    };
    let events = std::mem::take(&mut clock.seen().events);
    Execution {
        events,
        ending,
        points: turns.points,
        has_inner_points: turns.has_inner_points,
        interruptions: turns.interruptions.clone(),
    }
}

fn runner(turns: Arc<Turns>, switches: &[Switch]) -> Runner<Planned> {
    let mut config = Config::new();
    config.failure_persistence = FailurePersistence::None;
    config.silence_warnings = true;
    config.max_steps = MaxSteps::None;
    config.stack_size = STACK;
    let switches = switches.iter().copied().collect();
    Runner::new(Planned { turns, switches, is_begun: false }, config)
}

/// What the first of shuttle's threads does.
fn main_thread<M, S>(job: &Arc<Job<M, S>>, clock: &Arc<RunClock>, turns: &Arc<Turns>) -> Ending
where
    M: Send + Sync + 'static,
    S: Send + Sync + 'static,
{
    let system = match job.begin() {
        Ok(system) => Arc::new(system),
        Err(ending) => return ending,
    };
    let n = job.program.threads.len();
    for thread in 0..n {
        let (job, clock, system) = (Arc::clone(job), Arc::clone(clock), Arc::clone(&system));
        let its_turns = Arc::clone(turns);
        let handle = shuttle::thread::spawn(move || {
            job.run_thread(thread, &system, &clock, &mut |call| lock(&its_turns.0).enter(thread, call));
            drop(system);
            lock(&its_turns.0).leave(thread);
        });
        lock(&turns.0).tasks.push(usize::from(handle.thread().id()));
    }
    lock(&turns.0).begin(n);
    if n > 0 {
        // It gets its turn when no other can go on.
        shuttle::thread::yield_now();
    }
    if clock.seen().is_ended { Ending::CaseEnded } else { Ending::Finished }
}

/// What the threads and the scheduler know of each other. One of them runs at a time, and none is switched while it looks.
#[derive(Default)]
struct Turns(Mutex<TurnState>);

#[derive(Default)]
struct TurnState {
    /// The threads of the program, by what shuttle calls them.
    tasks: Vec<usize>,
    /// Where each of them is: in which call, and at how many of its points it went on.
    places: Vec<Option<(usize, u64)>>,
    /// How many of them have not ended; none where they have not begun.
    left: Option<usize>,
    /// How often somebody was asked who goes on, and how often there was a choice.
    steps: u64,
    points: u64,
    /// For how many points the thread that runs has gone on.
    turn: u64,
    has_inner_points: bool,
    interruptions: Vec<Interruption>,
    stuck: Option<&'static str>,
}

impl TurnState {
    fn begin(&mut self, n: usize) {
        self.places.resize(n, None);
        self.left = Some(n);
    }

    fn enter(&mut self, thread: usize, call: usize) {
        self.places[thread] = Some((call, 0));
    }

    fn leave(&mut self, thread: usize) {
        self.places[thread] = None;
        self.left = self.left.map(|it| it - 1);
    }

    /// Counts a point of the thread that runs.
    fn pass(&mut self, task: usize) -> Option<Interruption> {
        let thread = self.tasks.iter().position(|it| *it == task)?;
        let (call, steps) = self.places[thread].as_mut()?;
        self.has_inner_points = true;
        *steps += 1;
        Some(Interruption { thread, call: *call, steps: *steps - 1 })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets each thread run until it waits or ends, but for the switches that are planned.
struct Planned {
    turns: Arc<Turns>,
    switches: VecDeque<Switch>,
    is_begun: bool,
}

impl Scheduler for Planned {
    fn new_execution(&mut self) -> Option<Schedule> {
        (!std::mem::replace(&mut self.is_begun, true)).then(|| Schedule::new(0))
    }

    fn next_task(
        &mut self,
        runnable: &[&Task],
        current: Option<TaskId>,
        is_yielding: bool,
    ) -> Option<TaskId> {
        let main = TaskId::from(0);
        let turns = &mut *lock(&self.turns.0);
        // A thread may wake up though nobody has woken it; only if no other can go on would that be of use.
        let awake: Vec<TaskId> = runnable.iter().filter(|it| it.runnable()).map(|it| it.id()).collect();
        (turns.steps, turns.turn) = (turns.steps + 1, turns.turn + 1);
        if turns.steps >= STEPS_MAX {
            turns.stuck = Some("the calls did not end");
            return None;
        }
        let Some(left) = turns.left else {
            return awake.iter().find(|it| **it == main).or(awake.first()).copied();
        };
        let others: Vec<TaskId> = awake.iter().copied().filter(|it| *it != main).collect();
        if others.is_empty() {
            if left > 0 {
                turns.stuck = Some("deadlock");
            }
            return (left == 0).then_some(main);
        }
        let place = current.and_then(|it| turns.pass(usize::from(it)));
        let stays = current.filter(|it| others.contains(it) && !is_yielding && turns.turn <= TURN_MAX);
        let after = |from: Option<TaskId>| {
            let from = from.map_or(0, usize::from);
            others.iter().copied().find(|it| usize::from(*it) > from).unwrap_or(others[0])
        };
        let mut next = stays.unwrap_or_else(|| after(current));
        // A thread that has done nothing need not be interrupted: another could have gone before it. And which one is
        // the first of all makes no difference, since the program may be drawn the other way round.
        let has_begun =
            current != Some(main) && place.as_ref().is_none_or(|it| (it.call, it.steps) != (0, 0));
        let is_point = others.len() > 1 && has_begun;
        turns.points += u64::from(is_point);
        if is_point
            && let Some(switch) = self.switches.front()
            && switch.at == turns.points
        {
            for _ in 0..=switch.to {
                next = after(Some(next));
            }
            self.switches.pop_front();
            turns.interruptions.extend(place.filter(|_| stays.is_some() && stays != Some(next)));
        }
        if Some(next) != current {
            turns.turn = 0;
        }
        Some(next)
    }

    fn next_u64(&mut self) -> u64 {
        0
    }
}
