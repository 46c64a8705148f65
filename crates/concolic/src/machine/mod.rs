//! The interpreter for x86-64: concrete execution first, expressions beside it.
//!
//! The processor computes every concrete result (plain code for the frequent instructions, a one-instruction
//! native stub for all others); what depends on choices is followed in [`shadow`], and every expression is
//! compared with what the processor computed.

pub(crate) mod shadow;

use crate::expr::Dag;
use crate::path::Path;

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
    pub host_rsp: u64,
    /// The address that native code is entered at.
    pub target: u64,
    /// The vector registers.
    pub vec: [[u8; 32]; 16],
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
    /// Whether it is relative to the thread's storage.
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
    /// among the read ones.
    pub(crate) reads: u16,
    pub(crate) writes: u16,
    /// The same for vector registers.
    pub(crate) vec_reads: u16,
    pub(crate) vec_writes: u16,
    /// Flags (as in iced's `RflagsBits`) that it reads, and that it changes.
    pub(crate) flags_read: u32,
    pub(crate) flags_written: u32,
    /// Its memory operands, implicit ones too.
    pub(crate) mems: [Mem; 2],
    pub(crate) mem_count: u8,
    pub(crate) flow: Flow,
    /// How it is executed without a stub: 0 where it is not. See `concrete`.
    pub(crate) fast: u8,
    /// Whether a stub needs the vector registers.
    pub(crate) uses_vectors: bool,
    /// For the fast paths: operand registers, size in bytes, immediate.
    pub(crate) dst: u8,
    pub(crate) src: u8,
    pub(crate) size: u8,
    pub(crate) src_size: u8,
    pub(crate) imm: u64,
}

/// The interpreter. One runs on one thread, of one process.
///
/// `concrete` (decoding, execution, native calls, memory, the run loop) and `symbolic` (what instructions do to
/// expressions) meet here and in [`shadow`].
pub struct Machine {
    pub(crate) cpu: Box<Cpu>,
    pub(crate) shadow: shadow::Shadow,
    /// The expressions of the run.
    pub(crate) dag: Dag,
    /// The conditions that the run met so far.
    pub(crate) path: Path,
}
