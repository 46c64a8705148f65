//! Whole numbers and what is counted in them: a member of the exact set that requirements leave.

use crate::narrow::{TermReading, numbers};
use crate::regex::answers::Answers;
use crate::{Float64, IntSet, NumericKind, Shape, Spec, Term};

/// Of more intervals than this a member is drawn by its place among all.
const INTERVALS: usize = 64;
/// Decimals that are not bounded are drawn with at most this many digits.
const DIGITS: u32 = 12;

/// The kind of a shape that is counted in whole numbers, and the numbers it is drawn from.
pub(super) fn numeric(shape: &Shape) -> Option<(NumericKind, IntSet)> {
    let (kind, all) = NumericKind::of(shape)?;
    let drawn = match shape {
        Shape::Int { min, max } => {
            // What has no bound of its own is drawn from 64 bits.
            let low = min.unwrap_or_else(|| i128::from(i64::MIN).min(max.unwrap_or(0)));
            let high = max.unwrap_or_else(|| i128::from(i64::MAX).max(low));
            IntSet::range(low, high)
        }
        Shape::Number { decimals } => {
            let most = 10_i128.pow(DIGITS.max(*decimals).min(36));
            IntSet::range(-most, most)
        }
        _ => all,
    };
    Some((kind, drawn))
}

/// The simplest number: dates lie around the year 2000 rather than 1970, so that both signs of days are seen.
fn simplest(kind: NumericKind) -> i128 {
    match kind {
        NumericKind::Date => 10_957,
        NumericKind::DateTime => 10_957 * 86_400,
        _ => 0,
    }
}

/// Draws a member of a set that is not empty.
pub(super) fn draw(
    kind: NumericKind,
    set: &IntSet,
    answers: &mut Answers,
    wanted: Option<i128>,
) -> Option<i128> {
    if wanted.is_some_and(|it| !set.contains(it)) {
        return None;
    }
    if kind == NumericKind::Float {
        return draw_float(set, answers, wanted);
    }
    let (modulus, residue) = set.congruence();
    // Numbers are counted from the simplest in steps of the modulus.
    let origin = match simplest(kind) {
        it if modulus == 1 => it,
        it => it - (it - residue).rem_euclid(modulus),
    };
    let step = |it: i128| it.checked_sub(origin).map(|it| it.div_euclid(modulus));
    let mut parts: Vec<(i128, i128)> = Vec::new();
    if set.intervals().len() <= INTERVALS {
        let steps = set.intervals().iter().map(|it| Some((step(it.0)?, step(it.1)?)));
        parts = steps.collect::<Option<_>>().unwrap_or_default();
    }
    if parts.is_empty() {
        // Too many intervals, or beyond 128 bits: by the place among all.
        let last = i128::try_from(set.count().checked_sub(1)?).unwrap_or(i128::MAX);
        let place = |it: i128| i128::try_from(set.clip(i128::MIN, it).count().checked_sub(1)?).ok();
        let at = answers.int(
            0,
            last,
            match wanted {
                Some(it) => Some(place(it)?),
                None => None,
            },
        )?;
        return set.nth(at as u128);
    }
    parts.sort_by_key(
        |&(low, high)| {
            if low <= 0 && 0 <= high { 0 } else { low.unsigned_abs().min(high.unsigned_abs()) }
        },
    );
    let wanted = match wanted {
        Some(it) => Some(step(it)?),
        None => None,
    };
    let weights: Vec<u32> = parts.iter().map(|it| (it.1.abs_diff(it.0).min(1 << 16) + 1) as u32).collect();
    let holds = |&(low, high): &(i128, i128)| wanted.is_some_and(|it| (low..=high).contains(&it));
    let at = answers.pick(&weights, parts.iter().position(holds))?;
    let steps = answers.int(parts[at].0, parts[at].1, wanted)?;
    Some(origin + steps * modulus)
}

/// Draws a float, by its place.
fn draw_float(set: &IntSet, answers: &mut Answers, wanted: Option<i128>) -> Option<i128> {
    let has_nan = set.contains(Float64::NAN);
    let float = |place: i128| Float64::at(place).map(Float64::get);
    let wanted_float = match wanted {
        Some(it) => Some(float(it)?),
        None => None,
    };
    let numbers = set.clip(Float64::ENDS.0, Float64::ENDS.1);
    let intervals = numbers.intervals();
    if intervals.is_empty() {
        return Some(Float64::NAN);
    }
    // NaN is drawn with the numbers of the first interval.
    let holds = |it: &(i128, i128)| wanted.is_some_and(|wanted| (it.0..=it.1).contains(&wanted));
    let place = wanted.map(|_| intervals.iter().position(holds).unwrap_or(0));
    let at = answers.pick(&vec![1; intervals.len()], place)?;
    let (low, high) = intervals[at];
    let drawn = answers.float(float(low)?, float(high)?, has_nan && at == 0, wanted_float)?;
    Some(Float64::new(drawn).place())
}

/// The whole numbers that a spec allows, where its requirements are a set of them.
pub(crate) fn scalar_numbers(spec: &Spec) -> Option<IntSet> {
    let (kind, set) = numeric(&spec.shape)?;
    let reading = TermReading { unknown: &Term::it(), kind, spec: Some(spec) };
    spec.requires.iter().try_fold(set, |set, term| numbers(&reading, term, &set))
}

/// Draws a whole number of a set that is not empty.
pub(crate) fn draw_number(set: &IntSet, answers: &mut Answers, wanted: Option<i128>) -> Option<i128> {
    draw(NumericKind::Int, set, answers, wanted)
}
