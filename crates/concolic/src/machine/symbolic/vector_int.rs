//! Arithmetic, comparisons and shifts of vectors of integers.

use iced_x86::{Mnemonic, OpKind};

use super::flags::is_zero;
use super::operands::SymbolicStep;
use super::vector::Vector;
use super::vector_shuffle::clamped;
use crate::expr::{Dag, Expr, Op};
use crate::machine::shadow::FlagSource;

/// The effect, if it is one of these instructions.
pub(super) fn follow(w: &mut SymbolicStep<'_>) -> bool {
    // MMX registers are not followed.
    if w.is_register(0) && !w.is_vector(0) {
        return false;
    }
    logic_and_sums(w) || comparisons(w) || products(w) || shifts(w)
}

fn logic_and_sums(w: &mut SymbolicStep<'_>) -> bool {
    use Mnemonic::*;
    match w.ins.raw.mnemonic() {
        Pand | Vpand | Vpandd | Vpandq | Andps | Vandps | Andpd | Vandpd => w.logic(Op::And, false),
        Por | Vpor | Vpord | Vporq | Orps | Vorps | Orpd | Vorpd => w.logic(Op::Or, false),
        Pxor | Vpxor | Vpxord | Vpxorq | Xorps | Vxorps | Xorpd | Vxorpd => {
            let (x, y) = if w.is_vex() { (1, 2) } else { (0, 1) };
            if w.is_register(y) && w.ins.raw.op_register(x) == w.ins.raw.op_register(y) {
                let size = w.vector_size(0);
                w.write_vector(&Vector::ZERO, size);
            } else {
                w.logic(Op::Xor, false);
            }
        }
        Pandn | Vpandn | Vpandnd | Vpandnq | Andnps | Vandnps | Andnpd | Vandnpd => w.logic(Op::And, true),
        Ptest | Vptest => ptest(w),
        Paddb | Vpaddb => w.lanes(1, |d, a, b| d.binary(Op::Add, a, b)),
        Paddw | Vpaddw => w.lanes(2, |d, a, b| d.binary(Op::Add, a, b)),
        Paddd | Vpaddd => w.lanes(4, |d, a, b| d.binary(Op::Add, a, b)),
        Paddq | Vpaddq => w.lanes(8, |d, a, b| d.binary(Op::Add, a, b)),
        Psubb | Vpsubb => w.lanes(1, |d, a, b| d.binary(Op::Sub, a, b)),
        Psubw | Vpsubw => w.lanes(2, |d, a, b| d.binary(Op::Sub, a, b)),
        Psubd | Vpsubd => w.lanes(4, |d, a, b| d.binary(Op::Sub, a, b)),
        Psubq | Vpsubq => w.lanes(8, |d, a, b| d.binary(Op::Sub, a, b)),
        Paddsb | Vpaddsb => w.lanes(1, |d, a, b| saturated(d, Op::Add, a, b)),
        Paddsw | Vpaddsw => w.lanes(2, |d, a, b| saturated(d, Op::Add, a, b)),
        Psubsb | Vpsubsb => w.lanes(1, |d, a, b| saturated(d, Op::Sub, a, b)),
        Psubsw | Vpsubsw => w.lanes(2, |d, a, b| saturated(d, Op::Sub, a, b)),
        Paddusb | Vpaddusb => w.lanes(1, add_unsigned),
        Paddusw | Vpaddusw => w.lanes(2, add_unsigned),
        Psubusb | Vpsubusb => w.lanes(1, sub_unsigned),
        Psubusw | Vpsubusw => w.lanes(2, sub_unsigned),
        Pavgb | Vpavgb => w.lanes(1, average),
        Pavgw | Vpavgw => w.lanes(2, average),
        Pabsb | Vpabsb => w.lanes_of_one(1, &absolute),
        Pabsw | Vpabsw => w.lanes_of_one(2, &absolute),
        Pabsd | Vpabsd => w.lanes_of_one(4, &absolute),
        Psignb | Vpsignb => w.lanes(1, with_sign),
        Psignw | Vpsignw => w.lanes(2, with_sign),
        Psignd | Vpsignd => w.lanes(4, with_sign),
        Psadbw | Vpsadbw => w.lanes(8, differences),
        _ => return false,
    }
    true
}

