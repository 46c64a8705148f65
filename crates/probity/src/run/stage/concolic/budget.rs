//! What the default runs of a process may spend together on engines that work beside their tests.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::isolate::{Child, processor_time};

/// What is lent at the beginning, however short the tests are, in units of the engine's work (see `probity_concolic::calibrate`): by
/// units, it is about as much on any machine and however the engine was compiled.
///
/// Measured where nothing is optimized (a unit is 0.6 ms): a test with nothing to search takes 4 units with all that starting a copy
/// takes, a needle behind one comparison 7, one behind loops and branches 20 to 80. 200 trivial tests take 770 units without the engine,
/// and may take 1.4 times that.
const LEAST_UNITS: u32 = 170;
/// It is no less and no more than this, whatever was measured.
const LEAST_RANGE: (Duration, Duration) = (Duration::from_millis(80), Duration::from_millis(500));
/// What a test of little takes where nothing is optimized: that is no time to spend a part of.
const LITTLE: Duration = Duration::from_millis(4);
/// The part of the tests' own time that may be spent, in percent: of their first seconds, and of what comes after. A suite that takes
/// five seconds may take six and a half, one that takes ten twelve.
const PART_PERCENT: u32 = 35;
const PART_PERCENT_LATER: u32 = 7;
const FIRST_TIME: Duration = Duration::from_secs(4);
/// What a test gets at a time, in units.
const SLICE_UNITS: u32 = 12;
/// It is no less and no more than this. Less is not worth starting a process for.
const SLICE_RANGE: (Duration, Duration) = (Duration::from_millis(4), Duration::from_millis(20));
/// The part of what is there that one test may have: where there is hope, and where there is none.
const PART_WITH_HOPE: u32 = 6;
const PART_WITHOUT: u32 = 16;
/// A search that finds a failure pays in this many times what it took: as long as one in four finds something, it goes on.
const FOUND_TIMES: u32 = 4;

/// What the default runs of a process may spend together: a little that is lent, and a part of what tests take without the engine.
///
/// It is given out in slices, and these are the rules. A test gets a short one, and others while there is hope, which is a branch
/// that never went the other way and was not asked for in vain; so each has a part of what is there, and none has all. What it does
/// not need stays. One that finds a failure pays for others. All of it is time of the processor: on a busy machine, as much is found.
struct ConcolicBudget(Mutex<Account>);

struct Account {
    /// What tests took without the engine, beyond what one of little takes.
    own: Duration,
    /// What the engine has taken, or may take now.
    spent: Duration,
    /// What searches that found a failure gave back beyond what they took.
    won: Duration,
}

/// That of this process.
static BUDGET: ConcolicBudget = ConcolicBudget::new();

/// What one test was granted. What it took is charged when this is dropped.
pub(in crate::run) struct Grant {
    /// So much may be taken so far.
    pub(super) time: Duration,
    /// And never more than this.
    pub(super) most: Duration,
    /// What was taken.
    pub(in crate::run) taken: Duration,
    /// Whether a failure was found. To make sure of one may take long, and is not charged.
    pub(super) was_worth_it: bool,
}

impl Grant {
    /// At most `share`, or a part of what the test took itself; nothing where there is little left.
    pub(super) fn take(share: Duration) -> Option<Grant> {
        let (own, unit) = (own_time(), probity_concolic::calibrate());
        let most = share.max(part(own));
        let time = BUDGET.take(own, most, unit)?;
        Some(Grant { time, most, taken: Duration::ZERO, was_worth_it: false })
    }

    /// Another slice, for a test that has hope or not. Zero: there is none.
    pub(in crate::run) fn extend(&mut self, has_hope: bool) -> Duration {
        let more = BUDGET.extend(self.time, self.most, has_hope, probity_concolic::calibrate());
        self.time += more;
        more
    }
}

#[cfg(feature = "coverage")]
impl Grant {
    /// Gives back what is not needed.
    pub(in crate::run) fn give_back(&mut self, time: Duration) {
        BUDGET.settle(time, Duration::ZERO, false);
        self.time = self.time.saturating_sub(time);
    }
}

impl Drop for Grant {
    fn drop(&mut self) {
        let beside = own_time(); // to split the process, and to listen
        BUDGET.settle(self.time, self.taken + beside, self.was_worth_it);
    }
}

impl ConcolicBudget {
    const fn new() -> ConcolicBudget {
        ConcolicBudget(Mutex::new(Account {
            own: Duration::ZERO,
            spent: Duration::ZERO,
            won: Duration::ZERO,
        }))
    }

    fn account(&self) -> MutexGuard<'_, Account> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes out the first slice of a test that took `own`: at most `most`.
    fn take(&self, own: Duration, most: Duration, unit: Duration) -> Option<Duration> {
        let mut account = self.account();
        account.own += own.saturating_sub(LITTLE);
        let taken = slice(unit).min(most).min(account.left(unit));
        if taken < SLICE_RANGE.0.min(most) {
            return None;
        }
        account.spent += taken;
        Some(taken)
    }

