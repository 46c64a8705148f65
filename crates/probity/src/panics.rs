//! The panic hook: silent where a search catches the panic, as before everywhere else.

use std::panic;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use probity_core::context;

/// Whether this process is a copy, whose panics nobody reads.
static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// Keeps this process, a copy, from saying anything of panics, whichever thread they are in: a backtrace takes long, and
/// the reported case is run again elsewhere.
#[cfg(unix)]
pub(crate) fn be_quiet() {
    IS_QUIET.store(true, Ordering::Relaxed);
}

/// Puts our hook before the one that is there, once a process.
///
/// No backtrace is taken: the failing case is run once more at the end with nothing caught, and the
/// hook that was there shows that panic in full.
pub(crate) fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let outer = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !context::in_case() {
                if !IS_QUIET.load(Ordering::Relaxed) {
                    outer(info);
                }
                return;
            }
            probity_core::case_ends(3);
            if let Some(location) = info.location() {
                context::panicked_at(location.to_string());
            }
        }));
    });
}
