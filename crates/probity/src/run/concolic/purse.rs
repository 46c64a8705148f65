//! What the default runs of a process may spend on the engine together.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::isolate::{Child, processor_time};

/// What is there at first, in units of the engine's work (see `probity_concolic::unit`): enough for some tests to have
/// their whole share. By units, it is as much on any machine and however the engine was compiled.
///
/// Measured where nothing is optimized (a unit is 1.4 ms): a needle (`x == 123_456_789`, four bytes, `s == "secret"`) takes
/// 10 to 50 units, the first of a process 10 more for the code that all share. 200 tests of nothing take 320 units without
/// the engine; each would take 3 with it, and those of lists and texts all that they can get. With 155, four needles are
/// found together in 20 of 20 runs, and 200 tests of nothing take 1.32 to 1.43 times as long. With 150, six needles are
/// found together in 36 of 40; with 170 in 39, and the 200 tests take up to 1.47 times as long.
const LUMP: u32 = 155;
/// It is no less and no more than this, whatever was measured.
const LUMP_RANGE: (Duration, Duration) = (Duration::from_millis(100), Duration::from_millis(500));
/// The part of the tests' own time that may be spent in the long run, in percent.
const PART: u32 = 25;
/// The least that is worth starting a process for.
const LEAST: Duration = Duration::from_millis(4);
/// Of the lump, this part is given out whole, while it is there; beyond it, half of what is there.
const WHOLE: u32 = 2;

/// What the default runs of a process may spend together: the lump, or a part of what tests take without the engine,
/// whichever is more. So few tests have all they want, and many are not much slower. A share is given in time of the
/// processor, and charged by the clock: what waits costs as much as what works.
pub(super) struct Purse(Mutex<State>);

struct State {
    /// What tests took without the engine.
    own: Duration,
    /// What the engine has taken by the clock, or may take now.
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
        state.spent += held(taken);
        Some(taken)
    }

    /// Says what was spent of `taken`: less or more.
    pub(super) fn give_back(&self, taken: Duration, spent: Duration) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.spent = (state.spent + spent).saturating_sub(held(taken));
    }
}

/// What is held back for a test while it runs: most tests take less than they may, and others run beside them.
fn held(taken: Duration) -> Duration {
    taken / 2
}

/// The time of the processor that this thread has taken since this was asked for last.
pub(super) fn own_time() -> Duration {
    thread_local! {
        static BEFORE: Cell<Duration> = const { Cell::new(Duration::ZERO) };
    }
    let now = processor_time(libc::CLOCK_THREAD_CPUTIME_ID).unwrap_or_default();
    now.saturating_sub(BEFORE.replace(now))
}

/// Whether a copy still works: one whose processor time stands still waits for somebody who is not there.
#[derive(Default)]
pub(super) struct Stall {
    /// The processor time when it was looked at, and since when it is that.
    seen: Option<(Duration, Instant)>,
}

/// How many copies were ended for that.
static STALLED: AtomicU32 = AtomicU32::new(0);
/// After how many of them no more are made: the tests of this process are not made for it.
const STALLED_MAX: u32 = 2;

impl Stall {
    /// How often a copy is looked at.
    pub(super) const LOOK: Duration = Duration::from_millis(5);
    /// How long one may wait that works beside a test.
    pub(super) const LIMIT: Duration = Duration::from_millis(12);

    /// Whether so many have waited that none is to be made.
    pub(super) fn are_many() -> bool {
        STALLED.load(Ordering::Relaxed) >= STALLED_MAX
    }

    /// Notes that a copy was ended because it waited.
    pub(super) fn note() {
        STALLED.fetch_add(1, Ordering::Relaxed);
    }

    /// Looks at a copy: whether it has waited for as long as `limit`.
    pub(super) fn is_over(&mut self, child: &Child, limit: Duration) -> bool {
        let (Some(time), true) = (child.processor_time(), child.is_asleep()) else {
            self.seen = None;
            return false;
        };
        match self.seen {
            Some((before, since)) if before == time => since.elapsed() >= limit,
            _ => {
                self.seen = Some((time, Instant::now()));
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn a_purse_is_not_emptied_at_once_and_fills_again() {
        let (purse, unit) = (Purse::new(), LUMP_RANGE.0 * 3 / LUMP); // the lump is 300 ms
        let take = |own: u32, share: u32| {
            let taken = purse.take(MS * own, MS * share, unit)?;
            Some((taken.as_secs_f64() * 1e3).round() as u32)
        };
        assert_eq!(take(0, 200), Some(150));
        purse.give_back(MS * 150, MS * 20);
        // Half of it is held while it runs.
        assert_eq!(take(0, 200), Some(150));
        assert_eq!(take(0, 200), Some(150));
        purse.give_back(MS * 150, MS * 150);
        assert_eq!(take(0, 30), Some(30));
        purse.give_back(MS * 30, MS * 30);
        assert_eq!(take(0, 200), Some(25));
        purse.give_back(MS * 25, MS * 40);
        assert_eq!(take(1100, 200), None);
        // Now tests have taken so long that a part of that is more than the lump.
        assert_eq!(take(180, 200), Some(5));
    }

    #[test]
    fn in_the_long_run_a_part_is_spent() {
        let purse = Purse::new();
        let mut spent = Duration::ZERO;
        for _ in 0..1000 {
            if let Some(taken) = purse.take(MS * 10, MS * 200, MS) {
                purse.give_back(taken, taken);
                spent += taken;
            }
        }
        assert!(spent <= MS * (10_000 * PART / 100) && spent >= MS * (9_000 * PART / 100), "{spent:?}");
    }
}