fn comparisons(w: &mut SymbolicStep<'_>) -> bool {
    use Mnemonic::*;
    match w.ins.raw.mnemonic() {
        Pcmpeqb | Vpcmpeqb => w.lanes(1, equal),
        Pcmpeqw | Vpcmpeqw => w.lanes(2, equal),
        Pcmpeqd | Vpcmpeqd => w.lanes(4, equal),
        Pcmpeqq | Vpcmpeqq => w.lanes(8, equal),
        Pcmpgtb | Vpcmpgtb => w.lanes(1, greater),
        Pcmpgtw | Vpcmpgtw => w.lanes(2, greater),
        Pcmpgtd | Vpcmpgtd => w.lanes(4, greater),
        Pcmpgtq | Vpcmpgtq => w.lanes(8, greater),
        Pminub | Vpminub => w.lanes(1, min_unsigned),
        Pminuw | Vpminuw => w.lanes(2, min_unsigned),
        Pminud | Vpminud => w.lanes(4, min_unsigned),
        Pminsb | Vpminsb => w.lanes(1, min_signed),
        Pminsw | Vpminsw => w.lanes(2, min_signed),
        Pminsd | Vpminsd => w.lanes(4, min_signed),
        Pmaxub | Vpmaxub => w.lanes(1, max_unsigned),
        Pmaxuw | Vpmaxuw => w.lanes(2, max_unsigned),
        Pmaxud | Vpmaxud => w.lanes(4, max_unsigned),
        Pmaxsb | Vpmaxsb => w.lanes(1, max_signed),
        Pmaxsw | Vpmaxsw => w.lanes(2, max_signed),
        Pmaxsd | Vpmaxsd => w.lanes(4, max_signed),
        _ => return false,
    }
    true
}

fn products(w: &mut SymbolicStep<'_>) -> bool {
    use Mnemonic::*;
    match w.ins.raw.mnemonic() {
        Pmullw | Vpmullw => w.lanes(2, |d, a, b| d.binary(Op::Mul, a, b)),
        Pmulld | Vpmulld => w.lanes(4, |d, a, b| d.binary(Op::Mul, a, b)),
        Pmulhw | Vpmulhw => w.lanes(2, |d, a, b| {
            let product = product(d, a, b, true, true);
            d.extract(product, 31, 16)
        }),
        Pmulhuw | Vpmulhuw => w.lanes(2, |d, a, b| {
            let product = product(d, a, b, false, false);
            d.extract(product, 31, 16)
        }),
        Pmulhrsw | Vpmulhrsw => w.lanes(2, |d, a, b| {
            let product = product(d, a, b, true, true);
            let (by, one) = (d.constant(14, 32), d.constant(1, 32));
            let e = d.binary(Op::AShr, product, by);
            let e = d.binary(Op::Add, e, one);
            d.extract(e, 16, 1)
        }),
        Pmuludq | Vpmuludq => w.lanes(8, |d, a, b| {
            let (a, b) = (d.extract(a, 31, 0), d.extract(b, 31, 0));
            product(d, a, b, false, false)
        }),
        Pmuldq | Vpmuldq => w.lanes(8, |d, a, b| {
            let (a, b) = (d.extract(a, 31, 0), d.extract(b, 31, 0));
            product(d, a, b, true, true)
        }),
        Pmaddwd | Vpmaddwd => w.lanes(4, |d, a, b| {
            let [x, y] = [0, 16].map(|at| {
                let (a, b) = (d.extract(a, at + 15, at), d.extract(b, at + 15, at));
                product(d, a, b, true, true)
            });
            d.binary(Op::Add, x, y)
        }),
        Pmaddubsw | Vpmaddubsw => w.lanes(2, |d, a, b| {
            let [x, y] = [0, 8].map(|at| {
                let (a, b) = (d.extract(a, at + 7, at), d.extract(b, at + 7, at));
                product(d, a, b, false, true)
            });
            saturated(d, Op::Add, x, y)
        }),
        Phaddd | Vphaddd => horizontal(w, 4, Op::Add),
        Phaddw | Vphaddw => horizontal(w, 2, Op::Add),
        Phsubd | Vphsubd => horizontal(w, 4, Op::Sub),
        Phsubw | Vphsubw => horizontal(w, 2, Op::Sub),
        _ => return false,
    }
    true
}

