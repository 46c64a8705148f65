//! What instructions do to expressions.
//!
//! An instruction that touches nothing of the [`Shadow`](super::shadow::Shadow) is executed and that is all. Of any
//! other, the expressions of its results are computed from the state before, the processor computes the results
//! themselves, and each expression is kept only if it agrees.

mod address;
mod bits;
mod control;
mod flags;
mod float;
mod integer;
mod memory_functions;
mod operands;
mod shifts;
mod strings;
mod vector;
mod vector_int;
mod vector_move;
mod vector_shuffle;

#[cfg(test)]
mod tests;

use iced_x86::{RflagsBits, RoundingControl};

use super::shadow::{Byte, FlagSource, Shadow};
use super::{Ins, Machine};
use crate::expr::Expr;
use crate::path::Imprecision;

pub(crate) use control::{branch, pin, pin_register, pin_wanted, push_branch, target};
pub(crate) use memory_functions::{compare_memory, fill, find_byte, string_length};
use operands::SymbolicStep;

/// The flags that are followed.
const FOLLOWED: u32 = RflagsBits::CF | RflagsBits::PF | RflagsBits::ZF | RflagsBits::SF | RflagsBits::OF;

/// Whether an instruction reads anything that has an expression. `addresses` are those of its memory operands.
#[inline]
pub(crate) fn involved(shadow: &Shadow, ins: &Ins, addresses: &[u64; 2]) -> bool {
    if ins.reads & shadow.gpr_mask != 0 || ins.vec_reads & shadow.vec_mask != 0 {
        return true;
    }
    if !matches!(shadow.flags, FlagSource::Concrete) {
        let written = ins.flags_written & FOLLOWED;
        // Flags that it leaves alone have to be kept.
        if ins.flags_read & FOLLOWED != 0 || (written != 0 && written != FOLLOWED) {
            return true;
        }
    }
    // What these touch is known only when they run.
    if ins.raw.has_rep_prefix() || ins.raw.has_repne_prefix() {
        return !shadow.is_empty();
    }
    let mut i = 0;
    while i < ins.mem_count as usize {
        let mem = &ins.mems[i];
        if mem.read && shadow.load_any(addresses[i], mem.size.into()) {
            return true;
        }
        i += 1;
    }
    false
}

/// Executes an instruction that is [`involved`], expressions and all. Calls [`Machine::execute`] itself, once.
pub(crate) fn step(m: &mut Machine, ins: &Ins) {
    if ins.raw.is_string_instruction() {
        strings::step(m, ins);
        return;
    }
    if ins.raw.mnemonic() == iced_x86::Mnemonic::Vzeroupper {
        m.execute(ins);
        m.shadow.forget_upper();
        return;
    }
    let mut work = SymbolicStep::new(m, ins);
    address::resolve(&mut work);
    let is_followed = follow(&mut work);
    let SymbolicStep { out, .. } = work;
    let mut written = [(0, 0); 2];
    for (i, mem) in ins.mems[..ins.mem_count as usize].iter().enumerate() {
        if mem.write {
            written[i] = (m.address(mem), mem.size.into());
        }
    }
    m.execute(ins);
    m.shadow.forget(ins.writes, ins.vec_writes, ins.flags_written & FOLLOWED != 0);
    for (address, n) in written {
        m.shadow.clear(address, n);
    }
    if m.stop.is_some() {
        return;
    }
    if is_followed {
        keep(m, ins, &out);
    } else {
        record_unknown(m, ins);
    }
}

/// Reports, once a run, that an instruction's effect is not followed.
pub(crate) fn record_unknown(m: &mut Machine, ins: &Ins) {
    let mnemonic = ins.raw.mnemonic();
    if !m.shadow.known.lost.contains(&mnemonic) {
        m.shadow.known.lost.push(mnemonic);
        m.record_imprecision(Imprecision::Instruction(name(ins)));
    }
}

fn name(ins: &Ins) -> String {
    format!("{:?}", ins.raw.mnemonic()).to_lowercase()
}

/// The semantics. Returns whether they are known.
fn follow(work: &mut SymbolicStep<'_>) -> bool {
    // Registers that have no expressions.
    let is_other = |i: u32| {
        let register = work.ins.raw.op_register(i);
        work.is_register(i) && (register.is_mm() || register.is_st() || register.is_k() || register.is_zmm())
    };
    let raw = &work.ins.raw;
    let is_wide = work.ins.more != 0 || work.ins.masks != 0 || raw.is_broadcast();
    if is_wide || raw.rounding_control() != RoundingControl::None || (0..raw.op_count()).any(is_other) {
        return false;
    }
    integer::follow(work)
        || shifts::follow(work)
        || bits::follow(work)
        || vector_move::follow(work)
        || vector_int::follow(work)
        || vector_shuffle::follow(work)
        || float::follow(work)
}

/// Takes over the expressions that agree with what the processor computed.
fn keep(m: &mut Machine, ins: &Ins, out: &operands::StepResults) {
    for &(register, e) in &out.general[..out.general_count] {
        let register = usize::from(register);
        let now = m.cpu.gpr[register];
        if m.dag.value(e) == u128::from(now) {
            m.shadow.set_general(&m.dag, register, e);
        } else {
            disagree(m, ins, e, now.into());
        }
    }
    if let Some((register, bytes)) = &out.vector {
        let register = usize::from(*register);
        let now = m.cpu.vec[register];
        let bytes = agreeing(m, ins, bytes, &now);
        m.shadow.set_vector(register, &bytes);
    }
    if out.memory_size != 0 {
        let mut now = [0; 32];
        let n = out.memory_size;
        // SAFETY: the guest's access: the instruction has just written there. `now` has 32 bytes, and no more are written.
        unsafe { std::ptr::copy_nonoverlapping(out.memory_address as *const u8, now.as_mut_ptr(), n) };
        let bytes = agreeing(m, ins, &out.memory, &now);
        m.shadow.store_bytes(out.memory_address, &bytes[..n]);
    }
    if let Some(flags) = out.flags {
        m.shadow.flags = flags::normal(&m.dag, flags);
    }
}

fn agreeing(m: &mut Machine, ins: &Ins, bytes: &[Byte; 32], now: &[u8; 32]) -> [Byte; 32] {
    let mut kept = *bytes;
    let mut wrong = Expr::NONE;
    let mut i = 0;
    while i < 32 {
        if kept[i].of.is_some() {
            if m.dag.is_constant(kept[i].of) {
                kept[i] = Byte::NONE;
            } else if kept[i].value(&m.dag) != now[i] {
                wrong = kept[i].of;
                kept[i] = Byte::NONE;
            }
        }
        i += 1;
    }
    if wrong.is_some() {
        disagree(m, ins, wrong, super::shadow::number(&now[..16]));
    }
    kept
}

fn disagree(m: &mut Machine, ins: &Ins, e: Expr, now: u128) {
    let text = format!(
        "{} ({:?}): {:?} is {:#x}, not {now:#x}",
        name(ins),
        ins.raw.code(),
        m.dag.node(e).op,
        m.dag.value(e)
    );
    m.record_imprecision(Imprecision::Disagreement(text));
}
