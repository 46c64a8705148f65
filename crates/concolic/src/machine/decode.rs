//! Machine code as [`Ins`]: what each instruction reads, writes and does next.

use iced_x86::{
    CodeSize, Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess,
    OpKind, Register, UsedMemory,
};

use super::{Flow, Ins, Mem, NO_REG, Opaque, stub};
use crate::machine::cache::Cache;
use crate::machine::stub::Avx;

/// How an instruction is executed without a stub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Fast {
    /// It is not.
    None,
    Nop,
    Mov,
    Movzx,
    Movsx,
    Lea,
    Add,
    Sub,
    Cmp,
    And,
    Or,
    Xor,
    Test,
    Inc,
    Dec,
    Neg,
    Not,
    Push,
    Pop,
    Shl,
    Shr,
    Sar,
    Set,
    Cmov,
    Imul,
    /// `cdq`, `cqo`
    SignToRdx,
    /// `cbw`, `cwde`, `cdqe`
    SignInRax,
    /// A vector register from memory, zeroes above in its low half.
    VecLoad,
    VecStore,
    VecMov,
    VecZero,
    VecFromGeneral,
    VecToGeneral,
}

/// In `dst` and `src`: the memory operand `mems[0]`.
pub(crate) const MEM: u8 = 16;
/// In `src`: the immediate.
pub(crate) const IMM: u8 = 17;

/// How many [`Tools::decode_some`] decodes.
pub(crate) const SOME: usize = 50;

/// The longest block.
const BLOCK_MAX: usize = 64;

/// What decoding needs; kept, since it is expensive to make.
pub(crate) struct Tools {
    info: InstructionInfoFactory,
    /// The block decoded last.
    pub(crate) block: Vec<Ins>,
}

impl Tools {
    pub(crate) fn new() -> Self {
        let _ = Decoder::new(64, &[], DecoderOptions::NONE); // makes its tables
        Tools { info: InstructionInfoFactory::new(), block: Vec::new() }
    }

    /// Decodes the block at `address`, code up to `end`.
    pub(crate) fn decode(&mut self, cache: &Cache, avx: Avx, address: u64, end: u64) {
        self.block.clear();
        // SAFETY: both are of a range of `Host`: code of a module that is never unloaded, mapped readable, written by nobody.
        let code = unsafe { std::slice::from_raw_parts(address as *const u8, (end - address) as usize) };
        let mut decoder = Decoder::with_ip(64, code, address, DecoderOptions::NONE);
        let mut raw = Instruction::default();
        while self.block.len() < BLOCK_MAX {
            decoder.decode_out(&mut raw);
            let mut ins = self.instruction(&raw);
            let last = ins.flow != Flow::Next;
            if !raw.is_invalid() && needs_stub(&ins) {
                ins.stub = stub::make(cache, avx, &ins).unwrap_or(0);
            }
            self.block.push(ins);
            if last || raw.is_invalid() || decoder.position() >= code.len() {
                break;
            }
        }
    }

    /// Decodes [`SOME`] instructions, always the same.
    pub(crate) fn decode_some(&mut self) {
        // mov rax, [rbp - 8]; add rax, 1; mov [rbp - 8], rax; cmp rax, [rbp - 16]; jl
        let code = [
            0x48, 0x8b, 0x45, 0xf8, 0x48, 0x83, 0xc0, 1, 0x48, 0x89, 0x45, 0xf8, 0x48, 0x3b, 0x45, 0xf0,
            0x7c, 0xee,
        ];
        for _ in 0..SOME / 5 {
            let mut decoder = Decoder::with_ip(64, &code, 0x1000, DecoderOptions::NONE);
            for _ in 0..5 {
                std::hint::black_box(self.instruction(&decoder.decode()));
            }
        }
    }

