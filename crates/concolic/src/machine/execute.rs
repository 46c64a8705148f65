//! Executes single instructions: the frequent ones in plain code, all others by their stub.

use super::decode::{Fast, IMM, MEM};
use super::flags::{CF, FlagRule, OF, PendingFlags, of_result, ones, sign_extend};
use super::{Ins, Machine, Opaque, stub};
use crate::path::{Imprecision, Verdict};

impl Machine {
    /// Executes an instruction that is not control flow. Where that is not possible, `stop` says why.
    #[inline]
    pub(crate) fn execute(&mut self, ins: &Ins) {
        match ins.fast {
            Fast::None => self.execute_stub(ins),
            Fast::Nop => {}
            Fast::Mov | Fast::Movzx => {
                let value = self.source(ins);
                self.put(ins, value);
            }
            Fast::Movsx => {
                let value = sign_extend(self.source(ins), ins.src_size) as u64;
                self.put(ins, value);
            }
            Fast::Lea => {
                let value = self.address(&ins.mems[0]);
                self.put(ins, value);
            }
            Fast::Add => self.arithmetic(ins, FlagRule::Add, u64::wrapping_add),
            Fast::Sub => self.arithmetic(ins, FlagRule::Sub, u64::wrapping_sub),
            Fast::And => self.arithmetic(ins, FlagRule::Logic, |a, b| a & b),
            Fast::Or => self.arithmetic(ins, FlagRule::Logic, |a, b| a | b),
            Fast::Xor => self.arithmetic(ins, FlagRule::Logic, |a, b| a ^ b),
            Fast::Cmp => {
                let (a, b) = (self.destination(ins), self.source(ins));
                self.inner.lazy = PendingFlags {
                    by: FlagRule::Sub,
                    size: ins.size,
                    carry: false,
                    a,
                    b,
                    result: a.wrapping_sub(b),
                };
            }
            Fast::Test => {
                let (a, b) = (self.destination(ins), self.source(ins));
                self.inner.lazy =
                    PendingFlags { by: FlagRule::Logic, size: ins.size, carry: false, a, b, result: a & b };
            }
            Fast::Push => {
                let value = if ins.src == IMM { ins.imm } else { self.cpu.gpr[ins.src as usize & 15] };
                self.push(value);
            }
            Fast::Pop => {
                let value = self.load(self.cpu.gpr[4], 8);
                self.cpu.gpr[4] = self.cpu.gpr[4].wrapping_add(8);
                self.cpu.gpr[ins.dst as usize & 15] = value;
            }
            Fast::Set => {
                let value = self.condition(ins.imm as u8);
                self.put(ins, value.into());
            }
            Fast::Cmov => {
                // The source is read in any case; a move of four bytes clears the upper half in any case.
                let value = self.source(ins);
                let value = if self.condition(ins.imm as u8) { value } else { self.destination(ins) };
                self.put(ins, value);
            }
            _ => self.execute_more(ins),
        }
    }

    fn execute_more(&mut self, ins: &Ins) {
        match ins.fast {
            Fast::Inc | Fast::Dec => {
                let carry = self.carry();
                let a = self.destination(ins);
                let (by, result) = if ins.fast == Fast::Inc {
                    (FlagRule::Inc, a.wrapping_add(1))
                } else {
                    (FlagRule::Dec, a.wrapping_sub(1))
                };
                self.put(ins, result);
                self.inner.lazy = PendingFlags { by, size: ins.size, carry, a, b: 1, result };
            }
            Fast::Neg => {
                let b = self.destination(ins);
                let result = b.wrapping_neg();
                self.put(ins, result);
                self.inner.lazy =
                    PendingFlags { by: FlagRule::Sub, size: ins.size, carry: false, a: 0, b, result };
            }
            Fast::Not => {
                let value = !self.destination(ins);
                self.put(ins, value);
            }
            Fast::Shl | Fast::Shr | Fast::Sar => self.shift(ins),
            Fast::Imul => self.multiply(ins),
            Fast::SignToRdx => {
                let value = (sign_extend(self.cpu.gpr[0], ins.size) >> 63) as u64;
                self.set_general(2, ins.size, value);
            }
            Fast::SignInRax => {
                let value = sign_extend(self.cpu.gpr[0], ins.src_size) as u64;
                self.set_general(0, ins.size, value);
            }
            _ => self.execute_vector(ins),
        }
    }

