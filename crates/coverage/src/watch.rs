//! A copy of the process that is watched.

use std::mem;
use std::ptr;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};

use crate::image::Image;
use crate::log::CodeLog;
use crate::trap::{
    BLOCK, COUNTED_MAX, DONE, ONCE, OWN, STATE, TIMES, WORK, Work, note, on_trap, put, put_entry, restore,
    set_kind,
};

/// What this process reaches: it has a breakpoint on every function that was not entered, and on every block of the others that
/// was not met.
///
/// ```
/// # #[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))] {
/// use probity_coverage::{Image, CodeLog, CodeWatch};
/// let image = Image::get().unwrap();
/// let log = CodeLog::new(image).unwrap();
/// // Only a copy of the process may be watched.
/// assert!(CodeWatch::arm(image, &log).is_err());
/// # }
/// ```
///
/// In a copy, with something to make sure of:
///
/// ```
/// # #[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))] {
/// use probity_coverage::{CodeLog, CodeWatch, Image};
/// #[inline(never)]
/// fn is_even(n: u32) -> bool {
///     std::hint::black_box(n) % 2 == 0
/// }
/// let image = Image::get().unwrap();
/// let log = CodeLog::new(image).unwrap();
/// // SAFETY: the copy has one thread, and leaves without returning.
/// let copy = unsafe { libc::fork() };
/// if copy == 0 {
///     let mut watch = CodeWatch::arm(image, &log).unwrap();
///     let since = watch.met();
///     is_even(6);
///     let first = watch.log().blocks(since).count();
///     watch.again(since); // is it met each time?
///     let was_unsettled = watch.is_unsettled();
///     is_even(6);
///     let second = watch.log().blocks(since).count();
///     watch.settle();
///     watch.begin_counting(7); // does a loop go round more often than before?
///     (0..9).for_each(|n| _ = is_even(n));
///     watch.end_counting();
///     let is_watched = watch.functions() > 0 && watch.long_traps() > 0;
///     let is_right = first > 0 && second > 0 && was_unsettled && is_watched;
///     // SAFETY: it ends this process, as promised.
///     unsafe { libc::_exit(if is_right { 0 } else { 1 }) };
/// }
/// let mut status = 1;
/// // SAFETY: it waits for the copy.
/// unsafe { libc::waitpid(copy, &raw mut status, 0) };
/// assert_eq!(status, 0);
/// # }
/// ```
#[derive(Debug)]
pub struct CodeWatch<'a> {
    log: &'a CodeLog,
    /// What is being made sure of.
    again: Vec<u32>,
}

/// The size of the stack that functions are opened on. It takes 10 KB, and a trap meanwhile 4.
const STACK: usize = 1 << 17;

