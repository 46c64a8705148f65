//! The interpreter for x86-64: concrete execution first, expressions beside it.
//!
//! The processor computes every concrete result (plain code for the frequent instructions, a one-instruction
//! native stub for all others); what depends on choices is followed in `shadow`, and every expression is
//! compared with what the processor computed.
//!
//! # Why the guest's memory may be touched
//!
//! [`Machine::call`] is the one door, and it is `unsafe`: its caller says that the function could be called here, natively,
//! as well. Everything else follows from that. The machine executes what the function's own instructions say, at the
//! addresses that they compute: it reads and writes only what the guest is about to touch, has just touched, or has
//! passed to a function of the C library that touches it, and the eight bytes around each such byte, which lie on the same
//! page. This is what a `SAFETY` comment means by *the guest's access*. Three things hold beside it:
//!
//! - Our own data is not the guest's. Stack and heap of the guest are mappings of their own; Rust's references never lead
//!   from one into the other, except to `guest::GuestState`, of which each side uses fields of its own.
//! - An access to what is not mapped raises a signal, and the run ends in `fault::guard`. The frames between are left
//!   without dropping what they own: that leaks, and nothing here counts on being dropped. No Rust reference is
//!   made to memory that may not be there; it is read and written through raw pointers or by single instructions.
//! - A test that has undefined behavior has it here as well, and may write over our data. That is why a search has a
//!   process of its own, and why nothing that it says is believed (see ARCHITECTURE.md).

mod cache;
mod decode;
mod execute;
mod fault;
mod flags;
mod guest;
mod known;
mod memory;
mod models;
mod native;
mod patch;
mod run;
pub(crate) mod shadow;
mod stand_ins;
mod stub;
pub(crate) mod symbolic;
mod symbols;
#[cfg(test)]
mod tests;

use std::time::Instant;

pub(crate) use cache::calibrate_decoder;
pub use cache::{Cache, own_memory};
pub use guest::{Guest, Witness};

use crate::expr::{Dag, Expr};
use crate::path::{Edge, Imprecision, Path, Verdict};

/// The registers of the guest.
#[repr(C, align(32))]
#[derive(Clone)]
pub struct Cpu {
    /// The general registers by their number: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15.
    pub gpr: [u64; 16],
    /// The flags, where they are not pending (see `Machine::flags`).
    pub flags: u64,
    /// Where to go on.
    pub rip: u64,
    /// The host's stack pointer while guest code runs natively.
    pub(crate) host_rsp: u64,
    /// The address that native code is entered at.
    pub(crate) target: u64,
    /// The vector registers.
    pub vec: [[u8; 32]; 16],
    /// The upper halves of those registers where they have 64 bytes. What is in these and in the registers below has no
    /// expression: code of AVX-512 is run, and followed only where it uses the registers above.
    pub(crate) high: [[u8; 32]; 16],
    /// The vector registers 16 to 31.
    pub(crate) more: [[u8; 64]; 16],
    /// The mask registers.
    pub(crate) masks: [u64; 8],
}

impl Cpu {
    fn clear_vectors(&mut self) {
        (self.vec, self.high, self.more, self.masks) = ([[0; 32]; 16], [[0; 32]; 16], [[0; 64]; 16], [0; 8]);
    }
}

/// No register, in [`Mem`].
pub(crate) const NO_REG: u8 = 16;

/// A memory operand: `segment + base + index * scale + disp`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Mem {
    /// The displacement; for operands relative to the instruction pointer the whole address.
    pub(crate) disp: u64,
    pub(crate) base: u8,
    pub(crate) index: u8,
    pub(crate) scale: u8,
    /// Whether it is relative to the thread's storage. Then `disp` is an offset into it.
    pub(crate) fs: bool,
    /// In bytes.
    pub(crate) size: u16,
    pub(crate) read: bool,
    pub(crate) write: bool,
}

/// How an instruction goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Flow {
    Next,
    Conditional,
    Jump,
    IndirectJump,
    Call,
    IndirectCall,
    Return,
    /// `syscall`, `int3`, `ud2`, `hlt`: see the mnemonic.
    Special,
}

/// What cannot be seen from an instruction's operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Opaque {
    /// Nothing.
    No,
    /// It reads registers or memory that it does not name.
    Reads,
    /// What it comes to differs from run to run.
    Varies,
    /// It sets how floats are rounded.
    Rounds,
    /// It changes more than it names.
    Writes,
}

