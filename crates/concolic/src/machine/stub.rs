//! Single instructions as native code: loads the registers that it uses, executes it, stores what it wrote.
//!
//! A stub is called with the host's stack and may change every register but rsp. It reaches the guest's registers
//! relative to itself, so it needs none of its own.

use std::arch::asm;
use std::mem::offset_of;

use iced_x86::{Decoder, DecoderOptions, EncodingKind, Register};

use super::cache::Cache;
use super::{Cpu, Ins};

/// Calls a stub or the gate.
///
/// # Safety
///
/// `stub` is of the cache that `cpu` lies in, was made by [`make`] or [`gate`], and with the registers as they are its
/// instruction is the guest's access.
#[inline(always)]
pub(crate) unsafe fn enter(stub: u64, cpu: &mut Cpu) {
    // SAFETY: a stub saves and restores the stack pointer, which the guest's instruction sees its own of, and returns. It may
    // change any other register: what the compiler may have in them is saved here or named as lost. It reads and writes
    // `cpu`, which is passed for that, and what the caller says that it may.
    unsafe {
        asm!(
            "push rbx",
            "push rbp",
            "call rax",
            "pop rbp",
            "pop rbx",
            inout("rax") stub => _,
            inout("rcx") std::ptr::from_mut(cpu) => _,
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
        let field = self.cache.cpu() as u64 + offset as u64;
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
pub(crate) fn make(cache: &Cache, avx: Avx, ins: &Ins) -> Option<u64> {
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
    // SAFETY: the instruction was decoded from these bytes, which are code that nobody writes to.
    let bytes = unsafe { std::slice::from_raw_parts(ins.ip as *const u8, ins.raw.len()) };
    let mut bytes = bytes.to_vec();
    if ins.raw.is_ip_rel_memory_operand() {
        // A stub is not near the code: the address goes into a register that the instruction does not use.
        let spare = [0, 1, 2, 3, 6, 7].into_iter().find(|n| used >> n & 1 == 0)?;
        it.bytes.extend_from_slice(&[0x48, 0xb8 + spare]);
        it.bytes.extend_from_slice(&ins.raw.ip_rel_memory_address().to_le_bytes());
        address_by(&mut bytes, spare)?;
    }
    if stack {
        it.load(RSP);
    }
    it.bytes.append(&mut bytes);
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

/// Lets an instruction whose memory operand is relative to the instruction pointer have it where a register points to, one
/// of the first eight but rsp and rbp. `None` where its form is not known.
fn address_by(bytes: &mut Vec<u8>, register: u8) -> Option<()> {
    let mut decoder = Decoder::new(64, bytes, DecoderOptions::NONE);
    let raw = decoder.decode();
    let offsets = decoder.get_constant_offsets(&raw);
    if raw.memory_base() != Register::RIP || offsets.displacement_size() != 4 {
        return None;
    }
    // The byte before the displacement names the operands, with 101 for such an address in its low bits.
    let at = offsets.displacement_offset();
    let operands = bytes.get_mut(at.checked_sub(1)?)?;
    if *operands & 0xc7 != 5 {
        return None;
    }
    *operands = *operands & !7 | register;
    bytes.drain(at..at + 4);
    // Prefixes have a fourth bit for the register, which meant nothing till now.
    let first = bytes.iter().position(|it| !LEGACY_PREFIXES.contains(it))?;
    match bytes[first..] {
        [0x40..=0x4f, ..] => bytes[first] &= !1,
        [0xc4 | 0x62, ..] => bytes[first + 1] |= 0x20,
        _ => {}
    }
    Some(())
}

const LEGACY_PREFIXES: [u8; 11] = [0x66, 0x67, 0xf0, 0xf2, 0xf3, 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65];

#[cfg(test)]
mod tests {
    use iced_x86::{Decoder, DecoderOptions, Register};

    use super::address_by;

    /// Forms that compilers write, with every bit that may matter set and not.
    #[test]
    fn an_address_by_a_register_changes_nothing_else() {
        let forms: [&[u8]; 9] = [
            // movups xmm9, [rip + 16]
            &[0x44, 0x0f, 0x10, 0x0d, 0x10, 0, 0, 0],
            // the same with a bit set that means nothing
            &[0x45, 0x0f, 0x10, 0x0d, 0x10, 0, 0, 0],
            // lock xadd [rip - 1], r9
            &[0xf0, 0x4c, 0x0f, 0xc1, 0x0d, 0xff, 0xff, 0xff, 0xff],
            // imul eax, [rip + 1], 1000
            &[0x69, 0x05, 1, 0, 0, 0, 0xe8, 3, 0, 0],
            // pshufd xmm1, [rip + 1], 27
            &[0x66, 0x0f, 0x70, 0x0d, 1, 0, 0, 0, 27],
            // vaddpd ymm9, ymm10, [rip + 1]
            &[0xc5, 0x2d, 0x58, 0x0d, 1, 0, 0, 0],
            // vpermq ymm1, [rip + 1], 27, with such a bit
            &[0xc4, 0xc3, 0xfd, 0x00, 0x0d, 1, 0, 0, 0, 27],
            // vpaddd zmm17{k1}, zmm2, [rip + 1]
            &[0x62, 0xe1, 0x6d, 0x49, 0xfe, 0x0d, 1, 0, 0, 0],
            // vpternlogd zmm1, zmm2, dword [rip + 1]{1to16}, 5, with such a bit
            &[0x62, 0xd3, 0x6d, 0x58, 0x25, 0x0d, 1, 0, 0, 0, 5],
        ];
        let decode = |bytes: &[u8]| Decoder::with_ip(64, bytes, 0x1000, DecoderOptions::NONE).decode();
        let registers = [(0, Register::RAX), (3, Register::RBX), (7, Register::RDI)];
        for form in forms {
            let before = decode(form);
            assert!(!before.is_invalid() && before.is_ip_rel_memory_operand(), "{form:x?}");
            assert_eq!(before.len(), form.len(), "{form:x?}");
            for (number, register) in registers {
                let mut bytes = form.to_vec();
                address_by(&mut bytes, number).unwrap();
                let after = decode(&bytes);
                assert_eq!(after.len(), form.len() - 4, "{form:x?}");
                assert_eq!(
                    (after.memory_base(), after.memory_index()),
                    (register, Register::None),
                    "{form:x?}"
                );
                let mut expected = before;
                expected.set_memory_base(register);
                expected.set_memory_displacement64(0);
                expected.set_memory_displ_size(0);
                expected.set_len(after.len());
                expected.set_next_ip(after.next_ip());
                assert_eq!(after, expected, "{form:x?}");
            }
        }
        // By 32 bits, and not at all.
        assert!(address_by(&mut vec![0x67, 0x8b, 0x05, 1, 0, 0, 0], 0).is_none());
        assert!(address_by(&mut vec![0x8b, 0x40, 1], 0).is_none());
    }
}
