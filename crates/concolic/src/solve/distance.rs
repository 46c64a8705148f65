//! How far conditions are from being true: what a search without a theory goes by.

use super::program::ConditionProgram;
use crate::expr::{FloatOp, Op, mask, signed};

/// The distance to a comparison that NaN is in the way of: more than between any two numbers.
const NAN_FAR: f64 = 130.0;
/// The distance to NaN: about that between two numbers, which are to be preferred.
const TO_NAN: f64 = 64.0;
/// What it costs to lean on a step of one bit that the conditions by themselves say must be otherwise.
const MUST_FAR: f64 = 200.0;

/// The bits of a float as a number that grows with the float.
pub(super) fn key(bits: u128, width: u8) -> u128 {
    let sign = 1 << (width - 1);
    if bits & sign != 0 { !bits & mask(width) } else { bits | sign }
}

/// The float of a [`key`].
pub(super) fn of_key(key: u128, width: u8) -> u128 {
    let sign = 1 << (width - 1);
    if key & sign != 0 { key ^ sign } else { !key & mask(width) }
}

/// The number that the bits of a float are.
pub(super) fn real(bits: u128, width: u8) -> f64 {
    if width == 32 { f32::from_bits(bits as u32).into() } else { f64::from_bits(bits as u64) }
}

/// The float nearest to `bits` with a key in `range`.
pub(super) fn clamped(bits: u128, width: u8, range: (u128, u128)) -> u128 {
    of_key(key(bits, width).clamp(range.0, range.1), width)
}

fn far(gap: u128) -> f64 {
    if gap == 0 { 0.0 } else { (gap as f64 + 1.0).log2() }
}

/// For each step of one bit: how far it is from 1 and from 0.
#[derive(Debug, Default)]
pub(super) struct Distances {
    /// The steps of one bit.
    bits: Vec<u32>,
    /// By step.
    to: Vec<[f64; 2]>,
    /// How much each condition counts.
    weights: Vec<f64>,
    /// What the steps of one bit have to be, as far as the conditions by themselves say it.
    must: Vec<Option<bool>>,
    /// Steps that take a float variable for mere bits: they say which floats it may be.
    raw: Vec<bool>,
}

impl Distances {
    /// `floats` says which variables are used as floats.
    pub(super) fn new(program: &ConditionProgram, floats: &[bool]) -> Distances {
        let is_bit = |it: &u32| program.steps[*it as usize].node.width == 1;
        let bits = (1..program.steps.len() as u32).filter(is_bit).collect();
        let weights = vec![1.0; program.conditions.len()];
        let to = vec![[0.0; 2]; program.steps.len()];
        Distances { bits, to, weights, must: must(program), raw: raw(program, floats) }
    }

    /// Lets the conditions that are false now count more, so that a search leaves the place where it got stuck.
    pub(super) fn weigh(&mut self, program: &ConditionProgram) {
        for (weight, at) in self.weights.iter_mut().zip(&program.conditions) {
            *weight *= if program.values[*at as usize] == 0 { 2.0 } else { 1.0 };
        }
    }

    /// Lets all conditions count the same.
    pub(super) fn level(&mut self) {
        self.weights.fill(1.0);
    }

    /// How far the conditions are from being all true: 0 if they are.
    pub(super) fn measure(&mut self, program: &ConditionProgram) -> f64 {
        for at in &self.bits {
            let at = *at as usize;
            let mut to = self.bit(program, at);
            if let Some(must) = self.must[at]
                && (program.values[at] == 1) != must
            {
                to[usize::from(!must)] += MUST_FAR;
            }
            self.to[at] = to;
        }
        let away = |at: u32| match program.values[at as usize] {
            // A false condition is never at 0, whatever rounding says.
            0 => self.to[at as usize][1].max(1e-9),
            // A true one is, unless that leans on what another excludes.
            _ => self.to[at as usize][1],
        };
        program.conditions.iter().zip(&self.weights).map(|(at, weight)| away(*at) * weight).sum()
    }

    /// How far a step is from 0 and from 1.
    fn bit(&self, program: &ConditionProgram, at: usize) -> [f64; 2] {
        let step = &program.steps[at];
        let [a, b, c] = step.args.map(|it| self.to[it as usize]);
        let wide = program.steps[step.args[0] as usize].node.width;
        let [x, y, _] = step.args.map(|it| program.values[it as usize]);
        match step.node.op {
            Op::Not => [a[1], a[0]],
            Op::And => [a[0].min(b[0]), a[1] + b[1]],
            Op::Or => [a[0] + b[0], a[1].min(b[1])],
            Op::Xor => [(a[0] + b[0]).min(a[1] + b[1]), (a[0] + b[1]).min(a[1] + b[0])],
            Op::Eq if wide == 1 => [(a[0] + b[1]).min(a[1] + b[0]), (a[0] + b[0]).min(a[1] + b[1])],
            Op::Ite => [(a[1] + b[0]).min(a[0] + c[0]), (a[1] + b[1]).min(a[0] + c[1])],
            Op::Eq => {
                let gap = x.abs_diff(y);
                [f64::from(gap == 0), far(gap.min((mask(wide) - gap).saturating_add(1)))]
            }
            Op::Ult => order(x, y),
            Op::Slt => {
                let sign = 1 << (wide - 1);
                order(x ^ sign, y ^ sign)
            }
            Op::Extract(low) if low + 1 == wide => {
                // A sign: how far the number is from the other side of zero.
                let it = signed(x, wide);
                if it < 0 { [far(it.unsigned_abs()), 0.0] } else { [0.0, far(it.unsigned_abs() + 1)] }
            }
            Op::Float(op) => float(op, wide, x, y, program.values[at]),
            _ => {
                let is = program.values[at] == 1;
                [f64::from(is), f64::from(!is)]
            }
        }
    }

