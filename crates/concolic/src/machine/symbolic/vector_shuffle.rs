//! Shuffles, blends and packs of vectors.

use iced_x86::{Mnemonic, Register};

use super::operands::SymbolicStep;
use super::vector::{ByteSource, Vector, sign_of};
use crate::expr::{Dag, Expr};

/// The effect, if it is one of these instructions.
pub(super) fn follow(w: &mut SymbolicStep<'_>) -> bool {
    use Mnemonic::*;
    match w.ins.raw.mnemonic() {
        Pshufd | Vpshufd | Vpermilps if w.ins.raw.op2_kind() == iced_x86::OpKind::Immediate8 => {
            by_control(w, &|i, control| (i & !15) + 4 * (control >> (2 * (i / 4 % 4)) & 3) + i % 4)
        }
        Vpermilpd if w.ins.raw.op2_kind() == iced_x86::OpKind::Immediate8 => {
            by_control(w, &|i, control| (i & !15) + 8 * (control >> (i / 8) & 1) + i % 8)
        }
        Pshuflw | Vpshuflw => by_control(w, &|i, control| {
            if i % 16 < 8 { (i & !15) + 2 * (control >> (2 * (i / 2 % 4)) & 3) + i % 2 } else { i }
        }),
        Pshufhw | Vpshufhw => by_control(w, &|i, control| {
            if i % 16 >= 8 { (i & !15) + 8 + 2 * (control >> (2 * (i / 2 % 4)) & 3) + i % 2 } else { i }
        }),
        Vpermq | Vpermpd if w.ins.raw.op2_kind() == iced_x86::OpKind::Immediate8 => {
            by_control(w, &|i, control| 8 * (control >> (2 * (i / 8)) & 3) + i % 8)
        }
        Vpermd | Vpermps => return permute(w),
        Shufps | Vshufps => two_by_control(w, |i, control| {
            let k = (i & !15) + 4 * (control >> (2 * (i / 4 % 4)) & 3) + i % 4;
            if i % 16 < 8 { ByteSource::First(k) } else { ByteSource::Second(k) }
        }),
        Shufpd | Vshufpd => two_by_control(w, |i, control| {
            let k = (i & !15) + 8 * (control >> (i / 8) & 1) + i % 8;
            if i % 16 < 8 { ByteSource::First(k) } else { ByteSource::Second(k) }
        }),
        Palignr | Vpalignr => two_by_control(w, |i, control| match i % 16 + control {
            k if k < 16 => ByteSource::Second((i & !15) + k),
            k if k < 32 => ByteSource::First((i & !15) + k - 16),
            _ => ByteSource::Zero,
        }),
        Psrldq | Vpsrldq => moved(w, |i, n| if i + n < 16 { Some(i + n) } else { None }),
        Pslldq | Vpslldq => moved(w, |i, n| i.checked_sub(n)),
        Pblendw | Vpblendw => blend(w, |i, control| control >> (i / 2 % 8) & 1 == 1),
        Blendps | Vblendps | Vpblendd => blend(w, |i, control| control >> (i / 4) & 1 == 1),
        Blendpd | Vblendpd => blend(w, |i, control| control >> (i / 8) & 1 == 1),
        Pblendvb | Vpblendvb => blend_by_mask(w, 1),
        Blendvps | Vblendvps => blend_by_mask(w, 4),
        Blendvpd | Vblendvpd => blend_by_mask(w, 8),
        Punpcklbw | Vpunpcklbw => unpack(w, 1, 0),
        Punpcklwd | Vpunpcklwd => unpack(w, 2, 0),
        Punpckldq | Vpunpckldq | Unpcklps | Vunpcklps => unpack(w, 4, 0),
        Punpcklqdq | Vpunpcklqdq | Unpcklpd | Vunpcklpd => unpack(w, 8, 0),
        Punpckhbw | Vpunpckhbw => unpack(w, 1, 8),
        Punpckhwd | Vpunpckhwd => unpack(w, 2, 8),
        Punpckhdq | Vpunpckhdq | Unpckhps | Vunpckhps => unpack(w, 4, 8),
        Punpckhqdq | Vpunpckhqdq | Unpckhpd | Vunpckhpd => unpack(w, 8, 8),
        Packsswb | Vpacksswb => pack(w, 2, true),
        Packssdw | Vpackssdw => pack(w, 4, true),
        Packuswb | Vpackuswb => pack(w, 2, false),
        Packusdw | Vpackusdw => pack(w, 4, false),
        Pshufb | Vpshufb => pshufb(w),
        Vperm2f128 | Vperm2i128 => two_by_control(w, |i, control| {
            let field = control >> (i / 16 * 4) & 15;
            match field & 3 {
                _ if field & 8 != 0 => ByteSource::Zero,
                half @ 0..2 => ByteSource::First(16 * half + i % 16),
                half => ByteSource::Second(16 * (half - 2) + i % 16),
            }
        }),
        Pmovzxbw | Vpmovzxbw => widen(w, 1, 2, false),
        Pmovzxbd | Vpmovzxbd => widen(w, 1, 4, false),
        Pmovzxbq | Vpmovzxbq => widen(w, 1, 8, false),
        Pmovzxwd | Vpmovzxwd => widen(w, 2, 4, false),
        Pmovzxwq | Vpmovzxwq => widen(w, 2, 8, false),
        Pmovzxdq | Vpmovzxdq => widen(w, 4, 8, false),
        Pmovsxbw | Vpmovsxbw => widen(w, 1, 2, true),
        Pmovsxbd | Vpmovsxbd => widen(w, 1, 4, true),
        Pmovsxbq | Vpmovsxbq => widen(w, 1, 8, true),
        Pmovsxwd | Vpmovsxwd => widen(w, 2, 4, true),
        Pmovsxwq | Vpmovsxwq => widen(w, 2, 8, true),
        Pmovsxdq | Vpmovsxdq => widen(w, 4, 8, true),
        _ => return false,
    }
    true
}

