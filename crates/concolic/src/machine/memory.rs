//! The guest's stack and heap, which are simply reset, and the log of all other memory that it writes.

use std::arch::asm;
use std::collections::HashSet;
use std::ptr;

use super::{Machine, fault, patch};
use crate::expr::Fixed;
use crate::path::Verdict;

const GUARD: u64 = 1 << 20;
const STACK: u64 = 8 << 20;
const HEAP: u64 = 4 << 30;
/// What a run may allocate.
pub(crate) const HEAP_MAX: u64 = 1 << 30;
/// Words that a run may write outside the stack and the heap.
const LOG_MAX: usize = 1 << 21;
const FILTER: usize = 1 << 10;
/// Before every allocation: its size, and where its room begins.
const HEAD: u64 = 16;
const FREED: u64 = 1 << 63;
/// Where the memory lies if that is free, so that addresses are the same in every process.
const HOME: u64 = 0x3f00_0000_0000;

/// The guest's memory.
pub(crate) struct Memory {
    /// The lowest address of the stack.
    low: u64,
    /// Of stack and heap together.
    size: u64,
    heap: u64,
    top: u64,
    /// What lies above has never been written.
    high: u64,
    /// The allocations, in the order of their addresses, each with what was `top` before it. That is not kept in the heap,
    /// where the guest could write over it: everything that is written here lies between `heap` and `top`.
    blocks: Vec<(u64, u64)>,
    /// Whether an allocation was refused in this run.
    pub(crate) exhausted: bool,
    log: Vec<(u64, u64)>,
    filter: Box<[u64; FILTER]>,
    /// How far a rollback came.
    undone: usize,
}

impl Memory {
    pub(crate) fn new() -> Result<Memory, String> {
        let size = GUARD + STACK + GUARD + HEAP;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let map = |at: u64, flags| {
            let access = libc::PROT_READ | libc::PROT_WRITE;
            // SAFETY: a new mapping, which takes no other's place.
            unsafe { libc::mmap(at as *mut _, size as usize, access, flags, -1, 0) }
        };
        let mut at = map(HOME, flags | libc::MAP_FIXED_NOREPLACE);
        if at == libc::MAP_FAILED {
            at = map(0, flags);
        }
        if at == libc::MAP_FAILED {
            return Err("this system gives no memory for a stack and a heap".to_owned());
        }
        // SAFETY: these are parts of the new mapping, which nobody uses yet.
        unsafe {
            libc::mprotect(at, GUARD as usize, libc::PROT_NONE);
            libc::mprotect(at.add((GUARD + STACK) as usize), GUARD as usize, libc::PROT_NONE);
            libc::madvise(at, size as usize, libc::MADV_NOHUGEPAGE);
        }
        let low = at as u64 + GUARD;
        let heap = low + STACK + GUARD;
        patch::set_heap(heap, HEAP);
        Ok(Memory {
            low,
            size: STACK + GUARD + HEAP,
            heap,
            top: heap,
            high: heap,
            blocks: Vec::new(),
            exhausted: false,
            log: Vec::new(),
            filter: Box::new([0; FILTER]),
            undone: 0,
        })
    }

    /// The end of the stack, where it begins.
    pub(crate) fn stack_top(&self) -> u64 {
        self.low + STACK
    }

    /// Whether an address is just below the stack.
    pub(crate) fn is_overflow(&self, at: u64) -> bool {
        (self.low - GUARD..self.low).contains(&at)
    }

    /// Whether an address is of an allocation of this run.
    fn is_heap(&self, at: u64) -> bool {
        (self.heap..self.top).contains(&at)
    }

    /// How much of the heap is in use.
    pub(crate) fn used(&self) -> u64 {
        self.top - self.heap
    }

    /// The allocation that an address is in: where it begins and ends. Of what is not on the heap, all there is.
    pub(crate) fn around(&self, at: u64) -> (u64, u64) {
        if at.wrapping_sub(self.heap) >= HEAP {
            return (0, u64::MAX);
        }
        let n = self.blocks.partition_point(|it| it.0 <= at);
        match n.checked_sub(1).map(|n| self.blocks[n]) {
            Some((start, _)) => (start, start + self.size_of(start)),
            None => (at, at),
        }
    }

