//! Newton's method by finite differences, damped, on the gaps of the comparisons that the conditions ask for. It goes by
//! the gaps as numbers, so it may pass where the conditions look farther from being true than before.

use super::descend::{Descent, bits_of};
use super::distance::{clamped, real};
use super::program::ConditionProgram;
use crate::expr::{FloatOp, Op, signed};

/// At most this many variables are changed at once.
const VARS_MAX: usize = 8;
/// At most this many comparisons are looked at.
const COMPARISONS_MAX: usize = 24;
/// At most this many rounds for one margin.
const ROUNDS_MAX: usize = 10;
/// By which part of the numbers that are compared an inequality should be met. Where two sides leave no room for that,
/// it leads to the middle between them; the smaller ones are for what the larger ones spoil. With each, how large a float
/// is taken to be at least where slopes are looked for.
const MARGINS: [(f64, f64); 6] =
    [(1e-2, 1.0), (1e-5, 1.0), (1e-9, 1.0), (0.0, 1.0), (1e-5, 1e-6), (0.0, 1e-6)];
/// How much steps are damped at first, and how often they are damped more.
const DAMPED: (f64, usize) = (1e-9, 7);

/// A comparison as numbers.
struct EquationRow {
    at: u32,
    want: bool,
    /// The numbers' size, which gaps are measured by.
    scale: f64,
}

/// A variable that makes a difference.
struct Slope {
    var: usize,
    at: f64,
    /// What it does to each row.
    by: Vec<f64>,
}

/// Looks for values where the conditions hold or come closer; leaves what there is if there are none.
pub(super) fn refine(descent: &mut Descent<'_>) {
    let before: Vec<u128> = (0..descent.program.vars.len()).map(|it| descent.program.get(it)).collect();
    let (mut best, mut total) = (before.clone(), descent.total);
    'margins: for (margin, least) in MARGINS {
        for _ in 0..ROUNDS_MAX {
            if descent.is_over || !round(descent, margin, least) {
                break;
            }
            if descent.total < total {
                total = descent.total;
                best = (0..best.len()).map(|it| descent.program.get(it)).collect();
            }
            if total == 0.0 {
                break 'margins;
            }
        }
    }
    let values: Vec<(usize, u128)> = best.into_iter().enumerate().collect();
    descent.put(&values, u64::MAX);
}

/// The gap of a comparison, `a - b`, with the size of the numbers.
fn gap(program: &ConditionProgram, at: u32) -> (f64, f64) {
    let step = &program.steps[at as usize];
    let width = program.steps[step.args[0] as usize].node.width;
    let [a, b, _] = step.args.map(|it| {
        let bits = program.values[it as usize];
        match step.node.op {
            Op::Float(_) => real(bits, width),
            Op::Ult => bits as f64,
            _ => signed(bits, width) as f64,
        }
    });
    (a - b, a.abs().max(b.abs()).max(f64::MIN_POSITIVE))
}

/// By how much a gap misses what is wanted, measured by the row's scale; 0 where it is met.
fn miss(program: &ConditionProgram, row: &EquationRow, gap: f64, margin: f64) -> f64 {
    let step = &program.steps[row.at as usize];
    let gap = gap / row.scale;
    let is_equation = matches!(step.node.op, Op::Eq | Op::Float(FloatOp::Eq));
    match (is_equation, row.want) {
        (true, true) => gap,
        (true, false) => 0.0,
        (false, true) => (gap + margin).max(0.0),
        (false, false) => (gap - margin).min(0.0),
    }
}

