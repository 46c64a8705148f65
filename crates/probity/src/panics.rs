//! The panic hook: silent where a search catches the panic, as before everywhere else.

mod fatal;
mod threads;

use std::panic::{self, PanicHookInfo};
use std::sync::Once;

use probity_core::{context, cut};

#[cfg(unix)]
pub(crate) use fatal::replace_fatal_in_copy;
pub(crate) use fatal::{FATAL_ENDS, Fatal, replace_fatal};
#[cfg(unix)]
pub(crate) use threads::hold;
pub(crate) use threads::{Quiet, RunId};

/// The longest message that is kept here, in bytes.
const MESSAGE_MAX: usize = 1 << 16;

/// Puts our hook before the one that is there, once a process.
///
/// No backtrace is taken: the failing case is run once more at the end with nothing caught, and the
/// hook that was there shows that panic in full.
pub(crate) fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let outer = panic::take_hook();
        // It puts its own over whatever is there the first time that it runs.
        #[cfg(feature = "shuttle")]
        crate::threads::silence();
        panic::set_hook(Box::new(move |info| {
            if !context::in_case() {
                if !threads::keeps(info) {
                    outer(info);
                }
                return;
            }
            fatal::look(info);
            probity_core::case_ended(probity_core::CaseEnd::Failed);
            if let Some(location) = info.location() {
                context::panicked_at(location.to_string());
            }
        }));
        #[cfg(unix)]
        {
            fatal::watch_exits();
            fatal::watch_aborts();
        }
    });
}

fn place(info: &PanicHookInfo<'_>) -> String {
    info.location().map_or("an unknown place".to_string(), ToString::to_string)
}

fn message(info: &PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(it), _) => cut(it, MESSAGE_MAX),
        (_, Some(it)) => cut(it, MESSAGE_MAX),
        _ => "a panic whose payload is not text".to_string(),
    }
}
