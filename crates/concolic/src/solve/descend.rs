//! A search over concrete values that goes where the conditions come closer to being true. It settles what
//! floats compute, which the SAT solver does not know, and proves nothing.

use probity_core::Rng;

use super::distance::{Distances, clamped, key, of_key, real};
use super::newton;
use super::program::ConditionProgram;
use crate::clock::Deadline;
use crate::expr::{Dag, FloatOp, Op, mask, signed};

/// This many constants of the conditions are tried as values.
const CONSTANTS_MAX: usize = 48;
/// This many variables have pairs of small steps tried.
const PAIRED_MAX: usize = 4;
/// A search that is stuck goes on this many times with what is false counting more.
const HEAVIER_MAX: u32 = 12;
/// What a round of a search has to gain; else it is stuck.
const LEAST_GAIN: f64 = 0.25;
/// The clock is read after this many evaluations.
const POLLED_EVERY: u64 = 8;

/// How much may be spent.
#[derive(Clone, Copy, Debug)]
pub(super) struct DescentEffort {
    /// No later than this.
    pub(super) until: Deadline,
    /// At most this many steps are computed.
    pub(super) steps: u64,
    /// Another one starts elsewhere.
    pub(super) seed: u64,
}

/// A search in progress.
pub(super) struct Descent<'a> {
    dag: &'a Dag,
    pub(super) program: &'a mut ConditionProgram,
    pub(super) distances: Distances,
    /// How far the conditions are from being true now.
    pub(super) total: f64,
    /// Whether a variable is used as a float.
    pub(super) floats: Vec<bool>,
    /// The keys that a variable used as a float may have, where it is a range.
    pub(super) ranges: Vec<Option<(u128, u128)>>,
    constants: Vec<(u128, u8)>,
    effort: DescentEffort,
    tries: u64,
    pub(super) is_over: bool,
    rng: Rng,
}

/// Looks for values that make the conditions of `program` true, and leaves them in it; it starts with the values
/// of the run, then with those of `also`, then elsewhere.
pub(super) fn descend(
    dag: &Dag,
    program: &mut ConditionProgram,
    also: &[(u32, u128)],
    effort: DescentEffort,
) -> bool {
    let floats = floats(program);
    let distances = Distances::new(program, &floats);
    let constants = constants(dag, program);
    let ranges = ranges(dag, program, &floats, &constants);
    let mut descent = Descent {
        dag,
        program,
        distances,
        total: f64::INFINITY,
        floats,
        ranges,
        constants,
        effort,
        tries: 0,
        is_over: false,
        rng: Rng::new(effort.seed),
    };
    let mut round = 0;
    while !descent.is_over {
        descent.start(round, also);
        if round > 1 {
            newton::refine(&mut descent);
        }
        if descent.run() {
            return true;
        }
        round += 1;
    }
    false
}

/// Whether each variable is an operand of computations on floats.
fn floats(program: &ConditionProgram) -> Vec<bool> {
    let mut used = vec![false; program.steps.len()];
    for step in &program.steps {
        if matches!(step.node.op, Op::Float(op) if !matches!(op, FloatOp::FromInt(_))) {
            step.args.iter().for_each(|it| used[*it as usize] = true);
        }
    }
    // What is chosen between, or has its sign cleared, is as its result.
    for (at, step) in program.steps.iter().enumerate().rev() {
        if used[at] && matches!(step.node.op, Op::Ite | Op::And | Op::Xor | Op::Or) {
            step.args.iter().for_each(|it| used[*it as usize] = true);
        }
    }
    let is_float = |(var, at): &(crate::expr::Var, u32)| used[*at as usize] && matches!(var.width, 32 | 64);
    program.vars.iter().map(is_float).collect()
}

/// The constants of the conditions, those of the goals first.
fn constants(dag: &Dag, program: &ConditionProgram) -> Vec<(u128, u8)> {
    let all = program.steps.iter().skip(1).filter(|it| it.node.op == Op::Const && it.node.width > 1);
    all.map(|it| (dag.value(it.expr), it.node.width)).take(CONSTANTS_MAX).collect()
}