    fn execute_vector(&mut self, ins: &Ins) {
        let (dst, src) = (ins.dst as usize & 15, ins.src as usize & 15);
        let size = ins.size as usize & 31;
        match ins.fast {
            Fast::VecLoad => {
                let at = self.address(&ins.mems[0]);
                let value = match size {
                    16 => {
                        check_alignment(ins, at);
                        // SAFETY: the guest's access.
                        unsafe { (at as *const u128).read_unaligned() }
                    }
                    _ => self.load(at, ins.size).into(),
                };
                self.set_vector(dst, value);
            }
            Fast::VecStore => {
                let at = self.address(&ins.mems[0]);
                let value = self.vector(src);
                if size == 16 {
                    check_alignment(ins, at);
                    self.log(at, 16);
                    // SAFETY: the guest's access.
                    unsafe { (at as *mut u128).write_unaligned(value) };
                } else {
                    self.store(at, ins.size, value as u64);
                }
            }
            Fast::VecMov => {
                let value = self.vector(src);
                self.set_vector(dst, value);
            }
            Fast::VecZero => self.set_vector(dst, 0),
            Fast::VecFromGeneral => {
                let value = self.cpu.gpr[src] & ones(ins.size);
                self.set_vector(dst, value.into());
            }
            _ => {
                let value = self.vector(src) as u64;
                self.set_general(dst, ins.size, value);
            }
        }
    }

    fn execute_stub(&mut self, ins: &Ins) {
        if ins.stub == 0 {
            self.stop = Some(Verdict::Unsupported(format!("the instruction {:?}", ins.raw.mnemonic())));
            return;
        }
        for mem in &ins.mems[..ins.mem_count as usize] {
            if mem.write {
                // Where the size is not told (`fxsave` and its kin), the largest there is.
                let size = if mem.size == 0 { 4096 } else { u64::from(mem.size) };
                self.log(self.address(mem), size);
            }
        }
        if ins.repeated {
            self.log_repeated(ins);
            if self.stop.is_some() {
                return;
            }
        }
        if ins.flags_read | ins.flags_written != 0 {
            self.flags();
        }
        if ins.opaque != Opaque::No {
            self.note_opaque(ins);
        }
        // SAFETY: the stub was made for this instruction, and executing it is the guest's access. What it writes is in the log.
        unsafe { stub::enter(ins.stub, self.cpu) };
    }

    /// Takes note of what the operands of an instruction do not tell.
    #[cold]
    fn note_opaque(&mut self, ins: &Ins) {
        let name = || format!("{:?}", ins.raw.mnemonic()).to_lowercase();
        match ins.opaque {
            Opaque::No => {}
            Opaque::Reads if self.shadow.is_empty() => {}
            Opaque::Reads | Opaque::Writes => self.record_imprecision(Imprecision::Instruction(name())),
            Opaque::Varies => self.record_imprecision(Imprecision::Varies(name())),
            // To the nearest, no flush to zero, exceptions masked: what is set at the start.
            Opaque::Rounds if ins.raw.mnemonic() == iced_x86::Mnemonic::Fldcw => {}
            Opaque::Rounds => {
                let at = self.address(&ins.mems[0]);
                if self.shadow.load_any(at, 4) || self.load(at, 4) & 0xffc0 != 0x1f80 {
                    self.record_imprecision(Imprecision::Instruction(name()));
                }
            }
        }
    }

    /// What a repeated string instruction is about to write.
    fn log_repeated(&mut self, ins: &Ins) {
        use iced_x86::Mnemonic as M;
        if matches!(
            ins.raw.mnemonic(),
            M::Movsb | M::Movsw | M::Movsd | M::Movsq | M::Stosb | M::Stosw | M::Stosd | M::Stosq
        ) {
            let size = ins.raw.memory_size().size() as u64;
            self.log(self.cpu.gpr[7], self.cpu.gpr[1].saturating_mul(size));
        }
    }

    #[inline(always)]
    fn arithmetic(&mut self, ins: &Ins, by: FlagRule, f: fn(u64, u64) -> u64) {
        let b = self.source(ins);
        let a = self.destination(ins);
        let result = f(a, b);
        self.put(ins, result);
        self.inner.lazy = PendingFlags { by, size: ins.size, carry: false, a, b, result };
    }

