//! Bit-vector expressions over the answers to choices: a hash-consed graph whose nodes know their value in the
//! run that made them.

mod arith;
mod bits;
mod build;
mod compare;
mod eval;
mod facts;
mod intern;
mod logic;
mod magic;
#[cfg(test)]
mod shape_tests;
mod smt;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::HashMap;
use std::sync::Arc;

pub use eval::{Evaluator, apply};
use facts::Facts;
use intern::{NodeIndex, Sets};
pub use probity_sat::Fixed;
pub use smt::smt_lib;

/// A node of a [`Dag`]. [`Expr::NONE`] represents "concrete: look at the machine".
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

    /// Its number: nodes have greater numbers than their arguments.
    #[inline(always)]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A variable: the answer to choice number `index`, as bits. See [`answer`](crate::answer).
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

/// What a node computes. Widths are 1 to 128; unless it says otherwise, arguments and result have the same width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// A constant: its place in the table of constants; see [`Dag::as_constant`].
    Const,
    /// A variable: its place in [`Dag::vars`].
    Var(u32),
    /// `!a`
    Not,
    /// `a & b`
    And,
    /// `a | b`
    Or,
    /// `a ^ b`
    Xor,
    /// `a + b`, wrapping
    Add,
    /// `a - b`, wrapping
    Sub,
    /// `a * b`, wrapping
    Mul,
    /// `a / b`, unsigned; all ones where `b` is 0 (as in SMT-LIB)
    UDiv,
    /// `a % b`, unsigned; `a` where `b` is 0 (as in SMT-LIB)
    URem,
    /// `a / b`, signed, toward zero, wrapping; where `b` is 0: 1 for negative `a`, else -1 (as in SMT-LIB)
    SDiv,
    /// `a % b`, signed, sign of `a`; `a` where `b` is 0 (as in SMT-LIB)
    SRem,
    /// `a << b`; 0 where `b` is not below the width
    Shl,
    /// `a >> b`, unsigned; 0 where `b` is not below the width
    LShr,
    /// `a >> b`, signed; all sign bits where `b` is not below the width
    AShr,
    /// `a` above `b`: widths add up
    Concat,
    /// The bits of `a` from this one on; as many as the node is wide
    Extract(u8),
    /// `a` with zeroes above
    ZExt,
    /// `a` with copies of its sign above
    SExt,
    /// `a ? b : c`; `a` has one bit
    Ite,
    /// `a == b`: one bit
    Eq,
    /// `a < b`, unsigned: one bit
    Ult,
    /// `a < b`, signed: one bit
    Slt,
    /// Entry number `a` of a table: its place in the list of tables; see [`Dag::table_of`]
    Table(u32),
    /// A computation on floats
    Float(FloatOp),
}

/// What is computed on floats. Width of the operands: 32 or 64, raw bits.
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
    /// A signed integer `a` (32 or 64 bits) as a float of this many bits, rounded to nearest.
    FromInt(u8),
    /// `a` rounded to a float of this many bits.
    Convert(u8),
    /// `a` as a signed integer of this many bits, toward zero; the machine's "indefinite" where it does not fit.
    Truncate(u8),
    /// As `Truncate`, rounded to nearest, ties to even.
    ToInt(u8),
    /// `a` rounded to an integral float: the immediate of `roundsd` (0 nearest, 1 down, 2 up, 3 toward zero).
    Round(u8),
    /// A function of the C library.
    Library(MathFunction),
}

/// Functions on floats that the C library computes: a solver can only try values.
///
/// ```
/// use probity_concolic::expr::MathFunction;
/// assert_eq!(MathFunction::Pow.arguments(), 2);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "they have the names that the C library gives them")]
#[rustfmt::skip] // a list
pub enum MathFunction {
    Sin, Cos, Tan, Asin, Acos, Atan, Atan2, Sinh, Cosh, Tanh,
    Exp, Exp2, Expm1, Log, Log2, Log10, Log1p, Pow, Cbrt, Hypot, Fmod, Round,
}

