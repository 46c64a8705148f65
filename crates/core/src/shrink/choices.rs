//! Shrinking passes over single choices.

use super::Shrinker;
use crate::{Choice, Domain, SpanKind, Value};

/// How many places just below the value are probed after a search by halving, which assumes more order
/// than failures have.
const PROBES: u128 = 4;

impl Shrinker<'_> {
    /// Lowers one choice after the other, from the left; runs of choices that do not matter go at once.
    pub(super) fn lower_choices(&mut self) {
        let mut at = 0;
        while at < self.trace().choices.len() && !self.spent {
            let left = self.trace().choices.len() - at;
            let simple = self.farthest(left, |it, n| {
                let mut values = it.values();
                let mut changed = false;
                for (value, choice) in values[at..].iter_mut().zip(&it.trace().choices[at..]).take(n) {
                    let simplest = choice.domain.simplest();
                    changed |= *value != simplest;
                    *value = simplest;
                }
                // Nothing to change is as good as a success: the run goes on behind it.
                values.len() >= at + n && (!changed || it.consider(values))
            });
            at += simple;
            if at < self.trace().choices.len() {
                self.lower_choice(at);
                at += 1;
            }
        }
    }

    fn lower_choice(&mut self, at: usize) {
        let Choice { domain, value } = self.trace().choices[at].clone();
        match (&domain, value) {
            (Domain::Bool | Domain::Pick { .. }, _) => self.lower_pick(at),
            (Domain::Float { .. }, Value::Float(it)) => self.lower_float(at, it),
            _ => self.lower_ordered(at),
        }
    }

    /// Considers the trace with one other answer.
    pub(super) fn set(&mut self, at: usize, value: Value) -> bool {
        let Some(choice) = self.trace().choices.get(at) else { return false };
        if !choice.domain.contains(value) {
            return false;
        }
        let mut values = self.values();
        values[at] = value;
        self.consider(values)
    }

    /// An earlier alternative, with what followed it, or with the rest of its span made simple: another
    /// alternative often asks other questions.
    fn lower_pick(&mut self, at: usize) {
        let Choice { domain, value } = self.trace().choices[at].clone();
        for rank in 0..domain.rank(value) {
            let Some(lower) = domain.at(rank) else { continue };
            if self.set(at, lower) || self.set_and_simplify_span(at, lower) {
                return;
            }
        }
    }

    /// Sets one answer and cuts the rest of each span that it begins, or of the smallest around it.
    fn set_and_simplify_span(&mut self, at: usize, value: Value) -> bool {
        let around =
            self.trace().spans.iter().filter(|it| it.range().contains(&at) && it.kind != SpanKind::Input);
        let Some(end) = around.map(|it| it.range().end).min() else { return false };
        let mut values = self.values();
        values[at] = value;
        let rest = self.trace().choices[at + 1..end].iter().map(|it| it.domain.simplest());
        let rest: Vec<Value> = rest.collect();
        let mut cut = values.clone();
        cut.drain(at + 1..end);
        values.splice(at + 1..end, rest);
        self.consider(cut) || self.consider(values)
    }

    /// Lowers a value of an ordered domain: mirrored to the simpler side, then by halving its distance
    /// from the simplest, then by a few small steps.
    fn lower_ordered(&mut self, at: usize) {
        if let Choice { domain: Domain::Int { origin, .. }, value: Value::Int(it) } = self.trace().choices[at]
            && it < origin
            && let Some(mirrored) = origin.checked_mul(2).and_then(|twice| twice.checked_sub(it))
        {
            self.set(at, Value::Int(mirrored));
        }
        // The simplest is known not to fail: it was tried with the run before this choice. The next is what
        // many failures need: not zero, not equal.
        let next = self.trace().choices.get(at).and_then(|it| it.domain.nearer(it.value, 1));
        if next.is_some_and(|it| self.set(at, it)) {
            return;
        }
        let mut low = 1;
        while let Some(choice) = self.trace().choices.get(at).cloned() {
            let high = choice.domain.distance(choice.value);
            if high <= low + 1 || self.spent {
                break;
            }
            let mid = low + (high - low) / 2;
            // A wide gap is first narrowed by magnitude: thresholds are small more often than not.
            let bits = |it: u128| 128 - it.leading_zeros();
            let mid = if mid >> 16 > low { 1u128 << ((bits(mid) + bits(low)) / 2) } else { mid };
            let lower = choice.domain.nearer(choice.value, mid);
            if !lower.is_some_and(|it| self.set(at, it)) {
                low = mid;
            }
        }
        for step in 1..=PROBES {
            let Some(choice) = self.trace().choices.get(at).cloned() else { return };
            let rank = choice.domain.rank(choice.value);
            let most = (rank / step).min(usize::MAX as u128 / 2) as usize;
            self.farthest(most, |it, n| {
                choice.domain.at(rank - step * n as u128).is_some_and(|lower| it.set(at, lower))
            });
        }
    }

    /// A large number may matter only by its remainder: small numbers, and what is left of it modulo round
    /// ones.
    pub(super) fn lower_to_remainders(&mut self) {
        for at in 0..self.trace().choices.len() {
            let Some(Choice { domain, value }) = self.trace().choices.get(at).cloned() else { return };
            let distance = domain.distance(value);
            if distance > 16 && matches!(value, Value::Int(_)) {
                let remainders = [10, 16, 100, 256, 1000, 1 << 16].map(|it| distance % it);
                let mut nearer = (2..=9).chain(remainders).filter_map(|it| domain.nearer(value, it));
                nearer.any(|it| self.set(at, it));
            }
        }
    }

    /// No sign, smaller by halves while it is huge, fewer places, then as a whole number.
    fn lower_float(&mut self, at: usize, it: f64) {
        let greatest = [f64::MAX, f64::from(f32::MAX)].map(|max| max.copysign(it));
        let smaller = [it.abs(), it.trunc(), it.trunc().abs()];
        for simpler in [1.0, 2.0, 0.5, f64::INFINITY].into_iter().chain(greatest).chain(smaller) {
            self.set(at, Value::Float(simpler));
        }
        let float = |it: &Self| match it.trace().choices.get(at).map(|it| it.value) {
            Some(Value::Float(it)) if it.is_finite() => Some(it),
            _ => None,
        };
        let Some(huge) = float(self) else { return };
        if huge.abs() >= EXACT {
            let halved = |n: usize| (huge * 0.5f64.powi(n as i32)).trunc();
            self.farthest(1100, |it, n| it.set(at, Value::Float(halved(n))));
        }
        let Some(it) = float(self) else { return };
        for places in 0..=10 {
            let scale = f64::from(1u32 << places);
            let rounded = [(it * scale).floor() / scale, (it * scale).ceil() / scale];
            if rounded.into_iter().any(|rounded| self.set(at, Value::Float(rounded))) {
                break;
            }
        }
        let Some(it) = float(self).filter(|it| it.fract() == 0.0 && it.abs() < EXACT) else { return };
        let (mut low, mut high) = (0i64, it.abs() as i64);
        while low + 1 < high && !self.spent {
            let mid = low + (high - low) / 2;
            if self.set(at, Value::Float((mid as f64).copysign(it))) {
                high = mid;
            } else {
                low = mid;
            }
        }
    }
}

/// Whole floats below this have all whole numbers beside them.
const EXACT: f64 = 9_007_199_254_740_992.0;
