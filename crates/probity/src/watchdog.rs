//! Names the input of a case that does not come to an end, and ends searches in time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Thread;
use std::time::{Duration, Instant};

use probity_core::{
    Engine, Exhaustive, Input, Progress, Random, Replay, Running, Seed, Source, Tail, Value, render_case,
};

use crate::events::Event;
use crate::panics::RunId;
use crate::report::{self, Reporters};
use crate::run::Deadline;
use crate::store::{Entry, Store};

/// How long a case may take where nobody says.
pub(crate) const HANG: Duration = Duration::from_secs(30);

/// Watches one run from a thread of its own, until it is dropped. It reports and goes on waiting: a slow
/// machine is not a failure.
pub(crate) struct Watchdog {
    /// Whether the run is over. Who reports a case holds it: a report that is begun is finished.
    done: Arc<Mutex<bool>>,
    thread: Option<Thread>,
}

impl Watchdog {
    pub(crate) fn start(
        name: &str,
        seed: Seed,
        limit: Option<Duration>,
        watched: Watched,
        (progress, deadline, elsewhere): (&Arc<Progress>, Deadline, Option<Arc<AtomicBool>>),
        (reporters, run): (&Reporters, Option<RunId>),
        store: Option<Store>,
    ) -> Watchdog {
        let done = Arc::<Mutex<bool>>::default();
        let Some(limit) = limit else { return Watchdog { done, thread: None } };
        let watch = WatchThread {
            name: name.to_string(),
            seed,
            limit,
            deadline,
            watched,
            progress: Arc::clone(progress),
            elsewhere,
            reporters: reporters.direct(),
            run,
            store,
            done: Arc::clone(&done),
        };
        // Without a thread to spare there is no watchdog; the test runs all the same.
        let handle =
            std::thread::Builder::new().name(format!("{name} (watchdog)")).spawn(move || watch.run());
        Watchdog { done, thread: handle.ok().map(|it| it.thread().clone()) }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        *self.done.lock().unwrap_or_else(PoisonError::into_inner) = true;
        if let Some(thread) = &self.thread {
            thread.unpark();
        }
    }
}

/// What runs.
pub(crate) enum Watched {
    /// A fixed input, as it is written.
    Example(&'static str),
    /// Cases, and what draws their inputs where that is known.
    Cases(Option<fn(&mut Source)>),
}

struct WatchThread {
    name: String,
    seed: Seed,
    limit: Duration,
    deadline: Deadline,
    watched: Watched,
    progress: Arc<Progress>,
    /// Set while cases run in other processes: a hang is a failure there, and told as one.
    elsewhere: Option<Arc<AtomicBool>>,
    reporters: Reporters,
    run: Option<RunId>,
    store: Option<Store>,
    done: Arc<Mutex<bool>>,
}

impl WatchThread {
    fn run(mut self) {
        let mut last = (self.progress.running().0, Instant::now());
        let mut told = None;
        loop {
            std::thread::park_timeout(self.deadline.wait(&self.progress).min(self.limit / 4));
            let done = Arc::clone(&self.done);
            let done = done.lock().unwrap_or_else(PoisonError::into_inner);
            if *done {
                return;
            }
            self.deadline.look(&self.progress);
            let (ticks, running) = self.progress.running();
            let is_elsewhere = self.elsewhere.as_ref().is_some_and(|it| it.load(Ordering::Relaxed));
            if ticks != last.0 || is_elsewhere {
                last = (ticks, Instant::now());
            } else if last.1.elapsed() >= self.limit && told != Some(ticks) {
                told = Some(ticks);
                self.tell(running, last.1.elapsed());
            }
        }
    }

    fn tell(&mut self, running: Running, time: Duration) {
        // A case that waits for a thread which panicked waits in vain.
        for it in self.run.map(RunId::take_all).unwrap_or_default() {
            self.reporters.tell(&it.event());
        }
        let draw = match self.watched {
            Watched::Example(text) => {
                let example = Some(text.to_string());
                let event = Event::Hangs { time, example, inputs: Vec::new(), replay: String::new() };
                return self.reporters.tell(&event);
            }
            Watched::Cases(draw) => draw,
        };
        let (choices, inputs) = draw.map(|it| name_inputs(it, &running, self.seed)).unwrap_or_default();
        let replay = match (&running, choices) {
            (_, Some(choices)) => self.save(choices, &inputs, time),
            (Running::Case(case), None) => report::case_text(self.seed.word, self.seed.number(*case)),
            // What shrinking proposes need not fit.
            (Running::Replay(values), None) => crate::run::fitted_text(values),
            (Running::Walk(places), None) => report::walk_text(places),
        };
        let replay = self.reporters.replay_command(&replay);
        self.reporters.tell(&Event::Hangs { time, example: None, inputs, replay });
    }

    /// Keeps the input in the store and returns what to replay.
    fn save(&self, choices: Vec<Value>, inputs: &[Input], time: Duration) -> String {
        let failure = format!("did not end within {time:.1?}");
        let entry = Entry::new(&self.name, inputs, failure, choices);
        match self.store.as_ref().map(|it| it.save(&entry)) {
            Some(Ok(path)) => report::shown(&path),
            _ => report::choices_text(&entry.choices),
        }
    }
}

/// Draws the inputs again, here, without the test's body. A generator that hangs itself would hang
/// here as well, so it gets a thread of its own and a second.
pub(crate) fn name_inputs(
    draw: fn(&mut Source),
    running: &Running,
    seed: Seed,
) -> (Option<Vec<Value>>, Vec<Input>) {
    let running = running.clone();
    let drawn = Arc::new(Mutex::new(None));
    let result = Arc::clone(&drawn);
    let thread = std::thread::Builder::new().spawn(move || {
        let engine = engine_of(running, seed);
        let mut test = |src: &mut Source| draw(src);
        if let Ok(case) = render_case(&mut Source::new(engine), &mut test) {
            let named = (Some(case.trace.values()), case.log.inputs);
            *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(named);
        }
    });
    let Ok(thread) = thread else { return (None, Vec::new()) };
    for _ in 0..100 {
        if thread.is_finished() {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    drawn.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default()
}

/// An engine that runs once more what is running now.
pub(crate) fn engine_of(running: Running, seed: Seed) -> Box<dyn Engine> {
    match running {
        Running::Case(case) => {
            let mut random = Random::at(seed, case);
            random.begin().ok();
            Box::new(random)
        }
        Running::Replay(values) => Box::new(Replay::new(values, Tail::Simplest)),
        Running::Walk(places) => {
            let mut exhaustive = Exhaustive::at(places);
            exhaustive.begin().ok();
            Box::new(exhaustive)
        }
    }
}
