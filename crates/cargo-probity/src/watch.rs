//! Work on one thread, watched by another: interrupts, progress, and the clock that the work may ask.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::{consts, flag};

use crate::console::Console;
use crate::exit::{CommandError, Exit};
use crate::output::Document;

/// Programs and values nest; this is room for many thousands of levels, and costs nothing until it is used.
const STACK: usize = 256 << 20;
/// How often the work is looked at.
const TICK: Duration = Duration::from_millis(100);
/// Work that takes less shows no progress.
const SHOW_AFTER: Duration = Duration::from_millis(500);
/// How long interrupted work may take to end by itself: a solver's process has to be stopped.
const GRACE: Duration = Duration::from_millis(1500);
/// From then on a second interrupt ends it at once: the first may be waiting for a reader that does not read. What
/// comes sooner is the same interrupt twice, as `timeout` sends it to a process and to its group.
const SECOND_AFTER: Duration = Duration::from_millis(300);
/// How long work may go on after its time is up: some steps of a solver do not ask for the time.
const OVERTIME_MILLIS: u64 = 5_000;

/// What the work and its watcher share.
pub(crate) struct WatchedWork {
    pub(crate) console: Console,
    /// The document that is being written, if one is.
    document: Mutex<Option<Document>>,
    /// The signal that came, or 0.
    signal: Arc<AtomicUsize>,
    /// Whether another signal ends the process at once.
    ends_at_once: Arc<AtomicBool>,
    started: Instant,
    /// Whether inputs were asked for.
    is_begun: AtomicBool,
    /// How many milliseconds may pass without an input, as long as inputs are looked for.
    limit: AtomicU64,
    /// When the clock was started last, in milliseconds since the start.
    last: AtomicU64,
    /// Whether the time was up at some point.
    is_late: AtomicBool,
    done: AtomicU64,
    asked: AtomicU64,
}

/// Runs `work` and watches it.
pub(crate) fn run(work: impl FnOnce(&WatchedWork) -> Result<Exit, CommandError> + Send + 'static) -> Exit {
    let watch = Arc::new(WatchedWork::new());
    let (sender, receiver) = mpsc::channel();
    let shared = watch.clone();
    let worker = move || {
        let exit = work(&shared).unwrap_or_else(|failure| {
            shared.console.error(&failure.text);
            failure.exit
        });
        // The watcher is there as long as this runs.
        let _ = sender.send(exit);
    };
    let spawned = thread::Builder::new().stack_size(STACK).spawn(worker);
    if let Err(err) = spawned {
        watch.console.error(&format!("cannot start a thread: {err}; end other programs and try again"));
        return Exit::Unknown;
    }
    let mut interrupted: Option<Instant> = None;
    loop {
        match receiver.recv_timeout(TICK) {
            Ok(exit) => {
                watch.console.clear();
                // What was not completed leaves no file.
                watch.document().take();
                return watch.signalled().unwrap_or(exit);
            }
            Err(RecvTimeoutError::Timeout) => watch.tick(),
            Err(RecvTimeoutError::Disconnected) => {
                watch.abandon();
                watch
                    .console
                    .error("this is a mistake in probity; please report it with the file and this text");
                return Exit::Foreign(101);
            }
        }
        if let Some(exit) = watch.signalled() {
            let since = *interrupted.get_or_insert_with(Instant::now);
            if since.elapsed() >= SECOND_AFTER {
                watch.ends_at_once.store(true, Ordering::Relaxed);
            }
            // Who only reads, from a terminal say, has nothing to put in order.
            if since.elapsed() >= GRACE || !watch.is_begun.load(Ordering::Relaxed) {
                watch.abandon();
                return exit;
            }
        }
        if watch.is_over(OVERTIME_MILLIS) {
            watch.abandon();
            let done = watch.done.load(Ordering::Relaxed);
            watch
                .console
                .note(&format!("{done} inputs found; a step took far longer than --timeout; stopped"));
            return Exit::Unknown;
        }
    }
}

