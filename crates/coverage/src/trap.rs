//! What happens when a breakpoint is met.
//!
//! [`on_trap`] is machine code without unwind tables, so it is in no function of the image and never gets a breakpoint. It puts
//! the byte back and logs the place, without a call. Only where a function is entered for the first time, or a jump is
//! counted, it calls [`on_place`], on a stack of its own. That is ordinary code, which meets breakpoints itself: those are
//! logged with a flag. One thread at a time may do so; others wait.

use std::arch::naked_asm;
use std::mem::offset_of;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};

use crate::blocks::{BreakPlace, Jump, sweep};
use crate::image::Image;

/// What a place is, by bits: a block begins there that was not met; its function is to be opened; a jump back is counted; it was
/// met. Zero is the entry of a function that was not entered, or nothing of ours: entries are many, and writing them down would
/// take as long as setting their breakpoints.
pub(crate) const BLOCK: u8 = 1;
pub(crate) const OPENS: u8 = 2;
pub(crate) const COUNTED: u8 = 4;
pub(crate) const DONE: u8 = 8;
/// A jump back that may be counted, and is not now.
pub(crate) const BACK: u8 = 16;

/// In the log: it was met by code of this crate; it says how often a jump was taken.
pub(crate) const OWN: u32 = 1 << 31;
pub(crate) const TIMES: u32 = 1 << 30;
/// It was not met again.
pub(crate) const ONCE: u32 = OWN | TIMES;

/// What [`on_trap`] knows. The system's calls are made with these being set once, before the first breakpoint is.
#[repr(C)]
pub(crate) struct State {
    /// The text, and how long it is.
    pub(crate) start: AtomicU64,
    pub(crate) len: AtomicU64,
    /// What it was before, and what each of its bytes is now.
    pub(crate) original: AtomicPtr<u8>,
    pub(crate) kinds: AtomicPtr<u8>,
    /// The places that were met, from the start of the text, and how many.
    pub(crate) log: AtomicPtr<AtomicU32>,
    pub(crate) met: AtomicPtr<AtomicU64>,
    pub(crate) capacity: AtomicU64,
    /// The thread that opens a function now, or 0; and the end of the stack that it does so on.
    pub(crate) owner: AtomicU64,
    pub(crate) stack: AtomicU64,
    /// How many traps there were that needed more than their byte.
    pub(crate) calls: AtomicU64,
}

pub(crate) static STATE: State = State {
    start: AtomicU64::new(0),
    len: AtomicU64::new(0),
    original: AtomicPtr::new(ptr::null_mut()),
    kinds: AtomicPtr::new(ptr::null_mut()),
    log: AtomicPtr::new(ptr::null_mut()),
    met: AtomicPtr::new(ptr::null_mut()),
    capacity: AtomicU64::new(0),
    owner: AtomicU64::new(0),
    stack: AtomicU64::new(0),
    calls: AtomicU64::new(0),
};

/// What opening functions needs, and counting jumps. Used by the thread that is [`State::owner`].
pub(crate) struct Work {
    pub(crate) image: &'static Image,
    /// One byte for each function: whether it is open.
    pub(crate) opened: *mut u8,
    /// As many bytes as the longest function has.
    pub(crate) marks: *mut u8,
    /// For each byte of the text: in which case a jump there was counted, and how often; and the most so far.
    pub(crate) times: *mut u32,
    pub(crate) most: *mut u8,
    /// The jumps back of the functions that are open.
    pub(crate) jumps: *mut u32,
    pub(crate) jumps_len: usize,
    pub(crate) jumps_max: usize,
    /// The jumps that are counted now.
    pub(crate) counted: [u32; COUNTED_MAX],
    pub(crate) counted_len: usize,
    /// The number of the case, in 24 bits.
    pub(crate) case: u32,
    pub(crate) opened_len: usize,
}

pub(crate) static WORK: AtomicPtr<Work> = AtomicPtr::new(ptr::null_mut());

/// Where the context of a signal has the address of the next instruction.
const RIP: usize = offset_of!(libc::ucontext_t, uc_mcontext)
    + offset_of!(libc::mcontext_t, gregs)
    + 8 * libc::REG_RIP as usize;
/// How often another thread is waited for: seconds. Where a process is split meanwhile, it waits in vain.
const WAITS: u32 = 1 << 28;

