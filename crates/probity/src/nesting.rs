//! Runs inside of runs.

use std::cell::Cell;

/// A run inside the case of another on the same thread is a part of that case: it has to go the same way
/// whenever the case is run again, so it has a fixed seed and no store. Only the last run of the outer
/// case, which is outside of every search, says what it found.
pub(crate) struct NestedRun(u32);

thread_local! {
    static RUNS: Cell<u32> = const { Cell::new(0) };
}

/// Whether a run is going on on this thread.
pub(crate) fn is_running() -> bool {
    RUNS.get() > 0
}

impl NestedRun {
    pub(crate) fn enter() -> NestedRun {
        NestedRun(RUNS.replace(RUNS.get() + 1))
    }

    pub(crate) fn is_inner(&self) -> bool {
        self.0 > 0
    }
}

impl Drop for NestedRun {
    fn drop(&mut self) {
        RUNS.set(self.0);
    }
}
