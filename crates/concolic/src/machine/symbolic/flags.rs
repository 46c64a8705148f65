//! Flags as expressions: conditions come out as plain comparisons wherever they can.

use iced_x86::ConditionCode;

use super::operands::SymbolicStep;
use crate::expr::{Dag, Expr, FloatOp, Op};
use crate::machine::Machine;
use crate::machine::shadow::FlagSource;
use crate::path::Imprecision;

/// A flag that is followed, by its bit in the register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flag {
    Carry = 0,
    Parity = 2,
    Zero = 6,
    Sign = 7,
    Overflow = 11,
}

/// The same flags, as [`FlagSource::Concrete`] where nothing depends on choices.
pub(super) fn normal(dag: &Dag, flags: FlagSource) -> FlagSource {
    let fixed = |e: Expr| e.is_none() || dag.is_constant(e);
    let each = |e: Expr| if fixed(e) { Expr::NONE } else { e };
    match flags {
        FlagSource::Sub(a, b)
        | FlagSource::Add(a, b, _)
        | FlagSource::Mul { a, b, .. }
        | FlagSource::Float(a, b)
            if fixed(a) && fixed(b) =>
        {
            FlagSource::Concrete
        }
        FlagSource::Logic(a) if fixed(a) => FlagSource::Concrete,
        FlagSource::Wide(a, b, result) if fixed(a) && fixed(b) && fixed(result) => FlagSource::Concrete,
        FlagSource::Result { carry, overflow, result } => {
            let [carry, overflow, result] = [carry, overflow, result].map(each);
            if carry.is_none() && overflow.is_none() && result.is_none() {
                return FlagSource::Concrete;
            }
            FlagSource::Result { carry, overflow, result }
        }
        FlagSource::Each { carry, zero, sign, overflow, parity } => {
            let all = [carry, zero, sign, overflow, parity].map(each);
            if all == [Expr::NONE; 5] {
                return FlagSource::Concrete;
            }
            let [carry, zero, sign, overflow, parity] = all;
            FlagSource::Each { carry, zero, sign, overflow, parity }
        }
        other => other,
    }
}

pub(super) fn top(dag: &mut Dag, e: Expr) -> Expr {
    let last = dag.width(e) - 1;
    dag.extract(e, last, last)
}

pub(super) fn is_zero(dag: &mut Dag, e: Expr) -> Expr {
    let zero = dag.constant(0, dag.width(e));
    dag.eq(e, zero)
}

fn is_negative(dag: &mut Dag, e: Expr) -> Expr {
    let zero = dag.constant(0, dag.width(e));
    dag.slt(e, zero)
}

pub(super) fn is_even(dag: &mut Dag, e: Expr) -> Expr {
    let mut odd = dag.extract(e, 0, 0);
    for i in 1..8 {
        let bit = dag.extract(e, i, i);
        odd = dag.binary(Op::Xor, odd, bit);
    }
    dag.not(odd)
}

