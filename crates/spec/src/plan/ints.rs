//! Sets of whole numbers from requirements on one unknown.

use crate::solve::builtin::IntSet;
use crate::{Date, DateTime, Decimal, Duration, Node, Op, Shape, Term, Time, Value};

/// What the whole numbers of a space stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Int,
    /// Decimals at that scale.
    Number(u32),
    Date,
    Time,
    DateTime,
    Duration,
}

impl Unit {
    /// The unit of a shape, and all numbers that it has.
    pub(crate) fn of(shape: &Shape) -> Option<(Unit, IntSet)> {
        let everything = (i128::MIN, i128::MAX);
        let (unit, (lo, hi)) = match shape {
            Shape::Int { min, max } => (Unit::Int, (min.unwrap_or(i128::MIN), max.unwrap_or(i128::MAX))),
            Shape::Number { decimals } => (Unit::Number(*decimals), everything),
            Shape::Date => (Unit::Date, (Date::MIN.days(), Date::MAX.days())),
            Shape::Time => (Unit::Time, (0, 86_399)),
            Shape::DateTime => {
                (Unit::DateTime, (Date::MIN.days() * 86_400, Date::MAX.days() * 86_400 + 86_399))
            }
            Shape::Duration => (Unit::Duration, (-Duration::MAX.seconds(), Duration::MAX.seconds())),
            _ => return None,
        };
        Some((unit, IntSet::range(lo, hi)))
    }

    /// The value that a number stands for.
    pub(crate) fn value(self, number: i128) -> Value {
        let none = Value::Int(number);
        match self {
            Unit::Int => none,
            Unit::Number(scale) => Value::Number(Decimal::new(number, scale)),
            Unit::Date => Date::from_days(number).map_or(none, Value::Date),
            Unit::Time => Time::from_seconds(number).map_or(none, Value::Time),
            Unit::DateTime => DateTime::from_seconds(number).map_or(none, Value::DateTime),
            Unit::Duration => Duration::from_seconds(number).map_or(none, Value::Duration),
        }
    }

    /// Digits after the point.
    pub(crate) fn scale(self) -> u32 {
        if let Unit::Number(scale) = self { scale } else { 0 }
    }
}

/// The numbers of `unknown` for which a truth holds; none if it is not of a kind that has a simple set.
pub(crate) fn set_of(truth: &Term, unknown: &Term, unit: Unit, all: &IntSet) -> Option<IntSet> {
    let again = |it: &Term| set_of(it, unknown, unit, all);
    match truth.node() {
        Node::Const(Value::Bool(it)) => Some(if *it { all.clone() } else { IntSet::empty() }),
        Node::Apply(Op::And, parts) => {
            parts.iter().try_fold(all.clone(), |res, it| Some(res.intersect(&again(it)?)))
        }
        Node::Apply(Op::Or, parts) => {
            parts.iter().try_fold(IntSet::empty(), |res, it| res.union(&again(it)?))
        }
        Node::Apply(Op::Not, parts) => match parts[..] {
            [ref of] => residues(of, unknown, unit, all, true).or_else(|| all.minus(&again(of)?)),
            _ => None,
        },
        Node::Apply(Op::In, args) => match (args.first()? == unknown, args.get(1)?.node()) {
            (true, Node::Const(Value::List(items))) => {
                let numbers = items.iter().filter_map(|it| number(it, unit, unit.scale()));
                Some(IntSet::of(numbers).intersect(all))
            }
            _ => None,
        },
        Node::Apply(op @ (Op::Eq | Op::Lt | Op::Le), args) => {
            let [one, two] = &args[..] else { return None };
            comparison(*op, one, two, unknown, unit, all)
                .or_else(|| residues(truth, unknown, unit, all, false))
        }
        _ => None,
    }
}

/// `a x + b` of the unknown.
type Linear = (i128, i128);

fn comparison(op: Op, one: &Term, two: &Term, unknown: &Term, unit: Unit, all: &IntSet) -> Option<IntSet> {
    let scale = finest(one, unit).max(finest(two, unit));
    let (a, b) = linear(one, unknown, unit, scale)?;
    let (c, d) = linear(two, unknown, unit, scale)?;
    // a x + b ? c x + d, as factor x ? rest.
    let (factor, rest) = (a.checked_sub(c)?, d.checked_sub(b)?);
    let rest = if op == Op::Lt { rest.checked_sub(1)? } else { rest };
    Some(match (op, factor) {
        (Op::Eq, 0) => only_if(rest == 0, all),
        (Op::Eq, _) if rest.checked_rem(factor)? != 0 => IntSet::empty(),
        (Op::Eq, _) => all.clip(rest / factor, rest / factor),
        (_, 0) => only_if(rest >= 0, all),
        (_, 1..) => all.clip(i128::MIN, rest.div_euclid(factor)),
        (_, _) => all.clip(rest.div_euclid(factor.checked_neg()?).checked_neg()?, i128::MAX),
    })
}

fn only_if(holds: bool, all: &IntSet) -> IntSet {
    if holds { all.clone() } else { IntSet::empty() }
}

/// The most digits after the point of the unknown and of the constants in a term.
fn finest(term: &Term, unit: Unit) -> u32 {
    let here = if let Node::Const(Value::Number(it)) = term.node() { it.scale() } else { unit.scale() };
    term.parts().iter().map(|it| finest(it, unit)).max().unwrap_or(0).max(here)
}

