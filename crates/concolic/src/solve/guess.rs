//! Values by running computations backwards: from what a goal should be to what a variable should be, while all
//! else stays as it is in the run. It is right often enough to be tried first, and proves nothing.

use super::program::ConditionProgram;
use crate::expr::{Dag, Expr, FloatOp, Op, mask, signed};

/// This many ways back are followed.
const WAYS_MAX: usize = 96;
/// And this many of their ends are evaluated.
const TRIES_MAX: usize = 24;
/// This many entries of a table that have the wanted value are tried.
const ENTRIES_MAX: usize = 4;

/// What has to come out so, and the variables' values that were found to bring that about.
#[derive(Clone, Default)]
struct BackwardGoal {
    wanted: Vec<(Expr, u128)>,
    found: Vec<(u32, u128)>,
}

/// Looks for values that make the conditions of `program` true, of which `goals` are false in the run. If there
/// are any, they are left in it.
pub(super) fn guess(dag: &Dag, program: &mut ConditionProgram, goals: &[Expr]) -> bool {
    let now: Vec<u128> = (0..program.vars.len()).map(|it| program.get(it)).collect();
    let mut ways =
        vec![BackwardGoal { wanted: goals.iter().map(|it| (*it, 1)).collect(), found: Vec::new() }];
    let (mut followed, mut tried) = (0, 0);
    while let Some(mut way) = ways.pop() {
        followed += 1;
        if followed > WAYS_MAX || tried == TRIES_MAX {
            break;
        }
        let Some((e, wanted)) = way.wanted.pop() else {
            tried += 1;
            if try_values(dag, program, &way.found) {
                return true;
            }
            now.iter().enumerate().for_each(|(var, value)| program.set(var, *value));
            continue;
        };
        if let Op::Var(at) = dag.node(e).op {
            let var = dag.vars()[at as usize];
            let is_new = way.found.iter().all(|it| it.0 != var.index);
            if is_new && (var.min..=var.max).contains(&wanted) {
                way.found.push((var.index, wanted));
                ways.push(way);
            }
            continue;
        }
        if dag.value(e) == wanted {
            ways.push(way);
            continue;
        }
        let mut steps = Vec::new();
        back(dag, e, wanted, &mut steps);
        // The last that is pushed is followed first.
        for step in steps.iter().rev() {
            if step.iter().all(|it| !dag.is_constant(it.0) || dag.value(it.0) == it.1) {
                let mut next = way.clone();
                next.wanted.extend(step.iter().copied());
                ways.push(next);
            }
        }
    }
    now.iter().enumerate().for_each(|(var, value)| program.set(var, *value));
    false
}

fn try_values(dag: &Dag, program: &mut ConditionProgram, found: &[(u32, u128)]) -> bool {
    for &(index, value) in found {
        if let Some(at) = program.vars.iter().position(|it| it.0.index == index) {
            program.set(at, value);
        }
    }
    program.holds(dag)
}