    fn instruction(&mut self, raw: &Instruction) -> Ins {
        let mut ins = Ins {
            raw: *raw,
            ip: raw.ip(),
            next: raw.next_ip(),
            stub: 0,
            reads: 0,
            writes: 0,
            vec_reads: 0,
            vec_writes: 0,
            more: 0,
            masks: 0,
            flags_read: raw.rflags_read(),
            flags_written: raw.rflags_modified(),
            mems: [NO_MEM; 2],
            mem_count: 0,
            flow: flow(raw),
            fast: Fast::None,
            opaque: opaque(raw),
            supported: !is_out_of_bounds(raw),
            repeated: raw.is_string_instruction() && (raw.has_rep_prefix() || raw.has_repne_prefix()),
            dst: NO_REG,
            src: NO_REG,
            size: 8,
            src_size: 8,
            imm: 0,
        };
        let info = self.info.info(raw);
        for used in info.used_registers() {
            note_register(&mut ins, used.register(), used.access());
        }
        // With a mask, some of what was there may stay.
        if (!has_vex(raw) && !overwrites(raw)) || raw.has_op_mask() {
            ins.vec_reads |= ins.vec_writes;
        }
        if is_state(raw) {
            // All of them, whatever the mask says.
            ins.vec_reads = u16::MAX;
            ins.vec_writes = if ins.opaque == Opaque::Writes { u16::MAX } else { 0 };
        }
        if ins.repeated {
            // How much they touch is known only when they run.
            ins.reads |= ins.writes;
            ins.supported &= raw.memory_base() != Register::EDI && raw.memory_base() != Register::ESI;
        } else {
            for used in info.used_memory() {
                note_memory(&mut ins, used);
            }
        }
        operands(&mut ins);
        ins
    }
}

const NO_MEM: Mem =
    Mem { disp: 0, base: NO_REG, index: NO_REG, scale: 1, fs: false, size: 0, read: false, write: false };

fn needs_stub(ins: &Ins) -> bool {
    let flow = ins.flow == Flow::Next || ins.raw.mnemonic() == Mnemonic::Syscall;
    flow && ins.fast == Fast::None && ins.supported
}

fn has_vex(raw: &Instruction) -> bool {
    raw.code().encoding() != iced_x86::EncodingKind::Legacy
}

/// Whether it saves or restores registers that it does not name.
fn is_state(raw: &Instruction) -> bool {
    use Mnemonic as M;
    matches!(
        raw.mnemonic(),
        M::Fxsave
            | M::Fxsave64
            | M::Xsave
            | M::Xsave64
            | M::Xsavec
            | M::Xsavec64
            | M::Xsaveopt
            | M::Xsaveopt64
            | M::Fxrstor
            | M::Fxrstor64
            | M::Xrstor
            | M::Xrstor64
    )
}

/// What changes the ground that the interpreter itself stands on.
fn is_out_of_bounds(raw: &Instruction) -> bool {
    use Mnemonic as M;
    matches!(raw.mnemonic(), M::Wrfsbase | M::Wrgsbase | M::Wrpkru | M::Xsetbv | M::Lldt | M::Swapgs)
}

/// What the operands of an instruction do not tell.
fn opaque(raw: &Instruction) -> Opaque {
    use Mnemonic as M;
    match raw.mnemonic() {
        M::Fxrstor | M::Fxrstor64 | M::Xrstor | M::Xrstor64 | M::Frstor | M::Fldenv => Opaque::Writes,
        M::Fnsave | M::Fsave | M::Fnstenv | M::Fstenv | M::Fnstsw | M::Fstsw => Opaque::Reads,
        M::Stmxcsr | M::Vstmxcsr => Opaque::Reads,
        M::Ldmxcsr | M::Vldmxcsr | M::Fldcw => Opaque::Rounds,
        M::Rdtsc | M::Rdtscp | M::Rdrand | M::Rdseed | M::Rdpid | M::Rdpmc | M::Rdpru => Opaque::Varies,
        _ if is_state(raw) || raw.memory_index().is_vector_register() => Opaque::Reads,
        _ => Opaque::No,
    }
}

/// Whether a legacy vector instruction writes the whole of a register, whatever was in it.
fn overwrites(raw: &Instruction) -> bool {
    use Mnemonic as M;
    match raw.mnemonic() {
        M::Movaps | M::Movapd | M::Movups | M::Movupd | M::Movdqa | M::Movdqu | M::Lddqu => true,
        M::Movd | M::Movq | M::Pshufd => true,
        M::Movss | M::Movsd => raw.op1_kind() == OpKind::Memory,
        M::Xorps | M::Xorpd | M::Pxor => raw.op0_register() == raw.op1_register(),
        _ => false,
    }
}

