//! The constructors of expressions. Every one of them may give a simpler expression of the same meaning.
//!
//! Each looks for the node first (then it was found to have no simpler form), then for a simpler form, and makes the
//! node where there is none. Simplification goes by way of other constructors; `Dag::enter` bounds how far.

use std::sync::Arc;

use super::facts::{Facts, bits_of, facts_of};
use super::{Dag, Expr, ExprNode, FloatOp, Op, Var, mask};

pub(super) const NONE: Expr = Expr::NONE;

impl Dag {
    /// The constant `value` of `width` bits (what is above them is cut off).
    pub fn constant(&mut self, value: u128, width: u8) -> Expr {
        let value = value & mask(width);
        self.leaf(Op::Const, value, Facts::constant(value, width), width, 0)
    }

    /// One bit.
    pub fn truth(&mut self, value: bool) -> Expr {
        self.constant(value.into(), 1)
    }

    /// A variable with its value in the run. The same variable is the same expression.
    pub fn var(&mut self, var: Var, value: u128) -> Expr {
        let index = var.index as usize;
        if index >= self.var_exprs.len() {
            self.var_exprs.resize(index + 1, NONE);
        }
        if self.var_exprs[index].is_some() {
            return self.var_exprs[index];
        }
        let at = self.vars.len() as u32;
        self.vars.push(var);
        let support = self.set_of(var.index);
        let all = mask(var.width);
        let facts = Facts::new(var.min & all, var.max & all, all, var.width, var.width);
        let e = self.leaf(Op::Var(at), value & all, facts, var.width, support);
        self.var_exprs[index] = e;
        e
    }

    /// `!a`
    pub fn not(&mut self, a: Expr) -> Expr {
        let width = self.width(a);
        let args = [a, NONE, NONE];
        if let Some(known) = self.known(Op::Not, width, args) {
            return known;
        }
        if self.enter() {
            let simple = self.simple_not(a);
            self.leave();
            if let Some(simple) = simple {
                return simple;
            }
        }
        self.make(Op::Not, width, args)
    }

    /// One of `And`, `Or`, `Xor`, `Add`, `Sub`, `Mul`, `UDiv`, `URem`, `SDiv`, `SRem`, `Shl`, `LShr`, `AShr`, of
    /// arguments of the same width.
    pub fn binary(&mut self, op: Op, a: Expr, b: Expr) -> Expr {
        let width = self.width(a);
        debug_assert_eq!(width, self.width(b), "{op:?}");
        let (mut a, mut b) = (a, b);
        if matches!(op, Op::And | Op::Or | Op::Xor | Op::Add | Op::Mul) {
            // Constants stand on the right.
            let constant = (self.is_constant(a), self.is_constant(b));
            if constant == (true, false) || (constant == (false, false) && a.0 > b.0) {
                (a, b) = (b, a);
            }
        }
        let args = [a, b, NONE];
        if let Some(known) = self.known(op, width, args) {
            return known;
        }
        if self.is_constant(a) && self.is_constant(b) {
            return self.make(op, width, args);
        }
        if self.enter() {
            let simple = self.simple_binary(op, a, b);
            self.leave();
            if let Some(simple) = simple {
                return simple;
            }
        }
        self.make(op, width, args)
    }

    fn simple_binary(&mut self, op: Op, a: Expr, b: Expr) -> Option<Expr> {
        if let Some(it) = self.binary_of_choice(op, a, b) {
            return Some(it);
        }
        let simple = match op {
            Op::And => self.simple_and(a, b),
            Op::Or => self.simple_or(a, b),
            Op::Xor => self.simple_xor(a, b),
            Op::Add => self.simple_add(a, b),
            Op::Sub => self.simple_sub(a, b),
            Op::Mul => self.simple_mul(a, b),
            Op::UDiv | Op::URem => self.simple_unsigned_division(op, a, b),
            Op::SDiv | Op::SRem => self.simple_signed_division(op, a, b),
            _ => self.simple_shift(op, a, b),
        };
        simple.or_else(|| self.narrow(op, a, b))
    }