    /// Whether memory needs no log.
    #[inline(always)]
    fn is_reset(&self, at: u64) -> bool {
        at.wrapping_sub(self.low) < self.size
    }

    /// New memory, or 0.
    fn allocate(&mut self, size: u64, align: u64) -> u64 {
        let align = align.max(16);
        let limit = self.heap + HEAP_MAX;
        if size > HEAP_MAX || align > HEAP_MAX || !align.is_power_of_two() {
            self.exhausted = true;
            return 0;
        }
        let at = (self.top + HEAD + align - 1) & !(align - 1);
        let end = at + size.next_multiple_of(16);
        if end > limit {
            self.exhausted = true;
            return 0;
        }
        // SAFETY: `at` is aligned, and there are `HEAD` bytes between `top` and it, within the mapping.
        unsafe { ((at - HEAD) as *mut u64).write(size) };
        self.blocks.push((at, self.top));
        self.top = end;
        self.high = self.high.max(end);
        at
    }

    /// New memory, or 0. Its first `zeroed` bytes are zero.
    pub(crate) fn allocate_zeroed(&mut self, size: u64, align: u64, zeroed: u64) -> u64 {
        let high = self.high;
        let at = self.allocate(size, align);
        if at != 0 {
            let dirty = high.saturating_sub(at).min(size).min(zeroed);
            // SAFETY: the allocation has at least this many bytes, and the guest does not have it yet.
            unsafe { ptr::write_bytes(at as *mut u8, 0, dirty as usize) };
        }
        at
    }

    /// Gives memory back. What is not of this heap stays as it is.
    pub(crate) fn free(&mut self, at: u64) {
        if !self.is_heap(at) {
            return;
        }
        let head = |at: u64| (at - HEAD) as *mut u64;
        // SAFETY: the guest frees an allocation of this heap, whose size is before it. Where it frees something else, it is
        // still within the mapping, or faults.
        unsafe { head(at).write_unaligned(head(at).read_unaligned() | FREED) };
        while let Some(&(last, before)) = self.blocks.last() {
            // SAFETY: the size of an allocation is before it.
            if unsafe { head(last).read() } & FREED == 0 {
                break;
            }
            self.top = before;
            self.blocks.pop();
        }
    }

    /// The size of an allocation, of this heap or of the C library's.
    pub(crate) fn size_of(&self, at: u64) -> u64 {
        if at == 0 {
            0
        } else if self.is_heap(at) {
            // SAFETY: as in `free`.
            unsafe { ((at - HEAD) as *const u64).read_unaligned() & !FREED }
        } else {
            // SAFETY: what the guest may free or resize, and has not from here, it has from the C library.
            unsafe { libc::malloc_usable_size(at as *mut _) as u64 }
        }
    }

    /// Makes the topmost allocation larger or any one smaller, where it is. Whether it did.
    pub(crate) fn resize(&mut self, at: u64, size: u64) -> bool {
        if !self.is_heap(at) {
            return false;
        }
        let old = self.size_of(at);
        if self.blocks.last().is_some_and(|it| it.0 == at) {
            let end = at.saturating_add(size.min(HEAP_MAX + 1).next_multiple_of(16));
            if end > self.heap + HEAP_MAX {
                return false;
            }
            self.top = end;
            self.high = self.high.max(end);
        } else if size > old {
            return false;
        }
        // SAFETY: as in `free`.
        unsafe { ((at - HEAD) as *mut u64).write_unaligned(size) };
        true
    }

    #[cold]
    fn log_words(&mut self, at: u64, len: u64) -> bool {
        let (first, last) = (at & !7, at.wrapping_add(len - 1) & !7);
        if len / 8 > (LOG_MAX - self.log.len().min(LOG_MAX)) as u64 {
            return false;
        }
        let mut word = first;
        loop {
            let seen = &mut self.filter[(word >> 3) as usize & (FILTER - 1)];
            if *seen != word {
                // SAFETY: the guest's access is to some of these eight bytes, or to some behind them. Only where it is not known
                // how much an instruction writes may they lie behind it: then they are read all the same, or fault.
                let old = unsafe { (word as *const u64).read_volatile() };
                *seen = word;
                self.log.push((word, old));
            }
            if word == last {
                return true;
            }
            word = word.wrapping_add(8);
        }
    }

