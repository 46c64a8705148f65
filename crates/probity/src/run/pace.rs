//! How fast an exhaustive search goes, so that a long one can be seen to.

use std::time::{Duration, Instant};

use probity_core::Progress;

use crate::events::Event;

/// How often it is told.
const EVERY: Duration = Duration::from_secs(10);

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