impl WatchedWork {
    pub(crate) fn new() -> WatchedWork {
        let signal = Arc::new(AtomicUsize::new(0));
        let ends_at_once = Arc::new(AtomicBool::new(false));
        for number in [consts::SIGINT, consts::SIGTERM] {
            // Without a handler an interrupt still ends the process, only less tidily.
            let _ = flag::register_conditional_shutdown(number, 128 + number, ends_at_once.clone());
            let _ = flag::register_usize(number, signal.clone(), number as usize);
        }
        WatchedWork {
            console: Console::new(),
            document: Mutex::new(None),
            signal,
            ends_at_once,
            started: Instant::now(),
            is_begun: AtomicBool::new(false),
            limit: AtomicU64::new(u64::MAX),
            last: AtomicU64::new(0),
            is_late: AtomicBool::new(false),
            done: AtomicU64::new(0),
            asked: AtomicU64::new(0),
        }
    }

    /// How the process has to end, if a signal came.
    pub(crate) fn signalled(&self) -> Option<Exit> {
        let signal = self.signal.load(Ordering::Relaxed);
        (signal != 0).then_some(Exit::Signal(signal as u8))
    }

    /// The document that is being written.
    pub(crate) fn document(&self) -> MutexGuard<'_, Option<Document>> {
        self.document.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// This many inputs are asked for now.
    pub(crate) fn expect(&self, asked: u64) {
        self.asked.store(asked, Ordering::Relaxed);
        self.done.store(0, Ordering::Relaxed);
        self.is_late.store(false, Ordering::Relaxed);
        self.is_begun.store(true, Ordering::Relaxed);
    }

    /// The next input is looked for, at most for so long; the clock starts again.
    pub(crate) fn look(&self, millis: u64) {
        self.last.store(self.millis(), Ordering::Relaxed);
        // Who sees the limit sees the start, too.
        self.limit.store(millis, Ordering::Release);
    }

    /// Nothing is looked for: the clock stands still while somebody reads slowly.
    pub(crate) fn rest(&self) {
        self.limit.store(u64::MAX, Ordering::Relaxed);
    }

    /// Whether the clock runs.
    #[cfg(test)]
    pub(crate) fn is_timed(&self) -> bool {
        self.limit.load(Ordering::Relaxed) != u64::MAX
    }

    /// An input came.
    pub(crate) fn came(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether to stop: because of a signal, or because no input came for too long.
    pub(crate) fn stop(&self) -> bool {
        let is_late = self.is_over(0);
        if is_late {
            self.is_late.store(true, Ordering::Relaxed);
        }
        is_late || self.signalled().is_some()
    }

    /// Whether the clock ran this many milliseconds beyond its limit.
    fn is_over(&self, millis: u64) -> bool {
        let limit = self.limit.load(Ordering::Acquire).saturating_add(millis);
        self.millis().saturating_sub(self.last.load(Ordering::Relaxed)) >= limit
    }

    /// Whether the time was up since the clock started.
    pub(crate) fn is_late(&self) -> bool {
        self.is_late.load(Ordering::Relaxed)
    }

    fn millis(&self) -> u64 {
        self.started.elapsed().as_millis() as u64
    }

    fn tick(&self) {
        // When the work holds the document, it is writing anyway. What cannot be written is found by the work.
        let Ok(mut document) = self.document.try_lock() else { return };
        let Some(document) = document.as_mut() else { return };
        let _ = document.flush();
        if self.started.elapsed() >= SHOW_AFTER && !document.is_on_terminal() {
            self.console.progress(self.done.load(Ordering::Relaxed), self.asked.load(Ordering::Relaxed));
        }
    }

    /// Completes what was written by work that does not end.
    fn abandon(&self) {
        self.console.clear();
        let document = match self.document.try_lock() {
            Ok(mut document) => document.take(),
            Err(TryLockError::Poisoned(document)) => document.into_inner().take(),
            // It waits for a reader that does not read.
            Err(TryLockError::WouldBlock) => None,
        };
        let _ = document.map(Document::finish);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_runs_only_while_something_is_looked_for() {
        let watch = WatchedWork::new();
        watch.expect(1);
        assert!(!watch.stop());
        watch.look(3_600_000);
        assert!(!watch.stop() && !watch.is_late());
        watch.look(5);
        thread::sleep(Duration::from_millis(10));
        assert!(watch.stop() && watch.is_late() && !watch.is_over(3_600_000));
        watch.rest();
        assert!(!watch.stop() && watch.is_late());
        watch.expect(1);
        assert!(!watch.is_late());
    }
}
