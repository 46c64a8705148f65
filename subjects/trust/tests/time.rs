//! Tests that are fast for long enough to be trusted, and then are not. `time` holds all the same: no case begins after
//! it. The table runs each under every engine.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::Duration;

use probity::prelude::*;

/// How long the slow cases take: the table knows it too.
const SLOW: Duration = Duration::from_millis(200);

/// Sleeps where `is_slow` says so of the number of the run.
fn case(ran: &AtomicU32, is_slow: fn(u32) -> bool) {
    if is_slow(ran.fetch_add(1, SeqCst)) {
        std::thread::sleep(SLOW);
    }
}

#[probity::test(cases = 1_000_000)]
fn slow_after_a_thousand(_: Vec<u8>) {
    static RAN: AtomicU32 = AtomicU32::new(0);
    case(&RAN, |it| it >= 1000);
}

#[probity::test(cases = 1_000_000)]
fn slow_once_in_500(_: Vec<u8>) {
    static RAN: AtomicU32 = AtomicU32::new(0);
    case(&RAN, |it| it % 500 == 499);
}

#[probity::test(cases = 1_000_000)]
fn slow_with_labels(v: Vec<u8>) {
    static RAN: AtomicU32 = AtomicU32::new(0);
    case(&RAN, |it| it >= 1000);
    classify!(v.is_empty(), "empty");
}

#[probity::test(cases = 1_000_000)]
fn slow_with_a_score(v: Vec<u8>) {
    static RAN: AtomicU32 = AtomicU32::new(0);
    case(&RAN, |it| it >= 1000);
    maximize("length", v.len() as f64);
}

#[probity::test(cases = 1_000_000, max_rejects = 1_000_000)]
fn slow_before_it_rejects(v: Vec<u8>) {
    static RAN: AtomicU32 = AtomicU32::new(0);
    case(&RAN, |it| it >= 5000);
    assume!(RAN.load(SeqCst) <= 5000 || v.len() == 9_999);
}

#[probity::test(cases = 1_000_000, isolate = true)]
fn slow_apart(_: Vec<u8>) {
    static RAN: AtomicU32 = AtomicU32::new(0);
    case(&RAN, |it| it >= 1000);
}

/// Few enough to be visited one by one in a default run.
#[probity::test]
fn slow_among_few(_: u16) {
    static RAN: AtomicU32 = AtomicU32::new(0);
    case(&RAN, |it| it >= 500);
}
