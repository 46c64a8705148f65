//! What nodes compute, concretely.

use super::{Dag, Expr, ExprNode, FloatOp, MathFunction, Op, mask, signed};

/// The value of a node whose arguments have the values `args` and the widths `widths`. Not for constants,
/// variables and tables.
pub fn apply(node: &ExprNode, args: [u128; 3], widths: [u8; 3]) -> u128 {
    let w = node.width;
    let [a, b, c] = args;
    let aw = widths[0];
    let res = match node.op {
        Op::Const | Op::Var(_) | Op::Table(_) => unreachable!("leaves and tables have no rule of their own"),
        Op::Not => !a,
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Add => a.wrapping_add(b),
        Op::Sub => a.wrapping_sub(b),
        Op::Mul => a.wrapping_mul(b),
        Op::UDiv => a.checked_div(b).unwrap_or(u128::MAX),
        Op::URem => a.checked_rem(b).unwrap_or(a),
        Op::SDiv => {
            let (x, y) = (signed(a, w), signed(b, w));
            if y == 0 { if x < 0 { 1 } else { u128::MAX } } else { x.wrapping_div(y) as u128 }
        }
        Op::SRem => {
            let (x, y) = (signed(a, w), signed(b, w));
            if y == 0 { a } else { x.wrapping_rem(y) as u128 }
        }
        Op::Shl => {
            if b >= u128::from(w) {
                0
            } else {
                a << b
            }
        }
        Op::LShr => {
            if b >= u128::from(w) {
                0
            } else {
                a >> b
            }
        }
        Op::AShr => (signed(a, w) >> b.min(u128::from(w) - 1)) as u128,
        Op::Concat => (a << widths[1]) | b,
        Op::Extract(low) => a >> low,
        Op::ZExt => a,
        Op::SExt => signed(a, aw) as u128,
        Op::Ite => {
            if a == 1 {
                b
            } else {
                c
            }
        }
        Op::Eq => (a == b).into(),
        Op::Ult => (a < b).into(),
        Op::Slt => (signed(a, aw) < signed(b, aw)).into(),
        Op::Float(op) => float(op, aw, a, b),
    };
    res & mask(w)
}

fn float(op: FloatOp, width: u8, a: u128, b: u128) -> u128 {
    // Operands of 32 bits are computed in 32 bits, as the processor does.
    macro_rules! compute {
        ($float:ty, $bits:ty) => {{
            let (x, y) = (<$float>::from_bits(a as $bits), <$float>::from_bits(b as $bits));
            let bits = |it: $float| u128::from(it.to_bits());
            match op {
                FloatOp::Add => bits(x + y),
                FloatOp::Sub => bits(x - y),
                FloatOp::Mul => bits(x * y),
                FloatOp::Div => bits(x / y),
                FloatOp::Sqrt => bits(x.sqrt()),
                FloatOp::Min => bits(if x < y { x } else { y }),
                FloatOp::Max => bits(if x > y { x } else { y }),
                FloatOp::Eq => (x == y).into(),
                FloatOp::Less => (x < y).into(),
                FloatOp::Unordered => (x.is_nan() || y.is_nan()).into(),
                FloatOp::FromInt(to) => match to {
                    32 => u128::from((signed(a, width) as f32).to_bits()),
                    _ => u128::from((signed(a, width) as f64).to_bits()),
                },
                FloatOp::Convert(to) => match to {
                    32 => u128::from((x as f32).to_bits()),
                    _ => u128::from((x as f64).to_bits()),
                },
                FloatOp::Truncate(to) => integer(f64::from(x).trunc(), to),
                FloatOp::ToInt(to) => integer(f64::from(x).round_ties_even(), to),
                // The processor makes a signalling NaN quiet; a library function may not.
                FloatOp::Round(_) if x.is_nan() => a | if width == 32 { 1 << 22 } else { 1 << 51 },
                FloatOp::Round(0) => bits(x.round_ties_even()),
                FloatOp::Round(1) => bits(x.floor()),
                FloatOp::Round(2) => bits(x.ceil()),
                FloatOp::Round(_) => bits(x.trunc()),
                FloatOp::Library(function) => bits(match function {
                    MathFunction::Sin => x.sin(),
                    MathFunction::Cos => x.cos(),
                    MathFunction::Tan => x.tan(),
                    MathFunction::Asin => x.asin(),
                    MathFunction::Acos => x.acos(),
                    MathFunction::Atan => x.atan(),
                    MathFunction::Atan2 => x.atan2(y),
                    MathFunction::Sinh => x.sinh(),
                    MathFunction::Cosh => x.cosh(),
                    MathFunction::Tanh => x.tanh(),
                    MathFunction::Exp => x.exp(),
                    MathFunction::Exp2 => x.exp2(),
                    MathFunction::Expm1 => x.exp_m1(),
                    MathFunction::Log => x.ln(),
                    MathFunction::Log2 => x.log2(),
                    MathFunction::Log10 => x.log10(),
                    MathFunction::Log1p => x.ln_1p(),
                    MathFunction::Pow => x.powf(y),
                    MathFunction::Cbrt => x.cbrt(),
                    MathFunction::Hypot => x.hypot(y),
                    MathFunction::Fmod => x % y,
                    MathFunction::Round => x.round(),
                }),
            }
        }};
    }
    if width == 32 { compute!(f32, u32) } else { compute!(f64, u64) }
}

/// `x`, which is integral or not finite, as an integer of `width` bits.
fn integer(x: f64, width: u8) -> u128 {
    let limit = 2f64.powi(i32::from(width) - 1);
    if x >= -limit && x < limit { x as i128 as u128 } else { 1 << (width - 1) }
}

/// Evaluates expressions under other answers than those of the run. Keeps what it computed until it is
/// [`reset`](Evaluator::reset).
#[derive(Debug, Default)]
pub struct Evaluator {
    stamp: u32,
    known: Vec<(u32, u128)>,
    stack: Vec<Expr>,
}

impl Evaluator {
    /// Forgets what was computed, because the answers change.
    pub fn reset(&mut self) {
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.known.clear();
            self.stamp = 1;
        }
    }

    /// The value of `e` where variable `index` has the value `answers(index)`.
    pub fn eval(&mut self, dag: &Dag, e: Expr, answers: &dyn Fn(u32) -> u128) -> u128 {
        if self.stamp == 0 {
            self.stamp = 1;
        }
        if self.known.len() <= dag.len() {
            self.known.resize(dag.len() + 1, (0, 0));
        }
        self.stack.push(e);
        while let Some(&top) = self.stack.last() {
            if self.known[top.index()].0 == self.stamp {
                self.stack.pop();
                continue;
            }
            let node = dag.node(top);
            let mut is_ready = true;
            if !matches!(node.op, Op::Const | Op::Var(_)) {
                for arg in node.args {
                    if arg.is_some() && self.known[arg.index()].0 != self.stamp {
                        self.stack.push(arg);
                        is_ready = false;
                    }
                }
            }
            if !is_ready {
                continue;
            }
            self.stack.pop();
            let value_of = |arg: Expr| self.known[arg.index()].1;
            let value = match node.op {
                Op::Const => dag.value(top),
                Op::Var(at) => answers(dag.vars()[at as usize].index) & mask(node.width),
                Op::Table(table) => dag.table_entry(table, value_of(node.args[0])),
                _ => apply(&node, node.args.map(value_of), node.args.map(|it| dag.width(it))),
            };
            self.known[top.index()] = (self.stamp, value);
        }
        self.known[e.index()].1
    }
}
