//! Leaving a case from anywhere within it.
//!
//! The stack is cut back to where the case was entered. Nothing is unwound on the way, so `catch (...)` sees nothing of it and
//! no destructor runs. On the way there are frames of C and C++, and of functions of this crate that own nothing by then.

#[cfg(all(unix, target_arch = "x86_64"))]
mod machine {
    use std::arch::naked_asm;

    /// Calls `body`, and stores in `place` where to go back to.
    #[unsafe(naked)]
    pub(super) extern "C" fn enter(_: extern "C" fn(), _: *mut usize) {
        naked_asm!(
            ".cfi_startproc",
            // What unwinds stops here: above are frames of Rust.
            ".cfi_undefined rip",
            "push rbp",
            ".cfi_def_cfa_offset 16",
            ".cfi_offset rbp, -16",
            "mov rbp, rsp",
            ".cfi_def_cfa_register rbp",
            "push rbx",
            "push r12",
            "push r13",
            "push r14",
            "push r15",
            "sub rsp, 8",
            "mov [rsi], rsp",
            "call rdi",
            "add rsp, 8",
            "pop r15",
            "pop r14",
            "pop r13",
            "pop r12",
            "pop rbx",
            "pop rbp",
            "ret",
            ".cfi_endproc",
        )
    }

    /// Calls `body` on another stack, whose end is given, and stores in `place` where to go back to.
    #[unsafe(naked)]
    pub(super) extern "C" fn enter_on(_: extern "C" fn(), _: *mut usize, _: usize) {
        naked_asm!(
            ".cfi_startproc",
            ".cfi_undefined rip",
            "push rbp",
            "push rbx",
            "push r12",
            "push r13",
            "push r14",
            "push r15",
            "sub rsp, 8",
            "mov [rsi], rsp",
            "mov rsp, rdx",
            "and rsp, -16",
            "call rdi",
            "ud2",
            ".cfi_endproc",
        )
    }

    /// Returns from the call of `enter` that stored `place`.
    ///
    /// # Safety
    ///
    /// As of [`super::leave`].
    #[unsafe(naked)]
    pub(super) unsafe extern "C" fn leave(_: usize) -> ! {
        naked_asm!(
            "mov rsp, rdi",
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
}

#[cfg(all(unix, target_arch = "aarch64"))]
mod machine {
    use std::arch::naked_asm;

    /// Calls `body`, and stores in `place` where to go back to.
    #[unsafe(naked)]
    pub(super) extern "C" fn enter(_: extern "C" fn(), _: *mut usize) {
        naked_asm!(
            ".cfi_startproc",
            // What unwinds stops here: above are frames of Rust.
            ".cfi_undefined x30",
            "stp x29, x30, [sp, #-160]!",
            "mov x29, sp",
            "stp x19, x20, [sp, #16]",
            "stp x21, x22, [sp, #32]",
            "stp x23, x24, [sp, #48]",
            "stp x25, x26, [sp, #64]",
            "stp x27, x28, [sp, #80]",
            "stp d8, d9, [sp, #96]",
            "stp d10, d11, [sp, #112]",
            "stp d12, d13, [sp, #128]",
            "stp d14, d15, [sp, #144]",
            "str x29, [x1]",
            "blr x0",
            "mov x9, sp",
            "b {end}",
            ".cfi_endproc",
            end = sym end,
        )
    }

    /// Calls `body` on another stack, whose end is given, and stores in `place` where to go back to.
    #[unsafe(naked)]
    pub(super) extern "C" fn enter_on(_: extern "C" fn(), _: *mut usize, _: usize) {
        naked_asm!(
            ".cfi_startproc",
            ".cfi_undefined x30",
            "stp x29, x30, [sp, #-160]!",
            "mov x29, sp",
            "stp x19, x20, [sp, #16]",
            "stp x21, x22, [sp, #32]",
            "stp x23, x24, [sp, #48]",
            "stp x25, x26, [sp, #64]",
            "stp x27, x28, [sp, #80]",
            "stp d8, d9, [sp, #96]",
            "stp d10, d11, [sp, #112]",
            "stp d12, d13, [sp, #128]",
            "stp d14, d15, [sp, #144]",
            "str x29, [x1]",
            "mov sp, x2",
            "blr x0",
            "brk #1",
            ".cfi_endproc",
        )
    }

    /// Returns from the call of `enter` that stored `place`.
    ///
    /// # Safety
    ///
    /// As of [`super::leave`].
    #[unsafe(naked)]
    pub(super) unsafe extern "C" fn leave(_: usize) -> ! {
        naked_asm!("mov x9, x0", "b {end}", end = sym end)
    }

    /// Goes back with the stack at `x9`.
    ///
    /// # Safety
    ///
    /// The stack is one of `enter`.
    #[unsafe(naked)]
    unsafe extern "C" fn end() {
        naked_asm!(
            "mov sp, x9",
            "ldp x19, x20, [sp, #16]",
            "ldp x21, x22, [sp, #32]",
            "ldp x23, x24, [sp, #48]",
            "ldp x25, x26, [sp, #64]",
            "ldp x27, x28, [sp, #80]",
            "ldp d8, d9, [sp, #96]",
            "ldp d10, d11, [sp, #112]",
            "ldp d12, d13, [sp, #128]",
            "ldp d14, d15, [sp, #144]",
            "ldp x29, x30, [sp], #160",
            "ret",
        )
    }
}

#[cfg(not(all(unix, any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod machine {
    /// Calls `body`; it cannot be left here.
    pub(super) extern "C" fn enter(body: extern "C" fn(), _: *mut usize) {
        body();
    }

    /// Does nothing: this processor has no way to leave a case.
    pub(super) extern "C" fn enter_on(_: extern "C" fn(), _: *mut usize, _: usize) {}

    /// Ends the process: this processor has no way to leave a case.
    ///
    /// # Safety
    ///
    /// None is needed.
    pub(super) unsafe extern "C" fn leave(_: usize) -> ! {
        std::process::abort()
    }
}

/// Whether cases can be left on this machine.
pub(crate) const IS_SUPPORTED: bool = cfg!(all(unix, any(target_arch = "x86_64", target_arch = "aarch64")));

/// Calls `body`, which may be left by [`leave`] with what is stored in `place` before the call.
#[inline]
pub(crate) fn enter(body: extern "C" fn(), place: *mut usize) {
    machine::enter(body, place);
}

/// Calls `body` on the stack that ends at `stack`; it never returns, but may be left as with [`enter`].
pub(crate) fn enter_on(body: extern "C" fn(), place: *mut usize, stack: usize) {
    machine::enter_on(body, place, stack);
}

/// Leaves the body that stored `place`.
///
/// # Safety
///
/// That body is running on this thread, and no frame above it owns anything of Rust's.
pub(crate) unsafe fn leave(place: usize) -> ! {
    // SAFETY: as the caller promises.
    unsafe { machine::leave(place) }
}
