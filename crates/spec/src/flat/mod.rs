//! Flat specs: a spec lowered to slots that are truths, whole numbers or texts, and formulas over them.
//!
//! Objects become their fields, options a truth and a content, lists a length and elements up to a bound, enums
//! and tables an index, dates and times whole numbers, decimals whole numbers at a scale, quantifiers the
//! conjunction over the elements. So every solver has three kinds to know and nothing to nest.

mod expr;

pub use expr::{Expr, ExprNode};

use std::sync::Arc;

/// What a slot holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SlotKind {
    /// True or false.
    Bool,
    /// A whole number between the bounds, both included.
    Int {
        /// The least.
        lo: i128,
        /// The greatest.
        hi: i128,
    },
    /// A text.
    Text,
}

/// One unknown of a flat spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Where it comes from, for reports and transcripts: `event.duration`, `xs[2]`, `#xs` (a length).
    pub name: String,
    /// What it holds.
    pub kind: SlotKind,
}

/// What a slot was given. A model of a flat spec is one for every slot.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scalar {
    /// For [`SlotKind::Bool`].
    Bool(bool),
    /// For [`SlotKind::Int`].
    Int(i128),
    /// For [`SlotKind::Text`].
    Text(Arc<str>),
}