/// One decoded instruction. Plain data: it lies in memory that processes share.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Ins {
    pub(crate) raw: iced_x86::Instruction,
    pub(crate) ip: u64,
    pub(crate) next: u64,
    /// Its native stub; 0 until one is made.
    pub(crate) stub: u64,
    /// General registers that it reads and writes, implicit ones too (bit n is register n). Those of addresses are
    /// among the read ones, and so are those that are written only in part or only on a condition.
    pub(crate) reads: u16,
    pub(crate) writes: u16,
    /// The same for vector registers. One that a legacy instruction writes in part is among the read ones.
    pub(crate) vec_reads: u16,
    pub(crate) vec_writes: u16,
    /// Vector registers from 16 on that it uses, and mask registers.
    pub(crate) more: u16,
    pub(crate) masks: u8,
    /// Flags (as in iced's `RflagsBits`) that it reads, and that it changes (undefined ones among them).
    pub(crate) flags_read: u32,
    pub(crate) flags_written: u32,
    /// Its memory operands, implicit ones too. That of `lea` is not among them, nor those of `rep` forms and gathers.
    pub(crate) mems: [Mem; 2],
    pub(crate) mem_count: u8,
    pub(crate) flow: Flow,
    /// How it is executed without a stub.
    pub(crate) fast: decode::Fast,
    /// What its operands do not tell.
    pub(crate) opaque: Opaque,
    /// Whether it can be executed at all.
    pub(crate) supported: bool,
    /// Whether it is a string instruction that repeats.
    pub(crate) repeated: bool,
    /// For the fast paths: operand registers, size in bytes, immediate.
    pub(crate) dst: u8,
    pub(crate) src: u8,
    pub(crate) size: u8,
    pub(crate) src_size: u8,
    pub(crate) imm: u64,
}

/// How far a run may go.
#[derive(Clone, Copy, Debug)]
pub struct RunLimits {
    /// At most this many instructions.
    pub instructions: u64,
    /// Not beyond this time, if any.
    pub until: Option<Instant>,
}

impl Default for RunLimits {
    fn default() -> Self {
        RunLimits { instructions: 20_000_000, until: None }
    }
}

/// How [`Machine::call`] ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallEnd {
    /// The function returned this.
    Returned(u64),
    /// It did not return: `Cut`, `Died`, `Unsupported`, or what a handler said.
    Stopped(Verdict),
}

/// What becomes of a function that was intercepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AfterCall {
    /// It has been performed: return to its caller.
    Return,
    /// Let it run as if nothing had been.
    Enter,
    /// End the run.
    Stop(Verdict),
}

/// Called when the guest is about to enter an intercepted function: the return address is on the stack, the
/// arguments are in registers.
pub type Handler = fn(&mut Machine, *mut ()) -> AfterCall;

/// The interpreter. One runs on one thread, of one process.
///
/// `run` (with decoding, execution, native calls, memory) and `symbolic` (what instructions do to expressions) meet
/// here and in `shadow`.
pub struct Machine {
    /// The registers. They lie in the cache's memory, where stubs reach them.
    pub(crate) cpu: &'static mut Cpu,
    pub(crate) shadow: shadow::Shadow,
    /// The expressions of the run.
    pub(crate) dag: Dag,
    /// The conditions that the run met so far.
    pub(crate) path: Path,
    /// Set by whatever finds that the run cannot go on; looked at after every instruction that is not plain.
    pub(crate) stop: Option<Verdict>,
    /// The interpreter's own state; see `run`.
    pub(crate) inner: run::InterpreterState,
}

impl Machine {
    /// The address of a memory operand, by the registers as they are now.
    #[inline(always)]
    pub(crate) fn address(&self, mem: &Mem) -> u64 {
        let mut at = mem.disp;
        if mem.base != NO_REG {
            at = at.wrapping_add(self.cpu.gpr[mem.base as usize & 15]);
        }
        if mem.index != NO_REG {
            at = at.wrapping_add(self.cpu.gpr[mem.index as usize & 15].wrapping_mul(mem.scale.into()));
        }
        if mem.fs {
            at = at.wrapping_add(self.inner.thread);
        }
        at
    }

    /// Notes what this run is not precise about, once.
    pub(crate) fn record_imprecision(&mut self, imprecision: Imprecision) {
        if !self.path.imprecisions.contains(&imprecision) {
            self.path.imprecisions.push(imprecision);
        }
    }

    /// The expression of the result of the function that [`call`](Self::call) ran to its end.
    pub fn result(&self) -> Expr {
        self.shadow.gpr[0]
    }

    /// The registers.
    pub fn cpu(&mut self) -> &mut Cpu {
        self.cpu
    }
}
