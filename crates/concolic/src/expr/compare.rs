//! Comparisons.

use super::build::NONE;
use super::facts::{bits_of, facts_of};
use super::{Dag, Expr, ExprNode, Op, mask, signed};

/// Comparisons of tables of at most this many entries are pushed into them.
const ENTRIES: usize = 4096;

/// `x` with `x * a == 1` in arithmetic of 128 bits, for odd `a`: each step doubles the bits that are right.
fn inverse(a: u128) -> u128 {
    let mut x = a;
    for _ in 0..6 {
        x = x.wrapping_mul(2u128.wrapping_sub(a.wrapping_mul(x)));
    }
    x
}

impl Dag {
    /// `a == b`
    pub fn eq(&mut self, a: Expr, b: Expr) -> Expr {
        debug_assert_eq!(self.width(a), self.width(b));
        if a == b {
            return self.truth(true);
        }
        let constant = (self.is_constant(a), self.is_constant(b));
        let swap = constant == (true, false) || (constant == (false, false) && a.0 > b.0);
        if swap { self.comparison(Op::Eq, b, a) } else { self.comparison(Op::Eq, a, b) }
    }

    /// `a < b`, unsigned
    pub fn ult(&mut self, a: Expr, b: Expr) -> Expr {
        if a == b { self.truth(false) } else { self.comparison(Op::Ult, a, b) }
    }

    /// `a <= b`, unsigned
    pub fn ule(&mut self, a: Expr, b: Expr) -> Expr {
        let more = self.ult(b, a);
        self.not(more)
    }

    /// `a < b`, signed
    pub fn slt(&mut self, a: Expr, b: Expr) -> Expr {
        if a == b { self.truth(false) } else { self.comparison(Op::Slt, a, b) }
    }

    /// `a <= b`, signed
    pub fn sle(&mut self, a: Expr, b: Expr) -> Expr {
        let more = self.slt(b, a);
        self.not(more)
    }

    fn comparison(&mut self, op: Op, a: Expr, b: Expr) -> Expr {
        debug_assert_eq!(self.width(a), self.width(b));
        let args = [a, b, NONE];
        if let Some(known) = self.known(op, 1, args) {
            return known;
        }
        let facts = facts_of(self, &ExprNode { op, width: 1, args });
        if facts.min == facts.max {
            return self.constant(facts.min, 1);
        }
        if self.enter() {
            let mut simple = self.compare_inside(op, a, b).or_else(|| self.compare_narrow(op, a, b));
            if simple.is_none() {
                simple = match op {
                    Op::Eq => self.simple_eq(a, b),
                    Op::Ult => self.simple_ult(a, b),
                    _ => self.simple_slt(a, b),
                };
            }
            self.leave();
            if let Some(simple) = simple {
                return simple;
            }
        }
        self.make(op, 1, args)
    }

    fn compare(&mut self, op: Op, a: Expr, b: Expr) -> Expr {
        match op {
            Op::Eq => self.eq(a, b),
            Op::Ult => self.ult(a, b),
            _ => self.slt(a, b),
        }
    }

    /// Choices and tables of constants, compared with a constant.
    fn compare_inside(&mut self, op: Op, a: Expr, b: Expr) -> Option<Expr> {
        let (is_left, is_right) = (self.is_constant(b), self.is_constant(a));
        if !is_left && !is_right {
            return None;
        }
        let node = self.node(if is_left { a } else { b });
        match node.op {
            Op::Ite => {
                let [c, x, y] = node.args;
                // A comparison of one side is worth it only if the other is gone.
                if !self.is_constant(x) && !self.is_constant(y) {
                    return None;
                }
                let [x, y] = [x, y].map(|it| if is_left { (it, b) } else { (a, it) });
                let (x, y) = (self.compare(op, x.0, x.1), self.compare(op, y.0, y.1));
                Some(self.ite(c, x, y))
            }
            Op::Table(table) => {
                let (min, max) = self.range(node.args[0]);
                if max >= ENTRIES as u128 {
                    return None;
                }
                let holds = |entry: u128| {
                    let (x, y) = if is_left { (entry, self.value(b)) } else { (self.value(a), entry) };
                    match op {
                        Op::Eq => x == y,
                        Op::Ult => x < y,
                        _ => signed(x, node.width) < signed(y, node.width),
                    }
                };
                let holds: Vec<bool> = (0..=max).map(|at| holds(self.table_entry(table, at))).collect();
                Some(self.membership(node.args[0], min as usize, &holds))
            }
            _ => None,
        }
    }

