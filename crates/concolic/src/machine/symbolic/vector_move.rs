//! Moves of vectors: whole ones, parts, to and from general registers.

use iced_x86::{Mnemonic, OpKind};

use super::operands::SymbolicStep;
use super::vector::{ByteSource, Vector, sign_of};

/// The effect, if it is one of these instructions.
pub(super) fn follow(w: &mut SymbolicStep<'_>) -> bool {
    use Mnemonic::*;
    if w.ins.raw.op_count() == 0 || w.is_vector(0) && w.ins.raw.op0_register().size() > 32 {
        return false;
    }
    match w.ins.raw.mnemonic() {
        Movups | Movaps | Movupd | Movapd | Movdqu | Movdqa | Lddqu | Movntdq | Movntps | Movntpd
        | Movntdqa | Vmovups | Vmovaps | Vmovupd | Vmovapd | Vmovdqu | Vmovdqa | Vlddqu | Vmovntdq
        | Vmovntps | Vmovntpd | Vmovntdqa | Vmovdqu8 | Vmovdqu16 | Vmovdqu32 | Vmovdqu64 | Vmovdqa32
        | Vmovdqa64 => {
            let v = w.vector(1);
            let size = w.vector_size(0);
            w.write_vector(&v, size);
        }
        Movd | Movq | Vmovd | Vmovq => return between(w),
        Movnti => {
            let e = w.read(1);
            w.write(0, e);
        }
        Movss | Vmovss => return scalar(w, 4),
        Movsd | Vmovsd => return scalar(w, 8),
        Movlps | Movlpd | Vmovlps | Vmovlpd => half(w, 0),
        Movhps | Movhpd | Vmovhps | Vmovhpd => half(w, 8),
        Movhlps | Vmovhlps => {
            let (a, b) = w.sources();
            w.shuffle(&a, &b, 16, &|i| if i < 8 { ByteSource::Second(i + 8) } else { ByteSource::First(i) });
        }
        Movlhps | Vmovlhps => {
            let (a, b) = w.sources();
            w.shuffle(&a, &b, 16, &|i| if i < 8 { ByteSource::First(i) } else { ByteSource::Second(i - 8) });
        }
        Movddup | Vmovddup => copies(w, 16, 8, 0),
        Movsldup | Vmovsldup => copies(w, 8, 4, 0),
        Movshdup | Vmovshdup => copies(w, 8, 4, 4),
        Pmovmskb | Vpmovmskb => mask(w, 1),
        Movmskps | Vmovmskps => mask(w, 4),
        Movmskpd | Vmovmskpd => mask(w, 8),
        Pinsrb | Vpinsrb => insert(w, 1),
        Pinsrw | Vpinsrw => insert(w, 2),
        Pinsrd | Vpinsrd => insert(w, 4),
        Pinsrq | Vpinsrq => insert(w, 8),
        Pextrb | Vpextrb => return extract(w, 1),
        Pextrw | Vpextrw => return extract(w, 2),
        Pextrd | Vpextrd | Extractps | Vextractps => return extract(w, 4),
        Pextrq | Vpextrq => return extract(w, 8),
        Insertps | Vinsertps => insertps(w),
        Vbroadcastss | Vpbroadcastd => broadcast(w, 4),
        Vbroadcastsd | Vpbroadcastq => broadcast(w, 8),
        Vpbroadcastb => broadcast(w, 1),
        Vpbroadcastw => broadcast(w, 2),
        Vbroadcastf128 | Vbroadcasti128 => broadcast(w, 16),
        Vextractf128 | Vextracti128 => {
            let v = w.vector(1);
            let half = 16 * (w.immediate(2) as usize & 1);
            w.shuffle(&v, &v, 16, &|i| ByteSource::First(half + i));
        }
        Vinsertf128 | Vinserti128 => {
            let (a, b) = w.sources();
            let half = 16 * (w.immediate(3) as usize & 1);
            w.shuffle(&a, &b, 32, &|i| {
                if i / 16 * 16 == half { ByteSource::Second(i % 16) } else { ByteSource::First(i) }
            });
        }
        _ => return false,
    }
    true
}

