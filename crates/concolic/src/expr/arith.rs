//! Sums, products, quotients.

use super::build::NONE;
use super::{Dag, Expr, Op, mask, signed};

impl Dag {
    fn negative(&mut self, a: Expr) -> Expr {
        let zero = self.constant(0, self.width(a));
        self.binary(Op::Sub, zero, a)
    }

    fn plus(&mut self, a: Expr, by: u128) -> Expr {
        let by = self.constant(by, self.width(a));
        self.binary(Op::Add, a, by)
    }

    /// `a` and `by`, where `e` is `a + by` with a constant.
    fn with_offset(&self, e: Expr) -> Option<(Expr, u128)> {
        let node = &self.nodes[e.index()];
        if node.op != Op::Add {
            return None;
        }
        Some((node.args[0], self.as_constant(node.args[1])?))
    }

    pub(super) fn simple_add(&mut self, a: Expr, b: Expr) -> Option<Expr> {
        let (x, y) = (self.node(a), self.node(b));
        let w = x.width;
        if w == 1 {
            return Some(self.binary(Op::Xor, a, b));
        }
        if let Some(by) = self.as_constant(b) {
            if by == 0 {
                return Some(a);
            }
            if let Some((rest, other)) = self.with_offset(a) {
                return Some(self.plus(rest, by.wrapping_add(other)));
            }
            if x.op == Op::Sub
                && let Some(from) = self.as_constant(x.args[0])
            {
                let from = self.constant(from.wrapping_add(by), w);
                return Some(self.binary(Op::Sub, from, x.args[1]));
            }
            if x.op == Op::Not {
                let from = self.constant(by.wrapping_sub(1), w);
                return Some(self.binary(Op::Sub, from, x.args[0]));
            }
        }
        if self.maybe_ones(a) & self.maybe_ones(b) == 0 {
            return Some(self.binary(Op::Or, a, b));
        }
        if self.is_constant(b) {
            return None;
        }
        if let Some(sum) = self.sum_of_multiples(a, b, false) {
            return Some(sum);
        }
        for (a, x, b) in [(a, x, b), (b, y, a)] {
            if let Some((rest, by)) = self.with_offset(a) {
                let sum = self.binary(Op::Add, rest, b);
                return Some(self.plus(sum, by));
            }
            if x.op == Op::Sub {
                if x.args[1] == b {
                    return Some(x.args[0]);
                }
                if self.as_constant(x.args[0]) == Some(0) {
                    return Some(self.binary(Op::Sub, b, x.args[1]));
                }
            }
            if let Some(it) = self.magic_signed(a, b).or_else(|| self.high_of_more(x, b)) {
                return Some(it);
            }
        }
        None
    }

    pub(super) fn simple_sub(&mut self, a: Expr, b: Expr) -> Option<Expr> {
        let (x, y) = (self.node(a), self.node(b));
        let w = x.width;
        if a == b {
            return Some(self.constant(0, w));
        }
        if w == 1 {
            return Some(self.binary(Op::Xor, a, b));
        }
        if let Some(by) = self.as_constant(b) {
            return Some(self.plus(a, by.wrapping_neg()));
        }
        if let Some((rest, by)) = self.with_offset(b) {
            let difference = self.binary(Op::Sub, a, rest);
            return Some(self.plus(difference, by.wrapping_neg()));
        }
        if let Some(from) = self.as_constant(a) {
            if from == mask(w) {
                return Some(self.not(b));
            }
            if y.op == Op::Sub {
                let inverse = self.binary(Op::Sub, y.args[1], y.args[0]);
                return Some(self.plus(inverse, from));
            }
            if y.op == Op::Not {
                return Some(self.plus(y.args[0], from.wrapping_add(1)));
            }
            return None;
        }
        if x.op == Op::Add {
            if x.args[0] == b {
                return Some(x.args[1]);
            }
            if x.args[1] == b {
                return Some(x.args[0]);
            }
        }
        if let Some((rest, by)) = self.with_offset(a) {
            let difference = self.binary(Op::Sub, rest, b);
            return Some(self.plus(difference, by));
        }
        if x.op == Op::Sub && x.args[0] == b {
            return Some(self.negative(x.args[1]));
        }
        if y.op == Op::Sub && y.args[0] == a {
            return Some(y.args[1]);
        }
        if y.op == Op::Sub && self.as_constant(y.args[0]) == Some(0) {
            return Some(self.binary(Op::Add, a, y.args[1]));
        }
        if y.op == Op::Add && (y.args[0] == a || y.args[1] == a) {
            let other = if y.args[0] == a { y.args[1] } else { y.args[0] };
            return Some(self.negative(other));
        }
        self.remainder(a, b).or_else(|| self.sum_of_multiples(a, b, true))
    }

    /// The sum or difference of two multiples of the same.
    fn sum_of_multiples(&mut self, a: Expr, b: Expr, subtract: bool) -> Option<Expr> {
        let (x, by) = self.multiple(a);
        let (y, other) = self.multiple(b);
        if x != y {
            return None;
        }
        let by = if subtract { by.wrapping_sub(other) } else { by.wrapping_add(other) };
        let by = self.constant(by, self.width(a));
        Some(self.binary(Op::Mul, x, by))
    }