impl CodeWatch<'_> {
    /// Sets the breakpoints, in a copy of the process of the test, once. `Err`: why it cannot be watched.
    pub fn arm<'a>(image: &'static Image, log: &'a CodeLog) -> Result<CodeWatch<'a>, String> {
        if image.is_original() {
            return Err("this is the process of the test itself, which is never changed".to_string());
        }
        if STATE.len.load(Relaxed) != 0 {
            return Err("this process is watched already".to_string());
        }
        let text = image.text();
        let longest = image.functions.iter().map(ExactSizeIterator::len).max().unwrap_or(0);
        let original = match image.original {
            0 => {
                let original = memory(text.len())?;
                // SAFETY: both are as long as the text, and apart.
                unsafe { ptr::copy_nonoverlapping(text.start as *const u8, original, text.len()) };
                original
            }
            mapped => mapped as *mut u8,
        };
        let work = Work {
            image,
            opened: memory(image.functions.len())?,
            marks: memory(longest)?,
            times: memory(text.len() * 4)?.cast(),
            most: memory(text.len())?,
            jumps: memory(text.len())?.cast(),
            jumps_len: 0,
            jumps_max: text.len() / 4,
            counted: [0; COUNTED_MAX],
            counted_len: 0,
            case: 0,
            opened_len: 0,
        };
        log.count().store(0, Relaxed);
        STATE.start.store(text.start as u64, Relaxed);
        STATE.original.store(original, Relaxed);
        STATE.kinds.store(memory(text.len())?, Relaxed);
        STATE.log.store(log.entries().as_ptr().cast_mut(), Relaxed);
        STATE.met.store(ptr::from_ref(log.count()).cast_mut(), Relaxed);
        STATE.capacity.store(log.entries().len() as u64, Relaxed);
        STATE.stack.store(memory(STACK)? as u64 + STACK as u64, Relaxed);
        WORK.store(Box::into_raw(Box::new(work)), Relaxed);
        STATE.len.store(text.len() as u64, SeqCst);
        // SAFETY: the text is writable before it is written to; the handler knows all it needs. Where functions begin,
        // instructions do.
        unsafe {
            writable(text)?;
            handle()?;
            for function in &image.functions {
                put_entry(function.start as usize);
            }
        }
        Ok(CodeWatch { log, again: Vec::new() })
    }

    /// How many entries the log has: it grows with every block that is met for the first time.
    pub fn met(&self) -> usize {
        self.log.met()
    }

    /// The log.
    pub fn log(&self) -> &CodeLog {
        self.log
    }

    /// How many functions were entered.
    pub fn functions(&self) -> usize {
        let _owner = TrapOwner::take();
        // SAFETY: it was set when this was made, and no other thread uses it now.
        unsafe { (*WORK.load(Relaxed)).opened_len }
    }

    /// Forgets the entries from `since` on, and sets the breakpoints of their blocks again, to make sure that what met them
    /// does so when it runs again: code that runs only once cannot be repeated. See [`settle`](Self::settle).
    pub fn again(&mut self, since: usize) {
        let _owner = TrapOwner::take();
        self.again = self.log.raw(since).filter(|it| it & (OWN | TIMES) == 0).collect();
        self.log.count().store(since as u64, Relaxed);
        for &offset in &self.again {
            // SAFETY: there was a breakpoint, so an instruction begins there.
            unsafe {
                set_kind(offset as usize, |it| it & !DONE);
                put(offset as usize, BLOCK);
            }
        }
    }

    /// Counts how often some loops go round from now on, those that follow from `word`, until
    /// [`end_counting`](Self::end_counting): where one does so more often than in any case before, that is an entry of the log.
    /// Each round takes as long as a trap does, some microseconds.
    pub fn begin_counting(&self, word: u64) {
        let _owner = TrapOwner::take();
        // SAFETY: it was set when this was made, and this thread is the owner.
        unsafe { (*WORK.load(Relaxed)).begin_counting(word) };
    }

    /// Counts no more.
    pub fn end_counting(&self) {
        let _owner = TrapOwner::take();
        // SAFETY: as for `begin_counting`.
        unsafe { (*WORK.load(Relaxed)).end_counting() };
    }

    /// How many traps there were that took longer than others: functions that were entered, and rounds of loops.
    pub fn long_traps(&self) -> u64 {
        STATE.calls.load(Relaxed)
    }

    /// Whether [`settle`](Self::settle) has something to end.
    pub fn is_unsettled(&self) -> bool {
        !self.again.is_empty()
    }

    /// Ends what [`again`](Self::again) began: what was not met again is no news of anybody from now on.
    pub fn settle(&mut self) {
        let _owner = TrapOwner::take();
        for offset in mem::take(&mut self.again) {
            // SAFETY: as for `again`.
            unsafe {
                if set_kind(offset as usize, |it| it & !BLOCK | DONE) & BLOCK != 0 {
                    restore(offset as usize);
                    note(offset | ONCE);
                }
            }
        }
    }
}

/// This thread as the one that may change breakpoints. What it meets meanwhile is its own.
struct TrapOwner;

impl TrapOwner {
    fn take() -> TrapOwner {
        let thread: u64;
        // SAFETY: the first word of a thread's block is its address.
        unsafe { std::arch::asm!("mov {}, fs:[0]", out(reg) thread, options(nostack, readonly)) };
        while STATE.owner.compare_exchange_weak(0, thread, SeqCst, Relaxed).is_err() {
            std::hint::spin_loop();
        }
        TrapOwner
    }
}

impl Drop for TrapOwner {
    fn drop(&mut self) {
        STATE.owner.store(0, SeqCst);
    }
}

/// This many zeros, which take memory only where they are written to. Never given back.
fn memory(size: usize) -> Result<*mut u8, String> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping.
    let start =
        unsafe { libc::mmap(ptr::null_mut(), size.max(1), libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
    match start == libc::MAP_FAILED {
        true => Err(format!("there is no memory: {}", std::io::Error::last_os_error())),
        false => Ok(start.cast()),
    }
}

/// Makes the text writable.
///
/// # Safety
///
/// It is the text of this process.
unsafe fn writable(text: std::ops::Range<usize>) -> Result<(), String> {
    const PAGE: usize = 1 << 12;
    let start = text.start & !(PAGE - 1);
    let protection = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
    // SAFETY: as the caller says; it stays readable and executable.
    match unsafe { libc::mprotect(start as *mut _, text.end.next_multiple_of(PAGE) - start, protection) } {
        0 => Ok(()),
        _ => Err(format!("its code cannot be changed: {}", std::io::Error::last_os_error())),
    }
}

/// Lets [`on_trap`] handle traps.
///
/// # Safety
///
/// All that it uses is set.
unsafe fn handle() -> Result<(), String> {
    // SAFETY: the action is all zero but for what is set, which is valid. On the stack of anyone who meets a breakpoint: a stack
    // for signals would be begun anew by a trap that comes while functions are opened on theirs.
    let res = unsafe {
        let mut action: libc::sigaction = mem::zeroed();
        action.sa_sigaction = on_trap as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_NODEFER;
        libc::sigaction(libc::SIGTRAP, &raw const action, ptr::null_mut())
    };
    if res == 0 { Ok(()) } else { Err("SIGTRAP cannot be handled".to_string()) }
}
