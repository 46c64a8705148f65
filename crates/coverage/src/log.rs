//! The places that were met, in memory that a process and its copies share.

use std::ops::Range;
use std::ptr;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use crate::image::Image;
use crate::trap::{ONCE, OWN, TIMES};

/// The places that a copy met, each once. It is made in the process of the test, so that others can read it meanwhile.
///
/// ```
/// # #[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))] {
/// use probity_coverage::{Image, CodeLog};
/// let log = CodeLog::new(Image::get().unwrap()).unwrap();
/// assert_eq!(log.met(), 0);
/// # }
/// ```
#[derive(Debug)]
pub struct CodeLog {
    start: *mut u8,
    size: usize,
    entries: usize,
    text: u64,
    /// Where the text begins, as the file has it.
    in_file: u64,
}

/// Where all of them are, and those that nobody uses now. They are never given back: who finds one in the list of all memory
/// that is shared finds it here, too.
static RANGES: Mutex<Vec<Range<usize>>> = Mutex::new(Vec::new());
static FREE: Mutex<Vec<usize>> = Mutex::new(Vec::new());

/// The memory that this process shares with its copies by logs.
///
/// ```
/// # #[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))] {
/// use probity_coverage::{Image, CodeLog, own_memory};
/// let log = CodeLog::new(Image::get().unwrap()).unwrap();
/// assert!(!own_memory().is_empty());
/// # drop(log);
/// # }
/// ```
pub fn own_memory() -> Vec<Range<usize>> {
    RANGES.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

const HEAD: usize = 64;
const PAGE: usize = 1 << 12;

impl CodeLog {
    /// A log for one copy at a time. It takes memory only for what is met. `Err`: why there is none.
    pub fn new(image: &'static Image) -> Result<CodeLog, String> {
        // An instruction takes two bytes or more where a block begins, but few; and what is made sure of is logged again.
        let entries = image.text().len();
        let size = (HEAD + 4 * entries).next_multiple_of(PAGE);
        let text = image.text().start as u64;
        let made = |start| CodeLog { start, size, entries, text, in_file: text - image.base };
        if let Some(start) = FREE.lock().unwrap_or_else(PoisonError::into_inner).pop() {
            return Ok(made(start as *mut u8));
        }
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let mut ranges = RANGES.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: a new mapping, which nobody else knows.
        let start = unsafe { libc::mmap(ptr::null_mut(), size, protection, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(format!("no memory can be shared: {}", std::io::Error::last_os_error()));
        }
        ranges.push(start as usize..start as usize + size);
        Ok(made(start.cast()))
    }

    pub(crate) fn count(&self) -> &AtomicU64 {
        // SAFETY: it is aligned, lives as long as the log, and is used only as an atomic.
        unsafe { &*self.start.cast() }
    }

    pub(crate) fn entries(&self) -> &[AtomicU32] {
        // SAFETY: as for `count`; there are this many of them.
        unsafe { std::slice::from_raw_parts(self.start.add(HEAD).cast(), self.entries) }
    }

    /// How many entries there are.
    pub fn met(&self) -> usize {
        (self.count().load(Relaxed) as usize).min(self.entries)
    }

    /// The addresses of the blocks among the entries from `since` on, in the order in which they were met.
    ///
    /// ```
    /// # #[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))] {
    /// use probity_coverage::{Image, CodeLog};
    /// let log = CodeLog::new(Image::get().unwrap()).unwrap();
    /// assert_eq!(log.blocks(0).count(), 0);
    /// # }
    /// ```
    pub fn blocks(&self, since: usize) -> impl Iterator<Item = u64> {
        self.raw(since).filter(|it| it & (OWN | TIMES) == 0).map(|it| self.text + u64::from(it))
    }

    /// The addresses of all blocks among the entries from `since` on, whatever met them.
    ///
    /// ```
    /// # #[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))] {
    /// use probity_coverage::{CodeLog, Image};
    /// let log = CodeLog::new(Image::get().unwrap()).unwrap();
    /// assert_eq!(log.all_blocks(0).count(), 0);
    /// # }
    /// ```
    pub fn all_blocks(&self, since: usize) -> impl Iterator<Item = u64> {
        let flags = OWN | TIMES;
        self.raw(since)
            .filter(move |it| it & flags != TIMES)
            .map(move |it| self.text + u64::from(it & !flags))
    }

    /// The places of all blocks that were met, those that were not met again too, as the file of the executable has them.
    ///
    /// ```
    /// # #[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))] {
    /// use probity_coverage::{CodeLog, Image};
    /// let log = CodeLog::new(Image::get().unwrap()).unwrap();
    /// assert_eq!(log.reached().count(), 0);
    /// # }
    /// ```
    pub fn reached(&self) -> impl Iterator<Item = u64> {
        let flags = OWN | TIMES;
        let is_reached = move |it: &u32| it & flags == 0 || it & flags == ONCE;
        self.raw(0).filter(is_reached).map(move |it| self.in_file + u64::from(it & !flags))
    }

    /// How many entries from `since` on tell that a loop went round more often than before.
    ///
    /// ```
    /// # #[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))] {
    /// use probity_coverage::{CodeLog, Image};
    /// let log = CodeLog::new(Image::get().unwrap()).unwrap();
    /// assert_eq!(log.loops(0), 0);
    /// # }
    /// ```
    pub fn loops(&self, since: usize) -> usize {
        self.raw(since).filter(|it| it & (OWN | TIMES) == TIMES).count()
    }

    pub(crate) fn raw(&self, since: usize) -> impl Iterator<Item = u32> {
        self.entries().iter().take(self.met()).skip(since).map(|it| it.load(Relaxed))
    }
}

impl Drop for CodeLog {
    fn drop(&mut self) {
        // SAFETY: it is this mapping, and nobody refers to it any more; what it holds is zero again.
        unsafe { libc::madvise(self.start.cast(), self.size, libc::MADV_REMOVE) };
        FREE.lock().unwrap_or_else(PoisonError::into_inner).push(self.start as usize);
    }
}
