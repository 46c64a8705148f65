//! Decoded code and native stubs, in memory that forked children share with their parent.
//!
//! Decoding is expensive, and every test is searched in a child of its own: so what one child decodes must be there for
//! the next. A child may be killed at any point: things are written first, then counted, then published.

use std::ops::Range;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use super::decode::{self, Tools};
use super::symbols::{self, Host};
use super::{Cpu, Ins, stub};
use crate::clock::thread_time;

/// Bytes for the registers and the stubs.
const CODE: usize = 64 << 20;
/// Blocks: a power of two.
const BLOCKS: usize = 1 << 18;
/// Decoded instructions.
pub(crate) const INSTRUCTIONS: usize = 1 << 20;
/// Bytes for blocks and decoded instructions.
const DATA: usize = size_of::<Block>() * BLOCKS + size_of::<Ins>() * INSTRUCTIONS;
/// Where stubs begin; before it lie the registers, and a few zero bytes that no code returns to by itself.
const STUBS_AT: usize = 4096;
const SENTINEL_AT: usize = 3072;

/// What stands at the beginning of the code memory. The machine has the registers to itself while it lives, so there is
/// never a reference to all of this, only to one of its parts.
#[repr(C)]
struct CodeHead {
    /// The registers: stubs reach them relative to themselves.
    cpu: Cpu,
    header: Header,
}

/// How much there is, and where native code is entered.
#[repr(C)]
pub(crate) struct Header {
    code_used: AtomicU64,
    decoded: AtomicU64,
    blocks: AtomicU64,
    /// Enters native code with all registers loaded, at `cpu.target`.
    pub(crate) gate: u64,
    /// Where native code returns to.
    pub(crate) exit: u64,
}

/// A block: instructions up to a change of control.
#[repr(C)]
pub(crate) struct Block {
    address: AtomicU64,
    /// The number of its first instruction.
    pub(crate) first: u32,
    pub(crate) count: u16,
    /// Whether it belongs to the executable.
    pub(crate) own: bool,
}

/// Decoded code and native stubs. Used by one machine at a time; the parent keeps a pool of them.
#[derive(Debug)]
pub struct Cache {
    code: *mut u8,
    data: *mut u8,
    /// The memory that this process shared with others when the cache was taken: a sealed copy cannot ask any more.
    pub(crate) shared: Vec<Range<usize>>,
}

// SAFETY: the pointers lead to mappings that belong to the process, not to a thread, and that this value alone gives access
// to: no other `Cache` of this process has the same.
unsafe impl Send for Cache {}

static POOL: Mutex<Vec<Cache>> = Mutex::new(Vec::new());

/// Where the memory of all caches is.
static RANGES: Mutex<Vec<Range<usize>>> = Mutex::new(Vec::new());