/// The handler of SIGTRAP.
///
/// # Safety
///
/// For the system only, after [`STATE`] and [`WORK`] are set.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn on_trap(_: i32, _: *mut libc::siginfo_t, _: *mut libc::ucontext_t) {
    naked_asm!(
        "lea r11, [rip + {state}]",
        // A breakpoint, and no signal that somebody sent.
        "cmp dword ptr [rsi + 8], {si_kernel}",
        "jne 8f",
        "mov rdi, [rdx + {rip}]",
        "dec rdi",
        "mov r8, rdi",
        "sub r8, [r11 + {start}]",
        "cmp r8, [r11 + {len}]",
        "jae 9f",
        // One that the program has itself is not ours.
        "mov rsi, [r11 + {original}]",
        "cmp byte ptr [rsi + r8], {int3}",
        "je 9f",
        "mov r9, [r11 + {kinds}]",
        "add r9, r8",
        "mov cl, [r9]",
        "mov r10, fs:[0]",
        "test cl, cl",
        "jz 6f",
        "test cl, {calls_for}",
        "jz 2f",
        "6:",
        "cmp r10, [r11 + {owner}]",
        "je 2f",
        // One thread at a time.
        "mov esi, {waits}",
        "1:",
        "xor eax, eax",
        "lock cmpxchg [r11 + {owner}], r10",
        "je 4f",
        "pause",
        "dec esi",
        "jnz 1b",
        // Put the byte back, log the place, run it.
        "2:",
        "mov al, {done}",
        "xchg [r9], al",
        "mov [rdx + {rip}], rdi",
        "mov rsi, [r11 + {original}]",
        "mov cl, [rsi + r8]",
        "mov [rdi], cl",
        "test al, {done}",
        "jnz 3f",
        "mov ecx, 1",
        "mov rsi, [r11 + {met}]",
        "lock xadd [rsi], rcx",
        "cmp rcx, [r11 + {capacity}]",
        "jae 3f",
        "cmp r10, [r11 + {owner}]",
        "jne 5f",
        "or r8d, {own}",
        "5:",
        "mov rsi, [r11 + {log}]",
        "mov [rsi + 4 * rcx], r8d",
        "3:",
        "ret",
        "4:",
        "push rbx",
        "mov rbx, rsp",
        "mov rsp, [r11 + {stack}]",
        "mov rdi, r8",
        "mov rsi, rdx",
        "call {on_place}",
        "mov rsp, rbx",
        "pop rbx",
        "lea r11, [rip + {state}]",
        "mov qword ptr [r11 + {owner}], 0",
        "ret",
        "8:",
        "jmp {on_sent}",
        "9:",
        "mov rdi, rdx",
        "jmp {on_other}",
        state = sym STATE,
        on_place = sym on_place,
        on_other = sym on_other,
        on_sent = sym on_sent,
        si_kernel = const libc::SI_KERNEL,
        rip = const RIP,
        start = const offset_of!(State, start),
        len = const offset_of!(State, len),
        original = const offset_of!(State, original),
        kinds = const offset_of!(State, kinds),
        log = const offset_of!(State, log),
        met = const offset_of!(State, met),
        capacity = const offset_of!(State, capacity),
        owner = const offset_of!(State, owner),
        stack = const offset_of!(State, stack),
        calls_for = const OPENS | COUNTED,
        done = const DONE,
        int3 = const INT3,
        own = const OWN,
        waits = const WAITS,
    )
}

/// A breakpoint that is not ours ends the process, as it would without us: it is met again, with nobody to handle it.
///
/// # Safety
///
/// For [`on_trap`] only.
unsafe extern "C" fn on_other(context: *mut libc::ucontext_t) {
    // SAFETY: the system gives a valid context; the call may be made in a handler.
    unsafe {
        libc::signal(libc::SIGTRAP, libc::SIG_DFL);
        (*context).uc_mcontext.gregs[libc::REG_RIP as usize] -= 1;
    }
}

/// So does a signal that somebody sent.
///
/// # Safety
///
/// For [`on_trap`] only.
unsafe extern "C" fn on_sent() {
    // SAFETY: these calls may be made in a handler.
    unsafe {
        libc::signal(libc::SIGTRAP, libc::SIG_DFL);
        libc::raise(libc::SIGTRAP);
    }
}

