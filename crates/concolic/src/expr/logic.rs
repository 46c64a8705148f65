//! Bitwise operations and choices.

use super::build::NONE;
use super::{Dag, Expr, Op, mask};

/// Into how many parts an operation with a constant, or of operands without bits in common, is taken apart.
const PARTS: usize = 8;

impl Dag {
    pub(super) fn simple_not(&mut self, a: Expr) -> Option<Expr> {
        let node = self.node(a);
        match node.op {
            Op::Not => Some(node.args[0]),
            Op::Xor if self.is_constant(node.args[1]) => {
                let flipped = !self.value(node.args[1]);
                let flipped = self.constant(flipped, node.width);
                Some(self.binary(Op::Xor, node.args[0], flipped))
            }
            Op::SExt => {
                let inner = self.not(node.args[0]);
                Some(self.sext(inner, node.width))
            }
            _ => {
                let [c, k, l] = self.constant_choice(a)?;
                let (k, l) = (self.not(k), self.not(l));
                Some(self.ite(c, k, l))
            }
        }
    }

    fn is_not_of(&self, a: Expr, b: Expr) -> bool {
        let (x, y) = (&self.nodes[a.index()], &self.nodes[b.index()]);
        (x.op == Op::Not && x.args[0] == b) || (y.op == Op::Not && y.args[0] == a)
    }

    /// Whether `e` is `op` of `a` and something, and of what.
    pub(super) fn other_of(&self, op: Op, e: Expr, a: Expr) -> Option<Expr> {
        let node = &self.nodes[e.index()];
        if node.op != op {
            None
        } else if node.args[0] == a {
            Some(node.args[1])
        } else if node.args[1] == a {
            Some(node.args[0])
        } else {
            None
        }
    }

    pub(super) fn simple_and(&mut self, a: Expr, b: Expr) -> Option<Expr> {
        let w = self.width(a);
        if a == b {
            return Some(a);
        }
        let (x, y) = (self.maybe_ones(a), self.maybe_ones(b));
        if x & y == 0 || self.is_not_of(a, b) {
            return Some(self.constant(0, w));
        }
        if let Some(kept) = self.as_constant(b) {
            if x & !kept == 0 {
                return Some(a);
            }
            let node = self.node(a);
            if node.op == Op::And
                && let Some(other) = self.as_constant(node.args[1])
            {
                let both = self.constant(kept & other, w);
                return Some(self.binary(Op::And, node.args[0], both));
            }
            let zero = self.constant(0, w);
            return self.mix(a, kept, zero, !kept & mask(w));
        }
        for (a, b) in [(a, b), (b, a)] {
            let node = self.node(a);
            if node.op == Op::SExt && self.width(node.args[0]) == 1 {
                let zero = self.constant(0, w);
                return Some(self.ite(node.args[0], b, zero));
            }
            if self.other_of(Op::Or, b, a).is_some() {
                return Some(a);
            }
            if self.other_of(Op::And, b, a).is_some() {
                return Some(b);
            }
        }
        if w == 1 { self.both_of_comparisons(a, b) } else { None }
    }

    pub(super) fn simple_or(&mut self, a: Expr, b: Expr) -> Option<Expr> {
        let w = self.width(a);
        if a == b {
            return Some(a);
        }
        if self.is_not_of(a, b) {
            return Some(self.constant(mask(w), w));
        }
        let (x, y) = (self.maybe_ones(a), self.maybe_ones(b));
        if let Some(set) = self.as_constant(b) {
            if set == 0 {
                return Some(a);
            }
            if x & !set == 0 {
                return Some(b);
            }
            let node = self.node(a);
            if node.op == Op::Or
                && let Some(other) = self.as_constant(node.args[1])
            {
                let both = self.constant(set | other, w);
                return Some(self.binary(Op::Or, node.args[0], both));
            }
            return self.mix(a, !set & mask(w), b, set);
        }
        if x & y == 0
            && let Some(mixed) = self.mix(a, x, b, y)
        {
            return Some(mixed);
        }
        for (a, b) in [(a, b), (b, a)] {
            if self.other_of(Op::And, b, a).is_some() {
                return Some(a);
            }
            if self.other_of(Op::Or, b, a).is_some() {
                return Some(b);
            }
        }
        if w == 1 { self.either_of_comparisons(a, b) } else { None }
    }

    pub(super) fn simple_xor(&mut self, a: Expr, b: Expr) -> Option<Expr> {
        let w = self.width(a);
        if a == b {
            return Some(self.constant(0, w));
        }
        if self.is_not_of(a, b) {
            return Some(self.constant(mask(w), w));
        }
        let (x, y) = (self.node(a), self.node(b));
        if let Some(turned) = self.as_constant(b) {
            if turned == 0 {
                return Some(a);
            }
            if turned == mask(w) {
                return Some(self.not(a));
            }
            if x.op == Op::Not {
                let turned = self.constant(!turned, w);
                return Some(self.binary(Op::Xor, x.args[0], turned));
            }
            if x.op == Op::Xor
                && let Some(other) = self.as_constant(x.args[1])
            {
                let both = self.constant(turned ^ other, w);
                return Some(self.binary(Op::Xor, x.args[0], both));
            }
        }
        if self.maybe_ones(a) & self.maybe_ones(b) == 0 {
            return Some(self.binary(Op::Or, a, b));
        }
        if x.op == Op::Not || y.op == Op::Not {
            let inner_a = if x.op == Op::Not { x.args[0] } else { a };
            let inner_b = if y.op == Op::Not { y.args[0] } else { b };
            let inner = self.binary(Op::Xor, inner_a, inner_b);
            return Some(if x.op == y.op { inner } else { self.not(inner) });
        }
        self.other_of(Op::Xor, b, a).or_else(|| self.other_of(Op::Xor, a, b))
    }

