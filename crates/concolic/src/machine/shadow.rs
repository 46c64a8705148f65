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

impl Shadow {
    /// No expressions anywhere.
    pub(crate) fn new() -> Self {
        Shadow {
            gpr: [Expr::NONE; 16],
            gpr_mask: 0,
            vec: Box::new([[Expr::NONE; 32]; 16]),
            vec_mask: 0,
            flags: Flags::Concrete,
        }
    }

    /// Forgets everything, for the next run.
    pub(crate) fn reset(&mut self) {
        *self = Shadow::new();
    }

    /// Whether nothing has an expression: no register, no flag, no memory.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        true
    }

    /// Forgets what general and vector registers (by masks) and flags have. Memory: see [`clear`](Self::clear).
    #[inline(always)]
    pub(crate) fn forget(&mut self, _gpr: u16, _vec: u16, _flags: bool) {}

    /// Whether any of these bytes has an expression.
    #[inline(always)]
    pub(crate) fn load_any(&self, _at: u64, _len: u64) -> bool {
        false
    }

    /// Forgets these bytes.
    #[inline(always)]
    pub(crate) fn clear(&mut self, _at: u64, _len: u64) {}

    /// Copies what is known of bytes, as `memmove` does.
    pub(crate) fn copy(&mut self, _to: u64, _from: u64, _len: u64) {}
}
