//! Some variables at values of their own, the rest by the SAT solver: what is a product of unknowns becomes a product
//! with a number, and there are often enough models for one with such a value to be found soon.

use probity_core::Rng;

use super::blast::Blaster;
use super::program::ConditionProgram;
use super::sample::{below, wide};

use super::{Answer, Limits};
use crate::expr::{Dag, Op, mask};

/// How many conflicts each try may take.
const CONFLICTS: u64 = 400;
/// About this many bits are left to the SAT solver.
const FREE_BITS: [u32; 4] = [8, 16, 24, 40];

/// Whether unknowns are multiplied with or divided by unknowns.
pub(super) fn multiplies(program: &ConditionProgram) -> bool {
    let varies = |it: u32| program.steps[it as usize].node.op != Op::Const;
    program.vars.len() > 1
        && program.steps.iter().any(|it| {
            let is_product = matches!(
                it.node.op,
                Op::Mul | Op::UDiv | Op::URem | Op::SDiv | Op::SRem | Op::Shl | Op::LShr
            );
            is_product && varies(it.args[0]) && varies(it.args[1])
        })
}

/// Looks for a model with some variables fixed. Nothing is proved where there is none.
pub(super) fn fix(
    blaster: &mut Blaster,
    dag: &Dag,
    program: &ConditionProgram,
    limits: Limits,
    seed: u64,
) -> Option<Vec<(u32, u128)>> {
    let mut rng = Rng::new(seed);
    let mut order: Vec<usize> = (0..program.vars.len()).collect();
    let tries = limits.conflicts / 16;
    for _ in 0..tries {
        if limits.until.is_over() || blaster.is_full() {
            break;
        }
        for at in (1..order.len()).rev() {
            order.swap(at, below(&mut rng, at + 1));
        }
        let wanted = FREE_BITS[below(&mut rng, FREE_BITS.len())];
        let mut free = 0;
        let is_fixed = |var: &&usize| {
            let var = program.vars[**var].0;
            let was_free = free;
            free += 128 - (var.max - var.min).leading_zeros();
            was_free >= wanted
        };
        let fixed: Vec<usize> = order.iter().filter(is_fixed).copied().collect();
        if fixed.is_empty() {
            continue;
        }
        let fixed: Vec<(usize, u128)> =
            fixed.into_iter().map(|var| (var, value(program, var, &mut rng))).collect();
        let limits = Limits { conflicts: CONFLICTS, ..limits };
        if let Answer::Sat(model) = blaster.solve(dag, program, &fixed, limits) {
            return Some(model);
        }
    }
    None
}

/// A value for a variable: the one it has, or one near an end of its range, or of any magnitude, or any.
fn value(program: &ConditionProgram, var: usize, rng: &mut Rng) -> u128 {
    let it = program.vars[var].0;
    let width = it.max - it.min;
    let offset = match below(rng, 5) {
        0 => return program.get(var),
        1 => below(rng, 16) as u128,
        2 => width.saturating_sub(below(rng, 16) as u128),
        3 => wide(rng) & mask(1 + below(rng, usize::from(it.width)) as u8),
        _ => wide(rng),
    };
    it.min + if width == u128::MAX { offset } else { offset % (width + 1) }
}
