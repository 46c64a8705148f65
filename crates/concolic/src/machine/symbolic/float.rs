//! Floats. Rounding is to nearest: nothing in Rust changes that.

use iced_x86::Mnemonic;

use super::operands::SymbolicStep;
use super::vector::Vector;
use crate::expr::{Dag, Expr, FloatOp, Op};
use crate::machine::shadow::FlagSource;

/// The effect, if it is one of these instructions.
pub(super) fn follow(w: &mut SymbolicStep<'_>) -> bool {
    arithmetic(w) || comparisons(w) || conversions(w)
}

fn arithmetic(w: &mut SymbolicStep<'_>) -> bool {
    use Mnemonic::*;
    match w.ins.raw.mnemonic() {
        Addss | Vaddss => scalar(w, 4, FloatOp::Add),
        Addsd | Vaddsd => scalar(w, 8, FloatOp::Add),
        Subss | Vsubss => scalar(w, 4, FloatOp::Sub),
        Subsd | Vsubsd => scalar(w, 8, FloatOp::Sub),
        Mulss | Vmulss => scalar(w, 4, FloatOp::Mul),
        Mulsd | Vmulsd => scalar(w, 8, FloatOp::Mul),
        Divss | Vdivss => scalar(w, 4, FloatOp::Div),
        Divsd | Vdivsd => scalar(w, 8, FloatOp::Div),
        Minss | Vminss => scalar(w, 4, FloatOp::Min),
        Minsd | Vminsd => scalar(w, 8, FloatOp::Min),
        Maxss | Vmaxss => scalar(w, 4, FloatOp::Max),
        Maxsd | Vmaxsd => scalar(w, 8, FloatOp::Max),
        Addps | Vaddps => w.lanes(4, |d, a, b| d.float(FloatOp::Add, a, b)),
        Addpd | Vaddpd => w.lanes(8, |d, a, b| d.float(FloatOp::Add, a, b)),
        Subps | Vsubps => w.lanes(4, |d, a, b| d.float(FloatOp::Sub, a, b)),
        Subpd | Vsubpd => w.lanes(8, |d, a, b| d.float(FloatOp::Sub, a, b)),
        Mulps | Vmulps => w.lanes(4, |d, a, b| d.float(FloatOp::Mul, a, b)),
        Mulpd | Vmulpd => w.lanes(8, |d, a, b| d.float(FloatOp::Mul, a, b)),
        Divps | Vdivps => w.lanes(4, |d, a, b| d.float(FloatOp::Div, a, b)),
        Divpd | Vdivpd => w.lanes(8, |d, a, b| d.float(FloatOp::Div, a, b)),
        Minps | Vminps => w.lanes(4, |d, a, b| d.float(FloatOp::Min, a, b)),
        Minpd | Vminpd => w.lanes(8, |d, a, b| d.float(FloatOp::Min, a, b)),
        Maxps | Vmaxps => w.lanes(4, |d, a, b| d.float(FloatOp::Max, a, b)),
        Maxpd | Vmaxpd => w.lanes(8, |d, a, b| d.float(FloatOp::Max, a, b)),
        Sqrtps | Vsqrtps => w.lanes_of_one(4, &|d, a| d.float(FloatOp::Sqrt, a, Expr::NONE)),
        Sqrtpd | Vsqrtpd => w.lanes_of_one(8, &|d, a| d.float(FloatOp::Sqrt, a, Expr::NONE)),
        Sqrtss | Vsqrtss => one(w, 4, 4, &|d, a| d.float(FloatOp::Sqrt, a, Expr::NONE)),
        Sqrtsd | Vsqrtsd => one(w, 8, 8, &|d, a| d.float(FloatOp::Sqrt, a, Expr::NONE)),
        Roundss | Vroundss => round(w, 4),
        Roundsd | Vroundsd => round(w, 8),
        Roundps | Vroundps | Roundpd | Vroundpd => {
            let op = rounding(w.immediate(2));
            let n = if matches!(w.ins.raw.mnemonic(), Roundps | Vroundps) { 4 } else { 8 };
            w.lanes_of_one(n, &|d, a| d.float(op, a, Expr::NONE));
        }
        _ => return false,
    }
    true
}