    /// The comparisons that the conditions ask for, and how they have to come out: where there is a choice, the nearer
    /// ones. At most `max`. Those that take floats for bits are left out.
    pub(super) fn comparisons(&self, program: &ConditionProgram, max: usize) -> Vec<(u32, bool)> {
        let mut found = Vec::new();
        let mut work: Vec<(u32, bool)> = program.conditions.iter().map(|it| (*it, true)).collect();
        while let Some((at, want)) = work.pop() {
            if found.len() == max {
                break;
            }
            let step = &program.steps[at as usize];
            let [a, b, c] = step.args;
            let away = |it: u32, want: bool| self.to[it as usize][usize::from(want)];
            match step.node.op {
                Op::Not => work.push((a, !want)),
                Op::And | Op::Or if (step.node.op == Op::And) == want => work.extend([(a, want), (b, want)]),
                Op::And | Op::Or => work.push((if away(a, want) <= away(b, want) { a } else { b }, want)),
                Op::Ite if away(a, true) + away(b, want) <= away(a, false) + away(c, want) => {
                    work.extend([(a, true), (b, want)]);
                }
                Op::Ite => work.extend([(a, false), (c, want)]),
                Op::Eq if program.steps[a as usize].node.width == 1 => {}
                Op::Eq | Op::Ult | Op::Slt if self.raw[a as usize] || self.raw[b as usize] => {}
                Op::Eq | Op::Ult | Op::Slt | Op::Float(FloatOp::Eq | FloatOp::Less) => found.push((at, want)),
                _ => {}
            }
        }
        found
    }
}

/// The distances of `x < y`.
fn order(x: u128, y: u128) -> [f64; 2] {
    if x < y { [far(y - x), 0.0] } else { [0.0, far((x - y).saturating_add(1))] }
}

fn float(op: FloatOp, width: u8, x: u128, y: u128, is: u128) -> [f64; 2] {
    let has_nan = real(x, width).is_nan() || (y != 0 && real(y, width).is_nan());
    match op {
        FloatOp::Eq | FloatOp::Less if has_nan => [0.0, NAN_FAR],
        FloatOp::Eq if is == 1 => [1.0, 0.0],
        FloatOp::Eq => [0.0, far(key(x, width).abs_diff(key(y, width)))],
        FloatOp::Less => {
            let [away, to] = order(key(x, width), key(y, width));
            // The two zeroes have different keys.
            if is == 1 { [away, 0.0] } else { [0.0, to.max(1.0)] }
        }
        FloatOp::Unordered => {
            if is == 1 {
                [NAN_FAR, 0.0]
            } else {
                [0.0, TO_NAN]
            }
        }
        _ => [f64::from(is == 1), f64::from(is == 0)],
    }
}

/// What steps of one bit have to be for the conditions to hold, where a condition says it or leaves only one way.
fn must(program: &ConditionProgram) -> Vec<Option<bool>> {
    let mut must = vec![None; program.steps.len()];
    loop {
        let before = must.iter().flatten().count();
        let mut work: Vec<(u32, bool)> = program.conditions.iter().map(|it| (*it, true)).collect();
        while let Some((at, want)) = work.pop() {
            must[at as usize] = Some(want);
            let step = &program.steps[at as usize];
            let [a, b, _] = step.args;
            match step.node.op {
                Op::Not => work.push((a, !want)),
                Op::And | Op::Or if (step.node.op == Op::And) == want => work.extend([(a, want), (b, want)]),
                Op::And | Op::Or if must[a as usize] == Some(!want) => work.push((b, want)),
                Op::And | Op::Or if must[b as usize] == Some(!want) => work.push((a, want)),
                _ => {}
            }
        }
        if must.iter().flatten().count() == before {
            return must;
        }
    }
}

/// The steps that depend on a variable of `floats`, and on no computation of floats.
fn raw(program: &ConditionProgram, floats: &[bool]) -> Vec<bool> {
    let mut raw = vec![false; program.steps.len()];
    for ((_, at), is_float) in program.vars.iter().zip(floats) {
        raw[*at as usize] = *is_float;
    }
    let mut computed = vec![false; program.steps.len()];
    for (at, step) in program.steps.iter().enumerate().skip(1) {
        let args = step.args.map(|it| it as usize);
        computed[at] = matches!(step.node.op, Op::Float(_)) || args.iter().any(|it| computed[*it]);
        raw[at] |= args.iter().any(|it| raw[*it]);
        raw[at] &= !computed[at];
    }
    raw
}
