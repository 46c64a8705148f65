//! Bit-vector expressions over the answers to choices: a hash-consed graph whose nodes know their value in the
//! current run.

/// A node of a [`Dag`]. [`Expr::NONE`] stands for "concrete: look at the machine".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Expr(pub(crate) u32);

impl Expr {
    /// No expression.
    pub const NONE: Expr = Expr(0);

    /// Whether it is no expression.
    #[inline(always)]
    pub fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Whether it is an expression.
    #[inline(always)]
    pub fn is_some(self) -> bool {
        self.0 != 0
    }
}

/// A variable: the answer to choice number `index`, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Var {
    /// Which choice.
    pub index: u32,
    /// How many bits: 1 to 128.
    pub width: u8,
    /// The least value, unsigned.
    pub min: u128,
    /// The greatest value, unsigned; `min <= max`. Where the values do not form an unsigned range, all of them.
    pub max: u128,
}

/// What is computed on floats. Width of the operands: 32 or 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FloatOp {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a / b`
    Div,
    /// The square root of `a`.
    Sqrt,
    /// The machine's minimum (`b` where they are equal or one is NaN).
    Min,
    /// The machine's maximum (`b` where they are equal or one is NaN).
    Max,
    /// `a == b`, ordered: one bit.
    Eq,
    /// `a < b`, ordered: one bit.
    Less,
    /// Whether one of them is NaN: one bit.
    Unordered,
    /// A signed integer `a` as a float of this many bits, rounded to nearest.
    FromInt(u8),
    /// `a` rounded to a float of this many bits.
    Convert(u8),
    /// `a` as a signed integer of this many bits, toward zero; the machine's "indefinite" where it does not fit.
    Truncate(u8),
    /// As `Truncate`, rounded to nearest, ties to even.
    ToInt(u8),
    /// `a` rounded to an integral float: the immediate of `roundsd` (0 nearest, 1 down, 2 up, 3 toward zero).
    Round(u8),
}

/// The graph. See the constructors for what there is; all of them simplify.
#[derive(Debug, Default)]
pub struct Dag {}
