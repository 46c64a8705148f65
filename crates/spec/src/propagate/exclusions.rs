//! Assignments that are not wanted, kept apart from the network.

use std::collections::{HashMap, HashSet};

use crate::flat::{Expr, ExprNode, Scalar};

/// Assignments that are not wanted, apart from the network: they only matter when all their slots are known.
#[derive(Clone, Default)]
pub struct Exclusions {
    by_slots: HashMap<Vec<u32>, HashSet<Vec<Scalar>>>,
    /// The keys in the order they came.
    slots: Vec<Vec<u32>>,
}

impl Exclusions {
    /// Takes a requirement up if it says that the slots, all of them, do not have certain values: those of a model
    /// that is not wanted again. About fewer slots it may be anything, and is better propagated.
    pub fn take(&mut self, expr: &Expr, slots: usize) -> bool {
        let ExprNode::Or(parts) = expr.node() else { return false };
        if parts.len() != slots {
            return false;
        }
        let mut pairs = Vec::with_capacity(parts.len());
        for part in parts {
            let pair = match part.node() {
                ExprNode::Slot(slot) => (*slot, Scalar::Bool(false)),
                ExprNode::Not(of) => match of.node() {
                    ExprNode::Slot(slot) => (*slot, Scalar::Bool(true)),
                    ExprNode::Eq(a, b) => match (a.node(), b.node()) {
                        (ExprNode::Slot(slot), ExprNode::Const(scalar)) => (*slot, scalar.clone()),
                        _ => return false,
                    },
                    _ => return false,
                },
                _ => return false,
            };
            pairs.push(pair);
        }
        pairs.sort();
        let (slots, scalars): (Vec<u32>, Vec<Scalar>) = pairs.into_iter().unzip();
        if slots.windows(2).any(|it| it[0] == it[1]) {
            return false;
        }
        if !self.by_slots.contains_key(&slots) {
            self.slots.push(slots.clone());
        }
        self.by_slots.entry(slots).or_default().insert(scalars);
        true
    }

    pub fn forbid(&self, model: &[Scalar]) -> bool {
        self.slots.iter().any(|slots| {
            let own: Vec<Scalar> = slots.iter().map(|it| model[*it as usize].clone()).collect();
            self.by_slots[slots].contains(&own)
        })
    }

    /// All of them, in an order of their own.
    pub fn all(&self) -> Vec<(Vec<u32>, Vec<Scalar>)> {
        let of = |slots: &Vec<u32>| {
            let mut tuples: Vec<_> = self.by_slots[slots].iter().cloned().collect();
            tuples.sort();
            tuples.into_iter().map(|it| (slots.clone(), it)).collect::<Vec<_>>()
        };
        self.slots.iter().flat_map(of).collect()
    }
}
