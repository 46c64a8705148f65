//! Faults of a child: told apart, and nothing printed of them.

#[cfg(target_os = "linux")]
pub(crate) use linux::tell_place;
#[cfg(target_os = "linux")]
#[allow(unused_imports, reason = "sealed copies alone ask who they are")]
pub(super) use linux::{STACK_OVERFLOW, handle, learn_process, raise, stack};
#[cfg(not(target_os = "linux"))]
pub(crate) use others::tell_place;
#[cfg(not(target_os = "linux"))]
pub(super) use others::{STACK_OVERFLOW, handle, learn_process, stack};

/// Set in the length of a message that has the addresses on a stack.
pub(super) const STACK: u64 = 1 << 63;

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::{c_int, c_void};
    use std::mem::{ManuallyDrop, MaybeUninit};
    use std::ops::Range;
    use std::os::fd::RawFd;
    use std::ptr;
    use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};

    use super::STACK;

    /// The signal that a child dies by when its stack overflows: a signal of this name that no system sends.
    pub(crate) const STACK_OVERFLOW: i32 = libc::SIGSTKFLT;
    /// How near to the end of the stack a fault has to be to count as an overflow.
    const NEAR: usize = 1 << 16;
    /// The size of the stack that faults are handled on.
    const HANDLER_STACK: usize = 1 << 17;
    /// How many addresses on a stack are told: those of the standard library come first.
    const STACK_MAX: usize = 64;

    /// This process and its thread: a sealed copy is told that it is another.
    static PROCESS: AtomicI32 = AtomicI32::new(0);
    static THREAD: AtomicI32 = AtomicI32::new(0);
    /// This process as it sees itself: another that it starts is another.
    static SEEN: AtomicI32 = AtomicI32::new(0);
    /// Where this child says where it was when it died: once, so it is taken.
    static TOLD_TO: AtomicI32 = AtomicI32::new(-1);
    /// Where a stack overflow of this child faults.
    static FROM: AtomicUsize = AtomicUsize::new(0);
    static TO: AtomicUsize = AtomicUsize::new(0);

    /// The addresses where an overflow of this thread's stack faults.
    pub(crate) fn stack() -> Range<usize> {
        let mut attributes = MaybeUninit::uninit();
        let (mut start, mut size) = (ptr::null_mut(), 0);
        // SAFETY: the attributes are read and destroyed only where they were written.
        unsafe {
            if libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) == 0 {
                libc::pthread_attr_getstack(attributes.as_ptr(), &mut start, &mut size);
                libc::pthread_attr_destroy(attributes.as_mut_ptr());
            }
        }
        let start = start as usize;
        if start == 0 { 0..0 } else { start.saturating_sub(NEAR)..start + NEAR }
    }

    /// Lets faults of this process tell what they are by the signal it dies by. The standard library's own handler
    /// would print. After `learn_process`.
    pub(crate) fn handle(stack: Range<usize>, to: RawFd) {
        TOLD_TO.store(to, Ordering::Relaxed);
        // SAFETY: a call without preconditions.
        SEEN.store(unsafe { libc::getpid() }, Ordering::Relaxed);
        FROM.store(stack.start, Ordering::Relaxed);
        TO.store(stack.end, Ordering::Relaxed);
        let mut own = ManuallyDrop::new(Vec::<u8>::with_capacity(HANDLER_STACK));
        let own = libc::stack_t { ss_sp: own.as_mut_ptr().cast(), ss_flags: 0, ss_size: HANDLER_STACK };
        // SAFETY: the stack is leaked, so it is there for as long as the process; the action is all zero but for
        // what is set, which is a valid one; the handler calls only what may be called in handlers.
        unsafe {
            libc::sigaltstack(&own, ptr::null_mut());
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_fault as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
            for signal in [libc::SIGSEGV, libc::SIGBUS] {
                libc::sigaction(signal, &action, ptr::null_mut());
            }
            for signal in [libc::SIGILL, libc::SIGFPE] {
                let mut before: libc::sigaction = std::mem::zeroed();
                libc::sigaction(signal, ptr::null(), &mut before);
                if before.sa_sigaction == libc::SIG_DFL {
                    libc::sigaction(signal, &action, ptr::null_mut());
                }
            }
        }
    }

    /// Reports where this child is to the process that waits for it, if it is one and has not. It is about to end.
    pub(crate) fn tell_place() {
        tell_stack(0);
    }

    /// Whether this is the child, and not a process that its test has started.
    fn is_own() -> bool {
        // SAFETY: a call without preconditions.
        SEEN.load(Ordering::Relaxed) == unsafe { libc::getpid() }
    }

    /// Reports the addresses on this thread's stack, behind that of the instruction that faulted. Allocates nothing.
    fn tell_stack(fault: u64) {
        let to = TOLD_TO.swap(-1, Ordering::Relaxed);
        if to == -1 || !is_own() {
            return;
        }
        let mut seen = SeenStack { words: [0; STACK_MAX + 2], len: 2 };
        seen.words[1] = fault;
        walk(&mut seen);
        seen.words[0] = STACK | (8 * (seen.len - 1)) as u64;
        // SAFETY: all of them are there. If nobody listens, nobody misses it.
        unsafe { libc::write(to, seen.words.as_ptr().cast(), 8 * seen.len) };
    }

    /// A message: its length, where it faulted, what is on the stack.
    struct SeenStack {
        words: [u64; STACK_MAX + 2],
        len: usize,
    }

    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    fn walk(seen: &mut SeenStack) {
        // The library that unwinds panics.
        unsafe extern "C" {
            fn _Unwind_Backtrace(
                see: extern "C" fn(*mut c_void, *mut c_void) -> c_int,
                to: *mut c_void,
            ) -> c_int;
            fn _Unwind_GetIPInfo(frame: *mut c_void, is_before: *mut c_int) -> usize;
        }
        extern "C" fn see(frame: *mut c_void, to: *mut c_void) -> c_int {
            let mut is_before = 0;
            // SAFETY: `walk` gave `to`, and the library gave `frame`.
            let (seen, address) =
                unsafe { (&mut *to.cast::<SeenStack>(), _Unwind_GetIPInfo(frame, &mut is_before)) };
            if seen.len == seen.words.len() {
                return 5; // the end of the stack
            }
            // A return address may belong to the function behind.
            seen.words[seen.len] = address.saturating_sub(usize::from(is_before == 0)) as u64;
            seen.len += 1;
            0
        }
        // SAFETY: `see` gets a reference to `seen`, and nobody else has it meanwhile. A stack that cannot be read ends the
        // process by another signal, which is about to end.
        unsafe { _Unwind_Backtrace(see, ptr::from_mut(seen).cast()) };
    }

    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    fn walk(_: &mut SeenStack) {}

    /// The instruction that faulted, by what a handler is given.
    fn fault_of(context: *mut c_void) -> u64 {
        // SAFETY: the system gives a valid context.
        #[cfg(target_arch = "x86_64")]
        return unsafe {
            (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs[libc::REG_RIP as usize] as u64
        };
        // SAFETY: as above.
        #[cfg(target_arch = "aarch64")]
        return unsafe { (*context.cast::<libc::ucontext_t>()).uc_mcontext.pc };
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        return context as u64 & 0;
    }

    /// Sends this process a signal; returns what the system says.
    pub(crate) fn raise(signal: i32) -> i64 {
        let (process, thread) = (PROCESS.load(Ordering::Relaxed), THREAD.load(Ordering::Relaxed));
        // SAFETY: a call without preconditions, to this thread of this process.
        unsafe { libc::syscall(libc::SYS_tgkill, process, thread, signal) }
    }

    /// Learns which process this is, before a seal gives it another answer. Allocates nothing.
    pub(crate) fn learn_process() -> i32 {
        // SAFETY: calls without preconditions.
        let (process, thread) = unsafe { (libc::getpid(), libc::gettid()) };
        PROCESS.store(process, Ordering::Relaxed);
        THREAD.store(thread, Ordering::Relaxed);
        process
    }

    extern "C" fn on_fault(signal: i32, info: *mut libc::siginfo_t, context: *mut c_void) {
        /// The first fault: another while its stack is read ends the process as the first one does.
        static FIRST: AtomicI32 = AtomicI32::new(0);
        // SAFETY: the system gives a valid `info`, and all calls may be made in a handler.
        unsafe {
            if !is_own() {
                libc::signal(signal, libc::SIG_DFL);
                libc::raise(signal);
            }
            let address = (*info).si_addr() as usize;
            let is_overflow = (FROM.load(Ordering::Relaxed)..TO.load(Ordering::Relaxed)).contains(&address);
            let signal = if is_overflow { STACK_OVERFLOW } else { signal };
            let signal = match FIRST.compare_exchange(0, signal, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => {
                    tell_stack(fault_of(context));
                    signal
                }
                Err(first) => first,
            };
            libc::signal(signal, libc::SIG_DFL);
            raise(signal);
            libc::_exit(70);
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod others {
    /// No signal: an overflow is a segmentation fault here.
    pub(crate) const STACK_OVERFLOW: i32 = -1;

    pub(crate) fn stack() {}

    pub(crate) fn learn_process() -> i32 {
        0
    }

    /// Where a child was when it died is not known here.
    pub(crate) fn tell_place() {}

    /// Lets faults end this process at once. The standard library's own handler would print.
    pub(crate) fn handle((): (), _: i32) {
        for signal in [libc::SIGSEGV, libc::SIGBUS] {
            // SAFETY: the default action is always valid.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
    }
}