/// `movd` and `movq`: what is above the number is cleared.
fn between(w: &mut SymbolicStep<'_>) -> bool {
    let n = w.ins.raw.memory_size().size().max(match w.ins.raw.mnemonic() {
        Mnemonic::Movd | Mnemonic::Vmovd => 4,
        _ => 8,
    });
    if w.is_vector(0) {
        let from = w.vector(1);
        w.shuffle(&from, &from, 16, &|i| if i < n { ByteSource::First(i) } else { ByteSource::Zero });
        return true;
    }
    if !w.is_vector(1) {
        // MMX.
        return false;
    }
    let v = w.vector(1);
    let n = usize::from(w.width(0) / 8);
    let e = v.lane(w.dag(), 0, n);
    w.write(0, e);
    true
}

/// `movss` and `movsd`: between registers the rest stays, from memory it is cleared.
fn scalar(w: &mut SymbolicStep<'_>, n: usize) -> bool {
    if w.is_memory(0) {
        let v = w.vector(1);
        w.write_vector(&v, n);
        return true;
    }
    if w.is_memory(1) {
        let v = w.vector(1);
        w.shuffle(&v, &v, 16, &|i| if i < n { ByteSource::First(i) } else { ByteSource::Zero });
        return true;
    }
    let (a, b) = w.sources();
    w.shuffle(&a, &b, 16, &|i| if i < n { ByteSource::Second(i) } else { ByteSource::First(i) });
    true
}

/// Half a register from or to memory.
fn half(w: &mut SymbolicStep<'_>, at: usize) {
    if w.is_memory(0) {
        let v = w.vector(1);
        let mut part = Vector::ZERO;
        part.take(0, &v, at, 8);
        w.write_vector(&part, 8);
        return;
    }
    let (a, b) = w.sources();
    w.shuffle(&a, &b, 16, &|i| {
        if i / 8 * 8 == at { ByteSource::Second(i % 8) } else { ByteSource::First(i) }
    });
}

/// In groups of `group` bytes, the `n` bytes from `at` on again and again.
fn copies(w: &mut SymbolicStep<'_>, group: usize, n: usize, at: usize) {
    let v = w.vector(1);
    let size = w.vector_size(0);
    w.shuffle(&v, &v, size, &|i| ByteSource::First(i / group * group + at + i % n));
}

fn mask(w: &mut SymbolicStep<'_>, n: usize) {
    let v = w.vector(1);
    let size = w.vector_size(1);
    let dag = w.dag();
    let mut e = sign_of(dag, &v, n - 1);
    let mut at = 2 * n - 1;
    while at < size {
        let bit = sign_of(dag, &v, at);
        e = dag.concat(bit, e);
        at += n;
    }
    let e = w.dag().zext(e, 64);
    w.write_general(super::operands::general_number(w.ins.raw.op0_register()), e);
}

fn insert(w: &mut SymbolicStep<'_>, n: usize) {
    let (a, b) = w.sources();
    let last = w.ins.raw.op_count() - 1;
    let at = n * (w.immediate(last) as usize & (16 / n - 1));
    w.shuffle(&a, &b, 16, &|i| {
        if (at..at + n).contains(&i) { ByteSource::Second(i - at) } else { ByteSource::First(i) }
    });
}

fn extract(w: &mut SymbolicStep<'_>, n: usize) -> bool {
    if !w.is_vector(1) {
        return false;
    }
    let v = w.vector(1);
    let at = n * (w.immediate(2) as usize & (16 / n - 1));
    let e = v.lane(w.dag(), at, n);
    if w.is_memory(0) {
        w.store(w.address, e);
    } else {
        let e = w.dag().zext(e, 64);
        w.write_general(super::operands::general_number(w.ins.raw.op0_register()), e);
    }
    true
}

fn insertps(w: &mut SymbolicStep<'_>) {
    let (a, b) = w.sources();
    let last = w.ins.raw.op_count() - 1;
    let control = w.immediate(last) as usize;
    let from = if w.ins.raw.op_kind(last - 1) == OpKind::Memory { 0 } else { control >> 6 & 3 };
    let to = control >> 4 & 3;
    w.shuffle(&a, &b, 16, &|i| match i / 4 {
        lane if control >> lane & 1 == 1 => ByteSource::Zero,
        lane if lane == to => ByteSource::Second(4 * from + i % 4),
        _ => ByteSource::First(i),
    });
}

fn broadcast(w: &mut SymbolicStep<'_>, n: usize) {
    let v = w.vector(1);
    let size = w.vector_size(0);
    w.shuffle(&v, &v, size, &|i| ByteSource::First(i % n));
}