    /// Takes out another slice for a test that has `taken` so much.
    fn extend(&self, taken: Duration, most: Duration, has_hope: bool, unit: Duration) -> Duration {
        let mut account = self.account();
        let part = if has_hope { PART_WITH_HOPE } else { PART_WITHOUT };
        let most = most.min((account.left(unit) + taken) / part);
        let more = slice(unit).min(most.saturating_sub(taken));
        if more < SLICE_RANGE.0 / 2 {
            return Duration::ZERO;
        }
        account.spent += more;
        more
    }

    /// Says what was spent of `taken`: less or more.
    fn settle(&self, taken: Duration, spent: Duration, has_found: bool) {
        let mut account = self.account();
        account.spent = (account.spent + spent).saturating_sub(taken);
        if has_found {
            account.won += spent * FOUND_TIMES;
        }
    }
}

impl Account {
    /// What is there now.
    fn left(&self, unit: Duration) -> Duration {
        let least = (unit * LEAST_UNITS).clamp(LEAST_RANGE.0, LEAST_RANGE.1);
        (least + part(self.own) + self.won).saturating_sub(self.spent)
    }
}

/// What may be spent for tests that took so long by themselves.
fn part(own: Duration) -> Duration {
    let first = own.min(FIRST_TIME);
    (first * PART_PERCENT + (own - first) * PART_PERCENT_LATER) / 100
}

/// What is given out at a time.
fn slice(unit: Duration) -> Duration {
    (unit * SLICE_UNITS).clamp(SLICE_RANGE.0, SLICE_RANGE.1)
}

/// The time of the processor that this thread has taken since this was asked for last.
fn own_time() -> Duration {
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

    /// Whether enough have waited that none is to be made.
    pub(super) fn are_many() -> bool {
        STALLED.load(Ordering::Relaxed) >= STALLED_MAX
    }

    /// Notes that a copy was ended because it waited.
    pub(super) fn note() {
        STALLED.fetch_add(1, Ordering::Relaxed);
    }

    /// Looks at a copy: whether it has waited for as long as `limit`.
    pub(super) fn waits_longer(&mut self, child: &Child, limit: Duration) -> bool {
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

    /// A lump of 300 ms, in slices of 20 ms.
    const UNIT: Duration = Duration::from_micros(300_000 / LEAST_UNITS as u64);

    fn millis(it: Duration) -> u128 {
        it.as_micros().div_ceil(1000)
    }

    /// What a test gets that always asks for more.
    fn greedy(purse: &ConcolicBudget, has_hope: bool) -> Duration {
        let Some(mut taken) = purse.take(Duration::ZERO, MS * 200, UNIT) else { return Duration::ZERO };
        loop {
            let more = purse.extend(taken, MS * 200, has_hope, UNIT);
            if more == Duration::ZERO {
                return taken;
            }
            taken += more;
        }
    }

    #[test]
    fn who_has_hope_gets_more_and_nobody_gets_all() {
        let purse = ConcolicBudget::new();
        assert_eq!(millis(purse.account().left(UNIT)), 300);
        assert_eq!(millis(greedy(&purse, false)), 20);
        // A sixth of the 280 ms that are left.
        assert_eq!(millis(greedy(&purse, true)), 47);
        // Many have a slice before there is none.
        let served = (0..100).filter(|_| greedy(&purse, true) > Duration::ZERO).count();
        assert!((8..100).contains(&served), "{served}");
        assert_eq!(purse.take(Duration::ZERO, MS * 200, UNIT), None);
        // Tests that take their time pay for more, those of little do not.
        (0..100).for_each(|_| assert_eq!(purse.take(LITTLE, MS * 200, UNIT), None));
        assert!(purse.take(MS * 300, MS * 200, UNIT) > Some(SLICE_RANGE.0));
    }

    #[test]
    fn a_failure_pays_for_others() {
        let purse = ConcolicBudget::new();
        let lefts: Vec<u128> = [false, true]
            .map(|has_found| {
                let taken = purse.take(Duration::ZERO, MS * 200, UNIT).unwrap();
                purse.settle(taken, MS * 10, has_found);
                millis(purse.account().left(UNIT))
            })
            .to_vec();
        assert_eq!(lefts, [290, 290 - 10 + 10 * u128::from(FOUND_TIMES)]);
    }

    #[test]
    fn what_is_not_spent_is_given_back() {
        let purse = ConcolicBudget::new();
        for _ in 0..1000 {
            let taken = purse.take(Duration::ZERO, MS * 200, UNIT).unwrap();
            purse.settle(taken, Duration::ZERO, false);
        }
        assert_eq!(millis(purse.account().left(UNIT)), 300);
    }

    #[test]
    fn in_the_long_run_a_part_is_spent() {
        let purse = ConcolicBudget::new();
        let mut spent = Duration::ZERO;
        for _ in 0..1000 {
            if let Some(taken) = purse.take(MS * 100, MS * 200, UNIT) {
                purse.settle(taken, taken, false);
                spent += taken;
            }
        }
        let most = part((MS * 100 - LITTLE) * 1000) + UNIT * LEAST_UNITS;
        assert!(spent <= most && spent >= most * 9 / 10, "{spent:?}");
        assert_eq!([1, 5, 10].map(|it| millis(part(MS * 1000 * it))), [350, 1470, 1820]);
    }
}
