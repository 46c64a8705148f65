//! How fast a search goes: a slow one looks at the clock more often, and a long exhaustive one can be seen to go on.

use std::time::{Duration, Instant};

use probity_core::Progress;

use crate::events::Event;

/// How often it is told.
const EVERY: Duration = Duration::from_secs(10);

/// How much time may go by between two looks at the clock.
const LOOK: Duration = Duration::from_millis(10);

/// Whether a search that began at `start` and `ran` so many cases is within its `time`. Tells it how many cases it
/// may run before it asks again.
pub(crate) fn is_within(time: Duration, start: Instant, ran: u64, progress: &Progress) -> bool {
    let elapsed = start.elapsed();
    let pace = LOOK.as_nanos() * u128::from(ran) / elapsed.as_nanos().max(1);
    progress.set_pace(u64::try_from(pace).unwrap_or(u64::MAX));
    elapsed < time
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

    use probity_core::{Bounds, Budget, Source, search_exhaustive};

    use super::*;

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