/// A breakpoint was met that needs more than its byte.
///
/// # Safety
///
/// For [`on_trap`] only, by the owner; `offset` is that of a breakpoint.
unsafe extern "C" fn on_place(offset: usize, context: *mut libc::ucontext_t) {
    // SAFETY: as the caller says; tables are as long as the text, and `offset` lies within it. Nobody else uses `WORK` now.
    unsafe {
        let work = &mut *WORK.load(Relaxed);
        STATE.calls.store(STATE.calls.load(Relaxed) + 1, Relaxed);
        let registers = &mut (*context).uc_mcontext.gregs;
        let at = STATE.start.load(Relaxed) + offset as u64;
        registers[libc::REG_RIP as usize] = at as i64;
        let before = set_kind(offset, |it| match it {
            0 => DONE,
            _ if it & BLOCK == 0 => it & !OPENS,
            _ => it & !(BLOCK | OPENS) | DONE,
        });
        let before = if before == 0 { BLOCK | OPENS } else { before };
        if before & BLOCK != 0 {
            note(offset as u32);
        }
        if before & OPENS != 0 {
            work.open_at(offset);
        }
        if before & COUNTED == 0 {
            restore(offset);
        } else if before & BLOCK == 0
            && let Some(jump) = Jump::read(original(offset, 6))
        {
            let (distance, is_taken) = jump.follow(registers[libc::REG_EFL as usize]);
            registers[libc::REG_RIP as usize] = at.wrapping_add_signed(distance) as i64;
            if is_taken {
                work.count(offset);
            }
        } else {
            // Met as a block: from the next time on it is counted.
            restore(offset);
            set_kind(offset, |it| it & !COUNTED | BACK);
        }
    }
}

/// How many jumps are counted at a time. Those that are not met take next to nothing.
pub(crate) const COUNTED_MAX: usize = 256;
/// The most that is told of how often a jump was taken.
pub(crate) const TIMES_MAX: u8 = 64;

impl Work {
    /// Opens the function that has this place.
    ///
    /// # Safety
    ///
    /// As for [`on_place`], or before the first breakpoint is set.
    pub(crate) unsafe fn open_at(&mut self, offset: usize) {
        // SAFETY: as the caller says; there are as many bytes of `opened` as functions, and as many marks as the longest has.
        unsafe {
            let Some(index) = self.function(offset) else { return };
            if self.opened.add(index).replace(1) == 1 {
                return;
            }
            self.opened_len += 1;
            let function = &self.image.functions[index];
            let (start, len) = (function.start as usize, (function.end - function.start) as usize);
            let code = original(start, len);
            let marks = std::slice::from_raw_parts_mut(self.marks, len);
            let text = STATE.start.load(Relaxed);
            sweep(code, text + start as u64, marks, &mut |place| match place {
                BreakPlace::Block(at) => put(start + at, BLOCK),
                BreakPlace::BackJump(at) => {
                    set_kind(start + at, |it| it | BACK);
                    if self.jumps_len < self.jumps_max {
                        self.jumps.add(self.jumps_len).write((start + at) as u32);
                        self.jumps_len += 1;
                    }
                }
                // The other part of a function that was torn in two. Where it has an entry, that has its breakpoint.
                BreakPlace::Outside(at) => {
                    let at = at.wrapping_sub(text) as usize;
                    if let Some(other) = self.function(at)
                        && self.image.functions[other].start as usize != at
                        && self.opened.add(other).read() == 0
                    {
                        put(at, BLOCK | OPENS);
                    }
                }
            });
        }
    }

    /// The function that has this place.
    fn function(&self, offset: usize) -> Option<usize> {
        let functions = &self.image.functions;
        let after = functions.partition_point(|it| it.start as usize <= offset);
        let index = after.checked_sub(1)?;
        ((functions[index].end as usize) > offset).then_some(index)
    }

    /// Counts some of the jumps back, those that follow from `word`, in the case that begins.
    ///
    /// # Safety
    ///
    /// By the owner.
    pub(crate) unsafe fn begin_counting(&mut self, mut word: u64) {
        self.case = (self.case + 1) & 0xff_ffff;
        if self.jumps_len == 0 {
            return;
        }
        for _ in 0..COUNTED_MAX.min(self.jumps_len) {
            word = word.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            let index = (word >> 33) as usize % self.jumps_len;
            // SAFETY: there are this many; a jump begins there, and its function was opened.
            unsafe {
                let offset = self.jumps.add(index).read();
                // One that went round as often as is told has nothing more to tell.
                if self.most.add(offset as usize).read() >= TIMES_MAX {
                    self.jumps_len -= 1;
                    self.jumps.add(index).write(self.jumps.add(self.jumps_len).read());
                    if self.jumps_len == 0 {
                        return;
                    }
                    continue;
                }
                self.counted[self.counted_len] = offset;
                self.counted_len += 1;
                put(offset as usize, COUNTED);
            }
        }
    }

    /// Counts them no more.
    ///
    /// # Safety
    ///
    /// By the owner.
    pub(crate) unsafe fn end_counting(&mut self) {
        for &offset in &self.counted[..std::mem::take(&mut self.counted_len)] {
            // SAFETY: as the caller says.
            unsafe {
                // A block that was not met there keeps its breakpoint.
                if set_kind(offset as usize, |it| it & !COUNTED | BACK) & BLOCK == 0 {
                    restore(offset as usize);
                }
            }
        }
    }

