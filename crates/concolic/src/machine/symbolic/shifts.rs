//! Shifts and rotations of general registers.

use iced_x86::{Mnemonic, Register};

use super::flags::{Flag, is_even, is_zero, top};
use super::operands::SymbolicStep;
use crate::expr::{Expr, Op};
use crate::machine::shadow::FlagSource;

/// The effect, if it is one of these instructions.
pub(super) fn follow(w: &mut SymbolicStep<'_>) -> bool {
    use Mnemonic::*;
    match w.ins.raw.mnemonic() {
        Shl | Sal | Shr | Sar => shift(w),
        Rol | Ror => rotate(w),
        Rcl | Rcr => return rotate_through_carry(w),
        Shld | Shrd => return double(w),
        Shlx | Shrx | Sarx => {
            let width = w.width(0);
            let (a, count) = (w.read(1), w.read(2));
            let op = match w.ins.raw.mnemonic() {
                Shlx => Op::Shl,
                Shrx => Op::LShr,
                _ => Op::AShr,
            };
            let limit = w.constant(u64::from(width) - 1, width);
            let count = w.dag().binary(Op::And, count, limit);
            let e = w.dag().binary(op, a, count);
            w.write(0, e);
        }
        Rorx => {
            let a = w.read(1);
            let count = w.constant(w.immediate(2) & (u64::from(w.width(0)) - 1), w.width(0));
            let e = rotated(w, a, count, true);
            w.write(0, e);
        }
        _ => return false,
    }
    true
}

/// The count of operand `i`, of the width of the first one, cut to 5 or 6 bits.
fn count(w: &mut SymbolicStep<'_>, i: u32) -> Expr {
    let width = w.width(0);
    let limit = if width == 64 { 63 } else { 31 };
    let count = if w.is_register(i) { w.register(Register::CL) } else { w.constant(w.immediate(i), 8) };
    let limit = w.constant(limit, 8);
    let count = w.dag().binary(Op::And, count, limit);
    if width == 8 { count } else { w.dag().zext(count, width) }
}

fn shift(w: &mut SymbolicStep<'_>) {
    let width = w.width(0);
    let a = w.read(0);
    let count = count(w, 1);
    let mnemonic = w.ins.raw.mnemonic();
    let op = match mnemonic {
        Mnemonic::Shr => Op::LShr,
        Mnemonic::Sar => Op::AShr,
        _ => Op::Shl,
    };
    let before = w.m.shadow.flags;
    let dag = w.dag();
    let e = dag.binary(op, a, count);
    let one = dag.constant(1, width);
    let less = dag.binary(Op::Sub, count, one);
    // The last bit that is shifted out.
    let last = dag.binary(op, a, less);
    let carry = if op == Op::Shl { top(dag, last) } else { dag.extract(last, 0, 0) };
    let known = dag.as_constant(count);
    if known == Some(0) {
        w.write(0, e);
        w.set_flags(before);
        return;
    }
    let flags = match known {
        Some(1) => {
            let overflow = match op {
                Op::LShr => top(dag, a),
                Op::AShr => dag.truth(false),
                _ => {
                    let sign = top(dag, e);
                    dag.binary(Op::Xor, sign, carry)
                }
            };
            FlagSource::Result { carry, overflow, result: e }
        }
        Some(_) => FlagSource::Result { carry, overflow: Expr::NONE, result: e },
        None => w.unless_none(count, carry, e),
    };
    w.write(0, e);
    w.set_flags(flags);
}

impl SymbolicStep<'_> {
    /// The flags after a shift by a count that varies: where it is 0, they stay.
    fn unless_none(&mut self, count: Expr, carry: Expr, result: Expr) -> FlagSource {
        let dag = self.dag();
        let none = is_zero(dag, count);
        let (zero, sign, parity) = (is_zero(dag, result), top(dag, result), is_even(dag, result));
        FlagSource::Each {
            carry: self.unless(none, carry, Flag::Carry),
            zero: self.unless(none, zero, Flag::Zero),
            sign: self.unless(none, sign, Flag::Sign),
            overflow: Expr::NONE,
            parity: self.unless(none, parity, Flag::Parity),
        }
    }

    /// The flag as it was where `condition` holds, else `new`.
    fn unless(&mut self, condition: Expr, new: Expr, which: Flag) -> Expr {
        let old = self.flag(which);
        self.m.dag.ite(condition, old, new)
    }
}

