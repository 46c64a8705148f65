//! The tests of the program, which register themselves before `main`.

use std::ffi::{c_char, c_uint};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::case;

/// A test, as headers write it down: a static of the program, which lasts.
#[repr(C)]
#[derive(Debug)]
pub struct ProbityTest {
    /// The test that was registered before it.
    previous: *const ProbityTest,
    /// What runs it.
    run: extern "C" fn(),
    name: *const c_char,
    file: *const c_char,
    line: c_uint,
}

/// The test that was registered last.
#[unsafe(no_mangle)]
static probity_last_test: AtomicPtr<ProbityTest> = AtomicPtr::new(ptr::null_mut());

/// Adds a test to those of the program.
///
/// # Safety
///
/// The test lasts as long as the program, and its texts end with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn probity_register(test: *mut ProbityTest) {
    // SAFETY: as the caller promises; tests register one after the other, before `main`.
    unsafe { (*test).previous = probity_last_test.load(Ordering::Relaxed) };
    probity_last_test.store(test, Ordering::Relaxed);
}

/// A test to be run.
#[derive(Clone, Debug)]
pub(crate) struct RegisteredTest {
    pub(crate) name: String,
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) run: extern "C" fn(),
}

/// All tests, in the order of their files and lines.
pub(crate) fn all() -> Vec<RegisteredTest> {
    let mut res = Vec::new();
    let mut next = probity_last_test.load(Ordering::Relaxed).cast_const();
    while !next.is_null() {
        // SAFETY: who registered it promised that it lasts, and its texts too.
        let (test, name, file) = unsafe { (&*next, case::text((*next).name), case::text((*next).file)) };
        res.push(RegisteredTest { name, file, line: test.line, run: test.run });
        next = test.previous;
    }
    // Those of one file come in the order of registration; links do not say which file is first.
    res.reverse();
    res
}
