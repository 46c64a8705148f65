//! Operands as expressions, and the place where results wait for the processor.

use iced_x86::{EncodingKind, Instruction, OpKind, Register};

use crate::expr::{Dag, Expr};
use crate::machine::shadow::{Byte, FlagSource, number};
use crate::machine::{Ins, Machine, Mem, NO_REG};

/// One instruction while its results are computed.
pub(crate) struct SymbolicStep<'a> {
    pub(crate) m: &'a mut Machine,
    pub(crate) ins: &'a Ins,
    /// The address of the explicit memory operand.
    pub(crate) address: u64,
    /// What the explicit memory operand reads, where its address depends on choices and is not pinned.
    pub(crate) read: Expr,
    pub(crate) out: StepResults,
}

/// The expressions of the results.
pub(crate) struct StepResults {
    pub(crate) general: [(u8, Expr); 4],
    pub(crate) general_count: usize,
    pub(crate) vector: Option<(u8, [Byte; 32])>,
    pub(crate) memory: [Byte; 32],
    pub(crate) memory_address: u64,
    /// In bytes; 0 where nothing is stored.
    pub(crate) memory_size: usize,
    pub(crate) flags: Option<FlagSource>,
}

/// The number of a general register.
pub(crate) fn general_number(register: Register) -> usize {
    register.full_register() as usize - Register::RAX as usize
}

fn is_high_byte(register: Register) -> bool {
    matches!(register, Register::AH | Register::BH | Register::CH | Register::DH)
}

/// The explicit memory operand.
fn explicit(raw: &Instruction) -> Mem {
    let by_number = |it: Register| if it.is_gpr() { general_number(it) as u8 } else { NO_REG };
    Mem {
        disp: raw.memory_displacement64(),
        base: by_number(raw.memory_base()),
        index: by_number(raw.memory_index()),
        scale: raw.memory_index_scale() as u8,
        fs: raw.segment_prefix() == Register::FS,
        size: raw.memory_size().size() as u16,
        read: true,
        write: true,
    }
}