    fn shift(&mut self, ins: &Ins) {
        let count = ins.imm as u32 & if ins.size == 8 { 63 } else { 31 };
        let width = 8 * u32::from(ins.size);
        let a = self.destination(ins) & ones(ins.size);
        if count == 0 {
            // Flags stay; a destination of four bytes still loses its upper half.
            return self.put(ins, a);
        }
        let signed = sign_extend(a, ins.size);
        let (result, carry, overflow) = match ins.fast {
            Fast::Shl => {
                let wide = u128::from(a) << count;
                let carry = wide >> width & 1 != 0;
                let result = wide as u64 & ones(ins.size);
                (result, carry, (sign_extend(result, ins.size) < 0) != carry)
            }
            Fast::Shr => {
                let wide = u128::from(a) << 64;
                ((wide >> count >> 64) as u64, wide >> count >> 63 & 1 != 0, signed < 0)
            }
            _ => ((signed >> count.min(63)) as u64, signed >> (count - 1).min(63) & 1 != 0, false),
        };
        self.put(ins, result);
        let mut flags = of_result(result, ins.size) | u64::from(carry);
        if overflow {
            flags |= OF;
        }
        self.set_flags(flags);
    }

    fn multiply(&mut self, ins: &Ins) {
        let a = sign_extend(self.source(ins), ins.size);
        let three = ins.raw.op_count() == 3;
        let other = if three { ins.imm } else { self.destination(ins) };
        let b = sign_extend(other, ins.size);
        let product = i128::from(a) * i128::from(b);
        let result = product as u64 & ones(ins.size);
        self.put(ins, result);
        let fits = i128::from(sign_extend(result, ins.size)) == product;
        self.set_flags(of_result(result, ins.size) | if fits { 0 } else { CF | OF });
    }

    #[inline(always)]
    fn source(&self, ins: &Ins) -> u64 {
        match ins.src {
            IMM => ins.imm,
            MEM => self.load(self.address(&ins.mems[0]), ins.src_size),
            it => self.cpu.gpr[it as usize & 15] & ones(ins.src_size),
        }
    }

    #[inline(always)]
    fn destination(&self, ins: &Ins) -> u64 {
        match ins.dst {
            MEM => self.load(self.address(&ins.mems[0]), ins.size),
            it => self.cpu.gpr[it as usize & 15],
        }
    }

    #[inline(always)]
    fn put(&mut self, ins: &Ins, value: u64) {
        if ins.dst == MEM {
            let at = self.address(&ins.mems[0]);
            self.store(at, ins.size, value);
        } else {
            self.set_general(ins.dst as usize, ins.size, value);
        }
    }

    /// Writes this many bytes of a general register, as the processor does.
    #[inline(always)]
    pub(crate) fn set_general(&mut self, register: usize, size: u8, value: u64) {
        let to = &mut self.cpu.gpr[register & 15];
        *to = match size {
            8 => value,
            4 => value & 0xffff_ffff,
            2 => *to & !0xffff | value & 0xffff,
            _ => *to & !0xff | value & 0xff,
        };
    }

    /// The low half of a vector register.
    #[inline(always)]
    pub(crate) fn vector(&self, register: usize) -> u128 {
        let bytes = self.cpu.vec[register & 15].first_chunk::<16>().expect("it has 32");
        u128::from_le_bytes(*bytes)
    }

    /// Writes the low half of a vector register and leaves the upper.
    #[inline(always)]
    pub(crate) fn set_vector(&mut self, register: usize, value: u128) {
        self.cpu.vec[register & 15][..16].copy_from_slice(&value.to_le_bytes());
    }

    /// Pushes eight bytes.
    #[inline(always)]
    pub(crate) fn push(&mut self, value: u64) {
        let at = self.cpu.gpr[4].wrapping_sub(8);
        self.store(at, 8, value);
        self.cpu.gpr[4] = at;
    }
}

/// Faults as the processor does where memory has to be aligned and is not.
#[inline(always)]
fn check_alignment(ins: &Ins, at: u64) {
    if ins.imm != 0 && at & 15 != 0 {
        // SAFETY: the guest's access, which faults: the address is not aligned.
        unsafe {
            std::arch::asm!("movaps {}, [{}]", out(xmm_reg) _, in(reg) at, options(nostack, readonly));
        }
    }
}