    /// Whether `holds` at `at`, which is not less than `min`.
    fn membership(&mut self, at: Expr, min: usize, holds: &[bool]) -> Expr {
        let within = &holds[min..];
        let changes = within.windows(2).filter(|it| it[0] != it[1]).count();
        if changes > 2 {
            let entries: Vec<u128> = holds.iter().map(|&it| it.into()).collect();
            return self.table(at, entries.into(), 1);
        }
        // All that differ from the first are in a row.
        let first = within[0];
        let from = within.iter().position(|&it| it != first);
        let Some(from) = from else { return self.truth(first) };
        let to = within.iter().rposition(|&it| it != first).unwrap_or(from);
        let w = self.width(at);
        let (from, to) = (self.constant((min + from) as u128, w), self.constant((min + to) as u128, w));
        let (above, below) = (self.ule(from, at), self.ule(at, to));
        let inside = if from == to { self.eq(at, from) } else { self.binary(Op::And, above, below) };
        if first { self.not(inside) } else { inside }
    }

    /// Compares no more bits than both sides have.
    fn compare_narrow(&mut self, op: Op, a: Expr, b: Expr) -> Option<Expr> {
        let w = self.width(a);
        if !self.is_easy(a) && !self.is_easy(b) {
            return None;
        }
        let most = self.range(a).1.max(self.range(b).1);
        let mut n = self.signed_bits(a).max(self.signed_bits(b));
        let mut op = op;
        let unsigned = bits_of(most);
        if unsigned < w {
            if op == Op::Slt {
                op = Op::Ult;
            }
            n = unsigned;
        }
        if n >= w {
            return None;
        }
        let (a, b) = (self.extract(a, n - 1, 0), self.extract(b, n - 1, 0));
        Some(self.compare(op, a, b))
    }

    fn simple_eq(&mut self, a: Expr, b: Expr) -> Option<Expr> {
        let (x, y) = (self.node(a), self.node(b));
        let w = x.width;
        if let Some(k) = self.as_constant(b) {
            if w == 1 {
                return Some(if k == 1 { a } else { self.not(a) });
            }
            return self.eq_constant(x, k);
        }
        if w == 1 {
            let differ = self.binary(Op::Xor, a, b);
            return Some(self.not(differ));
        }
        if x.op == Op::Not && y.op == Op::Not {
            return Some(self.eq(x.args[0], y.args[0]));
        }
        if x.op == Op::Concat && y.op == Op::Concat && self.width(x.args[1]) == self.width(y.args[1]) {
            let (high, low) = (self.eq(x.args[0], y.args[0]), self.eq(x.args[1], y.args[1]));
            return Some(self.binary(Op::And, high, low));
        }
        if x.op == y.op && matches!(x.op, Op::Add | Op::Xor) {
            for (p, q) in [(0, 1), (1, 0)] {
                if let Some(other) = self.other_of(y.op, b, x.args[p]) {
                    return Some(self.eq(x.args[q], other));
                }
            }
        }
        for (a, b) in [(a, b), (b, a)] {
            let other = self.other_of(Op::Add, b, a).or_else(|| self.other_of(Op::Xor, b, a));
            let node = self.node(b);
            let other = other.or_else(|| (node.op == Op::Sub && node.args[0] == a).then_some(node.args[1]));
            if let Some(other) = other {
                let zero = self.constant(0, w);
                return Some(self.eq(other, zero));
            }
        }
        None
    }

    fn eq_value(&mut self, a: Expr, k: u128) -> Expr {
        let k = self.constant(k, self.width(a));
        self.eq(a, k)
    }