impl<'a> SymbolicStep<'a> {
    pub(crate) fn new(m: &'a mut Machine, ins: &'a Ins) -> SymbolicStep<'a> {
        let out = StepResults {
            general: [(0, Expr::NONE); 4],
            general_count: 0,
            vector: None,
            memory: [Byte::NONE; 32],
            memory_address: 0,
            memory_size: 0,
            flags: None,
        };
        let mut work = SymbolicStep { m, ins, address: 0, read: Expr::NONE, out };
        if work.memory_operand().is_some() {
            work.address = work.m.address(&explicit(&ins.raw));
        }
        work
    }

    /// Which operand is in memory.
    pub(crate) fn memory_operand(&self) -> Option<u32> {
        (0..self.ins.raw.op_count()).find(|&i| self.ins.raw.op_kind(i) == OpKind::Memory)
    }

    pub(crate) fn explicit(&self) -> Mem {
        explicit(&self.ins.raw)
    }

    pub(crate) fn dag(&mut self) -> &mut Dag {
        &mut self.m.dag
    }

    pub(crate) fn constant(&mut self, value: u64, width: u8) -> Expr {
        self.m.dag.constant(value.into(), width)
    }

    /// How many bits operand `i` has.
    pub(crate) fn width(&self, i: u32) -> u8 {
        match self.ins.raw.op_kind(i) {
            OpKind::Register => (8 * self.ins.raw.op_register(i).size()).min(128) as u8,
            OpKind::Memory => (8 * self.ins.raw.memory_size().size()).min(128) as u8,
            _ => self.width(0),
        }
    }

    pub(crate) fn is_register(&self, i: u32) -> bool {
        self.ins.raw.op_kind(i) == OpKind::Register
    }

    pub(crate) fn is_memory(&self, i: u32) -> bool {
        self.ins.raw.op_kind(i) == OpKind::Memory
    }

    pub(crate) fn immediate(&self, i: u32) -> u64 {
        self.ins.raw.immediate(i)
    }

    /// Whether the first source is an operand of its own.
    pub(crate) fn is_vex(&self) -> bool {
        self.ins.raw.encoding() != EncodingKind::Legacy
    }

    /// All 64 bits of general register `number`.
    pub(crate) fn general(&mut self, number: usize) -> Expr {
        let e = self.m.shadow.gpr[number];
        if e.is_some() { e } else { self.constant(self.m.cpu.gpr[number], 64) }
    }

    /// A general register or a part of it.
    pub(crate) fn register(&mut self, register: Register) -> Expr {
        let whole = self.general(general_number(register));
        let low = if is_high_byte(register) { 8 } else { 0 };
        let width = 8 * register.size() as u8;
        self.m.dag.extract(whole, low + width - 1, low)
    }

    /// A general register, memory, or an immediate of the width of the first operand.
    pub(crate) fn read(&mut self, i: u32) -> Expr {
        let width = self.width(i);
        self.read_as(i, width)
    }

    /// The same, with the width of an immediate.
    pub(crate) fn read_as(&mut self, i: u32, width: u8) -> Expr {
        match self.ins.raw.op_kind(i) {
            OpKind::Register => self.register(self.ins.raw.op_register(i)),
            OpKind::Memory if self.read.is_some() => self.read,
            OpKind::Memory => self.load(self.address, usize::from(width / 8)),
            _ => self.constant(self.ins.raw.immediate(i), width),
        }
    }

    /// At most 16 bytes of memory.
    pub(crate) fn load(&mut self, address: u64, n: usize) -> Expr {
        let e = self.m.shadow.load(&mut self.m.dag, address, n);
        if e.is_some() {
            return e;
        }
        let mut bytes = [0; 16];
        // SAFETY: the guest's access, which is about to happen. `bytes` has 16, and `n` is at most that.
        unsafe { std::ptr::copy_nonoverlapping(address as *const u8, bytes.as_mut_ptr(), n) };
        self.m.dag.constant(number(&bytes[..n]), 8 * n as u8)
    }

    /// Writes operand `i`, a general register or memory.
    pub(crate) fn write(&mut self, i: u32, e: Expr) {
        match self.ins.raw.op_kind(i) {
            OpKind::Register => self.write_register(self.ins.raw.op_register(i), e),
            _ => self.store(self.address, e),
        }
    }

    pub(crate) fn write_register(&mut self, register: Register, e: Expr) {
        let number = general_number(register);
        let whole = match register.size() {
            8 => e,
            4 => self.m.dag.zext(e, 64),
            2 => {
                let old = self.general(number);
                let high = self.m.dag.extract(old, 63, 16);
                self.m.dag.concat(high, e)
            }
            _ if is_high_byte(register) => {
                let old = self.general(number);
                let (high, low) = (self.m.dag.extract(old, 63, 16), self.m.dag.extract(old, 7, 0));
                let low = self.m.dag.concat(e, low);
                self.m.dag.concat(high, low)
            }
            _ => {
                let old = self.general(number);
                let high = self.m.dag.extract(old, 63, 8);
                self.m.dag.concat(high, e)
            }
        };
        self.write_general(number, whole);
    }

    /// Writes all 64 bits.
    pub(crate) fn write_general(&mut self, number: usize, e: Expr) {
        if !self.m.dag.is_constant(e) {
            self.out.general[self.out.general_count] = (number as u8, e);
            self.out.general_count += 1;
        }
    }

    pub(crate) fn store(&mut self, address: u64, e: Expr) {
        let n = usize::from(self.m.dag.width(e) / 8);
        self.out.memory_address = address;
        self.out.memory_size = n;
        for (at, byte) in self.out.memory[..n].iter_mut().enumerate() {
            *byte = Byte { of: e, at: at as u8 };
        }
    }

    pub(crate) fn set_flags(&mut self, flags: FlagSource) {
        self.out.flags = Some(flags);
    }
}