    /// `(c ? k : l) op m`, with constants, is a choice between constants.
    fn binary_of_choice(&mut self, op: Op, a: Expr, b: Expr) -> Option<Expr> {
        let (choice, swapped) = if self.is_constant(b) { (a, false) } else { (b, true) };
        let [c, k, l] = self.constant_choice(choice)?;
        if swapped && !self.is_constant(a) {
            return None;
        }
        let (k, l) = if swapped {
            (self.binary(op, a, k), self.binary(op, a, l))
        } else {
            (self.binary(op, k, b), self.binary(op, l, b))
        };
        Some(self.ite(c, k, l))
    }

    /// The parts of a choice between two constants.
    pub(super) fn constant_choice(&self, e: Expr) -> Option<[Expr; 3]> {
        let node = &self.nodes[e.index()];
        let args = node.args;
        (matches!(node.op, Op::Ite) && self.is_constant(args[1]) && self.is_constant(args[2])).then_some(args)
    }

    /// Computes in as few bits as the result has, where the range of the operands says that it has fewer.
    fn narrow(&mut self, op: Op, a: Expr, b: Expr) -> Option<Expr> {
        let w = self.width(a);
        let facts = facts_of(self, &ExprNode { op, width: w, args: [a, b, NONE] });
        if facts.min == facts.max {
            return Some(self.constant(facts.min, w));
        }
        let operands = self.range(a).1.max(self.range(b).1);
        let n = match op {
            Op::And | Op::Or | Op::Xor | Op::Add | Op::Sub | Op::Mul => bits_of(facts.max),
            // Divided by zero, the quotient has ones in all bits.
            Op::UDiv if self.range(b).0 == 0 => w,
            Op::UDiv | Op::URem | Op::LShr => bits_of(operands),
            // A number that is shifted out of fewer bits is zero anyhow.
            Op::Shl => bits_of(facts.max.max(operands)),
            _ => w,
        };
        if n < w {
            let (x, y) = (self.extract(a, n - 1, 0), self.extract(b, n - 1, 0));
            let res = self.binary(op, x, y);
            return Some(self.zext(res, w));
        }
        let n = facts.signed_bits;
        if n < w && matches!(op, Op::Add | Op::Sub | Op::Mul) {
            let (x, y) = (self.extract(a, n - 1, 0), self.extract(b, n - 1, 0));
            let res = self.binary(op, x, y);
            return Some(self.sext(res, w));
        }
        None
    }

    /// `condition ? a : b`
    pub fn ite(&mut self, condition: Expr, a: Expr, b: Expr) -> Expr {
        if a == b {
            return a;
        }
        if let Some(condition) = self.as_constant(condition) {
            return if condition == 1 { a } else { b };
        }
        let width = self.width(a);
        let args = [condition, a, b];
        if let Some(known) = self.known(Op::Ite, width, args) {
            return known;
        }
        if self.enter() {
            let simple = self.simple_ite(condition, a, b);
            self.leave();
            if let Some(simple) = simple {
                return simple;
            }
        }
        self.make(Op::Ite, width, args)
    }

    /// Entry number `at` of `entries`, each of `width` bits; 0 beyond them.
    pub fn table(&mut self, at: Expr, entries: Arc<[u128]>, width: u8) -> Expr {
        let most = self.range(at).1;
        let bits = bits_of(most);
        let at = if bits < self.width(at) { self.extract(at, bits - 1, 0) } else { at };
        let used = entries.len().min(usize::try_from(most).map_or(usize::MAX, |it| it.saturating_add(1)));
        let id = self.intern_table(&entries[..used]);
        self.make(Op::Table(id), width, [at, NONE, NONE])
    }

    /// A computation on floats; `b` is NONE where there is one operand.
    pub fn float(&mut self, op: FloatOp, a: Expr, b: Expr) -> Expr {
        let width = match op {
            FloatOp::Eq | FloatOp::Less | FloatOp::Unordered => 1,
            FloatOp::FromInt(to) | FloatOp::Convert(to) | FloatOp::Truncate(to) | FloatOp::ToInt(to) => to,
            _ => self.width(a),
        };
        if let (FloatOp::Convert(to), Op::Float(FloatOp::Convert(64))) = (op, self.node(a).op) {
            let inner = self.node(a).args[0];
            // There and back is the same number. A signalling NaN would come back quiet; every result is compared
            // with the processor's, so that at worst an expression is dropped in such a run.
            if to == 32 && self.width(inner) == 32 {
                return inner;
            }
        }
        self.make(Op::Float(op), width, [a, b, NONE])
    }
}