/// The keys of each variable used as a float where all conditions hold that take it alone, and for mere bits: what its
/// domain says. They are taken to be a range, around a value that is known to be in it.
fn ranges(
    dag: &Dag,
    program: &mut ConditionProgram,
    floats: &[bool],
    constants: &[(u128, u8)],
) -> Vec<Option<(u128, u128)>> {
    let mut is_computed = vec![false; program.steps.len()];
    for at in 1..program.steps.len() {
        let step = &program.steps[at];
        is_computed[at] =
            matches!(step.node.op, Op::Float(_)) || step.args.iter().any(|it| is_computed[*it as usize]);
    }
    let mut all = Vec::new();
    for (var, is_float) in floats.iter().enumerate() {
        let what = program.vars[var].0;
        let alone = |it: &&u32| {
            !is_computed[**it as usize] && dag.support(program.steps[**it as usize].expr) == [what.index]
        };
        let conditions: Vec<u32> = program.conditions.iter().filter(alone).copied().collect();
        if !is_float || conditions.is_empty() {
            all.push(None);
            continue;
        }
        let now = program.get(var);
        let mut holds = |key: u128| {
            program.set(var, of_key(key, what.width));
            program.compute(dag, ConditionProgram::bit(var));
            conditions.iter().all(|it| program.values[*it as usize] == 1)
        };
        let key_of = |it: f64| key(bits_of(it, what.width, true), what.width);
        let ends = (key_of(f64::NEG_INFINITY), key_of(f64::INFINITY));
        let within = |it: &u128| (ends.0..=ends.1).contains(it);
        let inside =
            [key(now, what.width), key_of(0.0), key_of(1.0), key_of(-1.0)].into_iter().filter(within);
        let inside = inside.chain(constants.iter().map(|it| key(it.0, what.width)).filter(within));
        let inside = inside.into_iter().find(|it| holds(*it));
        // The last key from `from` to `to` where they hold.
        let mut last = |mut from: u128, mut to: u128| {
            while !holds(to) {
                let half = if from < to { from + (to - from) / 2 } else { from - (from - to) / 2 };
                if half == from {
                    return from;
                }
                if holds(half) { from = half } else { to = half }
            }
            to
        };
        all.push(inside.map(|it| (last(it, ends.0), last(it, ends.1))));
        program.set(var, now);
        program.compute(dag, ConditionProgram::bit(var));
    }
    all
}

/// The bits of a variable that is nearest to the number `it`.
pub(super) fn bits_of(it: f64, width: u8, is_float: bool) -> u128 {
    match (is_float, width) {
        (true, 32) => (it as f32).to_bits().into(),
        (true, _) => it.to_bits().into(),
        (false, _) if it < 0.0 => (it.round() as i128) as u128 & mask(width),
        (false, _) => it.round() as u128 & mask(width),
    }
}

