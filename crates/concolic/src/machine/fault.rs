//! Signals that the guest's code raises end the run in words, not the process.

use std::any::Any;
use std::arch::naked_asm;
use std::cell::Cell;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;

use super::Machine;

/// A signal that ended what was guarded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fault {
    pub(crate) signal: i32,
    pub(crate) address: u64,
}

/// The signals that are handled here.
pub(crate) const SIGNALS: [i32; 6] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP, libc::SIGABRT];
const ALTERNATE: usize = 64 << 10;

thread_local! {
    /// Where to go on after a fault: the address of the saved stack pointer, or 0.
    static RESUME: Cell<u64> = const { Cell::new(0) };
    static FAULT: Cell<Fault> = const { Cell::new(Fault { signal: 0, address: 0 }) };
}

/// Calls `f(data)` and returns 0, or 1 where a fault ended it. Saves the stack pointer in `*save`.
///
/// # Safety
///
/// `f` may be called with `data`, and does not unwind; `save` is valid to write to.
#[unsafe(naked)]
unsafe extern "C" fn enter(f: unsafe extern "C" fn(*mut u8), data: *mut u8, save: *mut u64) -> u64 {
    naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "sub rsp, 8",
        "mov [rdx], rsp",
        "mov rax, rdi",
        "mov rdi, rsi",
        "call rax",
        "xor eax, eax",
        "add rsp, 8",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
    )
}

/// Returns 1 from the [`enter`] that saved its stack pointer in `*save`.
///
/// # Safety
///
/// That `enter` has not returned, and nothing counts on a destructor of the frames that it called.
#[unsafe(naked)]
unsafe extern "C" fn leave(save: *const u64) {
    naked_asm!(
        "mov rsp, [rdi]",
        "mov eax, 1",
        "add rsp, 8",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
    )
}

extern "C" fn on_signal(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // Without a destructor and with a constant beginning, so that a handler may read it.
    let save = RESUME.get();
    // SAFETY: the system calls this with what it describes of the signal and the registers. `save` is not 0 only while an
    // `enter` runs on this thread, so it is its frames that are left; see `machine` for what that means.
    unsafe {
        if save == 0 {
            // Not the guest's: as if there were no handler. The instruction is executed again.
            libc::signal(signal, libc::SIG_DFL);
            return;
        }
        RESUME.set(0);
        let registers = &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
        let address = (*info).si_addr() as u64;
        FAULT.set(Fault { signal, address });
        registers[libc::REG_RIP as usize] = leave as *const () as i64;
        registers[libc::REG_RDI as usize] = save as i64;
        // No direction, no trap.
        registers[libc::REG_EFL as usize] &= !0x500;
    }
}

struct Guarded<'a, F> {
    machine: &'a mut Machine,
    f: F,
    panicked: Option<Box<dyn Any + Send>>,
}

/// What [`guard`] calls on the other side of [`enter`].
///
/// # Safety
///
/// `data` is a `Guarded` with this `F`, and nobody else uses it meanwhile.
unsafe extern "C" fn guarded<F: Fn(&mut Machine)>(data: *mut u8) {
    // SAFETY: the caller says so.
    let it = unsafe { &mut *data.cast::<Guarded<'_, F>>() };
    it.panicked = catch_unwind(AssertUnwindSafe(|| (it.f)(it.machine))).err();
}

/// Runs `f` so that a fault in it comes back as an error. What `f` owned then is not dropped.
pub(crate) fn guard<F: Fn(&mut Machine)>(machine: &mut Machine, f: F) -> Result<(), Fault> {
    let mut it = Guarded { machine, f, panicked: None };
    let mut save = 0u64;
    RESUME.set(&raw mut save as u64);
    let data = (&raw mut it).cast::<u8>();
    // SAFETY: `it` and `save` live until after the call, and `guarded` catches what unwinds.
    let faulted = unsafe { enter(guarded::<F>, data, &raw mut save) };
    RESUME.set(0);
    if let Some(panic) = it.panicked.take() {
        resume_unwind(panic);
    }
    if faulted == 0 { Ok(()) } else { Err(FAULT.get()) }
}

/// What is copied, from where to where.
struct Copied {
    from: *const u8,
    to: *mut u8,
    len: usize,
}

/// What [`read`] calls on the other side of [`enter`].
///
/// # Safety
///
/// `data` is a `Copied`, whose `to` is valid to write to.
unsafe extern "C" fn copy(data: *mut u8) {
    // SAFETY: the caller says so; where `from` cannot be read, that is a fault, which `enter` returns from.
    unsafe {
        let it = &*data.cast::<Copied>();
        ptr::copy(it.from, it.to, it.len);
    }
}

/// Reads memory that may not be there. Only while the [`Handlers`] are there; within a [`guard`], too. No system call: a
/// sealed copy is told the number of another process when it asks for its own.
pub(crate) fn read(address: u64, into: &mut [u8]) -> bool {
    let mut it = Copied { from: address as *const u8, to: into.as_mut_ptr(), len: into.len() };
    let mut save = 0u64;
    let outer = RESUME.replace(&raw mut save as u64);
    // SAFETY: `it`, `save` and `into` live until after the call, and `copy` owns nothing.
    let faulted = unsafe { enter(copy, (&raw mut it).cast(), &raw mut save) };
    RESUME.set(outer);
    faulted == 0
}

/// The stack of signal handlers on this thread, and what was in its place.
pub(crate) struct Handlers {
    stack: *mut libc::c_void,
    before: libc::stack_t,
}

impl Handlers {
    /// Installs the handlers, for the process, and their stack, for this thread.
    pub(crate) fn install() -> Result<Handlers, String> {
        // SAFETY: the stack is a new mapping, and stays until `drop` has put back what was there. All zero is a valid value
        // of both structs, and `on_signal` is such a function as the flags say.
        unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let stack =
                libc::mmap(ptr::null_mut(), ALTERNATE, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
            if stack == libc::MAP_FAILED {
                return Err("there is no memory for a stack of signal handlers".to_owned());
            }
            let ours = libc::stack_t { ss_sp: stack, ss_flags: 0, ss_size: ALTERNATE };
            let mut before: libc::stack_t = mem::zeroed();
            if libc::sigaltstack(&raw const ours, &raw mut before) != 0 {
                return Err("signal handlers can have no stack of their own".to_owned());
            }
            for signal in SIGNALS {
                let mut action: libc::sigaction = mem::zeroed();
                action.sa_sigaction = on_signal as *const () as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                if libc::sigaction(signal, &raw const action, ptr::null_mut()) != 0 {
                    return Err(format!("signal {signal} cannot be handled"));
                }
            }
            Ok(Handlers { stack, before })
        }
    }
}

impl Drop for Handlers {
    fn drop(&mut self) {
        // SAFETY: it is the thread that installed them, for a machine stays on its thread. No handler runs on a stack that is
        // not in use any more.
        unsafe {
            libc::sigaltstack(&raw const self.before, ptr::null_mut());
            libc::munmap(self.stack, ALTERNATE);
        }
    }
}