    /// Whether a word of these is not what it was before the run.
    pub(crate) fn has_changed(&self, is_wanted: impl Fn(u64) -> bool) -> bool {
        let mut seen: HashSet<u64, Fixed> = HashSet::default();
        self.log.iter().any(|&(at, old)| {
            // SAFETY: the guest wrote there in this run, to memory that stays for as long as the process.
            is_wanted(at) && seen.insert(at) && unsafe { (at as *const u64).read_volatile() } != old
        })
    }

    /// Writes back what the log has. A fault leads back here: see `undone`.
    fn undo(&mut self) {
        while self.undone < self.log.len() {
            self.undone += 1;
            let (at, old) = self.log[self.log.len() - self.undone];
            // SAFETY: the guest wrote there in this run, and what it frees the models keep. Memory that native code unmapped
            // since faults; what native code gave back to the C library may be another's by now, which is one more reason
            // for a process of our own.
            unsafe {
                let at = at as *mut u64;
                if at.read_volatile() != old {
                    at.write_volatile(old);
                }
            }
        }
    }

    /// Resets stack and heap.
    fn reset(&mut self) {
        if !self.log.is_empty() {
            self.filter.fill(0);
        }
        self.log.clear();
        self.undone = 0;
        self.blocks.clear();
        self.top = self.heap;
        self.exhausted = false;
    }
}

impl Machine {
    /// Reads 1, 2, 4 or 8 bytes.
    #[inline(always)]
    pub(crate) fn load(&self, at: u64, size: u8) -> u64 {
        let value: u64;
        // As single instructions: without optimization, Rust's own reads take ten times as long, and where the guest
        // reads what is not there, that has to be a fault as any other.
        // SAFETY: the guest's access. It changes no register but `value`.
        unsafe {
            match size {
                8 => asm!("mov {}, [{}]", out(reg) value, in(reg) at, options(nostack, preserves_flags)),
                4 => asm!("mov {:e}, [{}]", out(reg) value, in(reg) at, options(nostack, preserves_flags)),
                2 => {
                    asm!("movzx {:e}, word ptr [{}]", out(reg) value, in(reg) at, options(nostack, preserves_flags))
                }
                _ => {
                    asm!("movzx {:e}, byte ptr [{}]", out(reg) value, in(reg) at, options(nostack, preserves_flags))
                }
            }
        }
        value
    }

    /// Writes 1, 2, 4 or 8 bytes.
    #[inline(always)]
    pub(crate) fn store(&mut self, at: u64, size: u8, value: u64) {
        self.log(at, size as u64);
        // SAFETY: the guest's access.
        unsafe {
            match size {
                8 => asm!("mov [{}], {}", in(reg) at, in(reg) value, options(nostack, preserves_flags)),
                4 => asm!("mov [{}], {:e}", in(reg) at, in(reg) value, options(nostack, preserves_flags)),
                2 => asm!("mov [{}], {:x}", in(reg) at, in(reg) value, options(nostack, preserves_flags)),
                _ => {
                    asm!("mov [{}], {}", in(reg) at, in(reg_byte) value as u8, options(nostack, preserves_flags))
                }
            }
        }
    }

    /// Says that memory is about to be written.
    #[inline(always)]
    pub(crate) fn log(&mut self, at: u64, len: u64) {
        if !self.inner.memory.is_reset(at) && len != 0 && !self.inner.memory.log_words(at, len) {
            self.stop =
                Some(Verdict::Unsupported("too much memory written outside stack and heap".to_owned()));
        }
    }

    /// Takes back what the last run wrote, and forgets its expressions, path and edges.
    pub fn rollback(&mut self) {
        // Memory may have been unmapped meanwhile: that word is left out.
        let until_done = |machine: &mut Machine| machine.inner.memory.undo();
        while fault::guard(self, until_done).is_err() {}
        self.inner.memory.reset();
        self.forget_run();
    }
}
