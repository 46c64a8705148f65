//! Work: what going through things one by one may cost, and whether somebody wants it to end.

use std::cell::Cell;

/// Steps that are left, and the question whether to stop. What is shared out runs out once for all.
pub(crate) struct WorkBudget<'a> {
    stop: &'a dyn Fn() -> bool,
    left: Cell<u64>,
    /// Steps until it is asked again.
    unasked: Cell<u64>,
    ended: Cell<Option<&'static str>>,
}

/// Steps of planning: evaluations of a few terms, of about a microsecond each.
const STEPS_MAX: u64 = 4_000_000;

/// Steps between two questions whether to stop.
const ASKED_EVERY: u64 = 256;

/// The reason when somebody wanted it to end.
pub(crate) const STOPPED: &str = "it was stopped";

/// The reason when the steps ran out.
const ENDED: &str = "the search for a larger set was given up after many steps";

impl<'a> WorkBudget<'a> {
    pub(crate) fn new(stop: &'a dyn Fn() -> bool) -> WorkBudget<'a> {
        WorkBudget { stop, left: Cell::new(STEPS_MAX), unasked: Cell::new(0), ended: Cell::new(None) }
    }

    /// Spends some steps; whether there were as many, and nobody wants it to end.
    pub(crate) fn go_on(&self, steps: u64) -> bool {
        if self.ended.get().is_some() {
            return false;
        }
        match self.unasked.get().checked_sub(steps) {
            Some(unasked) => self.unasked.set(unasked),
            None => {
                self.unasked.set(ASKED_EVERY);
                if (self.stop)() {
                    self.ended.set(Some(STOPPED));
                    return false;
                }
            }
        }
        let left = self.left.get().checked_sub(steps);
        self.left.set(left.unwrap_or(0));
        if left.is_none() {
            self.ended.set(Some(ENDED));
        }
        left.is_some()
    }

    /// The same with the reason as an error.
    pub(crate) fn spend(&self, steps: u64) -> Result<(), String> {
        if self.go_on(steps) { Ok(()) } else { Err(self.why()) }
    }

    /// Why it ended.
    pub(crate) fn why(&self) -> String {
        self.ended.get().unwrap_or(ENDED).to_string()
    }
}
