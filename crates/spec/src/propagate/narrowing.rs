//! Domains that are narrowed step by step, for those who choose values themselves.

use super::network::Network;
use super::{SlotDomain, domain_of};
use crate::flat::{Expr, Scalar, Slot};

/// What is left of the slots of a conjunction while they are fixed one after the other. No model is lost; what is left
/// need not all be part of one.
///
/// ```
/// use probity_spec::flat::{Expr, Scalar, Slot, SlotKind, add, eq};
/// use probity_spec::IntSet;
/// use probity_spec::propagate::{SlotDomain, Narrowing};
/// let slot = |name: &str| Slot { name: name.to_string(), kind: SlotKind::Int { lo: 0, hi: 9 } };
/// let sum = eq(add([Expr::slot(0), Expr::slot(1)]), Expr::int(12));
/// let mut left = Narrowing::new(&[slot("x"), slot("y")], &[sum]).unwrap();
/// assert!(!left.fix(0, &Scalar::Int(2)), "y would be 10");
/// assert!(left.fix(0, &Scalar::Int(5)));
/// assert!(matches!(left.domain(1), SlotDomain::Int(set) if set == IntSet::range(7, 7)));
/// ```
#[derive(Clone)]
pub struct Narrowing {
    net: Network,
}

impl Narrowing {
    /// What is left when all of `requires` hold; none if propagation finds that they cannot.
    pub fn new(slots: &[Slot], requires: &[Expr]) -> Option<Narrowing> {
        let mut net = Network::new(slots);
        requires.iter().try_for_each(|it| net.require(it)).ok()?;
        net.propagate(&|| false).ok()?;
        Some(Narrowing { net })
    }

    /// What is left of a slot.
    pub fn domain(&self, slot: usize) -> SlotDomain {
        domain_of(&self.net.domains[slot])
    }

    /// Fixes a slot, unless propagation finds that nothing is left then.
    pub fn fix(&mut self, slot: usize, scalar: &Scalar) -> bool {
        self.net.enter();
        let fixed = self.net.fix(slot as u32, scalar).and_then(|()| self.net.propagate(&|| false));
        if fixed.is_err() {
            self.net.clear();
            self.net.undo();
        }
        fixed.is_ok()
    }
}
