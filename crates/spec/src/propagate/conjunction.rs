//! Requirements that hold at once: a network, and what is kept beside it.

use super::exclusions::Exclusions;
use super::network::{Network, Revision};
use super::strict::StrictOrders;
use super::unary;
use crate::flat::{Expr, ExprNode, Scalar, Slot};

/// A network and what is kept beside it.
#[derive(Clone)]
pub struct Conjunction {
    pub net: Network,
    pub exclusions: Exclusions,
    /// Requirements that a model is checked against; those in the exclusions are checked there.
    pub checked: Vec<Expr>,
    strict: StrictOrders,
    /// How many requirements follow from two others.
    pub implied: usize,
    pub is_empty: bool,
}

impl Conjunction {
    pub fn new(slots: &[Slot]) -> Conjunction {
        Conjunction {
            net: Network::new(slots),
            exclusions: Exclusions::default(),
            checked: Vec::new(),
            strict: StrictOrders::default(),
            implied: 0,
            is_empty: false,
        }
    }

    pub fn require(&mut self, expr: &Expr) {
        match expr.node() {
            ExprNode::And(parts) => return parts.iter().for_each(|it| self.require(it)),
            ExprNode::Or(_) if self.exclusions.take(expr, self.net.slots) => return,
            _ => {}
        }
        // What a domain takes up it holds exactly, and there can be very many such requirements.
        if let Some(done) = unary::absorb(&mut self.net, expr) {
            return self.note(done);
        }
        self.checked.push(expr.clone());
        let done = self.net.require(expr);
        self.note(done);
        for implied in self.strict.learn(expr) {
            self.implied += 1;
            let done = self.net.require(&implied);
            self.note(done);
        }
    }

    /// Narrows domains until nothing changes; whether it was stopped before.
    pub fn propagate(&mut self, stop: &dyn Fn() -> bool) -> bool {
        if !self.is_empty {
            let done = self.net.propagate(stop);
            self.note(done);
        }
        std::mem::take(&mut self.net.stopped)
    }

    pub fn note(&mut self, done: Revision) {
        self.is_empty |= done.is_err();
    }

    pub fn admits(&self, model: &[Scalar]) -> bool {
        self.checked.iter().all(|it| it.eval_bool(model) == Some(true))
    }
}

/// Why there is no network.
#[derive(PartialEq)]
pub enum BuildError {
    /// It is known to have no model.
    Empty,
    Stopped,
}

/// A network at rest.
pub fn build(slots: &[Slot], requires: &[Expr], stop: &dyn Fn() -> bool) -> Result<Conjunction, BuildError> {
    let mut built = Conjunction::new(slots);
    for it in requires {
        if stop() {
            return Err(BuildError::Stopped);
        }
        built.require(it);
    }
    match built.propagate(stop) {
        true => Err(BuildError::Stopped),
        false if built.is_empty => Err(BuildError::Empty),
        false => Ok(built),
    }
}
