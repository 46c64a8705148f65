//! What two requirements say together: at most and not equal is less. Bounds then move at once what they would
//! otherwise move one by one, as in lists that are sorted and distinct.

use std::collections::HashMap;

use crate::flat::{Expr, ExprNode, any, lt};

/// Orders and inequalities seen so far, by what they are conditional on and the two that they relate.
#[derive(Clone, Default)]
pub(super) struct StrictOrders(HashMap<(Vec<Expr>, Expr, Expr), Comparisons>);

#[derive(Clone, Copy, Default)]
struct Comparisons {
    at_most: bool,
    at_least: bool,
    other: bool,
}

impl StrictOrders {
    /// What follows from a requirement and those before it.
    pub(super) fn learn(&mut self, expr: &Expr) -> Vec<Expr> {
        let parts = if let ExprNode::Or(parts) = expr.node() { parts.clone() } else { vec![expr.clone()] };
        let mut implied = Vec::new();
        for (place, part) in parts.iter().enumerate() {
            let is_other = matches!(part.node(), ExprNode::Not(_));
            let related = if let ExprNode::Not(of) = part.node() { of } else { part };
            let (a, b) = match related.node() {
                ExprNode::Le(a, b) if !is_other => (a, b),
                ExprNode::Eq(a, b) if is_other => (a, b),
                _ => continue,
            };
            if a.as_const().is_some() || b.as_const().is_some() {
                continue;
            }
            let mut rest = parts.clone();
            rest.remove(place);
            let (first, second) = if a <= b { (a, b) } else { (b, a) };
            let seen = self.0.entry((rest.clone(), first.clone(), second.clone())).or_default();
            let before = *seen;
            match (is_other, a <= b) {
                (true, _) => seen.other = true,
                (false, true) => seen.at_most = true,
                (false, false) => seen.at_least = true,
            }
            let mut less = |a: &Expr, b: &Expr| {
                implied.push(any(rest.iter().cloned().chain([lt(a.clone(), b.clone())])))
            };
            if seen.other && seen.at_most && !(before.other && before.at_most) {
                less(first, second);
            }
            if seen.other && seen.at_least && !(before.other && before.at_least) {
                less(second, first);
            }
        }
        implied
    }
}
