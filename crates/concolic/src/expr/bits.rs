//! Parts of expressions, and expressions of parts: extract, concat, extension, shifts by constants.

use super::build::NONE;
use super::facts::bits_of;
use super::{Dag, Expr, Op, mask};

impl Dag {
    /// `high` above `low`.
    pub fn concat(&mut self, high: Expr, low: Expr) -> Expr {
        let width = self.width(high) + self.width(low);
        let args = [high, low, NONE];
        let mut whole = None;
        if self.enter() {
            whole = self.whole_of(high, low);
            self.leave();
        }
        if let Some((whole, 0)) = whole
            && self.width(whole) == width
        {
            return whole;
        }
        let e = match self.known(Op::Concat, width, args) {
            Some(known) => known,
            None => {
                let mut simple = None;
                if self.enter() {
                    simple = self.simple_concat(high, low);
                    self.leave();
                }
                simple.unwrap_or_else(|| self.make(Op::Concat, width, args))
            }
        };
        if let Some((whole, from)) = whole {
            self.set_part(e, whole, from);
        }
        e
    }

    /// What `high` and `low` are adjacent parts of, and from which bit on, if that is known.
    fn whole_of(&mut self, high: Expr, low: Expr) -> Option<(Expr, u8)> {
        let (of_high, of_low) = (self.part(high), self.part(low));
        let split = self.width(low);
        let total = split + self.width(high);
        let (by_low, by_high) = (self.node_part(low), self.node_part(high));
        for (of_low, of_high) in [(by_low, by_high), (of_low, of_high)] {
            if let (Some((whole, from)), Some((same, from_low))) = (of_high, of_low)
                && whole == same
                && from == from_low + split
            {
                return of_low;
            }
        }
        // Memory is read from outside: deeper inside, the search is not worth it.
        if self.depth > 3 {
            return None;
        }
        let wholes = [of_low, of_high, by_low, by_high].map(Option::unwrap_or_default);
        for (i, (whole, at)) in wholes.into_iter().enumerate() {
            let width = self.width(whole);
            if whole.is_none() || total > width || wholes[..i].iter().any(|it| it.0 == whole) {
                continue;
            }
            // The same part may be in several places of which one is known; parts come from one end or the other.
            let known = if i % 2 == 0 { at } else { at.saturating_sub(split) };
            for from in [0, width - total, known] {
                let end = from + total;
                if end <= width
                    && (of_low == Some((whole, from)) || self.extract(whole, from + split - 1, from) == low)
                    && (of_high == Some((whole, from + split))
                        || self.extract(whole, end - 1, from + split) == high)
                {
                    return Some((whole, from));
                }
            }
        }
        None
    }

    /// What `e` is known to be a part of, and from which bit on.
    pub(super) fn part(&self, e: Expr) -> Option<(Expr, u8)> {
        let facts = &self.facts[e.index()];
        if facts.part_of.is_some() {
            return Some((facts.part_of, facts.part_low));
        }
        self.node_part(e)
    }

    fn node_part(&self, e: Expr) -> Option<(Expr, u8)> {
        let node = &self.nodes[e.index()];
        match node.op {
            Op::Extract(low) => Some((node.args[0], low)),
            _ => None,
        }
    }

    fn set_part(&mut self, e: Expr, whole: Expr, from: u8) {
        if !self.is_constant(e) && e != whole && self.width(e) < self.width(whole) {
            let facts = &mut self.facts[e.index()];
            if facts.part_of == whole && facts.part_low < from {
                return;
            }
            facts.part_of = whole;
            facts.part_low = from;
        }
    }

    fn simple_concat(&mut self, high: Expr, low: Expr) -> Option<Expr> {
        let (h, l) = (self.node(high), self.node(low));
        let width = h.width + l.width;
        match h.op {
            Op::Const if self.value(high) == 0 => return Some(self.zext(low, width)),
            Op::Const => {
                let value = self.value(high);
                let bits = bits_of(value);
                if bits < h.width {
                    let high = self.constant(value, bits);
                    let rest = self.concat(high, low);
                    return Some(self.zext(rest, width));
                }
                if l.op == Op::ZExt {
                    let inner = self.width(l.args[0]);
                    let above = self.constant(value << (l.width - inner), width - inner);
                    return Some(self.concat(above, l.args[0]));
                }
                if l.op == Op::Concat
                    && let Some(below) = self.as_constant(l.args[0])
                {
                    let inner = self.width(l.args[1]);
                    let above = self.constant(value << (l.width - inner) | below, width - inner);
                    return Some(self.concat(above, l.args[1]));
                }
            }
            Op::ZExt => {
                let rest = self.concat(h.args[0], low);
                return Some(self.zext(rest, width));
            }
            Op::Concat => {
                let rest = self.concat(h.args[1], low);
                return Some(self.concat(h.args[0], rest));
            }
            Op::SExt
                if self.width(h.args[0]) == 1 && self.extract(low, l.width - 1, l.width - 1) == h.args[0] =>
            {
                return Some(self.sext(low, width));
            }
            Op::Extract(from) => {
                if let Some(joined) = self.join(h.args[0], from, h.width, low) {
                    return Some(joined);
                }
                if l.op == Op::Concat
                    && let Some(joined) = self.join(h.args[0], from, h.width, l.args[0])
                {
                    return Some(self.concat(joined, l.args[1]));
                }
            }
            _ => {}
        }
        if h.width == 1 && self.extract(low, l.width - 1, l.width - 1) == high {
            return Some(self.sext(low, width));
        }
        None
    }

