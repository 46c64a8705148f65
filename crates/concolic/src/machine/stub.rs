//! Single instructions as native code: loads the registers that it uses, executes it, stores what it wrote.
//!
//! A stub is called with the host's stack and may change every register but rsp. It reaches the guest's registers
//! relative to itself, so it needs none of its own.

use std::arch::asm;
use std::mem::offset_of;

use iced_x86::{Encoder, EncodingKind, Register};

use super::cache::Cache;
use super::{Cpu, Ins};

/// Calls a stub or the gate.
///
/// # Safety
///
/// `stub` was made here, and the guest's registers are such that its instruction may be executed.
#[inline(always)]
pub(crate) unsafe fn enter(stub: u64) {
    unsafe {
        asm!(
            "push rbx",
            "push rbp",
            "call rax",
            "pop rbp",
            "pop rbx",
            inout("rax") stub => _,
            out("r12") _,
            out("r13") _,
            out("r14") _,
            out("r15") _,
            clobber_abi("C"),
        );
    }
}

/// What vector registers there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Avx {
    /// Of 16 bytes.
    None,
    /// Of 32 bytes.
    Some,
    /// Of 64 bytes, twice as many, and masks.
    Wide,
}

struct Writer<'a> {
    cache: &'a Cache,
    bytes: Vec<u8>,
    avx: Avx,
}

impl Writer<'_> {
    fn here(&self) -> u64 {
        self.cache.code_end() + self.bytes.len() as u64
    }

    /// Opcode bytes, then the distance from the end of the instruction to a field of the registers.
    fn with_field(&mut self, opcode: &[u8], offset: usize) {
        self.bytes.extend_from_slice(opcode);
        let field = std::ptr::from_ref(&self.cache.header().cpu) as u64 + offset as u64;
        let distance = field.wrapping_sub(self.here() + 4) as i64 as i32;
        self.bytes.extend_from_slice(&distance.to_le_bytes());
    }

    fn general(&mut self, register: usize, opcode: u8, offset: usize) {
        let rex = 0x48 | ((register as u8 >> 3) << 2);
        self.with_field(&[rex, opcode, 0x05 | ((register as u8 & 7) << 3)], offset);
    }

    fn load(&mut self, register: usize) {
        self.general(register, 0x8b, offset_of!(Cpu, gpr) + 8 * register);
    }

    fn store(&mut self, register: usize) {
        self.general(register, 0x89, offset_of!(Cpu, gpr) + 8 * register);
    }

    fn vector(&mut self, register: usize, opcode: u8) {
        let offset = offset_of!(Cpu, vec) + 32 * register;
        let operand = 0x05 | ((register as u8 & 7) << 3);
        if self.avx > Avx::None {
            let vex = if register < 8 { 0xfc } else { 0x7c };
            self.with_field(&[0xc5, vex, opcode, operand], offset);
        } else if register < 8 {
            self.with_field(&[0x0f, opcode, operand], offset);
        } else {
            self.with_field(&[0x44, 0x0f, opcode, operand], offset);
        }
    }

    /// The upper half of a register of 64 bytes, of the first 16: into it, or from it.
    fn upper(&mut self, register: usize, loads: bool) {
        let number = register as u8;
        let first = 0x63 | u8::from(number < 8) << 7 | 1 << 4;
        // vinserti64x4 has its other source in the bits of the second byte.
        let (second, opcode) = if loads { (0x85 | (!number & 15) << 3, 0x3a) } else { (0xfd, 0x3b) };
        let offset = offset_of!(Cpu, high) + 32 * register;
        // The distance is counted from the end, and there is one byte more.
        self.with_field(&[0x62, first, second, 0x48, opcode, 0x05 | ((number & 7) << 3)], offset - 1);
        self.bytes.push(1);
    }

    /// All 64 bytes of one of the registers from 16 on.
    fn more(&mut self, register: usize, opcode: u8) {
        let number = register as u8;
        let first = 0x61 | u8::from(number < 8) << 7;
        let offset = offset_of!(Cpu, more) + 64 * register;
        self.with_field(&[0x62, first, 0x7c, 0x48, opcode, 0x05 | ((number & 7) << 3)], offset);
    }

    fn mask(&mut self, register: usize, opcode: u8) {
        let offset = offset_of!(Cpu, masks) + 8 * register;
        self.with_field(&[0xc4, 0xe1, 0xf8, opcode, 0x05 | (register as u8) << 3], offset);
    }

    fn load_flags(&mut self) {
        self.with_field(&[0xff, 0x35], offset_of!(Cpu, flags));
        self.bytes.push(0x9d);
    }

    fn store_flags(&mut self) {
        self.bytes.push(0x9c);
        self.with_field(&[0x8f, 0x05], offset_of!(Cpu, flags));
        self.bytes.push(0xfc);
    }

    fn save_stack(&mut self) {
        self.general(RSP, 0x89, offset_of!(Cpu, host_rsp));
    }

    fn restore_stack(&mut self) {
        self.general(RSP, 0x8b, offset_of!(Cpu, host_rsp));
    }

    fn finish(mut self, vectors: bool) -> Option<u64> {
        if vectors && self.avx > Avx::None {
            self.bytes.extend_from_slice(&[0xc5, 0xf8, 0x77]);
        }
        self.bytes.push(0xc3);
        self.cache.add_code(&self.bytes)
    }
}

