//! Vector operands, byte by byte, and lanes of them as expressions.

use iced_x86::{OpKind, Register};

use super::operands::SymbolicStep;
use crate::expr::{Dag, Expr, Op};
use crate::machine::shadow::{Byte, join};

/// A vector operand: what is known of its bytes, and what they are.
#[derive(Clone, Copy)]
pub(super) struct Vector {
    pub(super) bytes: [Byte; 32],
    pub(super) now: [u8; 32],
}

impl Vector {
    pub(super) const ZERO: Vector = Vector { bytes: [Byte::NONE; 32], now: [0; 32] };

    /// Whether any of these bytes has an expression.
    pub(super) fn any(&self, at: usize, n: usize) -> bool {
        let mut i = at;
        while i < at + n {
            if self.bytes[i].of.is_some() {
                return true;
            }
            i += 1;
        }
        false
    }

    /// Bytes (at most 16) as one expression.
    pub(super) fn lane(&self, dag: &mut Dag, at: usize, n: usize) -> Expr {
        join(dag, &self.bytes[at..at + n], &self.now[at..at + n])
    }

    /// Sets bytes, and with them what they are.
    pub(super) fn put(&mut self, dag: &Dag, at: usize, n: usize, e: Expr) {
        let value = dag.value(e);
        let is_constant = dag.is_constant(e);
        let mut i = 0;
        while i < n {
            self.bytes[at + i] = if is_constant { Byte::NONE } else { Byte { of: e, at: i as u8 } };
            self.now[at + i] = (value >> (8 * i)) as u8;
            i += 1;
        }
    }

    /// Copies bytes of another.
    pub(super) fn take(&mut self, at: usize, from: &Vector, from_at: usize, n: usize) {
        let mut i = 0;
        while i < n {
            self.bytes[at + i] = from.bytes[from_at + i];
            self.now[at + i] = from.now[from_at + i];
            i += 1;
        }
    }

    /// Whether these bytes are concrete, or follow each other in one expression.
    fn is_whole(&self, at: usize, n: usize) -> bool {
        let first = self.bytes[at];
        let mut i = 1;
        while i < n {
            let byte = self.bytes[at + i];
            if byte.of != first.of
                || (first.of.is_some() && usize::from(byte.at) != usize::from(first.at) + i)
            {
                return false;
            }
            i += 1;
        }
        true
    }
}

/// The number of a vector register, xmm or ymm.
pub(super) fn vector_number(register: Register) -> Option<usize> {
    if register.is_xmm() {
        Some(register as usize - Register::XMM0 as usize).filter(|&it| it < 16)
    } else if register.is_ymm() {
        Some(register as usize - Register::YMM0 as usize).filter(|&it| it < 16)
    } else {
        None
    }
}

