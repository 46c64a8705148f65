//! What the C library's functions on memory say of bytes that depend on choices. They ran natively before.

use super::control::push_branch;
use crate::expr::{Expr, Op};
use crate::machine::Machine;
use crate::machine::shadow::number;
use crate::path::Imprecision;

/// At most this many bytes are looked at one by one.
const SEARCHED_MAX: u64 = 4096;
/// At most this many bytes are compared.
const COMPARED_MAX: u64 = 4096;
/// Of more bytes, by how much they differ is not followed.
const DIFFERENCES_MAX: u64 = 64;
/// At most this many bytes are filled with an expression.
const FILLED_MAX: u64 = 1 << 16;

/// `n` bytes (at most 16), a constant where they are concrete.
fn bytes(m: &mut Machine, at: u64, n: usize) -> Expr {
    let e = m.shadow.load(&mut m.dag, at, n);
    if e.is_some() {
        return e;
    }
    let mut now = [0; 16];
    // SAFETY: the guest's access: the function has just read there. `now` has 16 bytes, and `n` is at most that.
    unsafe { std::ptr::copy_nonoverlapping(at as *const u8, now.as_mut_ptr(), n) };
    m.dag.constant(number(&now[..n]), 8 * n as u8)
}

/// The same bytes, the first one highest.
fn reversed(m: &mut Machine, e: Expr) -> Expr {
    let mut res = m.dag.extract(e, 7, 0);
    for i in 1..m.dag.width(e) / 8 {
        let byte = m.dag.extract(e, 8 * i + 7, 8 * i);
        res = m.dag.concat(res, byte);
    }
    res
}

/// After a native `memcmp` or `bcmp` of `n` bytes, some of which have expressions; the result is in rax.
pub(crate) fn compare_memory(m: &mut Machine, a: u64, b: u64, n: u64, is_bcmp: bool) {
    m.shadow.forget(1, 0, false);
    if n > COMPARED_MAX {
        m.record_imprecision(Imprecision::Library("memcmp".to_owned()));
        return;
    }
    let now = m.cpu.gpr[0] as u32;
    let mut same = m.dag.truth(true);
    let mut less = m.dag.truth(false);
    // From the last bytes to the first: the first difference decides.
    let mut end = n;
    while end > 0 {
        let size = if end.is_multiple_of(8) { 8 } else { end % 8 };
        end -= size;
        let (x, y) = (bytes(m, a + end, size as usize), bytes(m, b + end, size as usize));
        let is_same = m.dag.eq(x, y);
        same = m.dag.binary(Op::And, is_same, same);
        if !is_bcmp {
            let (x, y) = (reversed(m, x), reversed(m, y));
            let is_less = m.dag.ult(x, y);
            less = m.dag.ite(is_same, less, is_less);
        }
    }
    let (is_same, is_less) = (m.dag.value(same) == 1, m.dag.value(less) == 1);
    if is_same != (now == 0) || (!is_bcmp && is_less != ((now as i32) < 0)) {
        m.record_imprecision(Imprecision::Disagreement(format!("a comparison of {n} bytes gave {now:#x}")));
        return;
    }
    let differs = if is_bcmp {
        m.dag.constant(if is_same { 1 } else { now.into() }, 32)
    } else {
        difference(m, a, b, n, less)
    };
    let zero = m.dag.constant(0, 32);
    let e = m.dag.ite(same, zero, differs);
    // What is above the 32 bits is not said by the convention, but it is what it is.
    let high = m.dag.constant(u128::from(m.cpu.gpr[0] >> 32), 32);
    let e = m.dag.concat(high, e);
    if m.dag.value(e) != u128::from(m.cpu.gpr[0]) {
        m.record_imprecision(Imprecision::Disagreement(format!("a comparison of {n} bytes gave {now:#x}")));
        return;
    }
    m.shadow.set_general(&m.dag, 0, e);
}

/// What `memcmp` of bytes that differ gives: the difference of the first two that do, as the C library has it. Written so
/// that its sign is plain to see, for mostly that is everything that is looked at.
fn difference(m: &mut Machine, a: u64, b: u64, n: u64, less: Expr) -> Expr {
    if n > DIFFERENCES_MAX {
        m.record_imprecision(Imprecision::Library("memcmp".to_owned()));
    }
    // From 1 to 255: less than that by one, and the same below zero.
    let mut low = m.dag.constant(0, 8);
    for i in (0..n.min(DIFFERENCES_MAX)).rev() {
        let (x, y) = (bytes(m, a + i, 1), bytes(m, b + i, 1));
        let (is_same, by) = (m.dag.eq(x, y), m.dag.binary(Op::Sub, x, y));
        low = m.dag.ite(is_same, low, by);
    }
    let (one, ones) = (m.dag.constant(1, 8), m.dag.constant(0xff_ffff, 24));
    let below = m.dag.binary(Op::Sub, low, one);
    let (below, one) = (m.dag.zext(below, 32), m.dag.constant(1, 32));
    let more = m.dag.binary(Op::Add, below, one);
    let fewer = m.dag.concat(ones, low);
    m.dag.ite(less, fewer, more)
}

/// After a native search for a byte (`memchr`, or `memrchr` if `backward`) among `n` bytes: one branch for each byte
/// that was looked at, as a loop would have them. The result, in rax, is concrete then. `wanted` is the
/// register with the byte, NONE where it is the concrete `byte`.
pub(crate) fn find_byte(
    m: &mut Machine,
    from: u64,
    n: u64,
    wanted: Expr,
    byte: u8,
    backward: bool,
    site: u64,
) {
    m.shadow.forget(1, 0, false);
    let wanted = if wanted.is_some() { m.dag.extract(wanted, 7, 0) } else { m.dag.constant(byte.into(), 8) };
    let found = m.cpu.gpr[0];
    let looked_at = match (found, backward) {
        (0, _) => n,
        (_, false) => found - from + 1,
        (_, true) => from + n - found,
    };
    let first = if backward { from + n - looked_at } else { from };
    if m.dag.is_constant(wanted) && !m.shadow.load_any(first, looked_at) {
        return;
    }
    if looked_at > SEARCHED_MAX {
        m.record_imprecision(Imprecision::Library("memchr".to_owned()));
        return;
    }
    for i in 0..looked_at {
        let at = if backward { from + n - 1 - i } else { from + i };
        let e = bytes(m, at, 1);
        let is_it = m.dag.eq(e, wanted);
        push_branch(m, is_it, site, 0, 0);
    }
}

/// After a native `strlen`.
pub(crate) fn string_length(m: &mut Machine, from: u64, site: u64) {
    m.shadow.forget(1, 0, false);
    let n = m.cpu.gpr[0];
    if n > SEARCHED_MAX {
        m.record_imprecision(Imprecision::Library("strlen".to_owned()));
        return;
    }
    let zero = m.dag.constant(0, 8);
    for i in 0..=n {
        let e = bytes(m, from + i, 1);
        let is_end = m.dag.eq(e, zero);
        push_branch(m, is_end, site, 0, 0);
    }
}

/// After `memset(to, of, len)`, where the byte has an expression (64 bits wide, as that of its register).
pub(crate) fn fill(m: &mut Machine, to: u64, len: u64, of: Expr) {
    if len > FILLED_MAX {
        m.shadow.clear(to, len);
        m.record_imprecision(Imprecision::Library("memset".to_owned()));
        return;
    }
    let byte = m.dag.extract(of, 7, 0);
    let mut i = 0;
    while i < len {
        m.shadow.store(&m.dag, to + i, 1, byte);
        i += 1;
    }
}
