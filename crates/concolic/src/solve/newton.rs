//! Newton's method by finite differences, on the gaps of the comparisons that are not yet as they should be.

use super::descend::{Descent, bits_of};
use super::distance::real;
use crate::expr::{Op, signed};

/// At most so many variables are changed at once.
const VARS_MAX: usize = 6;
/// At most so many comparisons are looked at.
const COMPARISONS_MAX: usize = 12;
/// At most so many rounds.
const ROUNDS_MAX: usize = 12;

/// Improves the values while that comes closer.
pub(super) fn refine(descent: &mut Descent<'_>) {
    for _ in 0..ROUNDS_MAX {
        if descent.total == 0.0 || descent.is_over || !round(descent) {
            return;
        }
    }
}

fn number(descent: &Descent<'_>, var: usize) -> f64 {
    let (width, bits) = (descent.program.vars[var].0.width, descent.program.get(var));
    if descent.floats[var] { real(bits, width) } else { signed(bits, width) as f64 }
}

/// By how much a comparison misses what is wanted, as a number with a sign.
fn gap(descent: &Descent<'_>, at: u32, want: bool) -> f64 {
    let program = &*descent.program;
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
    let is_equation = matches!(step.node.op, Op::Eq | Op::Float(crate::expr::FloatOp::Eq));
    match (is_equation, want) {
        (true, true) => a - b,
        (true, false) => 0.0,
        (false, true) => (a - b).max(0.0),
        (false, false) => (a - b).min(0.0),
    }
}

fn round(descent: &mut Descent<'_>) -> bool {
    let comparisons = descent.distances.comparisons(descent.program, COMPARISONS_MAX);
    let gaps = |descent: &Descent<'_>| -> Vec<f64> {
        comparisons.iter().map(|it| gap(descent, it.0, it.1)).collect()
    };
    let now = gaps(descent);
    if now.iter().any(|it| !it.is_finite()) || now.iter().all(|it| *it == 0.0) {
        return false;
    }
    // The slope for each variable: from the smallest step that shows one.
    let (mut vars, mut slopes) = (Vec::new(), Vec::new());
    for var in 0..descent.program.vars.len() {
        let (at, bits) = (number(descent, var), descent.program.get(var));
        let (what, is_float) = (descent.program.vars[var].0, descent.floats[var]);
        if !at.is_finite() || vars.len() == VARS_MAX {
            continue;
        }
        let least = match (is_float, what.width) {
            (true, 32) => at.abs().max(1.0) / 1024.0,
            (true, _) => at.abs().max(1.0) / (1 << 20) as f64,
            _ => 1.0,
        };
        for step in [least, least * 1024.0, -least * 1024.0] {
            let there = bits_of(at + step, what.width, is_float);
            let moved =
                if is_float { real(there, what.width) } else { signed(there, what.width) as f64 } - at;
            let then = descent.look(var, there, &gaps);
            let slope: Vec<f64> = then.iter().zip(&now).map(|(then, now)| (then - now) / moved).collect();
            if slope.iter().all(|it| it.is_finite()) && slope.iter().any(|it| *it != 0.0) {
                vars.push((var, at));
                slopes.push(slope);
                break;
            }
        }
        debug_assert_eq!(descent.program.get(var), bits);
    }
    let Some(by) = least_squares(&slopes, &now) else { return false };
    for part in [1.0, 0.5, 0.125, 1.5] {
        let values: Vec<(usize, u128)> = vars
            .iter()
            .zip(&by)
            .map(|((var, at), by)| {
                let width = descent.program.vars[*var].0.width;
                (*var, bits_of(at - by * part, width, descent.floats[*var]))
            })
            .collect();
        if descent.improve(&values) {
            return true;
        }
    }
    // One variable at a time may reach what all together miss.
    for (at, &(var, from)) in vars.iter().enumerate() {
        let slope = &slopes[at];
        let steep: f64 = slope.iter().map(|it| it * it).sum();
        let by: f64 = slope.iter().zip(&now).map(|(slope, now)| slope * now).sum::<f64>() / steep;
        let value = bits_of(from - by, descent.program.vars[var].0.width, descent.floats[var]);
        if descent.improve(&[(var, value)]) {
            return true;
        }
    }
    false
}

/// The `by` of least `|sum(slopes[v] * by[v]) - gaps|`.
fn least_squares(slopes: &[Vec<f64>], gaps: &[f64]) -> Option<Vec<f64>> {
    let n = slopes.len();
    if n == 0 {
        return None;
    }
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut rows: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            let mut row: Vec<f64> = (0..n).map(|j| dot(&slopes[i], &slopes[j])).collect();
            // A little more on the diagonal: where there are fewer gaps than variables, small changes are wanted.
            row[i] *= 1.0 + 1e-12;
            row.push(dot(&slopes[i], gaps));
            row
        })
        .collect();
    for column in 0..n {
        let pivot = (column..n).max_by(|a, b| rows[*a][column].abs().total_cmp(&rows[*b][column].abs()))?;
        rows.swap(column, pivot);
        let top = rows[column][column];
        if top.abs() < 1e-300 {
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
