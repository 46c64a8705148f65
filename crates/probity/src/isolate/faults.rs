//! Faults of a child: told apart, and nothing printed of them.

#[cfg(target_os = "linux")]
#[allow(unused_imports, reason = "sealed copies alone ask who they are")]
pub(super) use linux::{STACK_OVERFLOW, handle, learn_process, raise, stack};
#[cfg(not(target_os = "linux"))]
pub(super) use others::{STACK_OVERFLOW, handle, learn_process, stack};

#[cfg(target_os = "linux")]
mod linux {
    use std::mem::{ManuallyDrop, MaybeUninit};
    use std::ops::Range;
    use std::ptr;
    use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};

    /// The signal that a child dies by when its stack overflows: a signal of this name that no system sends.
    pub(crate) const STACK_OVERFLOW: i32 = libc::SIGSTKFLT;
    /// How near to the end of the stack a fault has to be to count as an overflow.
    const NEAR: usize = 1 << 16;
    /// The size of the stack that faults are handled on.
    const HANDLER_STACK: usize = 1 << 16;

    /// This process and its thread: a sealed copy is told that it is another.
    static PROCESS: AtomicI32 = AtomicI32::new(0);
    static THREAD: AtomicI32 = AtomicI32::new(0);
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
    pub(crate) fn handle(stack: Range<usize>) {
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
        }
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

    extern "C" fn on_fault(signal: i32, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
        // SAFETY: the system gives a valid `info`, and all calls may be made in a handler.
        unsafe {
            let address = (*info).si_addr() as usize;
            let is_overflow = (FROM.load(Ordering::Relaxed)..TO.load(Ordering::Relaxed)).contains(&address);
            let signal = if is_overflow { STACK_OVERFLOW } else { signal };
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

    /// Lets faults end this process at once. The standard library's own handler would print.
    pub(crate) fn handle((): ()) {
        for signal in [libc::SIGSEGV, libc::SIGBUS] {
            // SAFETY: the default action is always valid.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
    }
}