    /// `width` bits of `of` above `low`, if those are the next lower bits of `of`.
    fn join(&mut self, of: Expr, from: u8, width: u8, low: Expr) -> Option<Expr> {
        let node = self.node(low);
        match node.op {
            Op::Extract(low_from) if node.args[0] == of && low_from + node.width == from => {
                Some(self.extract(of, from + width - 1, low_from))
            }
            _ => None,
        }
    }

    /// The bits `low..=high` of `a`.
    pub fn extract(&mut self, a: Expr, high: u8, low: u8) -> Expr {
        debug_assert!(low <= high && high < self.width(a));
        if low == 0 && high + 1 == self.width(a) {
            return a;
        }
        let width = high - low + 1;
        let args = [a, NONE, NONE];
        if let Some(known) = self.known(Op::Extract(low), width, args) {
            return known;
        }
        if self.enter() {
            let simple = self.simple_extract(a, high, low);
            self.leave();
            if let Some(simple) = simple {
                self.set_part(simple, a, low);
                return simple;
            }
        }
        self.make(Op::Extract(low), width, args)
    }

    /// Whether parts of `e` are simpler than `e`.
    pub(super) fn is_easy(&self, e: Expr) -> bool {
        matches!(self.nodes[e.index()].op, Op::Const | Op::ZExt | Op::SExt | Op::Concat | Op::Extract(_))
    }

    fn simple_extract(&mut self, a: Expr, high: u8, low: u8) -> Option<Expr> {
        let width = high - low + 1;
        if self.is_constant(a) || (self.facts[a.index()].ones >> low) & mask(width) == 0 {
            let value = self.facts[a.index()].min >> low;
            return Some(self.constant(value, width));
        }
        let node = self.node(a);
        let [x, y, z] = node.args;
        match node.op {
            Op::Extract(from) => Some(self.extract(x, high + from, low + from)),
            Op::Concat => {
                let split = self.width(y);
                if low >= split {
                    return Some(self.extract(x, high - split, low - split));
                }
                if high < split {
                    return Some(self.extract(y, high, low));
                }
                let (above, below) = (self.extract(x, high - split, 0), self.extract(y, split - 1, low));
                Some(self.concat(above, below))
            }
            Op::ZExt | Op::SExt => {
                let inner = self.width(x);
                if high < inner {
                    return Some(self.extract(x, high, low));
                }
                let part = self.extract(x, inner - 1, low.min(inner - 1));
                Some(if node.op == Op::ZExt { self.zext(part, width) } else { self.sext(part, width) })
            }
            Op::Not => {
                let part = self.extract(x, high, low);
                Some(self.not(part))
            }
            Op::And | Op::Or | Op::Xor if self.is_easy(x) || self.is_easy(y) => {
                let (x, y) = (self.extract(x, high, low), self.extract(y, high, low));
                Some(self.binary(node.op, x, y))
            }
            Op::Ite if self.is_easy(y) || self.is_easy(z) => {
                let (y, z) = (self.extract(y, high, low), self.extract(z, high, low));
                Some(self.ite(x, y, z))
            }
            Op::Add | Op::Sub | Op::Mul if low == 0 && self.is_easy(x) && self.is_easy(y) => {
                let (x, y) = (self.extract(x, high, 0), self.extract(y, high, 0));
                Some(self.binary(node.op, x, y))
            }
            Op::Mul => self.magic_unsigned(x, y, high, low),
            Op::Add if high + 1 == node.width => self.magic_fixed_up(x, y, low),
            Op::UDiv | Op::URem if low == 0 && self.range(x).1.max(self.range(y).1) <= mask(width) => {
                let (x, y) = (self.extract(x, high, 0), self.extract(y, high, 0));
                Some(self.binary(node.op, x, y))
            }
            // Also where the quotient overflows, and where the divisor is zero.
            Op::SDiv | Op::SRem if low == 0 && self.signed_bits(x).max(self.signed_bits(y)) <= width => {
                let (x, y) = (self.extract(x, high, 0), self.extract(y, high, 0));
                Some(self.binary(node.op, x, y))
            }
            Op::UDiv if low > 0 => {
                let divisor = self.as_constant(y).filter(|&it| it > 0)?;
                let more = divisor.checked_mul(1 << low).filter(|&it| it <= mask(node.width));
                let Some(more) = more else { return Some(self.constant(0, width)) };
                let more = self.constant(more, node.width);
                let quotient = self.binary(Op::UDiv, x, more);
                Some(self.extract(quotient, width - 1, 0))
            }
            _ => None,
        }
    }

