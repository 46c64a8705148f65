//! Propagation: requirements over slots as a network whose domains are narrowed to a fixpoint.
//!
//! Draws choose from what is left of each slot ([`Narrowing`]); the built-in solver searches through it. Requirements on
//! one unknown narrow its domain and are gone; the others become nodes.

#[doc(hidden)]
pub mod conjunction;
#[doc(hidden)]
pub mod domain;
#[doc(hidden)]
pub mod exclusions;
mod narrowing;
#[doc(hidden)]
pub mod network;
mod revise;
mod revise_parts;
mod revise_text;
mod strict;
mod unary;

pub use narrowing::Narrowing;

use std::sync::Arc;

use crate::IntSet;
use crate::flat::{Expr, Slot};
use crate::regex::Language;
use domain::{NodeDomain, TextDomain};

/// What is left of a slot's values.
#[derive(Clone, Debug)]
pub enum SlotDomain {
    /// Whether it can be false, and true.
    Bool(bool, bool),
    /// Whole numbers.
    Int(IntSet),
    /// Texts that are all of this at once.
    Text {
        /// Their lengths in characters.
        lengths: IntSet,
        /// The language they are in, where one is known.
        language: Option<Arc<Language>>,
        /// All that are left, once they are few.
        options: Option<Arc<Vec<Arc<str>>>>,
    },
}

/// The domains that are left when all of `requires` hold, or none if propagation finds that they cannot. No model is
/// lost; what is left need not all be part of one.
///
/// ```
/// use probity_spec::flat::{Expr, Slot, SlotKind, lt};
/// use probity_spec::IntSet;
/// use probity_spec::propagate::{SlotDomain, propagate};
/// let slot = |name: &str| Slot { name: name.to_string(), kind: SlotKind::Int { lo: 0, hi: 9 } };
/// let domains = propagate(&[slot("x"), slot("y")], &[lt(Expr::slot(0), Expr::slot(1))]).unwrap();
/// assert!(matches!(&domains[0], SlotDomain::Int(set) if *set == IntSet::range(0, 8)));
/// ```
pub fn propagate(slots: &[Slot], requires: &[Expr]) -> Option<Vec<SlotDomain>> {
    let built = conjunction::build(slots, requires, &|| false).ok()?;
    Some(built.net.domains[..slots.len()].iter().map(domain_of).collect())
}

fn domain_of(it: &NodeDomain) -> SlotDomain {
    match it {
        NodeDomain::Bool(no, yes) => SlotDomain::Bool(*no, *yes),
        NodeDomain::Int(set) => SlotDomain::Int(set.clone()),
        NodeDomain::Text(TextDomain { lengths, language, options, .. }) => {
            let (lengths, language, options) = (lengths.clone(), language.clone(), options.clone());
            SlotDomain::Text { lengths, language, options }
        }
    }
}