impl Descent<'_> {
    fn start(&mut self, round: usize, also: &[(u32, u128)]) {
        for var in 0..self.program.vars.len() {
            let (what, at) = self.program.vars[var];
            let now = self.dag.value(self.program.steps[at as usize].expr);
            let value = match round {
                0 => now,
                1 => also.iter().find(|it| it.0 == what.index).map_or(now, |it| it.1),
                2 => 0,
                // Not all the same: equal variables may be where slopes vanish.
                3 => bits_of(1.0 + var as f64, what.width, self.floats[var]),
                4 => bits_of(100.0 * (1.0 + var as f64), what.width, self.floats[var]),
                _ => match self.next_random() % 4 {
                    0 => now,
                    1 if !self.constants.is_empty() => {
                        let at = self.next_random() as usize % self.constants.len();
                        let it = self.numbers(self.constants[at])[0];
                        bits_of(it, what.width, self.floats[var])
                    }
                    2 => {
                        let it = self.next_random() as i64 >> (self.next_random() % 63);
                        // Floats of a moderate size are not all whole.
                        let part = if self.floats[var] { 1.0 / 1024.0 } else { 1.0 };
                        bits_of(it as f64 * part, what.width, self.floats[var])
                    }
                    _ if self.floats[var] => self.between(var),
                    _ => u128::from(self.next_random()) << 64 | u128::from(self.next_random()),
                },
            };
            let value = value & mask(what.width);
            let value = match self.ranges[var] {
                Some(range) => clamped(value, what.width, range),
                None => value.clamp(what.min, what.max),
            };
            self.program.set(var, value);
        }
        self.distances.level();
        self.total = self.evaluate(u64::MAX);
    }

    /// A number between the ends of a float's range, if those are known and not too far apart; else any.
    fn between(&mut self, var: usize) -> u128 {
        let width = self.program.vars[var].0.width;
        let any = self.next_random();
        if let Some((low, high)) = self.ranges[var] {
            let (low, high) = (real(of_key(low, width), width), real(of_key(high, width), width));
            let it = low + (high - low) * (any >> 8) as f64 / (1u64 << 53) as f64;
            if it.is_finite() {
                return bits_of(it, width, true);
            }
        }
        u128::from(any << 3 ^ self.next_random())
    }

    /// 61 random bits: as a signed number it is positive.
    fn next_random(&mut self) -> u64 {
        self.rng.word() >> 3
    }

    /// Goes on until it holds or nothing comes closer.
    fn run(&mut self) -> bool {
        let vars = self.program.vars.len();
        let mut heavier = 0;
        loop {
            if self.total == 0.0 {
                return true;
            }
            if self.is_over {
                return false;
            }
            let before = self.total;
            for var in 0..vars {
                self.set_constants(var);
            }
            for var in 0..vars {
                while self.steps(var) {}
            }
            if self.total > 0.0 {
                newton::refine(self);
            }
            if self.total < before {
                continue;
            }
            for var in 0..vars {
                self.flips(var);
            }
            if self.total == before {
                self.pairs();
            }
            // Small gains without end lead nowhere.
            if self.total > 0.0 && self.total > before - LEAST_GAIN {
                if heavier == HEAVIER_MAX {
                    return false;
                }
                heavier += 1;
                self.distances.weigh(self.program);
                self.total = self.distances.measure(self.program);
            }
        }
    }

    /// The distance under the present values, after those of the variables in `changed` changed.
    fn evaluate(&mut self, changed: u64) -> f64 {
        self.tries += 1;
        let cost = self.tries * self.program.steps.len() as u64;
        if cost > self.effort.steps
            || (self.tries.is_multiple_of(POLLED_EVERY) && self.effort.until.is_over())
        {
            self.is_over = true;
        }
        self.program.compute(self.dag, changed);
        self.distances.measure(self.program)
    }

    /// The best of `values` for one variable, if it is better than what there is.
    fn best(&mut self, var: usize, values: impl Iterator<Item = u128>) -> bool {
        let what = self.program.vars[var].0;
        let before = self.program.get(var);
        let (mut best, mut last) = ((self.total, before), before);
        for value in values {
            if value < what.min || value > what.max || value == before {
                continue;
            }
            self.program.set(var, value);
            last = value;
            let total = self.evaluate(ConditionProgram::bit(var));
            if total < best.0 {
                best = (total, value);
            }
            if total == 0.0 || self.is_over {
                break;
            }
        }
        if last != best.1 {
            self.program.set(var, best.1);
            self.total = self.evaluate(ConditionProgram::bit(var));
        } else {
            self.total = best.0;
        }
        best.1 != before
    }

    /// Other values of several variables, if those are better.
    pub(super) fn improve(&mut self, values: &[(usize, u128)]) -> bool {
        let fit = values.iter().all(|(var, value)| {
            let what = self.program.vars[*var].0;
            (what.min..=what.max).contains(value)
        });
        if !fit {
            return false;
        }
        let before: Vec<u128> = values.iter().map(|it| self.program.get(it.0)).collect();
        let changed = values.iter().fold(0, |all, it| all | ConditionProgram::bit(it.0));
        values.iter().for_each(|it| self.program.set(it.0, it.1));
        let total = self.evaluate(changed);
        if total < self.total {
            self.total = total;
            return true;
        }
        values.iter().zip(&before).for_each(|(it, value)| self.program.set(it.0, *value));
        self.evaluate(changed);
        false
    }

    /// Gives variables other values, whatever comes of it; `changed` has their bits.
    pub(super) fn put(&mut self, values: &[(usize, u128)], changed: u64) {
        values.iter().for_each(|it| self.program.set(it.0, it.1));
        self.total = self.evaluate(changed);
    }

    /// What `see` sees where one variable has another value.
    pub(super) fn look<T>(&mut self, var: usize, value: u128, see: &dyn Fn(&Descent<'_>) -> T) -> T {
        let before = self.program.get(var);
        self.program.set(var, value);
        self.evaluate(ConditionProgram::bit(var));
        let seen = see(self);
        self.program.set(var, before);
        self.evaluate(ConditionProgram::bit(var));
        seen
    }

    /// Steps of all sizes up and down, in the order of the floats where it is one.
    fn steps(&mut self, var: usize) -> bool {
        if self.total == 0.0 || self.is_over {
            return false;
        }
        let width = self.program.vars[var].0.width;
        let is_float = self.floats[var];
        let now = self.program.get(var);
        let from = if is_float { key(now, width) } else { now };
        let back = move |it: u128| if is_float { of_key(it, width) } else { it };
        let by = (0..width).map(|it| 1u128 << it);
        let sides = by.flat_map(move |it| {
            let up = from.checked_add(it).filter(|it| *it <= mask(width));
            // Integers go around, which is how they become negative.
            let up = up.or((!is_float).then_some(from.wrapping_add(it) & mask(width)));
            let down = from.checked_sub(it).or((!is_float).then_some(from.wrapping_sub(it) & mask(width)));
            [up, down].into_iter().flatten()
        });
        self.best(var, sides.map(back))
    }

    fn flips(&mut self, var: usize) {
        if self.total > 0.0 {
            let (width, now) = (self.program.vars[var].0.width, self.program.get(var));
            self.best(var, (0..width).map(|it| now ^ 1 << it));
        }
    }

    /// The numbers that a constant may stand for.
    fn numbers(&self, (bits, width): (u128, u8)) -> Vec<f64> {
        let mut all = vec![signed(bits, width) as f64];
        if matches!(width, 32 | 64) && real(bits, width).is_finite() {
            all.insert(0, real(bits, width));
        }
        all
    }

    /// The constants of the conditions, and what is near to them.
    fn set_constants(&mut self, var: usize) {
        if self.total == 0.0 || self.is_over {
            return;
        }
        let (width, is_float) = (self.program.vars[var].0.width, self.floats[var]);
        let mut values = Vec::new();
        let edges = [0.0, 1.0, -1.0, 0.5, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX];
        for it in edges.into_iter().take(if is_float { 8 } else { 3 }) {
            values.push(bits_of(it, width, is_float));
        }
        for at in 0..self.constants.len() {
            let constant = self.constants[at];
            if constant.1 == width {
                values.extend([constant.0, constant.0.wrapping_neg() & mask(width)]);
            }
            for it in self.numbers(constant) {
                for it in [it, -it, it / 2.0, it * 2.0] {
                    let bits = bits_of(it, width, is_float);
                    let place = if is_float { key(bits, width) } else { bits };
                    for near in [place, place.wrapping_add(1), place.wrapping_sub(1)] {
                        let near = near & mask(width);
                        values.push(if is_float { of_key(near, width) } else { near });
                    }
                }
            }
        }
        self.best(var, values.into_iter());
    }

    /// Small steps of two variables at once.
    fn pairs(&mut self) {
        let few = self.program.vars.len().min(PAIRED_MAX);
        let near = |descent: &Descent<'_>, var: usize, by: i128| {
            let (width, now) = (descent.program.vars[var].0.width, descent.program.get(var));
            if descent.floats[var] {
                of_key(key(now, width).wrapping_add(by as u128) & mask(width), width)
            } else {
                now.wrapping_add(by as u128) & mask(width)
            }
        };
        for first in 0..few {
            for second in first + 1..few {
                for (by, other) in (-4..=4).flat_map(|by| (-4..=4).map(move |other| (by, other))) {
                    if self.is_over {
                        return;
                    }
                    let values = [(first, near(self, first, by)), (second, near(self, second, other))];
                    if self.improve(&values) {
                        return;
                    }
                }
            }
        }
    }
}