    /// The bits `of_a` of `a` and `of_b` of `b` side by side, where these have no bit in common and there are not too
    /// many parts. What is in neither is zero in both.
    fn mix(&mut self, a: Expr, of_a: u128, b: Expr, of_b: u128) -> Option<Expr> {
        let w = self.width(a);
        // Bit by bit from below: where the next part begins, and whether it is of `a`.
        let mut parts = [(0u8, false); PARTS];
        let mut count = 0;
        let mut at = 0u8;
        while at < w {
            let (rest_a, rest_b) = (of_a >> at, of_b >> at);
            let (next_a, next_b) = (rest_a.trailing_zeros(), rest_b.trailing_zeros());
            if next_a == 128 && next_b == 128 {
                break;
            }
            let is_a = next_a < next_b;
            if count == PARTS {
                return None;
            }
            parts[count] = (if count == 0 { 0 } else { at }, is_a);
            count += 1;
            let end = if is_a { next_b } else { next_a };
            at = if end == 128 { w } else { at + end as u8 };
        }
        if count < 2 {
            return None;
        }
        let mut res = NONE;
        for i in 0..count {
            let (from, is_a) = parts[i];
            let to = if i + 1 < count { parts[i + 1].0 } else { w };
            let part = self.extract(if is_a { a } else { b }, to - 1, from);
            res = if i == 0 { part } else { self.concat(part, res) };
        }
        Some(res)
    }

    pub(super) fn simple_ite(&mut self, condition: Expr, a: Expr, b: Expr) -> Option<Expr> {
        let c = self.node(condition);
        if c.op == Op::Not {
            return Some(self.ite(c.args[0], b, a));
        }
        let (x, y) = (self.node(a), self.node(b));
        let w = x.width;
        if w == 1 {
            if let Some(it) = self.choice_of_bits(condition, a, b) {
                return Some(it);
            }
        } else if let (Some(k), Some(l)) = (self.as_constant(a), self.as_constant(b)) {
            match (k, l) {
                (1, 0) => return Some(self.zext(condition, w)),
                (0, 1) => {
                    let not = self.not(condition);
                    return Some(self.zext(not, w));
                }
                _ if k == mask(w) && l == 0 => return Some(self.sext(condition, w)),
                _ if k == 0 && l == mask(w) => {
                    let not = self.not(condition);
                    return Some(self.sext(not, w));
                }
                _ => return None,
            }
        }
        if x.op == Op::Ite && x.args[0] == condition {
            return Some(self.ite(condition, x.args[1], b));
        }
        if y.op == Op::Ite && y.args[0] == condition {
            return Some(self.ite(condition, a, y.args[2]));
        }
        for (op, of_a, of_b) in [(Op::ZExt, x.op, y.op), (Op::SExt, x.op, y.op)] {
            let inner = match (of_a == op, of_b == op) {
                (true, true) => self.width(x.args[0]).max(self.width(y.args[0])),
                (true, false) if self.is_constant(b) => self.width(x.args[0]),
                (false, true) if self.is_constant(a) => self.width(y.args[0]),
                _ => continue,
            };
            let fits = if op == Op::ZExt {
                self.range(a).1.max(self.range(b).1) <= mask(inner)
            } else {
                self.signed_bits(a).max(self.signed_bits(b)) <= inner
            };
            if fits {
                let (a, b) = (self.extract(a, inner - 1, 0), self.extract(b, inner - 1, 0));
                let res = self.ite(condition, a, b);
                return Some(if op == Op::ZExt { self.zext(res, w) } else { self.sext(res, w) });
            }
        }
        None
    }

    fn choice_of_bits(&mut self, condition: Expr, a: Expr, b: Expr) -> Option<Expr> {
        match (self.as_constant(a), self.as_constant(b)) {
            (Some(1), Some(0)) => Some(condition),
            (Some(0), Some(1)) => Some(self.not(condition)),
            (Some(1), _) => Some(self.binary(Op::Or, condition, b)),
            (_, Some(0)) => Some(self.binary(Op::And, condition, a)),
            (Some(_), _) => {
                let not = self.not(condition);
                Some(self.binary(Op::And, not, b))
            }
            (_, Some(_)) => {
                let not = self.not(condition);
                Some(self.binary(Op::Or, not, a))
            }
            _ if a == condition => Some(self.binary(Op::Or, condition, b)),
            _ if b == condition => Some(self.binary(Op::And, condition, a)),
            _ => None,
        }
    }
}