fn by_control(w: &mut SymbolicStep<'_>, from: &dyn Fn(usize, usize) -> usize) {
    let v = w.vector(1);
    let (size, control) = (w.vector_size(0), w.immediate(2) as usize);
    w.shuffle(&v, &v, size, &|i| ByteSource::First(from(i, control)));
}

fn two_by_control(w: &mut SymbolicStep<'_>, from: fn(usize, usize) -> ByteSource) {
    let (a, b) = w.sources();
    let size = w.vector_size(0);
    let control = w.immediate(w.ins.raw.op_count() - 1) as usize & 0xff;
    w.shuffle(&a, &b, size, &|i| from(i, control));
}

/// Bytes are moved within halves.
fn moved(w: &mut SymbolicStep<'_>, from: fn(usize, usize) -> Option<usize>) {
    let last = w.ins.raw.op_count() - 1;
    let v = w.vector(last - 1);
    let (size, n) = (w.vector_size(0), w.immediate(last) as usize & 0xff);
    w.shuffle(&v, &v, size, &|i| match from(i % 16, n) {
        Some(k) => ByteSource::First((i & !15) + k),
        None => ByteSource::Zero,
    });
}

fn blend(w: &mut SymbolicStep<'_>, second: fn(usize, usize) -> bool) {
    let (a, b) = w.sources();
    let size = w.vector_size(0);
    let control = w.immediate(w.ins.raw.op_count() - 1) as usize & 0xff;
    w.shuffle(&a, &b, size, &|i| {
        if second(i, control) { ByteSource::Second(i) } else { ByteSource::First(i) }
    });
}

fn blend_by_mask(w: &mut SymbolicStep<'_>, n: usize) {
    let (a, b) = w.sources();
    let mask = if w.is_vex() { w.vector(3) } else { w.vector_register(Register::XMM0) };
    let size = w.vector_size(0);
    let mut res = Vector::ZERO;
    let mut at = 0;
    while at < size {
        let dag = &mut w.m.dag;
        let second = sign_of(dag, &mask, at + n - 1);
        match dag.as_constant(second) {
            Some(0) => res.take(at, &a, at, n),
            Some(_) => res.take(at, &b, at, n),
            None => {
                let (x, y) = (a.lane(dag, at, n), b.lane(dag, at, n));
                let e = dag.ite(second, y, x);
                res.put(dag, at, n, e);
            }
        }
        at += n;
    }
    w.write_vector(&res, size);
}

