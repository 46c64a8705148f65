//! The running case: its source, where it is left to, and what is given back at its end.

use std::cell::{Cell, RefCell};
use std::ffi::{CStr, c_char, c_void};
use std::ptr;

use probity_core::{Arm, Source, catch_panic, mark_failed};

use crate::jump;

thread_local! {
    /// The source of the running case.
    static SOURCE: Cell<*mut Source> = const { Cell::new(ptr::null_mut()) };
    /// Where the running case is left to.
    static PLACE: Cell<usize> = const { Cell::new(0) };
    /// Memory that is freed at the end of the case.
    static HELD: Cell<*mut HeldMemory> = const { Cell::new(ptr::null_mut()) };
    /// The branches of `OneOf` that run.
    static ARMS: RefCell<Vec<Arm>> = const { RefCell::new(Vec::new()) };
    /// How a case is left: 1 by unwinding.
    static UNWINDS: Cell<bool> = const { Cell::new(false) };
}

/// What stands before memory that is freed at the end of the case.
#[repr(C, align(16))]
struct HeldMemory {
    next: *mut HeldMemory,
}

/// Runs `body` as a case that draws from `source`.
pub(crate) fn run(source: &mut Source, body: extern "C" fn()) {
    crate::input::begin_case(source);
    SOURCE.set(source);
    jump::enter(body, PLACE.with(Cell::as_ptr));
    SOURCE.set(ptr::null_mut());
    end();
}

/// Gives back what the case held.
#[inline]
fn end() {
    if !HELD.get().is_null() {
        free_held();
    }
    ARMS.with_borrow_mut(|it| it.drain(..).rev().for_each(drop));
}

#[cold]
fn free_held() {
    let mut next = HELD.replace(ptr::null_mut());
    while !next.is_null() {
        // SAFETY: `hold` made it, and nothing else frees it.
        unsafe {
            let it = next;
            next = (*it).next;
            libc::free(it.cast());
        }
    }
}

/// Memory of `size` bytes until the end of the case.
pub(crate) fn hold(size: usize) -> *mut c_void {
    // SAFETY: what comes back is either null or has room for the link.
    unsafe {
        let it = libc::malloc(size.max(1).saturating_add(size_of::<HeldMemory>())).cast::<HeldMemory>();
        if it.is_null() {
            return ptr::null_mut();
        }
        it.write(HeldMemory { next: HELD.replace(it) });
        it.add(1).cast()
    }
}

/// Asks something of the source. Does not return where the case ends.
#[inline]
pub(crate) fn ask<T>(question: impl FnOnce(&mut Source) -> T) -> T {
    let source = SOURCE.get();
    if source.is_null() {
        outside();
    }
    // SAFETY: `run` has the source for as long as it is here, and nobody else uses it meanwhile.
    let source = unsafe { &mut *source };
    match catch_panic(|| question(source)) {
        Ok(it) => it,
        Err(failure) => {
            failure.into_iter().for_each(mark_failed);
            leave()
        }
    }
}

/// Whether a case is running on this thread.
pub(crate) fn is_running() -> bool {
    !SOURCE.get().is_null()
}

/// Lets cases be left by unwinding, so that destructors run.
pub(crate) fn set_unwinds(unwinds: bool) {
    UNWINDS.set(unwinds);
}

/// Leaves the case, of which it is said how it ends.
#[cold]
pub(crate) fn leave() -> ! {
    if UNWINDS.get() {
        crate::end::unwind();
    }
    leave_now()
}

/// Lets draws ask `source` from now on, for as long as the process lasts.
pub(crate) fn set_source(source: Source) {
    SOURCE.set(Box::leak(Box::new(source)));
}

/// Leaves the case, whatever destructors there are.
#[cold]
pub(crate) fn leave_now() -> ! {
    let place = PLACE.get();
    // SAFETY: callers are functions that C calls within a case on this thread, and own nothing.
    unsafe { jump::leave(place) }
}

#[cold]
#[allow(clippy::print_stderr, reason = "the program is wrong, and ends here")]
fn outside() -> ! {
    eprintln!(
        "probity: something was drawn outside a test, or on another thread; draw on the thread of the test"
    );
    std::process::exit(2)
}

/// Begins a branch.
pub(crate) fn push_arm(arm: Arm) {
    ARMS.with_borrow_mut(|it| it.push(arm));
}

/// Ends the branch that was begun last.
pub(crate) fn pop_arm() {
    drop(ARMS.with_borrow_mut(Vec::pop));
}

/// How many branches run.
pub(crate) fn depth() -> usize {
    ARMS.with_borrow(Vec::len)
}

/// A text of C's.
///
/// # Safety
///
/// `text` is null, or ends with a zero byte.
pub(crate) unsafe fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: as the caller promises.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