    /// `a` with zeroes above, up to `width` bits.
    pub fn zext(&mut self, a: Expr, width: u8) -> Expr {
        debug_assert!(width >= self.width(a));
        if width == self.width(a) {
            return a;
        }
        let node = self.node(a);
        match node.op {
            Op::ZExt => return self.make(Op::ZExt, width, [node.args[0], NONE, NONE]),
            // Nothing was cut off.
            Op::Extract(0) if self.range(node.args[0]).1 <= mask(node.width) && self.enter() => {
                let res = self.resize(node.args[0], width);
                self.leave();
                return res;
            }
            _ => {}
        }
        if let Some([c, x, y]) = self.constant_choice(a)
            && self.enter()
        {
            let (x, y) =
                (self.make(Op::ZExt, width, [x, NONE, NONE]), self.make(Op::ZExt, width, [y, NONE, NONE]));
            let res = self.ite(c, x, y);
            self.leave();
            return res;
        }
        self.make(Op::ZExt, width, [a, NONE, NONE])
    }

    /// `a` with copies of its sign above, up to `width` bits.
    pub fn sext(&mut self, a: Expr, width: u8) -> Expr {
        debug_assert!(width >= self.width(a));
        let node = self.node(a);
        if width == node.width {
            return a;
        }
        if self.facts[a.index()].ones >> (node.width - 1) == 0 {
            return self.zext(a, width);
        }
        match node.op {
            Op::SExt => return self.make(Op::SExt, width, [node.args[0], NONE, NONE]),
            Op::Extract(0) if self.signed_bits(node.args[0]) <= node.width && self.enter() => {
                let whole = node.args[0];
                let fits = width <= self.width(whole);
                let res = if fits { self.extract(whole, width - 1, 0) } else { self.sext(whole, width) };
                self.leave();
                return res;
            }
            _ => {}
        }
        if let Some([c, x, y]) = self.constant_choice(a)
            && self.enter()
        {
            let (x, y) =
                (self.make(Op::SExt, width, [x, NONE, NONE]), self.make(Op::SExt, width, [y, NONE, NONE]));
            let res = self.ite(c, x, y);
            self.leave();
            return res;
        }
        self.make(Op::SExt, width, [a, NONE, NONE])
    }

    /// `a` cut off, or with zeroes above, to have `width` bits.
    pub fn resize(&mut self, a: Expr, width: u8) -> Expr {
        if width < self.width(a) { self.extract(a, width - 1, 0) } else { self.zext(a, width) }
    }

    /// Shifts by constants are parts with zeroes or copies of the sign.
    pub(super) fn simple_shift(&mut self, op: Op, a: Expr, b: Expr) -> Option<Expr> {
        let w = self.width(a);
        if self.as_constant(a) == Some(0) {
            return Some(a);
        }
        let by = self.as_constant(b)?.min(u128::from(w)) as u8;
        if by == 0 {
            return Some(a);
        }
        match op {
            Op::AShr => {
                let rest = self.extract(a, w - 1, by.min(w - 1));
                Some(self.sext(rest, w))
            }
            _ if by == w => Some(self.constant(0, w)),
            Op::LShr => {
                let rest = self.extract(a, w - 1, by);
                Some(self.zext(rest, w))
            }
            _ => {
                let node = self.node(a);
                if node.op == Op::Mul
                    && let Some(factor) = self.as_constant(node.args[1])
                {
                    let factor = self.constant(factor << by, w);
                    return Some(self.binary(Op::Mul, node.args[0], factor));
                }
                let (rest, zeroes) = (self.extract(a, w - 1 - by, 0), self.constant(0, by));
                Some(self.concat(rest, zeroes))
            }
        }
    }
}
