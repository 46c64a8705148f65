//! What instructions do to expressions.

use super::{Ins, Machine};
use crate::expr::Expr;

/// Whether an instruction reads anything that has an expression. `addresses` are those of its memory operands.
#[inline(always)]
pub(crate) fn involved(_shadow: &super::shadow::Shadow, _ins: &Ins, _addresses: &[u64; 2]) -> bool {
    false
}

/// Executes an instruction that is [`involved`], expressions and all. Calls [`Machine::execute`] itself, once.
pub(crate) fn step(machine: &mut Machine, ins: &Ins) {
    machine.execute(ins);
}

/// A conditional jump (`jcc`, `jrcxz`, `loop`) that is [`involved`]: it goes to `to`.
pub(crate) fn branch(_machine: &mut Machine, _ins: &Ins, _taken: bool, _to: u64, _other: u64) {}

/// An indirect jump or call, or a return, that is [`involved`]: pins its target. Before it is performed.
pub(crate) fn target(_machine: &mut Machine, _ins: &Ins) {}

/// Says that `of` is what it is in this run.
pub(crate) fn pin(_machine: &mut Machine, _of: Expr, _site: u64) {}

/// After a native `memcmp` or `bcmp` of `n` bytes, some of which have expressions; the result is in rax.
pub(crate) fn compare_memory(_machine: &mut Machine, _a: u64, _b: u64, _n: u64, _is_bcmp: bool) {}

/// After `memset(to, of, len)`, where the byte has an expression (64 bits wide, as that of its register).
pub(crate) fn fill(machine: &mut Machine, to: u64, len: u64, _of: Expr) {
    machine.shadow.clear(to, len);
}
