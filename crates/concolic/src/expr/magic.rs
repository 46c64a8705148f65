//! Divisions by constants, as compilers write them: a product with a "magic number", of which the upper bits are
//! taken. Each is turned into a division only if that is proved equal for all values in the range of the operand.

use super::facts::bits_of;
use super::{Dag, Expr, ExprNode, Op, mask, signed};

/// The `d` for which `x * factor >> shift == x / d` for all `x` up to `max`, and by how much `factor * d` exceeds
/// `1 << shift`.
///
/// With `e` that excess, `x * factor / 2^shift` is `x / d + x * e / (d * 2^shift)`. What is added must not carry
/// `x` over the next multiple of `d`: `x * e < 2^shift * (d - x % d)`. For the greatest `x` with `x % d == d - 1`
/// that is the first condition below; with the second, it follows for all others.
fn divisor(factor: u128, shift: u8, max: u128) -> Option<(u128, u128)> {
    if factor == 0 || shift == 0 || shift > 127 {
        return None;
    }
    let one = 1u128 << shift;
    let d = one.div_ceil(factor);
    if d < 2 {
        return None;
    }
    let e = factor.checked_mul(d)? - one;
    if d.checked_mul(e)? > one {
        return None;
    }
    let periods = max.checked_add(1)? / d;
    if periods > 0 && (periods * d - 1).checked_mul(e)? >= one {
        return None;
    }
    Some((d, e))
}

impl Dag {
    /// `x / d`, unsigned, in as few bits as `x` needs, resized to `width`.
    fn quotient(&mut self, x: Expr, d: u128, width: u8) -> Expr {
        let max = self.range(x).1;
        let n = bits_of(max);
        if d > max {
            return self.constant(0, width);
        }
        let (x, d) = (self.extract(x, n - 1, 0), self.constant(d, n));
        let res = self.binary(Op::UDiv, x, d);
        self.resize(res, width)
    }

    /// The bits `low..=high` of `x * y`, if that is a quotient.
    pub(super) fn magic_unsigned(&mut self, x: Expr, y: Expr, high: u8, low: u8) -> Option<Expr> {
        let factor = self.as_constant(y)?;
        let max = self.range(x).1;
        max.checked_mul(factor).filter(|&it| it <= mask(self.width(x)))?;
        let (d, _) = divisor(factor, low, max)?;
        Some(self.quotient(x, d, high - low + 1))
    }

    /// `e` without the zeroes above.
    fn without_zeroes(&self, e: Expr) -> Expr {
        let node = &self.nodes[e.index()];
        if node.op == Op::ZExt { node.args[0] } else { e }
    }

    /// The bits of `x + y` from `low` on, if that is a quotient whose magic number has one bit more than fits:
    /// `t = x * m >> w`, `((x - t) >> 1) + t` is `x * (2^w + m) >> (w + 1)`.
    pub(super) fn magic_fixed_up(&mut self, x: Expr, y: Expr, low: u8) -> Option<Expr> {
        let w = self.width(x);
        for (half, t) in [(x, y), (y, x)] {
            let half = self.node(half);
            if half.op != Op::ZExt {
                continue;
            }
            let part = self.node(half.args[0]);
            if part.op != Op::Extract(1) || part.width + 1 != w {
                continue;
            }
            let difference = self.node(part.args[0]);
            if difference.op != Op::Sub || difference.args[1] != t {
                continue;
            }
            let x = difference.args[0];
            let upper = self.node(self.without_zeroes(t));
            let product = self.node(upper.args[0]);
            if upper.op != Op::Extract(w) || product.op != Op::Mul || upper.width + w != product.width {
                continue;
            }
            let [again, factor, _] = product.args;
            let Some(factor) = self.as_constant(factor).filter(|&it| it <= mask(w)) else { continue };
            let max = self.range(x).1;
            if self.without_zeroes(again) != self.without_zeroes(x)
                || max.checked_mul(factor).is_none_or(|it| it > mask(product.width))
                || w + 1 + low > 127
            {
                continue;
            }
            let (d, _) = divisor((1 << w) + factor, w + 1 + low, max)?;
            return Some(self.quotient(x, d, w - low));
        }
        None
    }

