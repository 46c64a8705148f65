//! The panic hook: silent where a search catches the panic, as before everywhere else.

use std::panic;
use std::sync::Once;

use probity_core::context;

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
                return outer(info);
            }
            probity_core::case_ends(3);
            if let Some(location) = info.location() {
                context::panicked_at(location.to_string());
            }
        }));
    });
}
