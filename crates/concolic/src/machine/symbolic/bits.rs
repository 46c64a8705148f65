//! Single bits, counts of bits, the BMI instructions, and flags as such.

use iced_x86::{Mnemonic, Register};

use super::flags::{Flag, is_zero, top};
use super::operands::SymbolicStep;
use crate::expr::{Dag, Expr, Op};
use crate::machine::shadow::FlagSource;

/// The effect, if it is one of these instructions.
pub(super) fn follow(w: &mut SymbolicStep<'_>) -> bool {
    use Mnemonic::*;
    match w.ins.raw.mnemonic() {
        Bt | Bts | Btr | Btc => return bit(w),
        Bsf | Bsr => scan(w),
        Tzcnt | Lzcnt => count_zeroes(w),
        Popcnt => popcnt(w),
        Crc32 => crc32(w),
        Andn => {
            let (a, b) = (w.read(1), w.read(2));
            let a = w.dag().not(a);
            let e = w.dag().binary(Op::And, a, b);
            w.write(0, e);
            w.set_flags(FlagSource::Logic(e));
        }
        Blsr | Blsi | Blsmsk => lowest(w),
        Bzhi => bzhi(w),
        Bextr => bextr(w),
        Mulx => mulx(w),
        Pext | Pdep => return deposit(w),
        Sahf => {
            let ah = w.register(Register::AH);
            let overflow = w.flag(Flag::Overflow);
            let dag = w.dag();
            let [carry, parity, zero, sign] = [0, 2, 6, 7].map(|it| dag.extract(ah, it, it));
            w.set_flags(FlagSource::Each { carry, zero, sign, overflow, parity });
        }
        Lahf => lahf(w),
        Stc | Clc => {
            let carry = w.constant((w.ins.raw.mnemonic() == Stc).into(), 1);
            w.set_carry(carry, None);
        }
        Cmc => {
            let carry = w.flag(Flag::Carry);
            let carry = w.dag().not(carry);
            w.set_carry(carry, None);
        }
        _ => return false,
    }
    true
}

/// The checksum of Castagnoli, a byte at a time. Each bit of a byte puts a fixed pattern on what is there, so it is nothing but
/// exclusive ors, which have a way back.
fn crc32(w: &mut SymbolicStep<'_>) {
    const POLYNOMIAL: u32 = 0x82f6_3b78;
    let pattern =
        |bit: u32| (0..8).fold(1u32 << bit, |it, _| if it & 1 == 1 { it >> 1 ^ POLYNOMIAL } else { it >> 1 });
    let (before, data) = (w.read(0), w.read(1));
    let (width, bytes) = (w.width(0), w.width(1) / 8);
    let dag = w.dag();
    let mut crc = dag.extract(before, 31, 0);
    for byte in 0..bytes {
        let (low, byte) = (dag.extract(crc, 7, 0), dag.extract(data, 8 * byte + 7, 8 * byte));
        let at = dag.binary(Op::Xor, low, byte);
        let rest = dag.extract(crc, 31, 8);
        crc = dag.zext(rest, 32);
        for bit in 0..8 {
            let is_set = dag.extract(at, bit, bit);
            let all = dag.sext(is_set, 32);
            let pattern = dag.constant(pattern(bit.into()).into(), 32);
            let part = dag.binary(Op::And, all, pattern);
            crc = dag.binary(Op::Xor, crc, part);
        }
    }
    let crc = w.dag().zext(crc, width);
    w.write(0, crc);
}

impl SymbolicStep<'_> {
    /// The carry before, NONE where it is concrete.
    pub(super) fn each_carry(&mut self) -> Option<Expr> {
        if matches!(self.m.shadow.flags, FlagSource::Concrete) {
            return None;
        }
        let carry = self.flag(Flag::Carry);
        (!self.m.dag.is_constant(carry)).then_some(carry)
    }
}

fn bit(w: &mut SymbolicStep<'_>) -> bool {
    // A register counts bits from the address on, beyond the operand too.
    if w.is_memory(0) && w.is_register(1) {
        return false;
    }
    let width = w.width(0);
    let a = w.read(0);
    let at = w.read_as(1, width);
    let mnemonic = w.ins.raw.mnemonic();
    let dag = w.dag();
    let limit = dag.constant(u128::from(width) - 1, width);
    let at = dag.binary(Op::And, at, limit);
    let moved = dag.binary(Op::LShr, a, at);
    let carry = dag.extract(moved, 0, 0);
    if mnemonic != Mnemonic::Bt {
        let one = dag.constant(1, width);
        let mask = dag.binary(Op::Shl, one, at);
        let e = match mnemonic {
            Mnemonic::Bts => dag.binary(Op::Or, a, mask),
            Mnemonic::Btc => dag.binary(Op::Xor, a, mask),
            _ => {
                let mask = dag.not(mask);
                dag.binary(Op::And, a, mask)
            }
        };
        w.write(0, e);
    }
    w.set_carry(carry, None);
    true
}