fn shifts(w: &mut SymbolicStep<'_>) -> bool {
    use Mnemonic::*;
    match w.ins.raw.mnemonic() {
        Psllw | Vpsllw => shift(w, 2, Op::Shl),
        Pslld | Vpslld => shift(w, 4, Op::Shl),
        Psllq | Vpsllq => shift(w, 8, Op::Shl),
        Psrlw | Vpsrlw => shift(w, 2, Op::LShr),
        Psrld | Vpsrld => shift(w, 4, Op::LShr),
        Psrlq | Vpsrlq => shift(w, 8, Op::LShr),
        Psraw | Vpsraw => shift(w, 2, Op::AShr),
        Psrad | Vpsrad => shift(w, 4, Op::AShr),
        // A count that is too great clears, or leaves the sign: what the expressions do too.
        Vpsllvd => w.lanes(4, |d, a, b| d.binary(Op::Shl, a, b)),
        Vpsllvq => w.lanes(8, |d, a, b| d.binary(Op::Shl, a, b)),
        Vpsrlvd => w.lanes(4, |d, a, b| d.binary(Op::LShr, a, b)),
        Vpsrlvq => w.lanes(8, |d, a, b| d.binary(Op::LShr, a, b)),
        Vpsravd => w.lanes(4, |d, a, b| d.binary(Op::AShr, a, b)),
        _ => return false,
    }
    true
}

fn shift(w: &mut SymbolicStep<'_>, n: usize, op: Op) {
    let last = w.ins.raw.op_count() - 1;
    let count = if w.ins.raw.op_kind(last) == OpKind::Immediate8 {
        w.constant(w.immediate(last) & 0xff, 64)
    } else {
        let v = w.vector(last);
        v.lane(w.dag(), 0, 8)
    };
    let v = w.vector(last - u32::from(w.is_vex() || w.ins.raw.op_count() == 2));
    let size = w.vector_size(0);
    let width = 8 * n as u8;
    let dag = &mut w.m.dag;
    // A count of 64 bits, as one that is no wider than the lanes.
    let limit = dag.constant(width.into(), 64);
    let is_small = dag.ult(count, limit);
    let count = dag.ite(is_small, count, limit);
    let count = dag.resize(count, width);
    let is_constant = dag.is_constant(count);
    let mut res = Vector::ZERO;
    let mut at = 0;
    while at < size {
        if v.any(at, n) || !is_constant {
            let dag = &mut w.m.dag;
            let x = v.lane(dag, at, n);
            let e = dag.binary(op, x, count);
            res.put(dag, at, n, e);
        }
        at += n;
    }
    w.write_vector(&res, size);
}

fn ptest(w: &mut SymbolicStep<'_>) {
    let (a, b) = (w.vector(0), w.vector(1));
    let size = w.vector_size(0);
    let dag = w.dag();
    let (mut zero, mut carry) = (dag.truth(true), dag.truth(true));
    let mut at = 0;
    while at < size {
        let (x, y) = (a.lane(dag, at, 16), b.lane(dag, at, 16));
        let both = dag.binary(Op::And, x, y);
        let not = dag.not(x);
        let rest = dag.binary(Op::And, not, y);
        let (both, rest) = (is_zero(dag, both), is_zero(dag, rest));
        zero = dag.binary(Op::And, zero, both);
        carry = dag.binary(Op::And, carry, rest);
        at += 16;
    }
    let n = dag.truth(false);
    w.set_flags(FlagSource::Each { carry, zero, sign: n, overflow: n, parity: n });
}

fn equal(d: &mut Dag, a: Expr, b: Expr) -> Expr {
    let e = d.eq(a, b);
    d.sext(e, d.width(a))
}

fn greater(d: &mut Dag, a: Expr, b: Expr) -> Expr {
    let e = d.slt(b, a);
    d.sext(e, d.width(a))
}

fn min_unsigned(d: &mut Dag, a: Expr, b: Expr) -> Expr {
    let e = d.ult(a, b);
    d.ite(e, a, b)
}

fn max_unsigned(d: &mut Dag, a: Expr, b: Expr) -> Expr {
    let e = d.ult(a, b);
    d.ite(e, b, a)
}

