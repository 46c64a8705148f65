//! Expressions over slots.

use std::sync::Arc;

use super::Scalar;
use crate::regex::Regex;

/// An expression over the slots of a flat spec. Cheap to clone.
///
/// Whole numbers are unbounded in meaning; [`eval`](Expr::eval) gives none where they leave 128 bits. Division by
/// zero is guarded by whoever builds the expression, so that solvers need not agree on it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Expr(Arc<ExprNode>);

/// What an [`Expr`] is made of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ExprNode {
    /// A constant.
    Const(Scalar),
    /// The slot with that number.
    Slot(u32),
    /// All of them.
    And(Vec<Expr>),
    /// At least one of them.
    Or(Vec<Expr>),
    /// The opposite.
    Not(Expr),
    /// The second when the first holds, else the third; all kinds.
    Ite(Expr, Expr, Expr),
    /// Equal; all kinds.
    Eq(Expr, Expr),
    /// Whole numbers: less or equal.
    Le(Expr, Expr),
    /// Whole numbers: less.
    Lt(Expr, Expr),
    /// Whole numbers: the sum.
    Add(Vec<Expr>),
    /// Whole numbers: the product.
    Mul(Expr, Expr),
    /// Whole numbers: the Euclidean quotient.
    Div(Expr, Expr),
    /// Whole numbers: the Euclidean remainder.
    Mod(Expr, Expr),
    /// Texts: the length in characters.
    Len(Expr),
    /// Texts: one after the other.
    Concat(Vec<Expr>),
    /// Texts: whether the first begins with the second.
    StartsWith(Expr, Expr),
    /// Texts: whether the first ends with the second.
    EndsWith(Expr, Expr),
    /// Texts: whether the first contains the second.
    Contains(Expr, Expr),
    /// Texts: from a start, so many characters, clipped at the end (start and length are not negative).
    Substr(Expr, Expr, Expr),
    /// Texts: where the second first occurs in the first, -1 if it does not.
    IndexOf(Expr, Expr),
    /// Texts: whether the first is less than the second by code points.
    TextLt(Expr, Expr),
    /// Texts: whether the number of edits between the first and the second is at least the third, a whole number.
    EditsAtLeast(Expr, Expr, Expr),
    /// Texts: whether the pattern matches the text as a whole.
    Matches(Expr, Arc<Regex>),
}

impl Expr {
    /// An expression of that node.
    pub fn new(node: ExprNode) -> Expr {
        Expr(Arc::new(node))
    }

    /// What it is made of.
    pub fn node(&self) -> &ExprNode {
        &self.0
    }
}