/// The expression of one flag; NONE where it is concrete.
fn flag_of(dag: &mut Dag, flags: FlagSource, which: Flag) -> Expr {
    match flags {
        FlagSource::Concrete => Expr::NONE,
        FlagSource::Each { carry, zero, sign, overflow, parity } => match which {
            Flag::Carry => carry,
            Flag::Zero => zero,
            Flag::Sign => sign,
            Flag::Overflow => overflow,
            Flag::Parity => parity,
        },
        FlagSource::Logic(result) => match which {
            Flag::Carry | Flag::Overflow => dag.truth(false),
            _ => of_result(dag, result, which),
        },
        FlagSource::Result { carry, overflow, result } => match which {
            Flag::Carry => carry,
            Flag::Overflow => overflow,
            _ if result.is_none() => Expr::NONE,
            _ => of_result(dag, result, which),
        },
        FlagSource::Sub(a, b) => match which {
            Flag::Carry => dag.ult(a, b),
            Flag::Zero => dag.eq(a, b),
            Flag::Overflow => sub_overflow(dag, a, b),
            _ => {
                let result = dag.binary(Op::Sub, a, b);
                of_result(dag, result, which)
            }
        },
        FlagSource::Wide(a, b, result) => match which {
            Flag::Carry => dag.ult(a, b),
            Flag::Overflow => sub_overflow(dag, a, b),
            _ => of_result(dag, result, which),
        },
        FlagSource::Add(a, b, sum) => match which {
            Flag::Carry => dag.ult(sum, a),
            Flag::Overflow => {
                let [a, b, s] = [a, b, sum].map(|it| top(dag, it));
                let (x, y) = (dag.binary(Op::Xor, s, a), dag.binary(Op::Xor, s, b));
                dag.binary(Op::And, x, y)
            }
            _ => of_result(dag, sum, which),
        },
        FlagSource::Mul { a, b, signed } => match which {
            Flag::Carry | Flag::Overflow => too_wide(dag, a, b, signed),
            _ => Expr::NONE,
        },
        FlagSource::Float(a, b) => match which {
            Flag::Parity => dag.float(FloatOp::Unordered, a, b),
            Flag::Zero | Flag::Carry => {
                let op = if which == Flag::Zero { FloatOp::Eq } else { FloatOp::Less };
                let (holds, unordered) = (dag.float(op, a, b), dag.float(FloatOp::Unordered, a, b));
                dag.binary(Op::Or, holds, unordered)
            }
            _ => dag.truth(false),
        },
    }
}

fn of_result(dag: &mut Dag, result: Expr, which: Flag) -> Expr {
    match which {
        Flag::Zero => is_zero(dag, result),
        Flag::Sign => is_negative(dag, result),
        _ => is_even(dag, result),
    }
}

fn sub_overflow(dag: &mut Dag, a: Expr, b: Expr) -> Expr {
    let result = dag.binary(Op::Sub, a, b);
    let [a, b, r] = [a, b, result].map(|it| top(dag, it));
    let (x, y) = (dag.binary(Op::Xor, a, b), dag.binary(Op::Xor, a, r));
    dag.binary(Op::And, x, y)
}

fn too_wide(dag: &mut Dag, a: Expr, b: Expr, signed: bool) -> Expr {
    let width = dag.width(a);
    let wide = |dag: &mut Dag, e| if signed { dag.sext(e, 2 * width) } else { dag.zext(e, 2 * width) };
    let (x, y) = (wide(dag, a), wide(dag, b));
    let product = dag.binary(Op::Mul, x, y);
    let low = dag.extract(product, width - 1, 0);
    let again = wide(dag, low);
    let same = dag.eq(again, product);
    dag.not(same)
}

/// A flag as a bit, a constant where it is concrete.
pub(super) fn flag(m: &mut Machine, which: Flag) -> Expr {
    let now = m.flags() >> which as u32 & 1;
    let e = flag_of(&mut m.dag, m.shadow.flags, which);
    if e.is_none() {
        return m.dag.constant(now.into(), 1);
    }
    agreed(m, e, now == 1)
}

/// `e`, unless it disagrees with the processor.
fn agreed(m: &mut Machine, e: Expr, now: bool) -> Expr {
    if m.dag.value(e) == u128::from(now) {
        return e;
    }
    let text = format!("flags {:?}: {:?} is not {now}", m.shadow.flags, m.dag.node(e).op);
    m.record_imprecision(Imprecision::Disagreement(text));
    m.dag.truth(now)
}

/// A condition as a bit, a constant where it is concrete.
pub(super) fn condition(m: &mut Machine, code: ConditionCode) -> Expr {
    // The even number of each pair is the condition itself, the odd one its negation, as in the encoding.
    let number = match code {
        ConditionCode::o => 0,
        ConditionCode::no => 1,
        ConditionCode::b => 2,
        ConditionCode::ae => 3,
        ConditionCode::e => 4,
        ConditionCode::ne => 5,
        ConditionCode::be => 6,
        ConditionCode::a => 7,
        ConditionCode::s => 8,
        ConditionCode::ns => 9,
        ConditionCode::p => 10,
        ConditionCode::np => 11,
        ConditionCode::l => 12,
        ConditionCode::ge => 13,
        ConditionCode::le => 14,
        _ => 15,
    };
    if matches!(m.shadow.flags, FlagSource::Concrete) {
        let holds = m.condition(number);
        return m.dag.truth(holds);
    }
    let e = positive(m, number & !1);
    let e = if number & 1 == 1 { m.dag.not(e) } else { e };
    let now = m.condition(number);
    agreed(m, e, now)
}