    /// Counts a jump back, and notes where it was taken more often than before: by steps, the larger the more it is.
    ///
    /// # Safety
    ///
    /// As for [`on_place`].
    unsafe fn count(&mut self, offset: usize) {
        // SAFETY: as the caller says; the tables are as long as the text.
        unsafe {
            let (times, most) = (self.times.add(offset), self.most.add(offset));
            let before = if times.read() >> 8 == self.case { times.read() & 0xff } else { 0 };
            let now = (before + 1).min(TIMES_MAX.into());
            times.write(self.case << 8 | now);
            if now >= TIMES_MAX.into() {
                set_kind(offset, |it| it & !COUNTED);
                restore(offset);
            }
            if now as u8 > most.read() {
                most.write(now as u8);
                if now <= 4 || now.is_power_of_two() || (now % 3 == 0 && (now / 3).is_power_of_two()) {
                    note(offset as u32 | TIMES);
                }
            }
        }
    }
}

/// Sets a breakpoint, unless it was met before, or there is one of the program itself, or its code is not that of its file.
///
/// # Safety
///
/// By the owner, or before the first breakpoint is set. The place lies within the text, which can be written, and an instruction
/// begins there.
pub(crate) unsafe fn put(offset: usize, kind: u8) {
    // SAFETY: as the caller says.
    unsafe {
        let (was, is) = (original(offset, 1)[0], place(offset).load(Relaxed));
        if was == INT3 || (is != was && is != INT3) {
            return;
        }
        let before = set_kind(offset, |it| if it & DONE == 0 || kind & BLOCK == 0 { it | kind } else { it });
        if before & DONE == 0 || kind & BLOCK == 0 {
            place(offset).store(INT3, Relaxed);
        }
    }
}

/// Sets the breakpoint of a function's entry, before any was met.
///
/// # Safety
///
/// As for [`put`].
pub(crate) unsafe fn put_entry(offset: usize) {
    // SAFETY: as the caller says.
    unsafe {
        let (was, place) = (original(offset, 1)[0], place(offset));
        if was != INT3 && place.load(Relaxed) == was {
            place.store(INT3, Relaxed);
        }
    }
}

/// The breakpoint.
const INT3: u8 = 0xcc;

/// Takes a breakpoint away.
///
/// # Safety
///
/// As for [`put`].
pub(crate) unsafe fn restore(offset: usize) {
    // SAFETY: as the caller says.
    unsafe { place(offset).store(original(offset, 1)[0], Relaxed) };
}

/// Changes what a place is; returns what it was.
///
/// # Safety
///
/// As for [`put`].
pub(crate) unsafe fn set_kind(offset: usize, change: impl Fn(u8) -> u8) -> u8 {
    // SAFETY: as the caller says.
    let kind = unsafe { AtomicU8::from_ptr(STATE.kinds.load(Relaxed).add(offset)) };
    // The owner alone changes what is not met yet; who meets it meanwhile says that it is.
    let mut before = kind.load(Relaxed);
    loop {
        match kind.compare_exchange_weak(before, change(before), Relaxed, Relaxed) {
            Ok(before) => return before,
            Err(now) => before = now,
        }
    }
}

/// Adds a place to the log.
///
/// # Safety
///
/// There is a log.
pub(crate) unsafe fn note(entry: u32) {
    // SAFETY: as the caller says; it has this many entries.
    unsafe {
        let index = (*STATE.met.load(Relaxed)).fetch_add(1, Relaxed);
        if index < STATE.capacity.load(Relaxed) {
            (*STATE.log.load(Relaxed).add(index as usize)).store(entry, Relaxed);
        }
    }
}

/// A byte of the text.
///
/// # Safety
///
/// It lies within the text, which can be written.
unsafe fn place(offset: usize) -> &'static AtomicU8 {
    // SAFETY: as the caller says.
    unsafe { AtomicU8::from_ptr((STATE.start.load(Relaxed) as usize + offset) as *mut u8) }
}

/// What the text was; as many bytes as there are up to `len`.
///
/// # Safety
///
/// `offset` lies within the text.
pub(crate) unsafe fn original(offset: usize, len: usize) -> &'static [u8] {
    let len = len.min((STATE.len.load(Relaxed) as usize).saturating_sub(offset));
    // SAFETY: as the caller says; what the text was is never changed.
    unsafe { std::slice::from_raw_parts(STATE.original.load(Relaxed).add(offset), len) }
}