fn min_signed(d: &mut Dag, a: Expr, b: Expr) -> Expr {
    let e = d.slt(a, b);
    d.ite(e, a, b)
}

fn max_signed(d: &mut Dag, a: Expr, b: Expr) -> Expr {
    let e = d.slt(a, b);
    d.ite(e, b, a)
}

/// A signed sum or difference, at the nearest end where it does not fit.
fn saturated(d: &mut Dag, op: Op, a: Expr, b: Expr) -> Expr {
    let width = d.width(a);
    let (x, y) = (d.sext(a, width + 2), d.sext(b, width + 2));
    let e = d.binary(op, x, y);
    let limit = 1i128 << (width - 1);
    let e = clamped(d, e, -limit, limit - 1);
    d.extract(e, width - 1, 0)
}

fn add_unsigned(d: &mut Dag, a: Expr, b: Expr) -> Expr {
    let sum = d.binary(Op::Add, a, b);
    let wraps = d.ult(sum, a);
    let ones = d.constant(u128::MAX, d.width(a));
    d.ite(wraps, ones, sum)
}

fn sub_unsigned(d: &mut Dag, a: Expr, b: Expr) -> Expr {
    let rest = d.binary(Op::Sub, a, b);
    let wraps = d.ult(a, b);
    let zero = d.constant(0, d.width(a));
    d.ite(wraps, zero, rest)
}

fn average(d: &mut Dag, a: Expr, b: Expr) -> Expr {
    let width = d.width(a);
    let (x, y, one) = (d.zext(a, width + 1), d.zext(b, width + 1), d.constant(1, width + 1));
    let e = d.binary(Op::Add, x, y);
    let e = d.binary(Op::Add, e, one);
    d.extract(e, width, 1)
}

fn absolute(d: &mut Dag, a: Expr) -> Expr {
    let zero = d.constant(0, d.width(a));
    let (is_negative, minus) = (d.slt(a, zero), d.binary(Op::Sub, zero, a));
    d.ite(is_negative, minus, a)
}

fn with_sign(d: &mut Dag, a: Expr, b: Expr) -> Expr {
    let zero = d.constant(0, d.width(a));
    let (is_negative, is_none) = (d.slt(b, zero), d.eq(b, zero));
    let minus = d.binary(Op::Sub, zero, a);
    let e = d.ite(is_negative, minus, a);
    d.ite(is_none, zero, e)
}

/// The sum of the differences of eight bytes.
fn differences(d: &mut Dag, a: Expr, b: Expr) -> Expr {
    let mut sum = d.constant(0, 16);
    for i in 0..8 {
        let (x, y) = (d.extract(a, 8 * i + 7, 8 * i), d.extract(b, 8 * i + 7, 8 * i));
        let (up, down) = (d.binary(Op::Sub, x, y), d.binary(Op::Sub, y, x));
        let is_less = d.ult(x, y);
        let e = d.ite(is_less, down, up);
        let e = d.zext(e, 16);
        sum = d.binary(Op::Add, sum, e);
    }
    d.zext(sum, 64)
}

/// The product, twice as wide.
fn product(d: &mut Dag, a: Expr, b: Expr, a_signed: bool, b_signed: bool) -> Expr {
    let width = 2 * d.width(a);
    let a = if a_signed { d.sext(a, width) } else { d.zext(a, width) };
    let b = if b_signed { d.sext(b, width) } else { d.zext(b, width) };
    d.binary(Op::Mul, a, b)
}

/// Sums or differences of neighbors: of the first source in the lower half, of the second in the upper one.
fn horizontal(w: &mut SymbolicStep<'_>, n: usize, op: Op) {
    let (a, b) = w.sources();
    let size = w.vector_size(0);
    let mut res = Vector::ZERO;
    let mut to = 0;
    while to < size {
        let from = if to % 16 < 8 { &a } else { &b };
        let at = (to & !15) + to % 8 * 2;
        if from.any(at, 2 * n) {
            let dag = &mut w.m.dag;
            let (x, y) = (from.lane(dag, at, n), from.lane(dag, at + n, n));
            let e = dag.binary(op, x, y);
            res.put(dag, to, n, e);
        }
        to += n;
    }
    w.write_vector(&res, size);
}