fn flow(raw: &Instruction) -> Flow {
    match raw.flow_control() {
        FlowControl::Next => match raw.mnemonic() {
            Mnemonic::Hlt => Flow::Special,
            _ => Flow::Next,
        },
        FlowControl::ConditionalBranch => Flow::Conditional,
        FlowControl::UnconditionalBranch => Flow::Jump,
        FlowControl::IndirectBranch => Flow::IndirectJump,
        FlowControl::Call if raw.mnemonic() == Mnemonic::Call => Flow::Call,
        FlowControl::IndirectCall => Flow::IndirectCall,
        FlowControl::Return if raw.mnemonic() == Mnemonic::Ret => Flow::Return,
        _ => Flow::Special,
    }
}

fn note_register(ins: &mut Ins, register: Register, access: OpAccess) {
    let read = matches!(
        access,
        OpAccess::Read
            | OpAccess::CondRead
            | OpAccess::ReadWrite
            | OpAccess::ReadCondWrite
            | OpAccess::CondWrite
    );
    let write = matches!(
        access,
        OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite
    );
    if register.is_gpr() {
        let bit = 1u16 << register.full_register().number();
        let partial = register.is_gpr8() || register.is_gpr16();
        if read || (write && partial) {
            ins.reads |= bit;
        }
        if write {
            ins.writes |= bit;
        }
    } else if register.is_vector_register() {
        if register.number() > 15 {
            ins.more |= 1 << (register.number() - 16);
            return;
        }
        let bit = 1u16 << register.number();
        if read {
            ins.vec_reads |= bit;
        }
        if write {
            ins.vec_writes |= bit;
        }
    } else if register.is_k() {
        ins.masks |= 1 << register.number();
    } else if register == Register::GS {
        ins.supported = false;
    }
}

fn note_memory(ins: &mut Ins, used: &UsedMemory) {
    let access = used.access();
    if access == OpAccess::NoMemAccess {
        return;
    }
    let (Some(base), Some(index)) = (in_address(used.base()), in_address(used.index())) else {
        // A gather: its addresses are in a vector register. Anything else is not supported.
        ins.supported &= used.index().is_vector_register() && is_read(access);
        return;
    };
    if used.address_size() == CodeSize::Code32 {
        ins.supported = false;
    }
    let mem = Mem {
        disp: used.displacement(),
        base,
        index,
        scale: used.scale() as u8,
        fs: used.segment() == Register::FS,
        size: used.memory_size().size() as u16,
        // What may be left as it was counts as read.
        read: access != OpAccess::Write,
        write: matches!(
            access,
            OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite
        ),
    };
    if ins.mem_count < 2 {
        ins.mems[ins.mem_count as usize] = mem;
        ins.mem_count += 1;
    } else {
        ins.supported = false;
    }
}

fn is_read(access: OpAccess) -> bool {
    matches!(access, OpAccess::Read | OpAccess::CondRead)
}

/// A register in an address.
fn in_address(it: Register) -> Option<u8> {
    if it == Register::None { Some(NO_REG) } else { it.is_gpr64().then(|| it.number() as u8) }
}

/// The memory operand of `lea`, which is not accessed. Segments mean nothing to it.
fn address_of(raw: &Instruction) -> Option<Mem> {
    let disp = raw.memory_displacement64();
    if raw.is_ip_rel_memory_operand() {
        return Some(Mem { disp, ..NO_MEM });
    }
    let (base, index) = (in_address(raw.memory_base())?, in_address(raw.memory_index())?);
    Some(Mem { disp, base, index, scale: raw.memory_index_scale() as u8, ..NO_MEM })
}

/// A plain general register as an operand: its number and size. Not `ah` and its kin.
fn general(register: Register) -> Option<(u8, u8)> {
    let high = matches!(register, Register::AH | Register::BH | Register::CH | Register::DH);
    (register.is_gpr() && !high).then(|| (register.full_register().number() as u8, register.size() as u8))
}

