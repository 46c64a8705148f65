//! How fast a search goes: a slow one looks at the clock more often, anyone who watches ends it in time, and a long
//! exhaustive one can be seen to go on.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use probity_core::Progress;

use crate::events::Event;

/// How often it is told.
const EVERY: Duration = Duration::from_secs(10);

/// How much time may go by between two looks at the clock.
const LOOK: Duration = Duration::from_millis(10);

/// The shortest time that a stage gets, as a part of `time`; see `portfolio.rs`.
const SHORTEST: u32 = 5;

/// By the clock, a search may take this many times what it may take of the processor: on a busy machine.
pub(super) const BUSY: u32 = 4;

/// What deadlines are counted from, in this process and its copies.
static ZERO: LazyLock<Instant> = LazyLock::new(Instant::now);

fn nanos(since_zero: Duration) -> u64 {
    u64::try_from(since_zero.as_nanos()).unwrap_or(u64::MAX)
}

/// Whether a search that began at `start` and `ran` this many cases is within its `time`. Lets it know how many cases it
/// may run before it asks again, and those who watch when to end it.
pub(crate) fn is_within(time: Duration, start: Instant, ran: u64, progress: &Progress) -> bool {
    let elapsed = start.elapsed();
    let pace = LOOK.as_nanos() * u128::from(ran) / elapsed.as_nanos().max(1);
    progress.set_pace(u64::try_from(pace).unwrap_or(u64::MAX));
    progress.set_deadline(nanos(start.saturating_duration_since(*ZERO).saturating_add(time)).max(1));
    elapsed < time
}

/// Ends a search at its deadline, from another thread or process: cases that were fast and become slow do not look at
/// the clock.
pub(crate) struct Deadline {
    /// How long to wait at most: a search may begin meanwhile, and get no less.
    look: Duration,
    /// The last one that was kept.
    kept: Option<u64>,
}

impl Deadline {
    /// Of the searches of a run. This goes before they begin, and before the process is copied for them.
    pub(crate) fn new(time: Duration) -> Self {
        LazyLock::force(&ZERO);
        let look = (time / SHORTEST).clamp(Duration::from_millis(1), Duration::from_secs(1));
        Deadline { look, kept: None }
    }

    /// How long to wait before the next [`look`](Self::look).
    pub(crate) fn wait(&self, progress: &Progress) -> Duration {
        let left = |at: u64| Duration::from_nanos(at.saturating_sub(nanos(ZERO.elapsed())));
        progress
            .deadline()
            .filter(|it| Some(*it) != self.kept)
            .map_or(self.look, |it| left(it).min(self.look))
    }

    /// Ends what runs, if it is time.
    pub(crate) fn look(&mut self, progress: &Progress) {
        let now = nanos(ZERO.elapsed());
        if let Some(at) = progress.deadline()
            && self.kept != Some(at)
            && at <= now
        {
            self.kept = Some(at);
            progress.end_batch();
        }
    }
}

pub(crate) struct Pace {
    start: Instant,
    told: Instant,
    size: u64,
    size_start: Instant,
}

impl Pace {
    pub(crate) fn new(start: Instant) -> Self {
        Pace { start, told: start, size: 0, size_start: start }
    }

    /// What to tell now, if it is time to tell something.
    pub(crate) fn event(&mut self, cases: u64, progress: &Progress) -> Option<Event> {
        let now = Instant::now();
        let (size, share) = progress.size();
        if size != self.size {
            (self.size, self.size_start) = (size, now);
        }
        if now - self.told < EVERY || share <= 0.0 {
            return None;
        }
        self.told = now;
        let left = (now - self.size_start).mul_f64((1.0 - share) / share);
        Some(Event::Progress { size, share, cases, time: now - self.start, left })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use probity_core::{Bounds, Budget, Source, search_exhaustive, search_random};

    use super::*;

    /// How often a search asks whether it may go on before its first case: once, and again if its batch was ended.
    fn asks(progress: &Arc<Progress>) -> u32 {
        let mut asks = 0;
        let mut go_on = |cases| {
            asks += u32::from(cases == 0);
            true
        };
        let budget = Budget { cases: 1, rejects: 0, go_on: &mut go_on, progress: Arc::clone(progress) };
        search_random(7, &mut |_: &mut Source| (), budget).unwrap();
        asks
    }

    #[test]
    fn each_deadline_is_kept_once() {
        let progress = Arc::<Progress>::default();
        let mut deadline = Deadline::new(Duration::from_secs(3600));
        deadline.look(&progress);
        assert_eq!((asks(&progress), deadline.wait(&progress)), (1, deadline.look), "there is none");
        let start = Instant::now();
        assert!(is_within(Duration::from_secs(3600), start, 0, &progress));
        deadline.look(&progress);
        assert_eq!((asks(&progress), deadline.wait(&progress)), (1, deadline.look), "it is far");
        for after in [0, 1] {
            assert!(!is_within(Duration::from_nanos(after), start, 0, &progress));
            assert_eq!(deadline.wait(&progress), Duration::ZERO);
            deadline.look(&progress);
            assert_eq!(asks(&progress), 2, "it is over");
            deadline.look(&progress);
            assert_eq!((asks(&progress), deadline.wait(&progress)), (1, deadline.look), "that is known");
        }
        assert!(is_within(Duration::MAX, start, 0, &progress), "as far as can be");
        deadline.look(&progress);
        assert_eq!(asks(&progress), 1);
    }

    #[test]
    fn a_long_run_is_told_of_once_in_a_while() {
        let now = Instant::now();
        let Some(before) = now.checked_sub(EVERY * 3) else { return }; // the machine has just been started
        let mut pace = Pace { start: before, told: before, size: 0, size_start: before };
        let progress = Arc::<Progress>::default();
        let mut told = Vec::new();
        let watched = Arc::clone(&progress);
        let mut go_on = |cases| {
            told.extend(pace.event(cases, &watched));
            cases < 10_000
        };
        let budget = Budget { cases: u64::MAX, rejects: 0, go_on: &mut go_on, progress };
        let mut test = |src: &mut Source| _ = src.any::<Vec<u8>>();
        search_exhaustive(Bounds::default(), &mut test, budget).unwrap();
        let [Event::Progress { size, share, cases, time, .. }] = &told[..] else { panic!("{told:?}") };
        assert!(*size > 0 && (0.0..=1.0).contains(share) && *cases > 0 && *time >= EVERY * 3, "{told:?}");
    }
}