/// A term as a linear one in numbers at a scale.
fn linear(term: &Term, unknown: &Term, unit: Unit, scale: u32) -> Option<Linear> {
    let one = 10_i128.checked_pow(scale.checked_sub(unit.scale())?)?;
    if term == unknown {
        return Some((one, 0));
    }
    let again = |it: &Term| linear(it, unknown, unit, scale);
    match term.node() {
        Node::Const(value) => Some((0, number(value, unit, scale)?)),
        Node::Apply(Op::ToInt, args) if args.first()? == unknown && scale == 0 => Some((1, 0)),
        // Dates and times add up in ways of their own.
        Node::Apply(op, args) if matches!(unit, Unit::Int | Unit::Number(_)) => match (op, &args[..]) {
            (Op::Add, args) => args.iter().try_fold((0_i128, 0_i128), |(a, b), it| {
                let (c, d) = again(it)?;
                Some((a.checked_add(c)?, b.checked_add(d)?))
            }),
            (Op::Sub, [x, y]) => {
                let ((a, b), (c, d)) = (again(x)?, again(y)?);
                Some((a.checked_sub(c)?, b.checked_sub(d)?))
            }
            (Op::Neg, [x]) => again(x).and_then(|(a, b)| Some((a.checked_neg()?, b.checked_neg()?))),
            (Op::Mul, [x, y]) => {
                let (times, of) = match (x.node(), y.node()) {
                    (Node::Const(Value::Int(times)), _) => (times, again(y)?),
                    (_, Node::Const(Value::Int(times))) => (times, again(x)?),
                    _ => return None,
                };
                Some((of.0.checked_mul(*times)?, of.1.checked_mul(*times)?))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The number behind a constant, at a scale.
fn number(value: &Value, unit: Unit, scale: u32) -> Option<i128> {
    match (value, unit) {
        (Value::Int(it), _) => Decimal::new(*it, 0).at_scale(scale),
        (Value::Number(it), Unit::Int | Unit::Number(_)) => it.at_scale(scale),
        (Value::Date(it), Unit::Date) => Some(it.days()),
        (Value::Time(it), Unit::Time) => Some(it.seconds()),
        (Value::DateTime(it), Unit::DateTime) => Some(it.seconds()),
        (Value::Duration(it), Unit::Duration) => Some(it.seconds()),
        _ => None,
    }
}

/// A comparison of a remainder with a constant, or its opposite, when exactly one residue satisfies it.
fn residues(truth: &Term, unknown: &Term, unit: Unit, all: &IntSet, opposite: bool) -> Option<IntSet> {
    let Node::Apply(op @ (Op::Eq | Op::Lt | Op::Le), args) = truth.node() else { return None };
    let is_modulo = |it: &Term| matches!(it.node(), Node::Apply(Op::Mod, _));
    let (remainder, constant) = match &args[..] {
        [one, two] if is_modulo(one) => (one, two),
        [one, two] if is_modulo(two) => (two, one),
        _ => return None,
    };
    let Node::Apply(_, parts) = remainder.node() else { return None };
    let ([of, by], Node::Const(Value::Int(constant))) = (&parts[..], constant.node()) else { return None };
    let Node::Const(Value::Int(by)) = by.node() else { return None };
    let (1, offset) = linear(of, unknown, unit, 0).filter(|_| unit.scale() == 0)? else { return None };
    let modulus = by.checked_abs().filter(|it| (1..=MODULUS_MAX).contains(it))?;
    let holds = |residue: i128| {
        let (a, b) = if is_modulo(&args[0]) { (residue, *constant) } else { (*constant, residue) };
        let truth = match op {
            Op::Eq => a == b,
            Op::Lt => a < b,
            _ => a <= b,
        };
        truth != opposite
    };
    let mut residues = (0..modulus).filter(|it| holds(*it));
    let Some(first) = residues.next() else { return Some(IntSet::empty()) };
    match residues.count() {
        0 => Some(all.congruent(first.checked_sub(offset)?, modulus)),
        others if others as i128 == modulus - 1 => Some(all.clone()),
        _ => None,
    }
}

/// The largest modulus whose residues are tried one by one.
const MODULUS_MAX: i128 = 100_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_those_of_the_evaluator() {
        let (x, int) = (Term::it(), Term::int);
        let not = Term::negate;
        let truths = [
            x.clone().lt(int(3)),
            int(3).lt(x.clone()),
            x.clone().le(int(-2)),
            int(-2).le(x.clone()),
            x.clone().times(int(3)).le(int(7)),
            x.clone().times(int(-3)).lt(int(7)),
            int(7).lt(x.clone().times(int(-3))),
            int(1).minus(x.clone()).le(x.clone().plus(int(4))),
            x.clone().times(int(2)).eq(int(6)),
            x.clone().times(int(2)).eq(int(7)),
            x.clone().modulo(int(3)).eq(int(1)),
            x.clone().plus(int(1)).modulo(int(4)).eq(int(0)),
            not(x.clone().modulo(int(2)).eq(int(0))),
            x.clone().modulo(int(2)).lt(int(1)),
            not(x.clone().eq(int(4))),
            x.clone().lt(int(0)).or(int(5).lt(x.clone())),
            x.clone().lt(Term::constant(Value::Number(Decimal::new(25, 1)))),
            Term::constant(Value::Number(Decimal::new(-25, 1))).le(x.clone()),
            Term::apply(Op::In, [x.clone(), Term::constant(Value::List(vec![Value::Int(2), Value::Int(9)]))]),
        ];
        let all = IntSet::range(-10, 10);
        for truth in truths {
            let set = set_of(&truth, &x, Unit::Int, &all).unwrap_or_else(|| panic!("{truth}"));
            for at in -10..=10 {
                let holds = truth.eval(&Value::Int(at), None) == Some(Value::Bool(true));
                assert_eq!(set.contains(at), holds, "{truth} at {at}");
            }
        }
    }
}
