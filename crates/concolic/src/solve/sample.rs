//! Values at random, for goals on a few bits of a hash: nothing leads to them, but many values do.

use probity_core::Rng;

use super::program::{ConditionProgram, Marks, ProgramStep};
use crate::clock::Deadline;
use crate::expr::{Dag, Expr, Op, mask};

/// A goal is mixed if sums and exclusive ors change so often on the way to it.
const MIXED: u32 = 8;
/// Numbers of fewer bits than this are not mixed.
const WIDE: u8 = 32;
/// Chance is not expected to satisfy an equation of a mixed number of this many bits.
const HOPELESS: u8 = 24;
/// Conditions on one variable of more steps than this are not computed by themselves.
const OWN_MAX: usize = 64;
/// This many values of a variable are taken, and of one that is alone.
const POOL: (usize, usize) = (64, 1024);
/// This many values are looked at for each that is to be taken.
const LOOKED_AT: usize = 4;
/// The clock is read after this many tries.
const POLLED_EVERY: u32 = 8;

/// How hard it is to follow a goal back to its variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Difficulty {
    /// No harder than others.
    Plain,
    /// Values at random may do.
    Mixed,
    /// Nothing will do.
    Hopeless,
}

/// What the first `goals` conditions of `program` are like.
pub(super) fn mix(program: &ConditionProgram, goals: usize) -> Difficulty {
    // Even: a sum (or product) came last; odd: an exclusive or.
    let mut turns = vec![0u32; program.steps.len()];
    let varies = |it: u32| it != 0 && program.steps[it as usize].node.op != Op::Const;
    for (at, step) in program.steps.iter().enumerate().skip(1) {
        let below = step.args.iter().map(|it| turns[*it as usize]).max().unwrap_or(0);
        let both = varies(step.args[0]) && varies(step.args[1]);
        let turn = match step.node.op {
            Op::Add | Op::Sub => both && below.is_multiple_of(2),
            Op::Mul => below.is_multiple_of(2),
            Op::Xor => both && !below.is_multiple_of(2),
            _ => false,
        };
        turns[at] = below + u32::from(turn && step.node.width >= WIDE);
    }
    let is_mixed = |it: u32| turns[it as usize] >= MIXED;
    let goals = &program.conditions[..goals];
    if !goals.iter().any(|it| is_mixed(*it)) {
        return Difficulty::Plain;
    }
    let step = |it: u32| -> &ProgramStep { &program.steps[it as usize] };
    let is_hopeless = |goal: &u32| {
        step(*goal).node.op == Op::Eq
            && step(*goal).args[..2].iter().any(|it| is_mixed(*it) && step(*it).node.width >= HOPELESS)
    };
    if goals.iter().any(is_hopeless) { Difficulty::Hopeless } else { Difficulty::Mixed }
}

/// Tries values at random for the variables of the first `goals` conditions, of at most `steps` steps; true if those
/// in `program` are what was wanted.
pub(super) fn sample(
    dag: &Dag,
    marks: &mut Marks,
    program: &mut ConditionProgram,
    goals: usize,
    (steps, until): (u64, Deadline),
    seed: u64,
) -> bool {
    let mut rng = Rng::new(seed);
    let concerned: Vec<u32> = program.conditions[..goals]
        .iter()
        .flat_map(|it| dag.support(program.steps[*it as usize].expr).iter().copied())
        .collect();
    let alone = concerned.iter().all(|it| *it == concerned[0]);
    let most = if alone { POOL.1 } else { POOL.0 };
    let is_concerned = |it: &usize| concerned.contains(&program.vars[*it].0.index);
    let vars: Vec<usize> = (0..program.vars.len()).filter(is_concerned).collect();
    let now: Vec<u128> = (0..program.vars.len()).map(|it| program.get(it)).collect();
    if copies(dag, program, &vars, &now) {
        return true;
    }
    let mut pools = Vec::new();
    for var in vars {
        let pool = pool(dag, marks, program, (var, most), &mut rng);
        if pool.len() > 1 {
            pools.push((var, pool));
        }
    }
    let tries = (steps / program.steps.len() as u64) as u32;
    for at in 1..=if pools.is_empty() { 0 } else { tries } {
        // Mostly few of them, because what else is asked of them holds now.
        let changed = 1 + below(&mut rng, pools.len()).min(below(&mut rng, pools.len()));
        for _ in 0..changed {
            let (var, values) = &pools[below(&mut rng, pools.len())];
            program.set(*var, values[below(&mut rng, values.len())]);
        }
        if program.holds(dag) {
            return true;
        }
        pools.iter().for_each(|(var, _)| program.set(*var, now[*var]));
        if at.is_multiple_of(POLLED_EVERY) && until.is_over() {
            break;
        }
    }
    now.iter().enumerate().for_each(|(var, value)| program.set(var, *value));
    false
}

/// Tries to make some variables the same as others that come later or before, in their order: what is computed of both
/// is the same then. `now` has the values of all variables.
fn copies(dag: &Dag, program: &mut ConditionProgram, vars: &[usize], now: &[u128]) -> bool {
    for by in 1..vars.len() {
        let count = by.min(vars.len() - by);
        for (to, from) in [(0, by), (by, 0)] {
            for at in 0..count {
                let (what, value) = (program.vars[vars[to + at]].0, now[vars[from + at]]);
                program.set(vars[to + at], value.clamp(what.min, what.max));
            }
            if program.holds(dag) {
                return true;
            }
            vars.iter().for_each(|it| program.set(*it, now[*it]));
        }
    }
    false
}

/// At most this many values of a variable that the conditions on it alone allow.
fn pool(
    dag: &Dag,
    marks: &mut Marks,
    program: &ConditionProgram,
    (var, most): (usize, usize),
    rng: &mut Rng,
) -> Vec<u128> {
    let what = program.vars[var].0;
    let exprs = program.conditions.iter().map(|it| program.steps[*it as usize].expr);
    let own: Vec<Expr> = exprs.filter(|it| dag.support(*it) == [what.index]).collect();
    let mut alone: Vec<ConditionProgram> =
        own.iter().map(|it| ConditionProgram::new(dag, marks, &[*it])).collect();
    alone.retain(|it| it.steps.len() <= OWN_MAX);
    let now = program.get(var);
    let mut values = vec![now];
    for _ in 0..LOOKED_AT * most {
        let any = wide(rng);
        let small = any >> (below(rng, 128 - 4));
        let value = match below(rng, 4) {
            0 => any,
            1 => small,
            2 => now ^ small,
            _ => now.wrapping_add(any & 31).wrapping_sub(16),
        } & mask(what.width);
        // Numbers that are too large are folded into the range.
        let size = (what.max - what.min).saturating_add(1);
        let value = if (what.min..=what.max).contains(&value) { value } else { what.min + value % size };
        let fits = alone.iter_mut().all(|it| {
            it.set(0, value);
            it.holds(dag)
        });
        if fits && !values.contains(&value) {
            values.push(value);
            if values.len() == most {
                break;
            }
        }
    }
    values
}

/// A number less than `n`.
pub(super) fn below(rng: &mut Rng, n: usize) -> usize {
    rng.below(n as u64) as usize
}

/// Any number of 128 bits.
pub(super) fn wide(rng: &mut Rng) -> u128 {
    u128::from(rng.word()) << 64 | u128::from(rng.word())
}
