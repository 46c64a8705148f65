//! When to stop, in time of the processor: on a busy machine the same work is done, only later.

use std::time::{Duration, Instant};

/// The end of some work: when this thread has taken so much time of the processor, and by the clock at the latest.
///
/// ```
/// use std::time::Duration;
/// use probity_concolic::clock::Deadline;
///
/// let deadline = Deadline::after(Duration::from_secs(60));
/// assert!(!deadline.is_over() && deadline.left() > Duration::from_secs(1));
/// assert!(deadline.sooner(Duration::from_secs(60)).is_over());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    processor: Duration,
    latest: Option<Instant>,
}

impl Deadline {
    /// When this thread has taken so much more time of the processor.
    pub fn after(time: Duration) -> Deadline {
        Deadline { processor: thread_time().saturating_add(time), latest: None }
    }

    /// The same, and no later than `latest`.
    pub fn by(self, latest: Instant) -> Deadline {
        Deadline { latest: Some(self.latest.map_or(latest, |it| it.min(latest))), ..self }
    }

    /// Whether it is over.
    pub fn is_over(self) -> bool {
        self.latest.is_some_and(|it| Instant::now() >= it) || thread_time() >= self.processor
    }

    /// How much time is left.
    pub fn left(self) -> Duration {
        let processor = self.processor.saturating_sub(thread_time());
        let by_clock = |it: Instant| it.saturating_duration_since(Instant::now());
        self.latest.map_or(processor, |it| processor.min(by_clock(it)))
    }

    /// So much time of the processor sooner.
    pub fn sooner(self, by: Duration) -> Deadline {
        Deadline { processor: self.processor.saturating_sub(by), ..self }
    }
}

/// The time of the processor that this thread has taken.
#[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
pub(crate) fn thread_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid to write to.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The time by the clock, where there is no engine.
#[cfg(not(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu")))]
pub(crate) fn thread_time() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}
