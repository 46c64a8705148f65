//! Panics of threads that cases start. A search, a shrinking and an explanation run such a case hundreds of times, so
//! these panics are kept back while a run goes on. Its last case shows its own; of the others, one of each place is told
//! when the run ends.
//!
//! A thread does not say who started it. So a panic is kept back while any run goes on, unless its thread is one of the
//! test harness, and told by the last of the runs that it may belong to: it is never lost.

use std::backtrace::Backtrace;
use std::panic::PanicHookInfo;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::events::Event;

/// A panic of a thread that has no case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ThreadPanic {
    pub(crate) thread: Option<String>,
    pub(crate) place: String,
    pub(crate) message: String,
    /// How often a thread panicked there.
    pub(crate) times: u64,
    /// The runs that it may belong to.
    runs: Vec<u64>,
}

impl ThreadPanic {
    pub(crate) fn event(self) -> Event {
        let ThreadPanic { thread, place, message, times, .. } = self;
        Event::ThreadPanicked { thread, place, message, times }
    }
}

struct HeldPanics {
    next: u64,
    runs: Vec<u64>,
    /// How many runs are in their last case, whose panics are shown.
    showing: u32,
    panics: Vec<ThreadPanic>,
    /// Whether threads of these names are the harness's.
    names: Vec<(String, bool)>,
}

/// How many places are told apart; panics at more of them are shown at once.
const PLACES_MAX: usize = 64;
/// How many names of threads are remembered.
const NAMES_MAX: usize = 256;

static KEPT: Mutex<HeldPanics> =
    Mutex::new(HeldPanics { next: 0, runs: Vec::new(), showing: 0, panics: Vec::new(), names: Vec::new() });

/// Holds the lock while a process is copied, so that it is not held in the copy.
#[cfg(unix)]
pub(crate) fn hold() -> impl Sized {
    kept()
}

fn kept() -> MutexGuard<'static, HeldPanics> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps panics of threads back while it lives.
pub(crate) struct Quiet(u64);

impl Quiet {
    pub(crate) fn new() -> Quiet {
        let mut kept = kept();
        kept.next += 1;
        let id = kept.next;
        kept.runs.push(id);
        Quiet(id)
    }

    /// Shows panics of threads while what it returns lives: those of the case that is reported.
    pub(crate) fn show(&self) -> Showing {
        kept().showing += 1;
        Showing
    }

    pub(crate) fn id(&self) -> RunId {
        RunId(self.0)
    }
}

/// Names a run to those who tell of it from another thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunId(u64);

impl RunId {
    /// What was kept back and belongs to no other run that goes on.
    pub(crate) fn take(self) -> Vec<ThreadPanic> {
        let mut kept = kept();
        let HeldPanics { runs, panics, .. } = &mut *kept;
        let is_ours = |it: &mut ThreadPanic| !it.runs.iter().any(|run| *run != self.0 && runs.contains(run));
        panics.extract_if(.., is_ours).collect()
    }

    /// What was kept back and may belong to this run.
    pub(crate) fn take_all(self) -> Vec<ThreadPanic> {
        kept().panics.extract_if(.., |it| it.runs.contains(&self.0)).collect()
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        kept().runs.retain(|it| *it != self.0);
    }
}

/// See [`Quiet::show`].
pub(crate) struct Showing;

impl Drop for Showing {
    fn drop(&mut self) {
        kept().showing -= 1;
    }
}

/// Whether the panic is kept back, to be told later.
pub(super) fn keeps(info: &PanicHookInfo<'_>) -> bool {
    if crate::nesting::is_running() || kept().runs.is_empty() || is_of_harness() {
        return false;
    }
    let (place, message) = (super::place(info), super::message(info));
    let thread = std::thread::current().name().map(ToString::to_string);
    let mut kept = kept();
    if kept.showing > 0 {
        kept.panics.retain(|it| it.place != place);
        return false;
    }
    let (runs, is_full) = (kept.runs.clone(), kept.panics.len() >= PLACES_MAX);
    match kept.panics.iter_mut().find(|it| it.place == place) {
        Some(known) => {
            // The last one is of the simplest case.
            (known.thread, known.message, known.times) = (thread, message, known.times + 1);
            known.runs.retain(|it| !runs.contains(it));
            known.runs.extend(runs);
        }
        None if is_full => return false,
        None => kept.panics.push(ThreadPanic { thread, place, message, times: 1, runs }),
    }
    true
}

/// Whether this thread runs a test of the harness, which shows the panic together with that test. It names its threads
/// after the tests, but so might anybody; who called them shows.
fn is_of_harness() -> bool {
    let thread = std::thread::current();
    let Some(name) = thread.name() else { return false };
    if name == "main" {
        return true;
    }
    if let Some((_, known)) = kept().names.iter().find(|it| it.0 == name) {
        return *known;
    }
    let trace = Backtrace::force_capture().to_string();
    let is_known = trace.contains("std::");
    let is_of_harness = trace.lines().any(|it| {
        let function = it.trim_start().split_once(": ").map_or("", |it| it.1);
        function.starts_with("test::") || function.starts_with("test[")
    });
    let res = is_of_harness || !is_known;
    let names = &mut kept().names;
    if names.len() >= NAMES_MAX {
        names.clear();
    }
    names.push((name.to_string(), res));
    res
}
