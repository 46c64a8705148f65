//! On in a direction that helped: after a change of one number, the next is larger and goes the same way; where
//! that does not help, it is smaller and goes back (Rosenbrock). A number that is far off is reached in steps that
//! grow with what is left, and not one by one.

use super::outline::TraceOutline;
use crate::{Domain, Value};

/// A change of one number, to be made next.
#[derive(Clone, Copy, PartialEq)]
pub(in crate::engine) struct LineSearch {
    slot: usize,
    /// How many choices there were: with another number of them, the slot is another.
    n_slots: usize,
    amount: Amount,
    fails: u32,
}

#[derive(Clone, Copy, PartialEq)]
enum Amount {
    Int(i128),
    Float(f64),
}

/// The least width of a domain that has a direction: the numbers of a small one are often no more than names.
const WIDE: u128 = 1 << 10;
/// After how many changes that did not help it is given up.
const FAILS_MAX: u32 = 6;

impl LineSearch {
    /// What follows from a change of one choice, if that is a number.
    pub(in crate::engine) fn of(base: &TraceOutline, slot: usize, new: Value) -> Option<LineSearch> {
        let it = &base.slots[slot];
        let amount = match (&it.domain, base.value(it), new) {
            (Domain::Int { min, max, .. }, Value::Int(old), Value::Int(new))
                if max.abs_diff(*min) >= WIDE =>
            {
                Amount::Int(new.checked_sub(old)?)
            }
            (Domain::Float { .. }, Value::Float(old), Value::Float(new)) => Amount::Float(new - old),
            _ => return None,
        };
        Some(LineSearch { slot, n_slots: base.slots.len(), amount, fails: 0 })
    }

    /// Where it leads next: the choice and its answer.
    pub(in crate::engine) fn next(&self, base: &TraceOutline) -> Option<(usize, Value)> {
        let slot = base.slots.get(self.slot).filter(|_| base.slots.len() == self.n_slots)?;
        let old = base.value(slot);
        let new = match (&slot.domain, old, self.amount) {
            (&Domain::Int { min, max, .. }, Value::Int(it), Amount::Int(by)) => {
                Value::Int(it.saturating_add(by).clamp(min, max))
            }
            (Domain::Float { .. }, Value::Float(it), Amount::Float(by)) => {
                slot.domain.fit(Value::Float(it + by))
            }
            _ => return None,
        };
        (new != old && slot.domain.contains(new)).then_some((self.slot, new))
    }

    /// What follows from having gone on.
    pub(in crate::engine) fn learn(self, helped: bool) -> Option<LineSearch> {
        let fails = if helped { 0 } else { self.fails + 1 };
        let amount = match (self.amount, helped) {
            (Amount::Int(by), true) => Amount::Int(by.saturating_mul(3)),
            (Amount::Int(by), false) => Amount::Int(-(by / 2)),
            (Amount::Float(by), true) => Amount::Float(by * 3.0),
            (Amount::Float(by), false) => Amount::Float(by * -0.5),
        };
        let is_over = fails > FAILS_MAX || matches!(amount, Amount::Int(0)) || amount == Amount::Float(0.0);
        (!is_over).then_some(LineSearch { amount, fails, ..self })
    }
}