    fn eq_constant(&mut self, node: ExprNode, k: u128) -> Option<Expr> {
        let w = node.width;
        let [x, y, _] = node.args;
        let second = if y.is_some() { self.as_constant(y) } else { None };
        match (node.op, second) {
            // Extensions of what `k` fits into were narrowed before.
            (Op::ZExt | Op::SExt, _) => Some(self.truth(false)),
            (Op::Concat, _) => {
                let low = self.width(y);
                let (high, low) = (self.eq_value(x, k >> low), self.eq_value(y, k));
                Some(self.binary(Op::And, high, low))
            }
            (Op::Not, _) => Some(self.eq_value(x, !k)),
            (Op::Add, Some(by)) => Some(self.eq_value(x, k.wrapping_sub(by))),
            (Op::Xor, Some(by)) => Some(self.eq_value(x, k ^ by)),
            (Op::Sub | Op::Xor, _) if k == 0 => Some(self.eq(x, y)),
            (Op::Sub, _) => {
                let from = self.as_constant(x)?;
                Some(self.eq_value(y, from.wrapping_sub(k)))
            }
            (Op::Or, _) if k == 0 => {
                let (x, y) = (self.eq_value(x, 0), self.eq_value(y, 0));
                Some(self.binary(Op::And, x, y))
            }
            (Op::And, _) if k == mask(w) => {
                let (x, y) = (self.eq_value(x, k), self.eq_value(y, k));
                Some(self.binary(Op::And, x, y))
            }
            (Op::Mul, Some(by)) if by != 0 => {
                let zeroes = by.trailing_zeros() as u8;
                if k & ((1 << zeroes) - 1) != 0 {
                    return Some(self.truth(false));
                }
                let part = self.extract(x, w - 1 - zeroes, 0);
                Some(self.eq_value(part, (k >> zeroes).wrapping_mul(inverse(by >> zeroes))))
            }
            (Op::UDiv, Some(by)) if by != 0 => {
                let Some(from) = k.checked_mul(by).filter(|&it| it <= mask(w)) else {
                    return Some(self.truth(false));
                };
                let least = self.constant(from, w);
                let above = self.ule(least, x);
                let Some(end) = from.checked_add(by).filter(|&it| it <= mask(w)) else { return Some(above) };
                let end = self.constant(end, w);
                let below = self.ult(x, end);
                Some(self.binary(Op::And, above, below))
            }
            _ => None,
        }
    }

    fn simple_ult(&mut self, a: Expr, b: Expr) -> Option<Expr> {
        let (x, y) = (self.node(a), self.node(b));
        let w = x.width;
        if w == 1 {
            let not = self.not(a);
            return Some(self.binary(Op::And, not, b));
        }
        if x.op == Op::Not && y.op == Op::Not {
            return Some(self.ult(y.args[0], x.args[0]));
        }
        if let Some(k) = self.as_constant(b) {
            let (min, max) = self.range(a);
            if k == min.wrapping_add(1) {
                return Some(self.eq_value(a, min));
            }
            if k == max {
                let last = self.eq_value(a, max);
                return Some(self.not(last));
            }
            return self.below_constant(x, k);
        }
        if let Some(k) = self.as_constant(a) {
            let (min, max) = self.range(b);
            if k.wrapping_add(1) == max {
                return Some(self.eq_value(b, max));
            }
            if k == min {
                let first = self.eq_value(b, min);
                return Some(self.not(first));
            }
            return self.above_constant(y, k);
        }
        if x.op == Op::Concat && y.op == Op::Concat && self.width(x.args[1]) == self.width(y.args[1]) {
            if x.args[0] == y.args[0] {
                return Some(self.ult(x.args[1], y.args[1]));
            }
            if x.args[1] == y.args[1] {
                return Some(self.ult(x.args[0], y.args[0]));
            }
        }
        // Whether a sum overflowed.
        if let Some(other) = self.other_of(Op::Add, a, b) {
            let (of_b, of_other) = (self.range(b), self.range(other));
            if of_b.1.checked_add(of_other.1).is_some_and(|it| it <= mask(w)) {
                return Some(self.truth(false));
            }
            if let Some(by) = self.as_constant(other) {
                let most = self.constant(!by, w);
                return Some(self.ult(most, b));
            }
        }
        None
    }

    fn below_constant(&mut self, node: ExprNode, k: u128) -> Option<Expr> {
        let w = node.width;
        let [x, y, _] = node.args;
        match node.op {
            Op::Not => {
                let k = self.constant(!k, w);
                Some(self.ult(k, x))
            }
            Op::Concat if k & mask(self.width(y)) == 0 => {
                let k = self.constant(k >> self.width(y), self.width(x));
                Some(self.ult(x, k))
            }
            Op::Add if self.as_constant(y) == Some(k) => {
                // Whether it overflowed.
                let most = self.constant(!k, w);
                Some(self.ult(most, x))
            }
            Op::UDiv => {
                let by = self.as_constant(y).filter(|&it| it > 0)?;
                let Some(end) = k.checked_mul(by).filter(|&it| it <= mask(w)) else {
                    return Some(self.truth(true));
                };
                let end = self.constant(end, w);
                Some(self.ult(x, end))
            }
            _ => None,
        }
    }

