//! Panics that nobody can catch: of a destructor while something else unwinds, of a function that cannot unwind, of a
//! `Debug` while the message of a panic is made.
//!
//! Rust ends the process then. Of the first two the hook hears before, of the last only the signal by which it ends.
//! That is where the failure is told: a child that runs isolated cases sends it, and any other process does what its run
//! has asked for.

#[cfg(unix)]
use std::cell::Cell;
use std::cell::RefCell;
use std::panic::PanicHookInfo;

#[cfg(unix)]
use probity_core::context;
use probity_core::{Failure, Origin, OriginKind};

/// Reports a failure of the running case that ends this process.
pub(crate) type Fatal = Box<dyn FnOnce(Failure)>;

thread_local! {
    /// Who reports it, for the run on this thread.
    static TELL: RefCell<Option<Fatal>> = const { RefCell::new(None) };
    /// The last panic in a case: its message and its place.
    static LAST: RefCell<Option<(String, String)>> = const { RefCell::new(None) };
    /// Whether this is a copy of the process, whose death is told by anyone who made it.
    #[cfg(unix)]
    static IS_COPY: Cell<bool> = const { Cell::new(false) };
}

/// How the texts of panics end that nobody can catch.
pub(crate) const FATAL_ENDS: [&str; 2] =
    ["in a destructor, while the case was ending", "in a function that cannot unwind"];

/// Lets `tell` tell fatal panics of cases on this thread, and returns who did before.
pub(crate) fn replace_fatal(tell: Option<Fatal>) -> Option<Fatal> {
    TELL.replace(tell)
}

/// Lets `tell` tell them in a copy of the process.
#[cfg(unix)]
pub(crate) fn replace_fatal_in_copy(tell: Option<Fatal>) {
    IS_COPY.set(true);
    // Who told them before may own what is not to be dropped here.
    std::mem::forget(replace_fatal(tell));
}

/// Looks at a panic in a case. Does not return where it is fatal and somebody reports it.
pub(super) fn look(info: &PanicHookInfo<'_>) {
    let how = match info.payload().downcast_ref::<&str>() {
        Some(&"panic in a destructor during cleanup") => FATAL_ENDS[0],
        Some(&"panic in a function that cannot unwind") => FATAL_ENDS[1],
        // Nobody asks for it.
        _ if TELL.with_borrow(Option::is_none) => return,
        _ => {
            LAST.set(Some((super::message(info), super::place(info))));
            return;
        }
    };
    let (message, place) = LAST.take().unwrap_or_else(|| (super::message(info), super::place(info)));
    tell(message, format!("panicked at {place} {how}"));
}

fn tell(message: String, place: String) {
    // Only once: to tell it may fail as well.
    if let Some(tell) = replace_fatal(None) {
        tell(Failure { message, origin: Origin { kind: OriginKind::Died, place } });
    }
}

/// Looks at this process when it is about to abort.
#[cfg(unix)]
pub(super) fn watch_aborts() {
    extern "C" fn on_abort(_: i32) {
        // Any other abort may come from anywhere, such as the allocator, where nothing can be done any more. A panic
        // that cannot go on holds nothing that is needed here.
        if std::thread::panicking() && context::in_case() && !IS_COPY.get() {
            tell("the process died: abort".to_string(), "died: abort".to_string());
        }
    }
    // SAFETY: the actions are all zero but for what is set, which is valid; `on_abort` runs on the thread that aborts,
    // synchronously, and returns, after which the process dies, unless it is a panic of that thread.
    unsafe {
        let mut before: libc::sigaction = std::mem::zeroed();
        let is_known = libc::sigaction(libc::SIGABRT, std::ptr::null(), &mut before) == 0;
        if is_known && before.sa_sigaction == libc::SIG_DFL {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_abort as *const () as usize;
            action.sa_flags = libc::SA_RESETHAND;
            libc::sigaction(libc::SIGABRT, &action, std::ptr::null_mut());
        }
    }
}