impl MathFunction {
    /// How many arguments it has.
    pub fn arguments(self) -> usize {
        match self {
            MathFunction::Atan2 | MathFunction::Pow | MathFunction::Hypot | MathFunction::Fmod => 2,
            _ => 1,
        }
    }
}

/// One node, as the solver reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExprNode {
    /// What it computes.
    pub op: Op,
    /// How many bits it has.
    pub width: u8,
    /// The arguments; [`Expr::NONE`] where there are fewer.
    pub args: [Expr; 3],
}

/// The graph of one run. The constructors fold constants and simplify.
#[derive(Debug)]
pub struct Dag {
    nodes: Vec<ExprNode>,
    /// The value of each node in the run.
    values: Vec<u128>,
    /// What is known of each node in every run.
    facts: Vec<Facts>,
    /// The set of variables that each node depends on, by its place in `sets`.
    supports: Vec<u32>,
    /// Where nodes are found by what they are.
    index: NodeIndex,
    sets: Sets,
    vars: Vec<Var>,
    var_exprs: Vec<Expr>,
    tables: Vec<Arc<[u128]>>,
    table_ids: HashMap<Arc<[u128]>, u32, Fixed>,
    /// How many constructors are at work inside each other, and how many more the outermost one may call.
    depth: u32,
    fuel: u32,
}

impl Default for Dag {
    fn default() -> Self {
        Dag::new()
    }
}

/// All ones in `width` bits.
#[inline(always)]
pub fn mask(width: u8) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// `value`, a number of `width` bits, with its sign.
#[inline(always)]
pub fn signed(value: u128, width: u8) -> i128 {
    let shift = 128 - u32::from(width);
    ((value << shift) as i128) >> shift
}

impl Dag {
    /// How many bits `e` has.
    #[inline(always)]
    pub fn width(&self, e: Expr) -> u8 {
        self.nodes[e.index()].width
    }

    /// The value of `e` in the run.
    #[inline(always)]
    pub fn value(&self, e: Expr) -> u128 {
        self.values[e.index()]
    }

    /// The value of `e` in every run, if it is a constant.
    #[inline(always)]
    pub fn as_constant(&self, e: Expr) -> Option<u128> {
        matches!(self.nodes[e.index()].op, Op::Const).then(|| self.values[e.index()])
    }

    /// Whether `e` is a constant.
    #[inline(always)]
    pub fn is_constant(&self, e: Expr) -> bool {
        matches!(self.nodes[e.index()].op, Op::Const)
    }

    /// The node.
    #[inline(always)]
    pub fn node(&self, e: Expr) -> ExprNode {
        self.nodes[e.index()]
    }

    /// How many nodes there are; they have the numbers from 1 on.
    pub fn len(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The variables, in the order in which they were made.
    pub fn vars(&self) -> &[Var] {
        &self.vars
    }

    /// The indices of the variables that `e` depends on, sorted.
    pub fn support(&self, e: Expr) -> &[u32] {
        self.sets.members(self.supports[e.index()])
    }

    /// The least and the greatest value of `e`, unsigned, as far as is known without the path.
    #[inline(always)]
    pub fn range(&self, e: Expr) -> (u128, u128) {
        let facts = &self.facts[e.index()];
        (facts.min, facts.max)
    }

    /// The bits of `e` that may be 1, as far as is known without the path.
    #[inline(always)]
    pub fn maybe_ones(&self, e: Expr) -> u128 {
        self.facts[e.index()].ones
    }

    /// How many bits hold `e` as a signed number, as far as is known without the path.
    #[inline(always)]
    pub fn signed_bits(&self, e: Expr) -> u8 {
        self.facts[e.index()].signed_bits
    }

    /// The entries of a table.
    pub fn table_of(&self, table: u32) -> &[u128] {
        &self.tables[table as usize]
    }
}
