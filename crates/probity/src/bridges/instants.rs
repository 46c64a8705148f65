//! Instants, which only a clock can make.

use std::time::{Duration, Instant};

use probity_core::{Combine, any};

/// How far from its start an instant is at most, in seconds: a century.
const SECONDS_MAX: u64 = 100 * 365 * 24 * 60 * 60;

/// Instants from `start` on: up to a day later seven times of sixteen, and up to a century otherwise. The simplest is
/// `start` itself.
///
/// An `Instant` has no generator of its own, since only a clock can make one, and a case is the same whenever it runs.
/// So it is you who reads the clock. Let the test depend on nothing but the times between instants.
///
/// ```
/// use probity::prelude::*;
/// use std::time::{Duration, Instant};
///
/// let start = Instant::now();
/// probity::check(|src: &mut Source| {
///     let later = src.draw(probity::instants(start));
///     assert!(later - start <= Duration::from_secs(4_000_000_000));
/// });
/// ```
pub fn instants(start: Instant) -> impl Combine<Value = Instant> {
    any::<Duration>().map(move |it| {
        let after = Duration::new(it.as_secs() % SECONDS_MAX, it.subsec_nanos());
        start.checked_add(after).unwrap_or(start)
    })
}