fn positive(m: &mut Machine, number: u8) -> Expr {
    let dag = &mut m.dag;
    match (number, m.shadow.flags) {
        (0, _) => flag(m, Flag::Overflow),
        (2, FlagSource::Float(a, b)) => {
            let at_least = float_at_least(dag, a, b);
            dag.not(at_least)
        }
        (2, _) => flag(m, Flag::Carry),
        (4, _) => flag(m, Flag::Zero),
        (6, FlagSource::Sub(a, b)) => dag.ule(a, b),
        (6, FlagSource::Logic(result)) => is_zero(dag, result),
        (6, FlagSource::Float(a, b)) => {
            let more = dag.float(FloatOp::Less, b, a);
            dag.not(more)
        }
        (6, _) => {
            let (carry, zero) = (flag(m, Flag::Carry), flag(m, Flag::Zero));
            m.dag.binary(Op::Or, carry, zero)
        }
        (8, _) => flag(m, Flag::Sign),
        (10, _) => flag(m, Flag::Parity),
        (12, flags) => less(m, flags),
        (_, FlagSource::Sub(a, b)) => dag.sle(a, b),
        (_, flags) => {
            let (less, zero) = (less(m, flags), flag(m, Flag::Zero));
            m.dag.binary(Op::Or, less, zero)
        }
    }
}

/// `a >= b`, and neither is NaN.
fn float_at_least(dag: &mut Dag, a: Expr, b: Expr) -> Expr {
    let (more, same) = (dag.float(FloatOp::Less, b, a), dag.float(FloatOp::Eq, a, b));
    dag.binary(Op::Or, more, same)
}

/// Sign is not overflow.
fn less(m: &mut Machine, flags: FlagSource) -> Expr {
    let dag = &mut m.dag;
    match flags {
        FlagSource::Sub(a, b) | FlagSource::Wide(a, b, _) => dag.slt(a, b),
        FlagSource::Logic(result) => is_negative(dag, result),
        FlagSource::Add(a, b, _) if dag.width(a) < 128 => {
            let width = dag.width(a) + 1;
            let (a, b) = (dag.sext(a, width), dag.sext(b, width));
            let sum = dag.binary(Op::Add, a, b);
            is_negative(dag, sum)
        }
        _ => {
            let (sign, overflow) = (flag(m, Flag::Sign), flag(m, Flag::Overflow));
            m.dag.binary(Op::Xor, sign, overflow)
        }
    }
}

impl SymbolicStep<'_> {
    pub(super) fn flag(&mut self, which: Flag) -> Expr {
        flag(self.m, which)
    }

    /// The flags one by one, for instructions that leave some alone; NONE where one is concrete.
    pub(super) fn each_flag(&mut self) -> FlagSource {
        let flags = self.m.shadow.flags;
        if matches!(flags, FlagSource::Concrete) {
            let none = Expr::NONE;
            return FlagSource::Each { carry: none, zero: none, sign: none, overflow: none, parity: none };
        }
        let dag = &mut self.m.dag;
        FlagSource::Each {
            carry: flag_of(dag, flags, Flag::Carry),
            zero: flag_of(dag, flags, Flag::Zero),
            sign: flag_of(dag, flags, Flag::Sign),
            overflow: flag_of(dag, flags, Flag::Overflow),
            parity: flag_of(dag, flags, Flag::Parity),
        }
    }

    /// Sets the carry, and overflow to what it is; the others stay.
    pub(super) fn set_carry(&mut self, new: Expr, new_overflow: Option<Expr>) {
        if let FlagSource::Each { zero, sign, overflow, parity, .. } = self.each_flag() {
            let overflow = new_overflow.unwrap_or(overflow);
            self.set_flags(FlagSource::Each { carry: new, zero, sign, overflow, parity });
        }
    }
}
