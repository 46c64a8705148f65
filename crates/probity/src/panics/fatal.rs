//! Panics that nobody can catch: of a destructor while something else unwinds, of a function that cannot unwind, of a
//! `Debug` while the message of a panic is made.
//!
//! Rust ends the process then. A case that calls `exit` is like them: what comes after it is lost. Of the first two the hook hears before, of the last only the signal by which it ends.
//! That is where the failure is told: a child that runs isolated cases sends it, and any other process does what its run
//! has asked for.

#[cfg(unix)]
use std::cell::Cell;
use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::panic::PanicHookInfo;
#[cfg(unix)]
use std::sync::atomic::{AtomicI32, Ordering};

#[cfg(unix)]
use probity_core::context;
use probity_core::{Failure, Origin, OriginKind};

/// What a process of tests exits with when one has failed.
const FAILED: i32 = 101;

/// Reports a failure of the running case that ends this process.
pub(crate) type Fatal = Box<dyn FnOnce(Failure)>;

thread_local! {
    /// Who reports it, for the run on this thread.
    /// It is there while the process exits, too, when what has to be dropped is gone.
    static TELL: ManuallyDrop<RefCell<Option<Fatal>>> = const { ManuallyDrop::new(RefCell::new(None)) };
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
    TELL.with(|it| it.replace(tell))
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
        _ if TELL.with(|it| it.borrow().is_none()) => return,
        _ => {
            LAST.set(Some((super::message(info), super::place(info))));
            return;
        }
    };
    let (message, place) = LAST.take().unwrap_or_else(|| (super::message(info), super::place(info)));
    if tell(message, format!("panicked at {place} {how}")) {
        std::process::exit(FAILED);
    }
}

/// Reports it, if somebody does. The process is to end then.
fn tell(message: String, place: String) -> bool {
    // Only once: to tell it may fail as well.
    let tell = replace_fatal(None);
    tell.map(|it| it(Failure { message, origin: Origin { kind: OriginKind::Died, place } })).is_some()
}

/// The process of the tests.
#[cfg(unix)]
static PROCESS: AtomicI32 = AtomicI32::new(0);

/// Whether this is the process of the tests, and not one that a test has started: that may end as it likes.
#[cfg(unix)]
fn is_own() -> bool {
    // SAFETY: a call without preconditions.
    PROCESS.load(Ordering::Relaxed) == unsafe { libc::getpid() }
}

/// Looks at this process when it exits: a case that ends it with code 0 would let all of its tests pass.
#[cfg(unix)]
pub(super) fn watch_exits() {
    extern "C" fn on_exit() {
        if IS_COPY.get() {
            crate::isolate::tell_place();
        } else if is_own() && context::in_case() && tell("the process exited".to_string(), EXITED.to_string())
        {
            // SAFETY: it does not return. Who exits already cannot do so again.
            unsafe { libc::_exit(FAILED) };
        }
    }
    /// Which code it is nobody says here.
    const EXITED: &str = "exited with code (unknown)";
    // SAFETY: the first has no preconditions; `on_exit` is there for as long as the process.
    unsafe {
        PROCESS.store(libc::getpid(), Ordering::Relaxed);
        libc::atexit(on_exit);
    }
}

/// Looks at this process when it is about to abort.
#[cfg(unix)]
pub(super) fn watch_aborts() {
    extern "C" fn on_abort(_: i32) {
        // Any other abort may come from anywhere, such as the allocator, where nothing can be done any more. A panic
        // that cannot go on holds nothing that is needed here.
        if IS_COPY.get() {
            crate::isolate::tell_place();
        } else if is_own()
            && std::thread::panicking()
            && context::in_case()
            && tell("the process died: abort".to_string(), "died: abort".to_string())
        {
            std::process::exit(FAILED);
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
