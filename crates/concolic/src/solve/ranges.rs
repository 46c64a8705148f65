//! Ranges of what is computed, from the ranges of variables and from conditions that compare with constants: a quick
//! proof that a goal cannot be, as for checks of overflows that never happen.

use super::program::{ConditionProgram, ProgramStep};
use crate::expr::{Dag, Op, mask, signed};

/// The least and the greatest value, unsigned.
type ValueRange = (u128, u128);

/// At most this many entries of a table are looked at.
const ENTRIES_MAX: u128 = 256;

/// Whether the conditions of `program` exclude each other. `vars` says more of variables than their domains do.
pub(super) fn exclude(dag: &Dag, program: &ConditionProgram, vars: &[(u32, ValueRange)]) -> bool {
    let mut known: Vec<ValueRange> = program.steps.iter().map(|it| (0, mask(it.node.width))).collect();
    for &(var, at) in &program.vars {
        let said = vars.iter().find(|it| it.0 == var.index).map_or((var.min, var.max), |it| it.1);
        known[at as usize] = said;
    }
    let mut work: Vec<(u32, bool)> = program.conditions.iter().map(|it| (*it, true)).collect();
    while let Some((at, want)) = work.pop() {
        let step = &program.steps[at as usize];
        let [a, b, _] = step.args;
        known[at as usize] = (want.into(), want.into());
        match step.node.op {
            Op::Not => work.push((a, !want)),
            Op::And if want => work.extend([(a, want), (b, want)]),
            Op::Or if !want => work.extend([(a, want), (b, want)]),
            Op::Eq | Op::Ult | Op::Slt => compared(dag, program, step, want, &mut known),
            _ => {}
        }
    }
    for at in 1..program.steps.len() {
        let (low, high) = range(dag, program, at, &known);
        let (least, most) = known[at];
        known[at] = (low.max(least), high.min(most));
        if known[at].0 > known[at].1 {
            return true;
        }
    }
    false
}

/// What a comparison with a constant says of the other side.
fn compared(dag: &Dag, program: &ConditionProgram, step: &ProgramStep, want: bool, known: &mut [ValueRange]) {
    let [a, b, _] = step.args;
    let constant = |it: u32| dag.as_constant(program.steps[it as usize].expr);
    let width = program.steps[a as usize].node.width;
    let all = mask(width);
    let (side, is_left, value) = match (constant(a), constant(b)) {
        (None, Some(value)) => (a, true, value),
        (Some(value), None) => (b, false, value),
        _ => return,
    };
    // Signed numbers in order are unsigned ones from the least negative on; only what does not go around is said.
    let (low, high) = match (step.node.op, want, is_left) {
        (Op::Eq, true, _) => (value, value),
        (Op::Ult, true, true) if value > 0 => (0, value - 1),
        (Op::Ult, true, false) if value < all => (value + 1, all),
        (Op::Ult, true, _) => (1, 0),
        (Op::Ult, false, true) => (value, all),
        (Op::Ult, false, false) => (0, value),
        // Not less than a number that is not negative; more than one that is at least -1.
        (Op::Slt, false, true) if signed(value, width) >= 0 => (value, all >> 1),
        (Op::Slt, true, false) if signed(value, width) >= -1 && value != all >> 1 => {
            (value.wrapping_add(1) & all, all >> 1)
        }
        // Less than a number that is not positive; not more than one that is negative.
        (Op::Slt, true, true)
            if signed(value, width) <= 0 && signed(value, width) > signed(least(width), width) =>
        {
            (least(width), value.wrapping_sub(1) & all)
        }
        (Op::Slt, false, false) if signed(value, width) < 0 => (least(width), value),
        _ => return,
    };
    let mut side = side as usize;
    loop {
        let (before_low, before_high) = known[side];
        known[side] = (before_low.max(low), before_high.min(high));
        // What is extended with zeroes has the same value.
        if program.steps[side].node.op != Op::ZExt {
            return;
        }
        side = program.steps[side].args[0] as usize;
    }
}

fn least(width: u8) -> u128 {
    1 << (width - 1)
}