    /// `a + b` as a signed quotient: the upper bits of a product and its sign.
    pub(super) fn magic_signed(&mut self, a: Expr, b: Expr) -> Option<Expr> {
        let bit = self.node(b);
        if bit.op != Op::ZExt || self.width(bit.args[0]) != 1 {
            return None;
        }
        let sign = self.node(bit.args[0]);
        let product = self.node(sign.args[0]);
        if sign.op != Op::Extract(product.width.wrapping_sub(1)) || product.op != Op::Mul {
            return None;
        }
        let outer = self.node(a);
        let upper = if outer.op == Op::SExt { self.node(outer.args[0]) } else { outer };
        let Op::Extract(shift) = upper.op else { return None };
        if upper.args[0] != sign.args[0] || shift + upper.width != product.width {
            return None;
        }
        let [x, factor, _] = product.args;
        let factor = self.as_constant(factor)?;
        let bits = self.signed_bits(x);
        // The least number has the greatest product; it must not overflow, not even into the sign.
        let least = 1u128 << (bits - 1);
        let w = product.width;
        if factor > mask(w - 1) || least.checked_mul(factor).is_none_or(|it| it > 1 << (w - 1)) {
            return None;
        }
        let (d, e) = divisor(factor, shift, least - 1)?;
        // Negative numbers are rounded down and one is added: that needs an excess, which may reach the next multiple.
        let periods = (least + 1) / d;
        if e == 0 || (periods > 0 && (periods * d - 1).checked_mul(e)? > 1 << shift) {
            return None;
        }
        let n = bits.max(bits_of(d) + 1);
        if n > w {
            return None;
        }
        let (x, d) = (self.extract(x, n - 1, 0), self.constant(d, n));
        let res = self.binary(Op::SDiv, x, d);
        Some(if n > outer.width {
            self.extract(res, outer.width - 1, 0)
        } else {
            self.sext(res, outer.width)
        })
    }

    /// `e`, the upper half of a product with `x`, plus `x`: the upper half of a product with more.
    pub(super) fn high_of_more(&mut self, e: ExprNode, x: Expr) -> Option<Expr> {
        let w = e.width;
        let upper = if e.op == Op::SExt { self.node(e.args[0]) } else { e };
        if upper.op != Op::Extract(w) || w > 64 {
            return None;
        }
        let product = self.node(upper.args[0]);
        let [y, factor, _] = product.args;
        // In fewer bits, it has to be the product nevertheless.
        if product.op != Op::Mul
            || upper.width + w != product.width
            || !(product.width == 2 * w || (e.op == Op::SExt && self.is_exact(y, factor, true)))
        {
            return None;
        }
        let factor = signed(self.as_constant(factor)?, product.width) as u128;
        let y = self.sext(y, 2 * w);
        if self.extract(y, w - 1, 0) != x {
            return None;
        }
        let factor = self.constant(factor.wrapping_add(1 << w), 2 * w);
        let product = self.binary(Op::Mul, y, factor);
        Some(self.extract(product, 2 * w - 1, w))
    }

    /// `a - b`, if that is `a - a / d * d`. The quotient and `a` may both be cut off or extended.
    pub(super) fn remainder(&mut self, a: Expr, b: Expr) -> Option<Expr> {
        let (times, by) = self.multiple(b);
        if by == 1 {
            return None;
        }
        let w = self.width(a);
        let mut outer = self.node(times);
        let mut inner = outer;
        if matches!(inner.op, Op::Extract(0) | Op::ZExt | Op::SExt) {
            inner = self.node(inner.args[0]);
        } else {
            outer.op = Op::Const;
        }
        let rem = match inner.op {
            Op::UDiv if outer.op != Op::SExt => Op::URem,
            Op::SDiv if outer.op != Op::ZExt => Op::SRem,
            _ => return None,
        };
        let [x, d, _] = inner.args;
        if self.as_constant(d) != Some(by) || by == 0 {
            return None;
        }
        let fit = |dag: &mut Dag, e: Expr| match rem {
            Op::SRem if dag.width(e) < w => dag.sext(e, w),
            _ => dag.resize(e, w),
        };
        if fit(self, x) != a {
            return None;
        }
        let res = self.binary(rem, x, d);
        Some(fit(self, res))
    }
}