    fn above_constant(&mut self, node: ExprNode, k: u128) -> Option<Expr> {
        let w = node.width;
        let [x, y, _] = node.args;
        match node.op {
            Op::Not => {
                let k = self.constant(!k, w);
                Some(self.ult(x, k))
            }
            Op::Concat if !k & mask(self.width(y)) == 0 => {
                let k = self.constant(k >> self.width(y), self.width(x));
                Some(self.ult(k, x))
            }
            Op::UDiv => {
                let by = self.as_constant(y).filter(|&it| it > 0)?;
                let end = k.checked_add(1)?.checked_mul(by).filter(|&it| it <= mask(w));
                let Some(end) = end else { return Some(self.truth(false)) };
                let end = self.constant(end, w);
                Some(self.ule(end, x))
            }
            _ => None,
        }
    }

    fn simple_slt(&mut self, a: Expr, b: Expr) -> Option<Expr> {
        let (x, y) = (self.node(a), self.node(b));
        let w = x.width;
        if w == 1 {
            let not = self.not(b);
            return Some(self.binary(Op::And, a, not));
        }
        if self.range(a).1.max(self.range(b).1) <= mask(w - 1) {
            return Some(self.ult(a, b));
        }
        if x.op == Op::Not && y.op == Op::Not {
            return Some(self.slt(y.args[0], x.args[0]));
        }
        let least = 1u128 << (w - 1);
        if let Some(k) = self.as_constant(b) {
            if k == 0 {
                return Some(self.extract(a, w - 1, w - 1));
            }
            if k == least + 1 {
                return Some(self.eq_value(a, least));
            }
            if k == least - 1 {
                let last = self.eq_value(a, least - 1);
                return Some(self.not(last));
            }
        }
        if let Some(k) = self.as_constant(a) {
            if k == mask(w) {
                let sign = self.extract(b, w - 1, w - 1);
                return Some(self.not(sign));
            }
            if k == least {
                let first = self.eq_value(b, least);
                return Some(self.not(first));
            }
        }
        None
    }

    /// `a < b` as the operation and its sides, or that it is not: `(op, x, y, holds)`.
    fn order(&self, e: Expr) -> Option<(Op, Expr, Expr, bool)> {
        let node = &self.nodes[e.index()];
        let (node, holds) =
            if node.op == Op::Not { (&self.nodes[node.args[0].index()], false) } else { (node, true) };
        matches!(node.op, Op::Ult | Op::Slt).then_some((node.op, node.args[0], node.args[1], holds))
    }

    /// `a & b` of one bit: `x <= y` and `x != y` are `x < y`.
    pub(super) fn both_of_comparisons(&mut self, a: Expr, b: Expr) -> Option<Expr> {
        for (a, b) in [(a, b), (b, a)] {
            let Some((op, y, x, holds)) = self.order(a) else { continue };
            let same = self.eq(x, y);
            if self.not(same) == b {
                return Some(if holds { a } else { self.compare(op, x, y) });
            }
            if same == b {
                return Some(if holds { self.truth(false) } else { b });
            }
        }
        None
    }

    /// `a | b` of one bit: `x < y` or `x == y` is `x <= y`; and comparisons of numbers in two halves.
    pub(super) fn either_of_comparisons(&mut self, a: Expr, b: Expr) -> Option<Expr> {
        for (a, b) in [(a, b), (b, a)] {
            let Some((op, x, y, holds)) = self.order(a) else { continue };
            let same = self.eq(x, y);
            if same == b {
                if !holds {
                    return Some(a);
                }
                let more = self.compare(op, y, x);
                return Some(self.not(more));
            }
            if !holds {
                continue;
            }
            let Some(rest) = self.other_of(Op::And, b, same) else { continue };
            let Some((Op::Ult, low_x, low_y, holds)) = self.order(rest) else { continue };
            if self.width(x) + self.width(low_x) > 128 {
                continue;
            }
            let (left, right) = (self.concat(x, low_x), self.concat(y, low_y));
            if holds {
                return Some(self.compare(op, left, right));
            }
            // `low_x >= low_y`: the whole is `<=` the other way round.
            let (left, right) = (self.concat(x, low_y), self.concat(y, low_x));
            let more = self.compare(op, right, left);
            return Some(self.not(more));
        }
        None
    }
}
