//! How a case ends before its test does, and what a test says on the way.

use std::ffi::{c_char, c_double, c_int, c_uint};

use probity_core::{Failure, Origin as FailureOrigin, OriginKind, Site, context, mark_failed, mark_rejected};

use crate::case::{self, is_running, leave};
use crate::input::DrawSite;
use crate::take_over;
use crate::text::kept;

/// Whether a test is running on this thread.
///
/// ```
/// assert_eq!(probity_c::probity_is_running(), 0);
/// ```
#[unsafe(no_mangle)]
pub extern "C" fn probity_is_running() -> c_int {
    is_running().into()
}

/// Rejects the running case: its input is not one that the test is about. Does not return.
///
/// # Safety
///
/// Both texts end with a zero, and last as long as the program: they are literals.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn probity_reject(what: *const c_char, file: *const c_char, line: c_uint) -> ! {
    if !is_running() {
        // SAFETY: as the caller promises.
        die(&unsafe { case::text(what) }, DrawSite { file, line });
    }
    let site = site(what, file, line);
    take_over::reject(site);
    mark_rejected(site);
    leave()
}

/// The site of an assumption. It is made for each case that is rejected, so it is looked up by its address.
fn site(what: *const c_char, file: *const c_char, line: c_uint) -> Site {
    use std::cell::Cell;
    thread_local! {
        static LAST: Cell<Option<(*const c_char, c_uint, Site)>> = const { Cell::new(None) };
    }
    if let Some((address, at, site)) = LAST.get()
        && address == what
        && at == line
    {
        return site;
    }
    // SAFETY: the callers pass texts that end with a zero.
    let text = unsafe { case::text(what) };
    let site = Site { what: kept(&text), location: DrawSite { file, line }.place() };
    LAST.set(Some((what, line, site)));
    site
}

/// Fails the running case. Does not return.
///
/// # Safety
///
/// Both texts end with a zero, or are null.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn probity_fail(message: *const c_char, file: *const c_char, line: c_uint) -> ! {
    // SAFETY: as the caller promises.
    let message = unsafe { case::text(message) };
    let at = DrawSite { file, line };
    if !is_running() {
        die(&message, at);
    }
    fail(message, format!("at {}", at.place()));
    leave()
}

/// Fails the running case with an exception that nobody caught. Does not return.
///
/// # Safety
///
/// The texts end with a zero, or are null.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn probity_threw(ty: *const c_char, what: *const c_char) -> ! {
    // SAFETY: as the caller promises.
    let (ty, what) = unsafe { (case::text(ty), case::text(what)) };
    let place = format!("threw {ty}");
    let message = if what.is_empty() { place.clone() } else { format!("{place}: {what}") };
    fail(message, place);
    leave()
}

fn fail(message: String, place: String) {
    let failure = Failure { message, origin: FailureOrigin { kind: OriginKind::Foreign, place } };
    take_over::fail(&failure);
    mark_failed(failure);
}

/// Says that the running case fails, and goes on with it.
///
/// # Safety
///
/// Both texts end with a zero, or are null.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn probity_soft_fail(message: *const c_char, file: *const c_char, line: c_uint) {
    // SAFETY: as the caller promises.
    let message = unsafe { case::text(message) };
    let at = DrawSite { file, line };
    if !is_running() {
        die(&message, at);
    }
    take_over::soft_fail(&message, at);
    context::broken_at(format_args!("{message}"), at.place());
}

/// Ends the running case as one that passes. Does not return.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn probity_pass() -> ! {
    if !is_running() {
        std::process::exit(0);
    }
    leave()
}

/// A note, which is shown with the failing input.
///
/// # Safety
///
/// The text ends with a zero, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn probity_note(text: *const c_char) {
    if context::is_rendering() {
        // SAFETY: as the caller promises.
        context::note(format_args!("{}", unsafe { case::text(text) }));
    }
}

/// Counts the case under a label.
///
/// # Safety
///
/// The text ends with a zero, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn probity_classify(label: *const c_char) {
    // SAFETY: as the caller promises.
    context::label(format_args!("{}", unsafe { case::text(label) }));
}

/// Gives the case a score to raise.
///
/// # Safety
///
/// The text ends with a zero, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn probity_maximize(label: *const c_char, value: c_double) {
    // SAFETY: as the caller promises.
    context::maximize(kept(&unsafe { case::text(label) }), value);
}

/// Gives the case a score to lower.
///
/// # Safety
///
/// The text ends with a zero, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn probity_minimize(label: *const c_char, value: c_double) {
    // SAFETY: as the caller promises.
    context::minimize(kept(&unsafe { case::text(label) }), value);
}

/// What fails outside a test ends the program.
#[cold]
#[allow(clippy::print_stderr, reason = "the program ends here")]
fn die(message: &str, at: DrawSite) -> ! {
    eprintln!("probity: {}: `{message}` does not hold outside a test", at.place());
    std::process::exit(1)
}

/// What C++ unwinds by: the layout of the ABI that gcc and clang share.
#[repr(C, align(16))]
struct UnwindException {
    class: u64,
    cleanup: extern "C" fn(c_uint, *mut UnwindException),
    private: [usize; 6],
}

/// Unwinds what runs in the case, so that destructors do, and then leaves it. Anyone who catches what unwinds and does not throw
/// it on ends the case there.
pub(crate) fn unwind() {
    unsafe extern "C-unwind" {
        fn _Unwind_RaiseException(exception: *mut UnwindException) -> c_uint;
    }
    extern "C" fn caught(_: c_uint, _: *mut UnwindException) {
        crate::case::leave_now()
    }
    // Leaked: anyone who catches it may look at it for as long as they like.
    let exception = Box::leak(Box::new(UnwindException {
        class: u64::from_be_bytes(*b"PROBITY\0"),
        cleanup: caught,
        private: [0; 6],
    }));
    // SAFETY: it is laid out as the ABI wants it, and lasts.
    unsafe { _Unwind_RaiseException(exception) };
    // Nobody would catch it: it returned.
}