fn comparisons(w: &mut SymbolicStep<'_>) -> bool {
    use Mnemonic::*;
    match w.ins.raw.mnemonic() {
        Ucomiss | Comiss | Vucomiss | Vcomiss => compare(w, 4),
        Ucomisd | Comisd | Vucomisd | Vcomisd => compare(w, 8),
        Cmpss | Vcmpss => return masks(w, 4, true),
        Cmpsd | Vcmpsd => return masks(w, 8, true),
        Cmpps | Vcmpps => return masks(w, 4, false),
        Cmppd | Vcmppd => return masks(w, 8, false),
        _ => return false,
    }
    true
}

fn conversions(w: &mut SymbolicStep<'_>) -> bool {
    use Mnemonic::*;
    match w.ins.raw.mnemonic() {
        Cvtsi2ss | Vcvtsi2ss => from_integer(w, 4),
        Cvtsi2sd | Vcvtsi2sd => from_integer(w, 8),
        Cvttss2si | Vcvttss2si => to_integer(w, 4, true),
        Cvttsd2si | Vcvttsd2si => to_integer(w, 8, true),
        Cvtss2si | Vcvtss2si => to_integer(w, 4, false),
        Cvtsd2si | Vcvtsd2si => to_integer(w, 8, false),
        Cvtss2sd | Vcvtss2sd => one(w, 4, 8, &|d, a| d.float(FloatOp::Convert(64), a, Expr::NONE)),
        Cvtsd2ss | Vcvtsd2ss => one(w, 8, 4, &|d, a| d.float(FloatOp::Convert(32), a, Expr::NONE)),
        Cvtdq2ps | Vcvtdq2ps => w.lanes_of_one(4, &|d, a| d.float(FloatOp::FromInt(32), a, Expr::NONE)),
        Cvttps2dq | Vcvttps2dq => w.lanes_of_one(4, &|d, a| d.float(FloatOp::Truncate(32), a, Expr::NONE)),
        Cvtps2dq | Vcvtps2dq => w.lanes_of_one(4, &|d, a| d.float(FloatOp::ToInt(32), a, Expr::NONE)),
        Cvtdq2pd | Vcvtdq2pd => each(w, 4, 8, FloatOp::FromInt(64)),
        Cvtps2pd | Vcvtps2pd => each(w, 4, 8, FloatOp::Convert(64)),
        Cvtpd2ps | Vcvtpd2ps => each(w, 8, 4, FloatOp::Convert(32)),
        Cvttpd2dq | Vcvttpd2dq => each(w, 8, 4, FloatOp::Truncate(32)),
        Cvtpd2dq | Vcvtpd2dq => each(w, 8, 4, FloatOp::ToInt(32)),
        _ => return false,
    }
    true
}

/// The lowest lane; the rest is that of the first source.
fn scalar(w: &mut SymbolicStep<'_>, n: usize, op: FloatOp) {
    let (a, b) = w.sources();
    let dag = w.dag();
    let (x, y) = (a.lane(dag, 0, n), b.lane(dag, 0, n));
    let e = dag.float(op, x, y);
    let mut res = a;
    res.put(dag, 0, n, e);
    w.write_vector(&res, 16);
}

/// The same for one source, which is the second one where there are two.
fn one(w: &mut SymbolicStep<'_>, from: usize, to: usize, f: &dyn Fn(&mut Dag, Expr) -> Expr) {
    let (a, b) = w.sources();
    let dag = w.dag();
    let x = b.lane(dag, 0, from);
    let e = f(dag, x);
    let mut res = a;
    res.put(dag, 0, to, e);
    w.write_vector(&res, 16);
}

/// The immediate of `roundsd`: where it says "as set", that is to nearest.
fn rounding(control: u64) -> FloatOp {
    FloatOp::Round(if control & 4 != 0 { 0 } else { control as u8 & 3 })
}

fn round(w: &mut SymbolicStep<'_>, n: usize) {
    let op = rounding(w.immediate(w.ins.raw.op_count() - 1));
    one(w, n, n, &|d, a| d.float(op, a, Expr::NONE));
}

fn compare(w: &mut SymbolicStep<'_>, n: usize) {
    let (a, b) = (w.vector(0), w.vector(1));
    let dag = w.dag();
    let (x, y) = (a.lane(dag, 0, n), b.lane(dag, 0, n));
    w.set_flags(FlagSource::Float(x, y));
}

