//! Where copies cannot be sealed, and nobody asks for it.

use std::convert::Infallible;
use std::fmt;
use std::os::fd::RawFd;
use std::sync::atomic::AtomicU64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reason(Infallible);

pub(super) const CODE: i32 = 99;

pub(super) struct Seal;

impl Seal {
    pub(super) fn new(_: &'static AtomicU64, _: RawFd, _: RawFd) -> Seal {
        Seal
    }

    pub(super) fn close(&mut self, _: libc::pid_t) {}
}

impl Reason {
    pub(super) fn is_wait(self) -> bool {
        match self.0 {}
    }

    pub(super) fn new(_: u64, _: Option<i32>) -> Option<Reason> {
        None
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {}
    }
}

/// # Safety
///
/// As for `fork`.
pub(super) unsafe fn copy() -> libc::pid_t {
    // SAFETY: as the caller says.
    unsafe { libc::fork() }
}