/// What makes `e`, which is something else now, be `wanted`: alternatives, each of which is to hold as a whole.
fn back(dag: &Dag, e: Expr, wanted: u128, to: &mut Vec<Vec<(Expr, u128)>>) {
    let node = dag.node(e);
    let [a, b, c] = node.args;
    let [va, vb, vc] = node.args.map(|it| dag.value(it));
    let all = mask(node.width);
    let mut either = |x: u128, y: u128| to.extend([vec![(a, x & all)], vec![(b, y & all)]]);
    match node.op {
        Op::Const | Op::Var(_) => {}
        Op::Not => to.push(vec![(a, !wanted & all)]),
        Op::Xor => either(wanted ^ vb, wanted ^ va),
        Op::Add => either(wanted.wrapping_sub(vb), wanted.wrapping_sub(va)),
        Op::Sub => either(wanted.wrapping_add(vb), va.wrapping_sub(wanted)),
        Op::And | Op::Or if node.width == 1 => {
            let both = (node.op == Op::And) == (wanted == 1);
            if both {
                to.push(vec![(b, wanted), (a, wanted)]);
            } else {
                either(wanted, wanted);
            }
        }
        Op::And => {
            for (it, now, other) in [(a, va, vb), (b, vb, va)] {
                if wanted & !other == 0 {
                    to.push(vec![(it, now & !other & all | wanted)]);
                }
            }
        }
        Op::Or => {
            for (it, now, other) in [(a, va, vb), (b, vb, va)] {
                if other & !wanted == 0 {
                    to.push(vec![(it, now & other | wanted & !other)]);
                }
            }
        }
        Op::Mul => {
            for (it, other) in [(a, vb), (b, va)] {
                if let Some(value) = divided(wanted, other, all) {
                    to.push(vec![(it, value)]);
                }
            }
        }
        Op::UDiv => {
            if let Some(value) = wanted.checked_mul(vb).filter(|it| *it <= all) {
                to.push(vec![(a, value)]);
            }
        }
        Op::URem if wanted < vb => to.extend([vec![(a, va - va % vb + wanted)], vec![(a, wanted)]]),
        Op::SDiv => to.push(vec![(a, wanted.wrapping_mul(vb) & all)]),
        Op::SRem => to.push(vec![(a, wanted)]),
        Op::Shl if vb < node.width.into() => to.push(vec![(a, wanted >> vb)]),
        Op::LShr | Op::AShr if vb < node.width.into() => {
            to.push(vec![(a, (wanted << vb | va & mask(vb as u8)) & all)]);
        }
        Op::Concat => {
            let low = dag.width(b);
            to.push(vec![(a, wanted >> low), (b, wanted & mask(low))]);
        }
        Op::Extract(low) => to.push(vec![(a, va & !(all << low) | wanted << low)]),
        Op::ZExt | Op::SExt => to.push(vec![(a, wanted & mask(dag.width(a)))]),
        Op::Ite => {
            let (taken, other, value) = if va == 1 { (b, c, vc) } else { (c, b, vb) };
            if value == wanted {
                to.push(vec![(a, 1 - va)]);
            }
            to.extend([vec![(taken, wanted)], vec![(a, 1 - va), (other, wanted)]]);
        }
        Op::Table(table) => {
            let same = dag.table_of(table).iter().enumerate().filter(|it| *it.1 == wanted);
            to.extend(same.take(ENTRIES_MAX).map(|(at, _)| vec![(a, at as u128)]));
        }
        Op::Eq | Op::Ult | Op::Slt | Op::Float(FloatOp::Eq | FloatOp::Less) => {
            compare(dag, node.op, (a, b), wanted, to);
        }
        _ => {}
    }
}

/// `wanted / by` modulo a power of two, if there is such a number.
fn divided(wanted: u128, by: u128, all: u128) -> Option<u128> {
    let zeroes = by.trailing_zeros();
    if by == 0 || wanted.trailing_zeros() < zeroes {
        return None;
    }
    let (wanted, by) = (wanted >> zeroes, by >> zeroes);
    // Each round doubles the number of right bits, from 3.
    let inverse = (0..6).fold(by, |it: u128, _| it.wrapping_mul(2u128.wrapping_sub(by.wrapping_mul(it))));
    Some(wanted.wrapping_mul(inverse) & all >> zeroes)
}

/// How a comparison can come out otherwise than now.
fn compare(dag: &Dag, op: Op, (a, b): (Expr, Expr), wanted: u128, to: &mut Vec<Vec<(Expr, u128)>>) {
    let (va, vb) = (dag.value(a), dag.value(b));
    let width = dag.width(a);
    let all = mask(width);
    let next = |it: u128| it.wrapping_add(1) & all;
    let last = |it: u128| it.wrapping_sub(1) & all;
    let values: Vec<(Expr, u128)> = match (op, wanted) {
        (Op::Eq | Op::Float(FloatOp::Eq), 1) => vec![(a, vb), (b, va)],
        (Op::Eq, _) => vec![(a, next(vb)), (a, last(vb)), (b, next(va)), (b, last(va)), (a, 0), (b, 0)],
        (Op::Ult, 1) => vec![(a, vb.saturating_sub(1)), (b, next(va)), (a, 0), (b, all)],
        (Op::Ult, _) => vec![(a, vb), (b, va), (b, 0), (a, all)],
        (Op::Slt, _) => {
            let least = 1 << (width - 1);
            if wanted == 1 {
                let down = if signed(vb, width) > 0 { 0 } else { least };
                vec![(a, last(vb)), (b, next(va)), (a, down), (b, all >> 1)]
            } else {
                vec![(a, vb), (b, va), (b, least), (a, all >> 1)]
            }
        }
        // The bits next to those of a float are the next floats.
        (Op::Float(FloatOp::Less), 1) => vec![(a, last(vb)), (a, next(vb)), (b, next(va)), (b, last(va))],
        (Op::Float(FloatOp::Less), _) => vec![(a, vb), (b, va)],
        _ => vec![(a, next(vb)), (b, next(va))],
    };
    to.extend(values.into_iter().map(|it| vec![it]));
}