/// An operand: what is in `dst` or `src`, and its size.
fn operand(ins: &Ins, n: u32) -> Option<(u8, u8)> {
    match ins.raw.op_kind(n) {
        OpKind::Register => general(ins.raw.op_register(n)),
        OpKind::Memory if ins.raw.mnemonic() == Mnemonic::Lea => Some((MEM, 8)),
        OpKind::Memory if ins.mem_count == 1 => {
            matches!(ins.mems[0].size, 1 | 2 | 4 | 8).then_some((MEM, ins.mems[0].size as u8))
        }
        OpKind::Memory | OpKind::NearBranch16 | OpKind::NearBranch32 | OpKind::NearBranch64 => None,
        OpKind::FarBranch16 | OpKind::FarBranch32 => None,
        OpKind::Immediate8
        | OpKind::Immediate8_2nd
        | OpKind::Immediate16
        | OpKind::Immediate32
        | OpKind::Immediate64
        | OpKind::Immediate8to16
        | OpKind::Immediate8to32
        | OpKind::Immediate8to64
        | OpKind::Immediate32to64 => Some((IMM, 8)),
        _ => None,
    }
}

/// Fills in how an instruction is executed without a stub, where it can be.
fn operands(ins: &mut Ins) {
    use Mnemonic as M;
    let raw = ins.raw;
    if ins.flow != Flow::Next {
        return control(ins);
    }
    if !ins.supported || raw.has_lock_prefix() {
        return;
    }
    let fast =
        match raw.mnemonic() {
            M::Nop | M::Endbr64 | M::Pause | M::Prefetcht0 | M::Prefetchw | M::Prefetchnta => {
                ins.fast = Fast::Nop;
                ins.mem_count = 0;
                return;
            }
            M::Cqo | M::Cdq => {
                ins.fast = Fast::SignToRdx;
                ins.size = if raw.mnemonic() == M::Cqo { 8 } else { 4 };
                return;
            }
            M::Cbw | M::Cwde | M::Cdqe => {
                ins.fast = Fast::SignInRax;
                ins.size = match raw.mnemonic() {
                    M::Cbw => 2,
                    M::Cwde => 4,
                    _ => 8,
                };
                ins.src_size = ins.size / 2;
                return;
            }
            M::Mov => Fast::Mov,
            M::Movzx => Fast::Movzx,
            M::Movsx | M::Movsxd => Fast::Movsx,
            M::Lea => {
                let Some(mem) = address_of(&raw) else { return };
                ins.mems[0] = mem;
                Fast::Lea
            }
            M::Add => Fast::Add,
            M::Sub => Fast::Sub,
            M::Cmp => Fast::Cmp,
            M::And => Fast::And,
            M::Or => Fast::Or,
            M::Xor => Fast::Xor,
            M::Test => Fast::Test,
            M::Imul => Fast::Imul,
            M::Inc => Fast::Inc,
            M::Dec => Fast::Dec,
            M::Neg => Fast::Neg,
            M::Not => Fast::Not,
            M::Shl | M::Sal => Fast::Shl,
            M::Shr => Fast::Shr,
            M::Sar => Fast::Sar,
            M::Push => Fast::Push,
            M::Pop => Fast::Pop,
            it if raw.condition_code() != iced_x86::ConditionCode::None => {
                if (M::Seta..=M::Sets).contains(&it) { Fast::Set } else { Fast::Cmov }
            }
            _ => return vectors(ins),
        };
    general_operands(ins, fast);
}

/// What control flow needs: the condition, the register or memory of a target, what a return drops.
fn control(ins: &mut Ins) {
    let raw = ins.raw;
    match ins.flow {
        Flow::Conditional => ins.imm = condition_code(raw.condition_code()).into(),
        Flow::Return if raw.op_count() == 1 => ins.imm = raw.immediate(0),
        Flow::IndirectJump | Flow::IndirectCall => {
            let register = raw.op0_kind() == OpKind::Register;
            ins.dst = if register { raw.op0_register().full_register().number() as u8 } else { MEM };
            if !register && !ins.mems[0].read {
                ins.mems.swap(0, 1);
            }
        }
        _ => {}
    }
}