/// How many zeroes there are below the lowest one (or above the highest), as `width` bits; where there is no one, it
/// means nothing. Halves are looked at, then halves of those.
fn zeroes(dag: &mut Dag, a: Expr, from_top: bool) -> Expr {
    let width = dag.width(a);
    let mut rest = a;
    let mut half = width / 2;
    let mut res = Expr::NONE;
    while half > 0 {
        let (high, low) = (dag.extract(rest, 2 * half - 1, half), dag.extract(rest, half - 1, 0));
        let (near, far) = if from_top { (high, low) } else { (low, high) };
        let is_far = is_zero(dag, near);
        rest = dag.ite(is_far, far, near);
        res = if res.is_none() { is_far } else { dag.concat(res, is_far) };
        half /= 2;
    }
    dag.zext(res, width)
}

fn scan(w: &mut SymbolicStep<'_>) {
    let width = w.width(0);
    let (old, a) = (w.read(0), w.read(1));
    let is_reverse = w.ins.raw.mnemonic() == Mnemonic::Bsr;
    let whole = if w.is_register(0) {
        w.general(super::operands::general_number(w.ins.raw.op0_register()))
    } else {
        old
    };
    let dag = w.dag();
    let mut e = zeroes(dag, a, is_reverse);
    if is_reverse {
        let last = dag.constant(u128::from(width) - 1, width);
        e = dag.binary(Op::Xor, e, last);
    }
    let none = is_zero(dag, a);
    if width == 16 {
        let e = dag.ite(none, old, e);
        w.write(0, e);
    } else {
        // Where there is no bit, the register stays as it is, its upper half too.
        let e = dag.zext(e, 64);
        let e = dag.ite(none, whole, e);
        w.write_general(super::operands::general_number(w.ins.raw.op0_register()), e);
    }
    let n = Expr::NONE;
    w.set_flags(FlagSource::Each { carry: n, zero: none, sign: n, overflow: n, parity: n });
}

fn count_zeroes(w: &mut SymbolicStep<'_>) {
    let width = w.width(0);
    let a = w.read(1);
    let from_top = w.ins.raw.mnemonic() == Mnemonic::Lzcnt;
    let dag = w.dag();
    let some = zeroes(dag, a, from_top);
    let all = dag.constant(width.into(), width);
    let none = is_zero(dag, a);
    let e = dag.ite(none, all, some);
    let at_once = if from_top { top(dag, a) } else { dag.extract(a, 0, 0) };
    w.write(0, e);
    let n = Expr::NONE;
    w.set_flags(FlagSource::Each { carry: none, zero: at_once, sign: n, overflow: n, parity: n });
}

fn popcnt(w: &mut SymbolicStep<'_>) {
    let width = w.width(0);
    let a = w.read(1);
    let dag = w.dag();
    // Neighbors are added up, in fields that grow.
    let mut e = a;
    let mut size = 1;
    while size < width {
        let mut mask = 0u128;
        let mut at = 0;
        while at < width {
            mask |= ((1u128 << size) - 1) << at;
            at += 2 * size;
        }
        let mask = dag.constant(mask, width);
        let by = dag.constant(size.into(), width);
        let even = dag.binary(Op::And, e, mask);
        let odd = dag.binary(Op::LShr, e, by);
        let odd = dag.binary(Op::And, odd, mask);
        e = dag.binary(Op::Add, even, odd);
        size *= 2;
    }
    let none = is_zero(dag, a);
    w.write(0, e);
    let no = w.dag().truth(false);
    w.set_flags(FlagSource::Each { carry: no, zero: none, sign: no, overflow: no, parity: no });
}

