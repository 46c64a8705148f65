//! What the default runs of a process may spend on the engine together.

use std::cell::Cell;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::isolate::processor_time;

/// What is there at first, in units of the engine's work (see `probity_concolic::unit`): enough for some tests to have
/// their whole share. By units, it is as much on any machine and however the engine was compiled.
///
/// Measured with nothing optimized, where a unit is 2 to 3 ms: a needle (`x == 123_456_789`, four bytes, `s == "secret"`)
/// takes 10 to 30 units, and 200 tests of nothing take 180 units without the engine; each of them would take 2 with it,
/// and those of lists and texts all they can get.
const LUMP: u32 = 70;
/// It is no less and no more than this, whatever was measured.
const LUMP_RANGE: (Duration, Duration) = (Duration::from_millis(100), Duration::from_millis(500));
/// The part of the tests' own time that may be spent in the long run, in percent.
const PART: u32 = 40;
/// The least that is worth starting a process for.
const LEAST: Duration = Duration::from_millis(4);
/// Of the lump, this part is given out whole, while it is there; beyond it, half of what is there.
const WHOLE: u32 = 3;

/// What the default runs of a process may spend together, in time of the processor: the lump, or a part of what tests
/// take without the engine, whichever is more. So few tests have all they want, and many are not much slower.
pub(super) struct Purse(Mutex<State>);

struct State {
    /// What tests took without the engine.
    own: Duration,
    /// What the engine has taken, or may take now.
    spent: Duration,
}

/// That of this process.
pub(super) static PURSE: Purse = Purse::new();

impl Purse {
    const fn new() -> Purse {
        Purse(Mutex::new(State { own: Duration::ZERO, spent: Duration::ZERO }))
    }

    /// Takes out what a test gets that took `own`: at most `share`, and not all that is there.
    pub(super) fn take(&self, own: Duration, share: Duration, unit: Duration) -> Option<Duration> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.own += own;
        let lump = (unit * LUMP).clamp(LUMP_RANGE.0, LUMP_RANGE.1);
        let there = lump.max(state.own * PART / 100).saturating_sub(state.spent);
        let taken = share.min((there / 2).max(there.min(lump / WHOLE)));
        if taken < LEAST {
            return None;
        }
        state.spent += taken;
        Some(taken)
    }

    /// Gives back what is left of `taken`, or takes out what was spent beyond it.
    pub(super) fn give_back(&self, taken: Duration, spent: Duration) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.spent = (state.spent + spent).saturating_sub(taken);
    }
}

/// The time of the processor that this thread has taken since this was asked for last.
pub(super) fn own_time() -> Duration {
    thread_local! {
        static BEFORE: Cell<Duration> = const { Cell::new(Duration::ZERO) };
    }
    let now = processor_time(libc::CLOCK_THREAD_CPUTIME_ID).unwrap_or_default();
    now.saturating_sub(BEFORE.replace(now))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn a_purse_is_not_emptied_at_once_and_fills_again() {
        let (purse, unit) = (Purse::new(), LUMP_RANGE.0 * 3 / LUMP); // the lump is 300 ms
        let mut take = |own: u32, share: u32| {
            let taken = purse.take(MS * own, MS * share, unit)?;
            Some((taken.as_secs_f64() * 1e3).round() as u32)
        };
        assert_eq!(take(0, 200), Some(150));
        purse.give_back(MS * 150, MS * 20);
        assert_eq!(take(0, 200), Some(140));
        assert_eq!(take(0, 200), Some(100));
        assert_eq!(take(1, 30), Some(30));
        assert_eq!(take(1, 200), Some(10));
        assert_eq!(take(500, 200), None);
        // Now tests have taken so long that a part of that is more than the lump.
        assert_eq!(take(500, 200), Some(100));
        purse.give_back(MS * 100, MS * 200);
        assert_eq!(take(0, 200), None);
    }

    #[test]
    fn in_the_long_run_a_part_is_spent() {
        let purse = Purse::new();
        let mut spent = Duration::ZERO;
        for _ in 0..1000 {
            spent += purse.take(MS * 10, MS * 200, MS).unwrap_or_default();
        }
        assert!(spent <= MS * (10_000 * PART / 100) && spent >= MS * (9_000 * PART / 100), "{spent:?}");
    }
}