fn general_operands(ins: &mut Ins, fast: Fast) {
    let raw = ins.raw;
    if matches!(fast, Fast::Push | Fast::Pop) {
        // Only whole registers and, for push, immediates: the memory operand is the stack.
        let it = match raw.op0_kind() {
            OpKind::Register => general(raw.op0_register()),
            OpKind::Immediate8to64 | OpKind::Immediate32to64 => Some((IMM, 8)),
            _ => None,
        };
        if let Some((register, 8)) = it {
            ins.dst = register;
            ins.src = register;
            ins.imm = if register == IMM { raw.immediate(0) } else { 0 };
            ins.fast = fast;
        }
        return;
    }
    let Some((dst, size)) = operand(ins, 0) else { return };
    (ins.dst, ins.size) = (dst, size);
    if matches!(fast, Fast::Set | Fast::Cmov) {
        ins.imm = condition_code(raw.condition_code()).into();
    }
    if matches!(fast, Fast::Inc | Fast::Dec | Fast::Neg | Fast::Not | Fast::Set) {
        ins.fast = fast;
        return;
    }
    // Three operands: only `imul` with an immediate. One: `imul` and others with implicit ones.
    let source = match raw.op_count() {
        2 => 1,
        3 if fast == Fast::Imul => {
            ins.imm = raw.immediate(2);
            1
        }
        _ => return,
    };
    let Some((src, src_size)) = operand(ins, source) else { return };
    if src == IMM {
        ins.imm = raw.immediate(source);
    } else if matches!(fast, Fast::Shl | Fast::Shr | Fast::Sar) {
        return;
    }
    (ins.src, ins.src_size) = (src, if src == IMM { size } else { src_size });
    if matches!(fast, Fast::Imul) && raw.op_count() == 2 {
        // The other factor is the destination itself.
        ins.imm = 0;
    }
    ins.fast = fast;
}

fn vectors(ins: &mut Ins) {
    use Mnemonic as M;
    let raw = ins.raw;
    let size = match raw.mnemonic() {
        M::Movaps | M::Movapd | M::Movups | M::Movupd | M::Movdqa | M::Movdqu => 16,
        M::Movsd | M::Movq => 8,
        M::Movss | M::Movd => 4,
        M::Xorps | M::Xorpd | M::Pxor if raw.op0_register() == raw.op1_register() => {
            if raw.op0_register().is_xmm() && raw.op1_kind() == OpKind::Register {
                ins.fast = Fast::VecZero;
                ins.dst = raw.op0_register().number() as u8;
            }
            return;
        }
        _ => return,
    };
    if raw.is_string_instruction() {
        return;
    }
    // Those that fault where memory is not aligned.
    ins.imm = u64::from(matches!(raw.mnemonic(), M::Movaps | M::Movapd | M::Movdqa));
    ins.size = size;
    let vector = |n: u32| {
        let register = raw.op_register(n);
        (raw.op_kind(n) == OpKind::Register && register.is_xmm()).then(|| register.number() as u8)
    };
    let memory = |n: u32| raw.op_kind(n) == OpKind::Memory && ins.mems[0].size == u16::from(size);
    let (dst, src) = (vector(0), vector(1));
    if let (Some(dst), Some(src)) = (dst, src) {
        if size == 16 {
            (ins.fast, ins.dst, ins.src) = (Fast::VecMov, dst, src);
        }
    } else if let (Some(dst), true) = (dst, memory(1)) {
        (ins.fast, ins.dst, ins.src) = (Fast::VecLoad, dst, MEM);
    } else if let (true, Some(src)) = (memory(0), src) {
        (ins.fast, ins.dst, ins.src) = (Fast::VecStore, MEM, src);
    } else if let (Some(dst), Some((src, it))) = (dst, general(raw.op1_register())) {
        (ins.fast, ins.dst, ins.src, ins.size) = (Fast::VecFromGeneral, dst, src, it);
    } else if let (Some((dst, it)), Some(src)) = (general(raw.op0_register()), src) {
        (ins.fast, ins.dst, ins.src, ins.size) = (Fast::VecToGeneral, dst, src, it);
    }
}

/// The low four bits of the encoding of a condition.
pub(crate) fn condition_code(code: iced_x86::ConditionCode) -> u8 {
    use iced_x86::ConditionCode as C;
    match code {
        C::o | C::None => 0,
        C::no => 1,
        C::b => 2,
        C::ae => 3,
        C::e => 4,
        C::ne => 5,
        C::be => 6,
        C::a => 7,
        C::s => 8,
        C::ns => 9,
        C::p => 10,
        C::np => 11,
        C::l => 12,
        C::ge => 13,
        C::le => 14,
        C::g => 15,
    }
}