fn unpack(w: &mut SymbolicStep<'_>, n: usize, half: usize) {
    let (a, b) = w.sources();
    let size = w.vector_size(0);
    w.shuffle(&a, &b, size, &|i| {
        let within = i % 16;
        let k = (i & !15) + half + within / (2 * n) * n + within % n;
        if (within / n).is_multiple_of(2) { ByteSource::First(k) } else { ByteSource::Second(k) }
    });
}

/// Lanes of `n` bytes, which are signed, become half as wide; what does not fit becomes the nearest that does.
fn pack(w: &mut SymbolicStep<'_>, n: usize, signed: bool) {
    let (a, b) = w.sources();
    let size = w.vector_size(0);
    let mut res = Vector::ZERO;
    let half = n / 2;
    let mut to = 0;
    while to < size {
        let from = if to % 16 < 8 { &a } else { &b };
        let at = (to & !15) + to % 8 * 2;
        if from.any(at, n) {
            let dag = &mut w.m.dag;
            let x = from.lane(dag, at, n);
            let bits = 4 * n as u32;
            let (least, greatest) = if signed {
                (-(1i128 << (bits - 1)), (1 << (bits - 1)) - 1)
            } else {
                (0, (1i128 << bits) - 1)
            };
            let e = clamped(dag, x, least, greatest);
            let e = dag.extract(e, bits as u8 - 1, 0);
            res.put(dag, to, half, e);
        }
        to += half;
    }
    w.write_vector(&res, size);
}

/// The nearest signed number to `e` within bounds.
pub(super) fn clamped(dag: &mut Dag, e: Expr, least: i128, greatest: i128) -> Expr {
    let width = dag.width(e);
    let (least, greatest) = (dag.constant(least as u128, width), dag.constant(greatest as u128, width));
    let (is_below, is_above) = (dag.slt(e, least), dag.slt(greatest, e));
    let e = dag.ite(is_above, greatest, e);
    dag.ite(is_below, least, e)
}

fn pshufb(w: &mut SymbolicStep<'_>) {
    let (a, b) = w.sources();
    let size = w.vector_size(0);
    let mut res = Vector::ZERO;
    for i in 0..size {
        let base = i & !15;
        if b.bytes[i].of.is_none() {
            let control = usize::from(b.now[i]);
            if control < 128 {
                res.take(i, &a, base + control % 16, 1);
            }
            continue;
        }
        let dag = &mut w.m.dag;
        let control = b.lane(dag, i, 1);
        let (at, cleared) = (dag.extract(control, 3, 0), dag.extract(control, 7, 7));
        let found = if a.any(base, 16) {
            let mut found = a.lane(dag, base, 1);
            for k in 1..16 {
                let number = dag.constant(k as u128, 4);
                let is_it = dag.eq(at, number);
                let byte = a.lane(dag, base + k, 1);
                found = dag.ite(is_it, byte, found);
            }
            found
        } else {
            let entries: Vec<u128> = a.now[base..base + 16].iter().map(|&it| it.into()).collect();
            dag.table(at, entries.into(), 8)
        };
        let zero = dag.constant(0, 8);
        let e = dag.ite(cleared, zero, found);
        res.put(dag, i, 1, e);
    }
    w.write_vector(&res, size);
}

/// `vpermd`: lanes of four bytes from anywhere, by indices that are known.
fn permute(w: &mut SymbolicStep<'_>) -> bool {
    let (control, v) = (w.vector(1), w.vector(2));
    if control.any(0, 32) {
        return false;
    }
    w.shuffle(&v, &v, 32, &|i| ByteSource::First(4 * usize::from(control.now[i & !3] & 7) + i % 4));
    true
}

fn widen(w: &mut SymbolicStep<'_>, from: usize, to: usize, signed: bool) {
    let v = w.vector(1);
    let size = w.vector_size(0);
    if !signed {
        w.shuffle(&v, &v, size, &|i| {
            if i % to < from { ByteSource::First(i / to * from + i % to) } else { ByteSource::Zero }
        });
        return;
    }
    let mut res = Vector::ZERO;
    for k in 0..size / to {
        if v.any(k * from, from) {
            let dag = &mut w.m.dag;
            let e = v.lane(dag, k * from, from);
            let e = dag.sext(e, 8 * to as u8);
            res.put(dag, k * to, to, e);
        }
    }
    w.write_vector(&res, size);
}