impl SymbolicStep<'_> {
    /// Whether operand `i` is a vector register that is followed.
    pub(super) fn is_vector(&self, i: u32) -> bool {
        self.is_register(i) && vector_number(self.ins.raw.op_register(i)).is_some()
    }

    /// How many bytes of vectors it works on: that of the first operand.
    pub(super) fn vector_size(&self, i: u32) -> usize {
        match self.ins.raw.op_kind(i) {
            OpKind::Register => self.ins.raw.op_register(i).size(),
            _ => self.ins.raw.memory_size().size(),
        }
    }

    /// A vector register, all 32 bytes.
    pub(super) fn vector_register(&mut self, register: Register) -> Vector {
        match vector_number(register) {
            Some(number) => Vector { bytes: self.m.shadow.vec[number], now: self.m.cpu.vec[number] },
            None => Vector::ZERO,
        }
    }

    /// A vector register, a general register, or memory; zero beyond it.
    pub(super) fn vector(&mut self, i: u32) -> Vector {
        let mut v = Vector::ZERO;
        match self.ins.raw.op_kind(i) {
            OpKind::Register if self.is_vector(i) => {
                return self.vector_register(self.ins.raw.op_register(i));
            }
            OpKind::Memory => {
                let n = self.vector_size(i).min(32);
                if self.read.is_some() {
                    let read = self.read;
                    v.put(&self.m.dag, 0, n, read);
                    return v;
                }
                // SAFETY: the guest's access, which is about to happen. `n` is at most the 32 bytes of `now`.
                unsafe { std::ptr::copy_nonoverlapping(self.address as *const u8, v.now.as_mut_ptr(), n) };
                self.m.shadow.load_bytes(&self.m.dag, self.address, &mut v.bytes[..n]);
            }
            _ => {
                let e = self.read(i);
                let n = usize::from(self.m.dag.width(e) / 8);
                v.put(&self.m.dag, 0, n, e);
            }
        }
        v
    }

    /// The two sources of an instruction: operands 1 and 2, or 0 and 1 where the first is also the destination.
    pub(super) fn sources(&mut self) -> (Vector, Vector) {
        if self.is_vex() { (self.vector(1), self.vector(2)) } else { (self.vector(0), self.vector(1)) }
    }

    /// Writes operand 0, `n` bytes of it: a vector register (of which the rest stays, or is cleared by newer
    /// encodings) or memory.
    pub(super) fn write_vector(&mut self, v: &Vector, n: usize) {
        if self.is_memory(0) {
            self.out.memory_address = self.address;
            self.out.memory_size = n;
            self.out.memory[..n].copy_from_slice(&v.bytes[..n]);
            return;
        }
        let Some(number) = vector_number(self.ins.raw.op0_register()) else { return };
        let mut bytes = if self.is_vex() { [Byte::NONE; 32] } else { self.m.shadow.vec[number] };
        bytes[..n].copy_from_slice(&v.bytes[..n]);
        self.out.vector = Some((number as u8, bytes));
    }

    /// Lane by lane; lanes that are concrete on both sides stay so.
    pub(super) fn lanes(&mut self, n: usize, f: fn(&mut Dag, Expr, Expr) -> Expr) {
        let size = self.vector_size(0);
        let (a, b) = self.sources();
        let mut res = Vector::ZERO;
        let mut at = 0;
        while at < size {
            if a.any(at, n) || b.any(at, n) {
                let dag = &mut self.m.dag;
                let (x, y) = (a.lane(dag, at, n), b.lane(dag, at, n));
                let e = f(dag, x, y);
                res.put(dag, at, n, e);
            }
            at += n;
        }
        self.write_vector(&res, size);
    }

    /// The same for one source, which is the last operand that is not an immediate.
    pub(super) fn lanes_of_one(&mut self, n: usize, f: &dyn Fn(&mut Dag, Expr) -> Expr) {
        let size = self.vector_size(0);
        let a = self.vector(1);
        let mut res = Vector::ZERO;
        let mut at = 0;
        while at < size {
            if a.any(at, n) {
                let dag = &mut self.m.dag;
                let x = a.lane(dag, at, n);
                let e = f(dag, x);
                res.put(dag, at, n, e);
            }
            at += n;
        }
        self.write_vector(&res, size);
    }

    /// Logic, in lanes as wide as the expressions are.
    pub(super) fn logic(&mut self, op: Op, invert: bool) {
        let size = self.vector_size(0);
        let (a, b) = self.sources();
        let mut res = Vector::ZERO;
        let mut at = 0;
        while at < size {
            let mut n = 8;
            while n > 1 && !(at % n == 0 && a.is_whole(at, n) && b.is_whole(at, n)) {
                n /= 2;
            }
            if a.any(at, n) || b.any(at, n) {
                let dag = &mut self.m.dag;
                let (mut x, y) = (a.lane(dag, at, n), b.lane(dag, at, n));
                if invert {
                    x = dag.not(x);
                }
                let e = dag.binary(op, x, y);
                res.put(dag, at, n, e);
            }
            at += n;
        }
        self.write_vector(&res, size);
    }

    /// Byte `i` of the result is the byte that `from` says: of the first source, the second, or zero.
    pub(super) fn shuffle(
        &mut self,
        a: &Vector,
        b: &Vector,
        size: usize,
        from: &dyn Fn(usize) -> ByteSource,
    ) {
        let mut res = Vector::ZERO;
        for i in 0..size {
            match from(i) {
                ByteSource::First(k) => res.take(i, a, k, 1),
                ByteSource::Second(k) => res.take(i, b, k, 1),
                ByteSource::Zero => {}
            }
        }
        self.write_vector(&res, size);
    }
}

/// Where a byte of a shuffle comes from.
#[derive(Clone, Copy)]
pub(super) enum ByteSource {
    First(usize),
    Second(usize),
    Zero,
}

/// The highest bit of byte `at`, without a detour over masks.
pub(super) fn sign_of(dag: &mut Dag, v: &Vector, at: usize) -> Expr {
    let byte = v.bytes[at];
    if byte.of.is_none() {
        return dag.truth(v.now[at] >> 7 == 1);
    }
    let node = dag.node(byte.of);
    if node.op == Op::SExt && dag.width(node.args[0]) == 1 {
        return node.args[0];
    }
    dag.extract(byte.of, 8 * byte.at + 7, 8 * byte.at + 7)
}
