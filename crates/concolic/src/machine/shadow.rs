//! What is known of registers and memory beside their bytes: expressions, byte by byte.

use crate::expr::Expr;

/// The expressions of the guest's state. [`Expr::NONE`] everywhere at the start of a run.
pub(crate) struct Shadow {
    /// General registers, 64 bits each.
    pub(crate) gpr: [Expr; 16],
    /// Which of them have one.
    pub(crate) gpr_mask: u16,
    /// Vector registers, a byte each.
    pub(crate) vec: Box<[[Expr; 32]; 16]>,
    /// Which of them have any.
    pub(crate) vec_mask: u16,
    /// Where the flags come from.
    pub(crate) flags: Flags,
}

/// Where the flags come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flags {
    /// From concrete values.
    Concrete,
    /// `cmp` or `sub`.
    Sub(Expr, Expr),
    /// `add`: both and the sum.
    Add(Expr, Expr, Expr),
    /// `and`, `or`, `xor`, `test`: the result.
    Logic(Expr),
    /// Each by itself; NONE where it is concrete.
    Each { carry: Expr, zero: Expr, sign: Expr, overflow: Expr, parity: Expr },
}