/// One step; whether there was one that comes closer.
fn round(descent: &mut Descent<'_>, margin: f64, least: f64) -> bool {
    let comparisons = descent.distances.comparisons(descent.program, COMPARISONS_MAX);
    let gaps = |descent: &Descent<'_>| -> Vec<f64> {
        comparisons.iter().map(|it| gap(descent.program, it.0).0).collect()
    };
    let rows: Vec<EquationRow> = comparisons
        .iter()
        .map(|&(at, want)| EquationRow { at, want, scale: gap(descent.program, at).1 })
        .collect();
    let misses = |descent: &Descent<'_>| -> Vec<f64> {
        rows.iter().map(|row| miss(descent.program, row, gap(descent.program, row.at).0, margin)).collect()
    };
    let (now, missing) = (gaps(descent), misses(descent));
    let square = |all: &[f64]| all.iter().map(|it| it * it).sum::<f64>();
    let merit = square(&missing);
    if merit == 0.0 || !merit.is_finite() {
        return false;
    }
    let mut slopes = slopes(descent, least, &now, &gaps);
    for slope in &mut slopes {
        for (at, it) in slope.by.iter_mut().enumerate() {
            *it = if missing[at] == 0.0 { 0.0 } else { *it / rows[at].scale };
        }
    }
    slopes.retain(|it| it.by.iter().any(|it| *it != 0.0));
    let from: Vec<(usize, u128)> = slopes.iter().map(|it| (it.var, descent.program.get(it.var))).collect();
    let changed = from.iter().fold(0, |all, it| all | ConditionProgram::bit(it.0));
    let mut damped = DAMPED.0;
    for _ in 0..DAMPED.1 {
        let Some(by) = least_squares(&slopes, &missing, damped) else { return false };
        let values: Vec<(usize, u128)> = slopes
            .iter()
            .zip(&by)
            .map(|(slope, by)| (slope.var, moved_to(descent, slope.var, slope.at - by)))
            .collect();
        descent.put(&values, changed);
        let then = square(&misses(descent));
        if descent.total == 0.0 || then < merit {
            return true;
        }
        if descent.is_over {
            break;
        }
        damped *= 32.0;
    }
    descent.put(&from, changed);
    false
}

/// The bits of a variable that should be the number `it`, within what it may be.
fn moved_to(descent: &Descent<'_>, var: usize, it: f64) -> u128 {
    let (what, is_float) = (descent.program.vars[var].0, descent.floats[var]);
    let bits = bits_of(it, what.width, is_float);
    match descent.ranges[var] {
        Some(range) => clamped(bits, what.width, range),
        None => bits.clamp(what.min, what.max),
    }
}

/// The slopes for each variable: from the smallest step that shows one.
fn slopes(
    descent: &mut Descent<'_>,
    least: f64,
    now: &[f64],
    gaps: &dyn Fn(&Descent<'_>) -> Vec<f64>,
) -> Vec<Slope> {
    let mut slopes = Vec::new();
    for var in 0..descent.program.vars.len() {
        let (what, is_float) = (descent.program.vars[var].0, descent.floats[var]);
        let number = |bits: u128| match is_float {
            true => real(bits, what.width),
            false => signed(bits, what.width) as f64,
        };
        let at = number(descent.program.get(var));
        if !at.is_finite() || slopes.len() == VARS_MAX || descent.is_over {
            continue;
        }
        let least = match (is_float, what.width) {
            (true, 32) => at.abs().max(least) / 1024.0,
            (true, _) => at.abs().max(least) / (1 << 22) as f64,
            _ => 1.0,
        };
        for step in [least, -least, least * 1024.0, -least * 1024.0, least * 1e6] {
            let there = bits_of(at + step, what.width, is_float);
            if !is_float && !(what.min..=what.max).contains(&there) {
                continue;
            }
            let then = descent.look(var, there, gaps);
            let moved = number(there) - at;
            let by: Vec<f64> = then.iter().zip(now).map(|(then, now)| (then - now) / moved).collect();
            if by.iter().all(|it| it.is_finite()) && by.iter().any(|it| *it != 0.0) {
                slopes.push(Slope { var, at, by });
                break;
            }
        }
    }
    slopes
}

/// The `by` of least `|sum(slopes[v] * by[v]) - gaps|`, and not too large.
fn least_squares(slopes: &[Slope], gaps: &[f64], damped: f64) -> Option<Vec<f64>> {
    let n = slopes.len();
    if n == 0 {
        return None;
    }
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut rows: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            let mut row: Vec<f64> = (0..n).map(|j| dot(&slopes[i].by, &slopes[j].by)).collect();
            // More on the diagonal: where there are fewer gaps than variables, small changes are wanted.
            row[i] *= 1.0 + damped;
            row.push(dot(&slopes[i].by, gaps));
            row
        })
        .collect();
    for column in 0..n {
        let pivot = (column..n).max_by(|a, b| rows[*a][column].abs().total_cmp(&rows[*b][column].abs()))?;
        rows.swap(column, pivot);
        let top = rows[column][column];
        if top == 0.0 || !top.is_finite() {
            return None;
        }
        let from = rows[column].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|it| it.0 != column) {
            let times = row[column] / top;
            row.iter_mut().zip(&from).skip(column).for_each(|(it, from)| *it -= times * from);
        }
    }
    let by: Vec<f64> = (0..n).map(|it| rows[it][n] / rows[it][it]).collect();
    by.iter().all(|it| it.is_finite()).then_some(by)
}
