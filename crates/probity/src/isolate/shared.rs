//! Words that this process shares with its children.

use std::io;
use std::ops::Deref;
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, PoisonError};

/// Words that children see too, and that stay when they die. What is in them at first is anybody's.
pub(crate) struct SharedWords(&'static [AtomicU64]);

/// How many words there are.
pub(crate) const WORDS: usize = probity_core::Progress::WORDS + 2;

/// Those that nobody uses now. They are never given back: anyone who still reads them reads words.
static FREE: Mutex<Vec<&'static [AtomicU64]>> = Mutex::new(Vec::new());

/// Where all of them are.
static RANGES: Mutex<Vec<std::ops::Range<usize>>> = Mutex::new(Vec::new());

/// The addresses of all memory that is shared.
pub(super) fn ranges() -> Vec<std::ops::Range<usize>> {
    RANGES.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

impl SharedWords {
    pub(crate) fn new() -> io::Result<SharedWords> {
        if let Some(words) = FREE.lock().unwrap_or_else(PoisonError::into_inner).pop() {
            return Ok(SharedWords(words));
        }
        let (protection, flags) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping, aligned to pages, zeroed and never unmapped, is as many words as fit into it, and
        // words that are only ever used as atomics may be changed by others.
        unsafe {
            let start = libc::mmap(std::ptr::null_mut(), 8 * WORDS, protection, flags, -1, 0);
            if start == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            RANGES
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(start as usize..(start as usize + 8 * WORDS).next_multiple_of(1 << 12));
            Ok(SharedWords(std::slice::from_raw_parts(start.cast(), WORDS)))
        }
    }

    pub(crate) fn words(&self) -> &'static [AtomicU64] {
        self.0
    }
}

impl Deref for SharedWords {
    type Target = [AtomicU64];

    fn deref(&self) -> &[AtomicU64] {
        self.0
    }
}

impl Drop for SharedWords {
    fn drop(&mut self) {
        FREE.lock().unwrap_or_else(PoisonError::into_inner).push(self.0);
    }
}