fn lowest(w: &mut SymbolicStep<'_>) {
    let width = w.width(0);
    let a = w.read(1);
    let mnemonic = w.ins.raw.mnemonic();
    let dag = w.dag();
    let (one, zero) = (dag.constant(1, width), dag.constant(0, width));
    let less = dag.binary(Op::Sub, a, one);
    let none = dag.eq(a, zero);
    let (e, carry) = match mnemonic {
        Mnemonic::Blsr => (dag.binary(Op::And, a, less), none),
        Mnemonic::Blsmsk => (dag.binary(Op::Xor, a, less), none),
        _ => {
            let minus = dag.binary(Op::Sub, zero, a);
            (dag.binary(Op::And, a, minus), dag.not(none))
        }
    };
    let overflow = dag.truth(false);
    w.write(0, e);
    w.set_flags(FlagSource::Result { carry, overflow, result: e });
}

fn bzhi(w: &mut SymbolicStep<'_>) {
    let width = w.width(0);
    let (a, count) = (w.read(1), w.read(2));
    let dag = w.dag();
    let count = dag.extract(count, 7, 0);
    let limit = dag.constant(u128::from(width) - 1, 8);
    let too_much = dag.ult(limit, count);
    let count = dag.zext(count, width);
    let ones = dag.constant(u128::MAX, width);
    let mask = dag.binary(Op::Shl, ones, count);
    let mask = dag.not(mask);
    let e = dag.binary(Op::And, a, mask);
    let overflow = dag.truth(false);
    w.write(0, e);
    w.set_flags(FlagSource::Result { carry: too_much, overflow, result: e });
}

fn bextr(w: &mut SymbolicStep<'_>) {
    let width = w.width(0);
    let (a, control) = (w.read(1), w.read(2));
    let dag = w.dag();
    let (start, length) = (dag.extract(control, 7, 0), dag.extract(control, 15, 8));
    let (start, length) = (dag.zext(start, width), dag.zext(length, width));
    let ones = dag.constant(u128::MAX, width);
    let moved = dag.binary(Op::LShr, a, start);
    let mask = dag.binary(Op::Shl, ones, length);
    let mask = dag.not(mask);
    let e = dag.binary(Op::And, moved, mask);
    let zero = is_zero(dag, e);
    let no = dag.truth(false);
    w.write(0, e);
    w.set_flags(FlagSource::Each { carry: no, zero, sign: Expr::NONE, overflow: no, parity: Expr::NONE });
}

fn mulx(w: &mut SymbolicStep<'_>) {
    let width = w.width(0);
    let b = w.read(2);
    let rdx = w.general(2);
    let dag = w.dag();
    let a = dag.extract(rdx, width - 1, 0);
    let [x, y] = [a, b].map(|it| dag.zext(it, 2 * width));
    let product = dag.binary(Op::Mul, x, y);
    let (low, high) = (dag.binary(Op::Mul, a, b), dag.extract(product, 2 * width - 1, width));
    // The first operand is written last.
    if w.ins.raw.op0_register() != w.ins.raw.op1_register() {
        w.write(1, low);
    }
    w.write(0, high);
}

/// `pext` and `pdep` by a mask that is known.
fn deposit(w: &mut SymbolicStep<'_>) -> bool {
    let width = w.width(0);
    let (a, mask) = (w.read(1), w.read(2));
    let is_extract = w.ins.raw.mnemonic() == Mnemonic::Pext;
    let dag = w.dag();
    let Some(mask) = dag.as_constant(mask) else { return false };
    let no = dag.truth(false);
    let mut bits = [no; 64];
    let mut k = 0;
    for i in 0..width {
        if mask >> i & 1 == 1 {
            if is_extract {
                bits[usize::from(k)] = dag.extract(a, i, i);
            } else {
                bits[usize::from(i)] = dag.extract(a, k, k);
            }
            k += 1;
        }
    }
    let mut e = bits[0];
    for &bit in &bits[1..usize::from(width)] {
        e = dag.concat(bit, e);
    }
    w.write(0, e);
    true
}

fn lahf(w: &mut SymbolicStep<'_>) {
    let order = [Flag::Sign, Flag::Zero, Flag::Parity, Flag::Carry];
    let [sign, zero, parity, carry] = order.map(|it| w.flag(it));
    // The auxiliary carry is not followed.
    let auxiliary = u128::from(w.m.flags() >> 4 & 1);
    let dag = w.dag();
    let no = dag.truth(false);
    let yes = dag.truth(true);
    let auxiliary = dag.constant(auxiliary, 1);
    let mut e = sign;
    for bit in [zero, no, auxiliary, no, parity, yes, carry] {
        e = dag.concat(e, bit);
    }
    w.write_register(Register::AH, e);
}