fn rotated(w: &mut SymbolicStep<'_>, a: Expr, count: Expr, right: bool) -> Expr {
    let dag = w.dag();
    let width = dag.width(a);
    if let Some(count) = dag.as_constant(count) {
        let count = (count % u128::from(width)) as u8;
        if count == 0 {
            return a;
        }
        let cut = if right { count } else { width - count };
        let (high, low) = (dag.extract(a, cut - 1, 0), dag.extract(a, width - 1, cut));
        return dag.concat(high, low);
    }
    let limit = dag.constant(u128::from(width) - 1, width);
    let count = dag.binary(Op::And, count, limit);
    let size = dag.constant(width.into(), width);
    let rest = dag.binary(Op::Sub, size, count);
    let (one, other) = if right { (Op::LShr, Op::Shl) } else { (Op::Shl, Op::LShr) };
    let (x, y) = (dag.binary(one, a, count), dag.binary(other, a, rest));
    dag.binary(Op::Or, x, y)
}

fn rotate(w: &mut SymbolicStep<'_>) {
    let width = w.width(0);
    let a = w.read(0);
    let count = count(w, 1);
    let right = w.ins.raw.mnemonic() == Mnemonic::Ror;
    let e = rotated(w, a, count, right);
    let before = w.m.shadow.flags;
    let dag = w.dag();
    let known = dag.as_constant(count);
    let carry = if right { top(dag, e) } else { dag.extract(e, 0, 0) };
    let (high, next) = (top(dag, e), dag.extract(e, width - 2, width - 2));
    let overflow = dag.binary(Op::Xor, high, if right { next } else { carry });
    w.write(0, e);
    match known {
        Some(0) => w.set_flags(before),
        Some(1) => w.set_carry(carry, Some(overflow)),
        Some(_) => w.set_carry(carry, Some(Expr::NONE)),
        None => {
            let none = is_zero(w.dag(), count);
            let carry = w.unless(none, carry, Flag::Carry);
            w.set_carry(carry, Some(Expr::NONE));
        }
    }
}

fn rotate_through_carry(w: &mut SymbolicStep<'_>) -> bool {
    let width = w.width(0);
    let count = count(w, 1);
    if w.dag().as_constant(count) != Some(1) {
        return false;
    }
    let a = w.read(0);
    let old = w.flag(Flag::Carry);
    let is_right = w.ins.raw.mnemonic() == Mnemonic::Rcr;
    let dag = w.dag();
    let (e, carry, overflow) = if is_right {
        let rest = dag.extract(a, width - 1, 1);
        let e = dag.concat(old, rest);
        let sign = top(dag, a);
        (e, dag.extract(a, 0, 0), dag.binary(Op::Xor, sign, old))
    } else {
        let rest = dag.extract(a, width - 2, 0);
        let e = dag.concat(rest, old);
        let (carry, sign) = (top(dag, a), top(dag, e));
        (e, carry, dag.binary(Op::Xor, carry, sign))
    };
    w.write(0, e);
    w.set_carry(carry, Some(overflow));
    true
}

fn double(w: &mut SymbolicStep<'_>) -> bool {
    let width = w.width(0);
    if width == 16 {
        return false;
    }
    let (a, b) = (w.read(0), w.read(1));
    let count = count(w, 2);
    let before = w.m.shadow.flags;
    let left = w.ins.raw.mnemonic() == Mnemonic::Shld;
    let dag = w.dag();
    let both = if left { dag.concat(a, b) } else { dag.concat(b, a) };
    let wide_count = dag.zext(count, 2 * width);
    let one = dag.constant(1, 2 * width);
    let less = dag.binary(Op::Sub, wide_count, one);
    let op = if left { Op::Shl } else { Op::LShr };
    let (all, last) = (dag.binary(op, both, wide_count), dag.binary(op, both, less));
    let low = if left { width } else { 0 };
    let e = dag.extract(all, low + width - 1, low);
    let carry = if left { top(dag, last) } else { dag.extract(last, 0, 0) };
    let known = dag.as_constant(count);
    let (x, y) = (top(dag, a), top(dag, e));
    let changed = dag.binary(Op::Xor, x, y);
    w.write(0, e);
    match known {
        Some(0) => w.set_flags(before),
        Some(1) => w.set_flags(FlagSource::Result { carry, overflow: changed, result: e }),
        Some(_) => w.set_flags(FlagSource::Result { carry, overflow: Expr::NONE, result: e }),
        None => {
            let flags = w.unless_none(count, carry, e);
            w.set_flags(flags);
        }
    }
    true
}