const RSP: usize = 4;

fn bits(mask: u16) -> impl Iterator<Item = usize> {
    (0..16).filter(move |n| mask >> n & 1 != 0)
}

/// The way into native code and the address that it returns to.
pub(crate) fn gate(cache: &Cache, avx: Avx) -> Option<(u64, u64)> {
    let mut it = Writer { cache, bytes: Vec::new(), avx };
    it.save_stack();
    it.load_flags();
    (0..16).for_each(|n| it.vector(n, 0x10));
    bits(!(1 << RSP)).for_each(|n| it.load(n));
    it.load(RSP);
    it.with_field(&[0xff, 0x25], offset_of!(Cpu, target));
    let exit = it.here();
    (0..16).for_each(|n| it.store(n));
    it.restore_stack();
    it.store_flags();
    (0..16).for_each(|n| it.vector(n, 0x11));
    let at = it.finish(true)?;
    Some((at, exit))
}

/// The stub of an instruction; `None` where it cannot be written.
pub(crate) fn make(cache: &Cache, avx: Avx, encoder: &mut Encoder, ins: &Ins) -> Option<u64> {
    let mut it = Writer { cache, bytes: Vec::with_capacity(96), avx };
    let used = ins.reads | ins.writes;
    let vectors = ins.vec_reads | ins.vec_writes;
    let flags = ins.flags_read | ins.flags_written != 0;
    let stack = used >> RSP & 1 != 0;
    let is_wide = ins.raw.encoding() == EncodingKind::EVEX || ins.more != 0 || ins.masks != 0;
    if is_wide && avx < Avx::Wide {
        return None;
    }
    if stack {
        it.save_stack();
    }
    if flags {
        it.load_flags();
    }
    bits(vectors).for_each(|n| it.vector(n, 0x10));
    if is_wide {
        bits(vectors).for_each(|n| it.upper(n, true));
        bits(ins.more).for_each(|n| it.more(n, 0x10));
        bits(ins.masks.into()).for_each(|n| it.mask(n, 0x90));
    }
    bits(used & !(1 << RSP)).for_each(|n| it.load(n));
    let mut raw = ins.raw;
    if raw.is_ip_rel_memory_operand() {
        // A stub is not near the code: the address goes into a register that the instruction does not use.
        let spare = [0, 1, 2, 3, 6, 7].into_iter().find(|n| used >> n & 1 == 0)?;
        it.bytes.extend_from_slice(&[0x48, 0xb8 + spare as u8]);
        it.bytes.extend_from_slice(&raw.ip_rel_memory_address().to_le_bytes());
        raw.set_memory_base(
            [
                Register::RAX,
                Register::RCX,
                Register::RDX,
                Register::RBX,
                Register::RSP,
                Register::RBP,
                Register::RSI,
                Register::RDI,
            ][spare],
        );
        raw.set_memory_displacement64(0);
        raw.set_memory_displ_size(0);
    }
    if stack {
        it.load(RSP);
    }
    let here = it.here();
    encoder.encode(&raw, here).ok()?;
    let mut bytes = encoder.take_buffer();
    it.bytes.append(&mut bytes);
    encoder.set_buffer(bytes);
    bits(ins.writes).for_each(|n| it.store(n));
    if stack {
        it.restore_stack();
    }
    if flags {
        it.store_flags();
    }
    bits(ins.vec_writes).for_each(|n| it.vector(n, 0x11));
    // All but the oldest encodings clear what is above.
    if avx == Avx::Wide && ins.raw.encoding() != EncodingKind::Legacy {
        bits(ins.vec_writes).for_each(|n| it.upper(n, false));
    }
    if is_wide {
        bits(ins.more).for_each(|n| it.more(n, 0x11));
        bits(ins.masks.into()).for_each(|n| it.mask(n, 0x91));
    }
    it.finish(vectors != 0)
}
