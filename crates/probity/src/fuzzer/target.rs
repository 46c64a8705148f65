//! Tests that a fuzzer's own `main` calls, one input after the other: `fuzz_target!`.

use std::cell::RefCell;
use std::ffi::c_int;
use std::process;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use super::{FUZZED, Fuzzed, slice_of, with_same_signals};

thread_local! {
    /// Who waits for the test that this thread is about to run.
    static TAKER: RefCell<Option<Sender<HandedOver>>> = const { RefCell::new(None) };
}

/// A test on its way to the thread of a fuzzer.
struct HandedOver(Box<Fuzzed>);

// SAFETY: the thread that hands it over waits for ever, so one thread uses it at a time.
unsafe impl Send for HandedOver {}

/// Whether somebody waits for the test that this thread runs.
pub(super) fn is_asked() -> bool {
    TAKER.with(|it| it.borrow().is_some())
}

/// Hands the test over and waits, for its closure borrows from this thread. Gives it back where nobody asked for it.
pub(super) fn hand_over(fuzzed: Box<Fuzzed>) -> Option<Box<Fuzzed>> {
    let Some(taker) = TAKER.with(|it| it.borrow_mut().take()) else { return Some(fuzzed) };
    if taker.send(HandedOver(fuzzed)).is_err() {
        return None;
    }
    loop {
        thread::park();
    }
}

/// What `fuzz_target!` calls with each input: runs one case of `test`, a function under `#[probity::test]`, which is called
/// `path`. Zero where it passes, below zero where it rejects the input; a failure ends the process.
///
/// # Safety
///
/// `data` has `size` bytes.
pub unsafe fn run_target(test: fn(), path: &str, data: *const u8, size: usize) -> c_int {
    let mut fuzzed = FUZZED.with(|it| it.take()).unwrap_or_else(|| with_same_signals(|| take(test, path)));
    // SAFETY: a fuzzer hands over `size` bytes.
    let res = fuzzed.run(unsafe { slice_of(data, size) });
    FUZZED.with(|it| it.set(Some(fuzzed)));
    res
}

/// Begins the test on a thread of its own, up to where it would search.
#[allow(clippy::print_stderr, reason = "the process ends here, and says why")]
fn take(test: fn(), path: &str) -> Box<Fuzzed> {
    let (sender, receiver) = channel();
    let begun = thread::Builder::new().name(path.to_string()).spawn(move || {
        TAKER.with(|it| *it.borrow_mut() = Some(sender));
        test();
        TAKER.with(|it| it.borrow_mut().take()); // it ran no search: nobody is to wait for it
    });
    match begun.map(|_| receiver.recv()) {
        Ok(Ok(HandedOver(fuzzed))) => fuzzed,
        _ => {
            eprintln!(
                "probity: `{path}` ran to its end before any search; \
                 name a function under `#[probity::test]` in `fuzz_target!`, whose examples pass"
            );
            process::abort()
        }
    }
}