fn masks(w: &mut SymbolicStep<'_>, n: usize, is_scalar: bool) -> bool {
    let last = w.ins.raw.op_count() - 1;
    let predicate = w.immediate(last) as u8 & 31;
    let (a, b) = w.sources();
    let size = if is_scalar { n } else { w.vector_size(0) };
    let mut res = if is_scalar { a } else { Vector::ZERO };
    let mut at = 0;
    while at < size {
        if a.any(at, n) || b.any(at, n) {
            let dag = &mut w.m.dag;
            let (x, y) = (a.lane(dag, at, n), b.lane(dag, at, n));
            let e = holds(dag, predicate, x, y);
            let e = dag.sext(e, 8 * n as u8);
            res.put(dag, at, n, e);
        } else if is_scalar {
            // Concrete, but not what the first source was.
            res.bytes[..n].fill(crate::machine::shadow::Byte::NONE);
        }
        at += n;
    }
    w.write_vector(&res, if is_scalar { 16 } else { size });
    true
}

/// A predicate of `cmpsd`. From 16 on they differ only in what they signal.
fn holds(dag: &mut Dag, predicate: u8, a: Expr, b: Expr) -> Expr {
    let ordered = |dag: &mut Dag, op| dag.float(op, a, b);
    let at_most = |dag: &mut Dag| {
        let (less, same) = (dag.float(FloatOp::Less, a, b), dag.float(FloatOp::Eq, a, b));
        dag.binary(Op::Or, less, same)
    };
    let e = match predicate & 7 {
        // The second eight: "or unordered" where the first are not, and the other way round.
        0 | 4 => {
            let same = ordered(dag, FloatOp::Eq);
            if predicate & 8 == 0 {
                same
            } else {
                let unordered = ordered(dag, FloatOp::Unordered);
                dag.binary(Op::Or, same, unordered)
            }
        }
        1 | 5 if predicate & 8 == 0 => ordered(dag, FloatOp::Less),
        2 | 6 if predicate & 8 == 0 => at_most(dag),
        // Not at least, not more.
        1 | 5 => {
            let (more, same) = (dag.float(FloatOp::Less, b, a), dag.float(FloatOp::Eq, a, b));
            let at_least = dag.binary(Op::Or, more, same);
            dag.not(at_least)
        }
        2 | 6 => {
            let more = dag.float(FloatOp::Less, b, a);
            dag.not(more)
        }
        _ if predicate & 8 == 0 => ordered(dag, FloatOp::Unordered),
        _ => dag.truth(false),
    };
    if predicate & 4 == 0 { e } else { dag.not(e) }
}

fn from_integer(w: &mut SymbolicStep<'_>, n: usize) {
    let last = w.ins.raw.op_count() - 1;
    let a = w.vector(last - 1);
    let x = w.read(last);
    let dag = w.dag();
    let e = dag.float(FloatOp::FromInt(8 * n as u8), x, Expr::NONE);
    let mut res = a;
    res.put(dag, 0, n, e);
    w.write_vector(&res, 16);
}

fn to_integer(w: &mut SymbolicStep<'_>, n: usize, truncates: bool) {
    let v = w.vector(1);
    let width = w.width(0);
    let dag = w.dag();
    let x = v.lane(dag, 0, n);
    let op = if truncates { FloatOp::Truncate(width) } else { FloatOp::ToInt(width) };
    let e = dag.float(op, x, Expr::NONE);
    w.write(0, e);
}

/// Lanes of `from` bytes become lanes of `to` bytes; what is left over is cleared.
fn each(w: &mut SymbolicStep<'_>, from: usize, to: usize, op: FloatOp) {
    let v = w.vector(1);
    let size = w.vector_size(0);
    // The narrower side says how many there are: half of 16 bytes, or of 32 where the wide side is that wide.
    let wide = if from > to { w.vector_size(1) } else { size };
    let mut res = Vector::ZERO;
    for k in 0..wide / from.max(to) {
        if v.any(k * from, from) {
            let dag = &mut w.m.dag;
            let x = v.lane(dag, k * from, from);
            let e = dag.float(op, x, Expr::NONE);
            res.put(dag, k * to, to, e);
        }
    }
    w.write_vector(&res, size);
}