    /// Writes `e` as a number of the same width, times a constant.
    pub(super) fn multiple(&mut self, e: Expr) -> (Expr, u128) {
        let node = self.node(e);
        let [x, y, _] = node.args;
        match node.op {
            Op::Mul => {
                if let Some(by) = self.as_constant(y) {
                    return (x, by);
                }
            }
            Op::Concat if self.as_constant(y) == Some(0) => {
                let by = 1 << self.width(y);
                if let Some((whole, 0)) = self.part(x)
                    && self.width(whole) == node.width
                {
                    return (whole, by);
                }
                // Its upper bits do not matter: they are shifted out.
                let is_signed = self.node(x).op == Op::SExt;
                return (if is_signed { self.sext(x, node.width) } else { self.zext(x, node.width) }, by);
            }
            Op::ZExt | Op::SExt => {
                let inner = self.node(x);
                let is_product = inner.op == Op::Mul && self.is_constant(inner.args[1]);
                let is_shifted = inner.op == Op::Concat && self.as_constant(inner.args[1]) == Some(0);
                if is_product && self.is_exact(inner.args[0], inner.args[1], node.op == Op::SExt) {
                    let by = self.value(inner.args[1]);
                    return if node.op == Op::ZExt {
                        (self.zext(inner.args[0], node.width), by)
                    } else {
                        let by = signed(by, inner.width) as u128 & mask(node.width);
                        (self.sext(inner.args[0], node.width), by)
                    };
                }
                if is_shifted {
                    let by = 1 << self.width(inner.args[1]);
                    let base = inner.args[0];
                    let base = if node.op == Op::ZExt {
                        self.zext(base, node.width)
                    } else {
                        self.sext(base, node.width)
                    };
                    return (base, by);
                }
            }
            _ => {}
        }
        (e, 1)
    }

    /// Whether the product of `a` and `b` never overflows.
    pub(super) fn is_exact(&self, a: Expr, b: Expr, is_signed: bool) -> bool {
        let w = self.width(a);
        if is_signed {
            self.signed_bits(a).saturating_add(self.signed_bits(b)) <= w
        } else {
            self.range(a).1.checked_mul(self.range(b).1).is_some_and(|it| it <= mask(w))
        }
    }

    pub(super) fn simple_mul(&mut self, a: Expr, b: Expr) -> Option<Expr> {
        let w = self.width(a);
        if w == 1 {
            return Some(self.binary(Op::And, a, b));
        }
        for (a, b) in [(a, b), (b, a)] {
            let node = self.node(a);
            if node.op == Op::ZExt && self.width(node.args[0]) == 1 {
                let zero = self.constant(0, w);
                return Some(self.ite(node.args[0], b, zero));
            }
        }
        let by = self.as_constant(b)?;
        if by == 0 {
            return Some(b);
        }
        if by == 1 {
            return Some(a);
        }
        if by == mask(w) {
            return Some(self.negative(a));
        }
        if by.is_power_of_two() {
            let (bits, zeroes) = (by.trailing_zeros() as u8, self.constant(0, by.trailing_zeros() as u8));
            let rest = self.extract(a, w - 1 - bits, 0);
            return Some(self.concat(rest, zeroes));
        }
        let (x, other) = self.multiple(a);
        if other != 1 {
            let by = self.constant(by.wrapping_mul(other), w);
            return Some(self.binary(Op::Mul, x, by));
        }
        None
    }

    pub(super) fn simple_unsigned_division(&mut self, op: Op, a: Expr, b: Expr) -> Option<Expr> {
        let w = self.width(a);
        let is_quotient = op == Op::UDiv;
        if a == b && !is_quotient {
            return Some(self.constant(0, w));
        }
        if self.range(a).1 < self.range(b).0 {
            return Some(if is_quotient { self.constant(0, w) } else { a });
        }
        let by = self.as_constant(b)?;
        if by == 0 {
            return Some(if is_quotient { self.constant(mask(w), w) } else { a });
        }
        if by.is_power_of_two() {
            let bits = by.trailing_zeros() as u8;
            if bits == 0 {
                return Some(if is_quotient { a } else { self.constant(0, w) });
            }
            let part = if is_quotient { self.extract(a, w - 1, bits) } else { self.extract(a, bits - 1, 0) };
            return Some(self.zext(part, w));
        }
        let node = self.node(a);
        if is_quotient
            && node.op == Op::UDiv
            && let Some(first) = self.as_constant(node.args[1])
            && first > 0
        {
            return Some(match first.checked_mul(by).filter(|&it| it <= mask(w)) {
                Some(by) => {
                    let by = self.constant(by, w);
                    self.binary(op, node.args[0], by)
                }
                None => self.constant(0, w),
            });
        }
        None
    }

    pub(super) fn simple_signed_division(&mut self, op: Op, a: Expr, b: Expr) -> Option<Expr> {
        let w = self.width(a);
        let is_quotient = op == Op::SDiv;
        if w == 1 {
            return None;
        }
        if self.range(a).1.max(self.range(b).1) <= mask(w - 1) {
            let op = if is_quotient { Op::UDiv } else { Op::URem };
            return Some(self.binary(op, a, b));
        }
        if let Some(by) = self.as_constant(b) {
            if by == 1 {
                return Some(if is_quotient { a } else { self.constant(0, w) });
            }
            if by == mask(w) {
                return Some(if is_quotient { self.negative(a) } else { self.constant(0, w) });
            }
        }
        // One bit more for the quotient of the least number and -1.
        let n = self.signed_bits(a).max(self.signed_bits(b)) + u8::from(is_quotient);
        if n < w {
            let (x, y) = (self.extract(a, n - 1, 0), self.extract(b, n - 1, 0));
            let res = self.make(op, n, [x, y, NONE]);
            return Some(self.sext(res, w));
        }
        None
    }
}