/// The addresses of the memory that this crate shares with copies of the process.
pub fn own_memory() -> Vec<Range<usize>> {
    RANGES.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

impl Cache {
    /// One from the pool, or a new one. It goes back to the pool where it is dropped.
    ///
    /// Take it before the fork, and drop it when the child is gone.
    ///
    /// # Errors
    ///
    /// Why code of this process cannot be interpreted, in words.
    pub fn take() -> Result<Cache, String> {
        let host = Host::get()?;
        calibrate_decoder();
        let shared = symbols::shared_memory();
        if let Some(mut it) = POOL.try_lock().ok().and_then(|mut pool| pool.pop()) {
            it.shared = shared;
            return Ok(it);
        }
        let code = map(CODE, libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC)
            .ok_or("this system gives no memory that is both writable and executable")?;
        let data = map(DATA, libc::PROT_READ | libc::PROT_WRITE)
            .ok_or("this system gives no memory for decoded code")?;
        let cache = Cache { code, data, shared };
        const { assert!(size_of::<CodeHead>() < SENTINEL_AT) };
        cache.header().code_used.store(STUBS_AT as u64, Ordering::Relaxed);
        let (gate, exit) = stub::gate(&cache, host.avx).ok_or("there is no room for code")?;
        // SAFETY: the mapping begins with a `CodeHead`, and nobody else has it yet.
        let front = unsafe { &mut *cache.code.cast::<CodeHead>() };
        front.header.gate = gate;
        front.header.exit = exit;
        front.cpu.flags = 0x202;
        Ok(cache)
    }

    /// Whether there is little room left: the next search shall have a new one.
    fn is_worn(&self) -> bool {
        let header = self.header();
        header.code_used.load(Ordering::Relaxed) as usize > CODE / 2
            || header.decoded.load(Ordering::Relaxed) as usize > INSTRUCTIONS / 2
            || header.blocks.load(Ordering::Relaxed) as usize > BLOCKS / 2
    }

    pub(crate) fn header(&self) -> &Header {
        // SAFETY: the mapping begins with a `CodeHead`, all zero is a valid one, and it stays for as long as `self`. What
        // changes through a shared reference is atomic; the other fields are written once, in `take`.
        unsafe { &(*self.code.cast::<CodeHead>()).header }
    }

    /// Where the registers are.
    pub(crate) fn cpu(&self) -> *mut Cpu {
        self.code.cast()
    }

    /// The address that the entry function of a run returns to.
    pub(crate) fn sentinel(&self) -> u64 {
        self.code as u64 + SENTINEL_AT as u64
    }

    fn block_at(&self, slot: u32) -> *mut Block {
        // SAFETY: the mapping begins with this many blocks.
        unsafe { self.data.cast::<Block>().add(slot as usize & (BLOCKS - 1)) }
    }

    /// The block in a slot that [`find`](Self::find) or [`add`](Self::add) gave.
    pub(crate) fn block(&self, slot: u32) -> &Block {
        // SAFETY: it is within the mapping, which stays for as long as `self`, and all zero is a valid block. `add` writes
        // only to slots that are free, and no reference to one of those is kept.
        unsafe { &*self.block_at(slot) }
    }

    fn arena(&self) -> *mut Ins {
        // SAFETY: the mapping has the instructions behind the blocks, which fill whole pages.
        unsafe { self.data.add(size_of::<Block>() * BLOCKS).cast() }
    }

    /// The instructions of a block.
    pub(crate) fn instructions(&self, block: &Block) -> *const Ins {
        // SAFETY: `add` has checked that all instructions of a block lie within the mapping.
        unsafe { self.arena().add(block.first as usize) }
    }

    /// Where the block at an address is: its slot, or the free slot for it.
    fn probe(&self, address: u64) -> Result<u32, u32> {
        // Code that lies together is used together: so few pages of the table are touched.
        let mut slot = (address >> 3) as u32 & (BLOCKS as u32 - 1);
        loop {
            match self.block(slot).address.load(Ordering::Acquire) {
                0 => return Err(slot),
                it if it == address => return Ok(slot),
                _ => slot = (slot + 1) & (BLOCKS as u32 - 1),
            }
        }
    }

    /// The slot of the block at an address, if it has been decoded.
    pub(crate) fn find(&self, address: u64) -> Option<u32> {
        self.probe(address).ok()
    }

    /// Adds a block; `None` where there is no room.
    pub(crate) fn add(&self, address: u64, instructions: &[Ins], own: bool) -> Option<u32> {
        let header = self.header();
        let first = header.decoded.load(Ordering::Relaxed);
        let blocks = header.blocks.load(Ordering::Relaxed);
        if first as usize + instructions.len() > INSTRUCTIONS || blocks as usize > BLOCKS * 3 / 4 {
            return None;
        }
        let Err(slot) = self.probe(address) else { return None };
        // SAFETY: there is room for them behind those that are counted, and the slot is free: nobody reads either before
        // the address is there. Only the one machine that has this cache adds to it.
        unsafe {
            let to = self.arena().add(first as usize);
            ptr::copy_nonoverlapping(instructions.as_ptr(), to, instructions.len());
            header.decoded.store(first + instructions.len() as u64, Ordering::Release);
            header.blocks.store(blocks + 1, Ordering::Release);
            let block = self.block_at(slot);
            (*block).first = first as u32;
            (*block).count = instructions.len() as u16;
            (*block).own = own;
            (*block).address.store(address, Ordering::Release);
        }
        Some(slot)
    }

    /// Where the next code goes.
    pub(crate) fn code_end(&self) -> u64 {
        self.code as u64 + self.header().code_used.load(Ordering::Relaxed)
    }

    /// Adds code at [`code_end`](Self::code_end); `None` where there is no room.
    pub(crate) fn add_code(&self, bytes: &[u8]) -> Option<u64> {
        let used = self.header().code_used.load(Ordering::Relaxed);
        if used as usize + bytes.len() > CODE {
            return None;
        }
        let at = self.code_end();
        // SAFETY: there is room within the mapping, which may be written to, behind all code that is used.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), at as *mut u8, bytes.len()) };
        self.header().code_used.store(used + bytes.len() as u64, Ordering::Release);
        Some(at)
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        if self.is_worn() {
            // SAFETY: both were mapped by `take`, with these sizes. Only the machine that had this cache had references to
            // them, and it is gone.
            unsafe {
                libc::munmap(self.code.cast(), CODE);
                libc::munmap(self.data.cast(), DATA);
            }
            let gone = [self.code as usize, self.data as usize];
            let mut ranges = RANGES.lock().unwrap_or_else(PoisonError::into_inner);
            ranges.retain(|it| !gone.contains(&it.start));
            return;
        }
        // In a forked child another thread of the parent may have held the lock: then it is simply left.
        if let Ok(mut pool) = POOL.try_lock() {
            pool.push(Cache { code: self.code, data: self.data, shared: Vec::new() });
        }
    }
}

/// Makes the tables for decoding, which is expensive: every child has them from its parent. Returns how long it takes to decode
/// a thousand instructions, in time of the processor: always the same work, so it says how quick the machine is, and how
/// optimized the engine.
pub(crate) fn calibrate_decoder() -> Duration {
    static UNIT: OnceLock<Duration> = OnceLock::new();
    *UNIT.get_or_init(|| {
        let mut tools = Tools::new();
        let mut best = Duration::MAX;
        for _ in 0..5 {
            let before = thread_time();
            tools.decode_some();
            best = best.min(thread_time().saturating_sub(before));
        }
        best * (1000 / decode::SOME) as u32
    })
}

fn map(size: usize, protection: i32) -> Option<*mut u8> {
    let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping where the system likes takes nothing from anybody.
    let at = unsafe { libc::mmap(ptr::null_mut(), size, protection, flags, -1, 0) };
    if at == libc::MAP_FAILED {
        return None;
    }
    let mut ranges = RANGES.lock().unwrap_or_else(PoisonError::into_inner);
    ranges.push(at as usize..(at as usize + size).next_multiple_of(1 << 12));
    Some(at.cast())
}
