//! Panics that nobody can catch: of a destructor while something else unwinds, or of a function that cannot unwind.
//!
//! Rust ends the process then. It calls the hook a second time before it does, and that is where the failure is told:
//! a child that runs isolated cases sends it, and any other process does what its run has asked for.

use std::cell::{Cell, RefCell};
use std::panic::PanicHookInfo;

use probity_core::{Failure, Origin, OriginKind};

/// Tells a failure of the running case that ends this process.
pub(crate) type Fatal = Box<dyn FnOnce(Failure)>;

thread_local! {
    /// Who tells it, for the run on this thread.
    static TELL: RefCell<Option<Fatal>> = const { RefCell::new(None) };
    /// The last panic in a case: its message and its place.
    static LAST: RefCell<Option<(String, String)>> = const { RefCell::new(None) };
    static IS_TOLD: Cell<bool> = const { Cell::new(false) };
}

/// Lets `tell` tell fatal panics of cases on this thread, and returns who did before.
pub(crate) fn replace(tell: Option<Fatal>) -> Option<Fatal> {
    TELL.replace(tell)
}

/// Nobody tells fatal panics any more: of a copy of the process, which has others to ask.
pub(crate) fn forget_fatal(tell: Option<Fatal>) {
    // Who told them before may own what is not to be dropped here.
    std::mem::forget(replace(tell));
}

/// Looks at a panic in a case. Does not return where it is fatal and somebody tells it.
pub(super) fn look(info: &PanicHookInfo<'_>) {
    let how = match info.payload().downcast_ref::<&str>() {
        Some(&"panic in a destructor during cleanup") => "in a destructor, while the case was ending",
        Some(&"panic in a function that cannot unwind") => "in a function that cannot unwind",
        _ => {
            let _ = LAST.try_with(|it| it.replace(Some((super::message(info), super::place(info)))));
            return;
        }
    };
    if IS_TOLD.replace(true) {
        return;
    }
    let Some(tell) = replace(None) else { return };
    let (message, place) = LAST.take().unwrap_or_else(|| (super::message(info), super::place(info)));
    let place = format!("panicked at {place} {how}");
    tell(Failure { message, origin: Origin { kind: OriginKind::Died, place } });
}