/// The range of a step, from those of its arguments.
fn range(dag: &Dag, program: &ConditionProgram, at: usize, known: &[ValueRange]) -> ValueRange {
    let step = &program.steps[at];
    let node = step.node;
    let all = mask(node.width);
    let any = (0, all);
    let [a, b, c] = step.args.map(|it| known[it as usize]);
    let [wide, below, _] = step.args.map(|it| program.steps[it as usize].node.width);
    match node.op {
        Op::Const => (dag.value(step.expr), dag.value(step.expr)),
        Op::Var(_) => known[at],
        Op::Not => (!a.1 & all, !a.0 & all),
        Op::And => (0, a.1.min(b.1)),
        Op::Or => (a.0.max(b.0), ones(a.1 | b.1)),
        Op::Xor => (0, ones(a.1 | b.1)),
        Op::Add => match (a.0.checked_add(b.0), a.1.checked_add(b.1)) {
            (Some(low), Some(high)) if high <= all || low > all => (low & all, high & all),
            (None, _) => (a.0.wrapping_add(b.0), a.1.wrapping_add(b.1)),
            _ => any,
        },
        Op::Sub if a.0 >= b.1 || a.1 < b.0 => (a.0.wrapping_sub(b.1) & all, a.1.wrapping_sub(b.0) & all),
        Op::Mul => match a.1.checked_mul(b.1) {
            Some(high) if high <= all => (a.0 * b.0, high),
            _ => any,
        },
        Op::UDiv if b.0 > 0 => (a.0 / b.1, a.1 / b.0),
        Op::URem if a.1 < b.0 => a,
        Op::URem if b.0 > 0 => (0, a.1.min(b.1 - 1)),
        Op::URem => (0, a.1),
        Op::SDiv if b.0 > 0 && a.1 < least(node.width) && b.1 < least(node.width) => (a.0 / b.1, a.1 / b.0),
        Op::SRem if b.0 > 0 && a.1 < least(node.width) && b.1 < least(node.width) => (0, a.1.min(b.1 - 1)),
        Op::Shl if b.0 == b.1 && b.0 < node.width.into() && a.1 <= all >> b.0 => (a.0 << b.0, a.1 << b.0),
        Op::LShr if b.0 == b.1 && b.0 < node.width.into() => (a.0 >> b.0, a.1 >> b.0),
        Op::LShr => (0, a.1),
        Op::AShr if a.1 < least(node.width) => (0, a.1),
        Op::Concat => (a.0 << below | b.0, a.1 << below | b.1),
        Op::Extract(low) => {
            let (x, y) = (a.0 >> low, a.1 >> low);
            if x & !all == y & !all { (x & all, y & all) } else { any }
        }
        Op::ZExt => a,
        Op::SExt if a.1 < least(wide) => a,
        Op::SExt if a.0 >= least(wide) => (signed(a.0, wide) as u128 & all, signed(a.1, wide) as u128 & all),
        Op::Ite if a == (1, 1) => b,
        Op::Ite if a == (0, 0) => c,
        Op::Ite => (b.0.min(c.0), b.1.max(c.1)),
        Op::Eq if a.1 < b.0 || b.1 < a.0 => (0, 0),
        Op::Eq if a.0 == a.1 && a == b => (1, 1),
        Op::Ult if never_carries(program, step, known) => (0, 0),
        Op::Ult => less(a, b),
        Op::Slt => {
            // The sign turned, the order is that of unsigned numbers, if a range does not hold both signs.
            let turned = |it: ValueRange| match it.0 >= least(wide) || it.1 < least(wide) {
                true => (it.0 ^ least(wide), it.1 ^ least(wide)),
                false => (0, mask(wide)),
            };
            less(turned(a), turned(b))
        }
        Op::Table(table) if a.1 - a.0 < ENTRIES_MAX => {
            let entries = (a.0..=a.1).map(|it| dag.table_entry(table, it));
            entries.fold((all, 0), |(low, high), it| (low.min(it), high.max(it)))
        }
        _ => any,
    }
}

/// Whether it asks for the carry of a sum that has none: whether the sum is less than one of its parts.
fn never_carries(program: &ConditionProgram, step: &ProgramStep, known: &[ValueRange]) -> bool {
    let sum = &program.steps[step.args[0] as usize];
    let [a, b, _] = sum.args;
    let most = known[a as usize].1.checked_add(known[b as usize].1);
    sum.node.op == Op::Add
        && (a == step.args[1] || b == step.args[1])
        && most.is_some_and(|it| it <= mask(sum.node.width))
}

fn less(a: ValueRange, b: ValueRange) -> ValueRange {
    (u128::from(a.1 < b.0), u128::from(a.0 < b.1))
}

/// The least number of ones only that is not below `it`.
fn ones(it: u128) -> u128 {
    if it == 0 { 0 } else { u128::MAX >> it.leading_zeros() }
}
