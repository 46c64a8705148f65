//! Other answers to one choice.

use super::bandit::Bandit;
use crate::{Domain, Rng, Sampler, Value};

/// How an answer is changed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::engine) enum ChangeStyle {
    /// To one within a share of the domain, all as likely.
    Near,
    /// By an amount of any magnitude up to that share.
    Scaled,
    /// To the next one.
    Next,
    /// To any other.
    Redraw,
}

pub(in crate::engine) const STYLES: [ChangeStyle; 4] =
    [ChangeStyle::Near, ChangeStyle::Scaled, ChangeStyle::Next, ChangeStyle::Redraw];

/// The share of a domain that an answer moves within, each way, at temperature one.
const SHARE: f64 = 0.05;

/// Chooses answers near other answers, in the ways that have helped.
pub(in crate::engine) struct Changes {
    pub(in crate::engine) styles: Bandit<{ STYLES.len() }>,
}

impl Changes {
    pub(in crate::engine) fn new() -> Self {
        Changes { styles: Bandit::new([2.0, 2.0, 1.0, 2.0]) }
    }

    /// Another answer near `value`; rarely the same one.
    pub(in crate::engine) fn near(
        &mut self,
        domain: &Domain,
        value: Value,
        temperature: f64,
        rng: &mut Rng,
        sampler: &mut Sampler,
    ) -> Value {
        let style = match domain {
            Domain::Bool => return flip(value),
            Domain::Pick { weights, .. } => {
                return other_pick(weights.as_deref(), value, rng, sampler, domain);
            }
            _ => STYLES[self.styles.pick(rng, u32::MAX)],
        };
        let moved = match (domain, value, style) {
            (_, _, ChangeStyle::Redraw) => sampler.value(domain),
            (&Domain::Int { min, max, .. }, Value::Int(it), _) => {
                Value::Int(int(it, min, max, style, temperature, rng))
            }
            (&Domain::Float { min, max, single, .. }, Value::Float(it), _) => {
                let moved = float(it, min, max, style, temperature, rng);
                Value::Float(if single { f64::from(moved as f32) } else { moved })
            }
            (&Domain::Char { min, max }, Value::Char(it), _) => {
                let (low, high) = (u32::from(min).into(), u32::from(max).into());
                let code = int(u32::from(it).into(), low, high, style, temperature, rng);
                char::from_u32(code as u32).map_or_else(|| sampler.value(domain), Value::Char)
            }
            (&Domain::Length { min, max, usual }, Value::Length(it), _) => {
                // A list without a bound of its own grows step by step.
                let near = it.saturating_add(it.saturating_sub(min)).saturating_add(1);
                let max = max.min(near.max(usual));
                let moved = int(it.into(), min.into(), max.into(), style, temperature, rng);
                Value::Length(moved as u32)
            }
            _ => sampler.value(domain),
        };
        if domain.contains(moved) { moved } else { domain.fit(moved) }
    }
}

/// The chance, of 256, that an alternative without weight is taken where any is to be.
const DEEPER: u8 = 64;

fn flip(value: Value) -> Value {
    Value::Bool(value != Value::Bool(true))
}

/// Another alternative: as often as at random, or all as likely.
fn other_pick(
    weights: Option<&[u32]>,
    value: Value,
    rng: &mut Rng,
    sampler: &mut Sampler,
    domain: &Domain,
) -> Value {
    let n = domain.last_rank().map_or(1, |it| it as u64 + 1);
    let any = |rng: &mut Rng| domain.at(rng.below(n).into()).unwrap_or(value);
    for _ in 0..4 {
        let pick = match weights {
            Some(weights) if rng.chance(128) => {
                let pick = any(rng);
                // What has no weight here may be what does not end by itself: then it leads to a deeper value.
                if matches!(pick, Value::Pick(at) if weights[at as usize] == 0) && !rng.chance(DEEPER) {
                    continue;
                }
                pick
            }
            Some(_) => sampler.value(domain),
            None => any(rng),
        };
        if pick != value {
            return pick;
        }
    }
    value
}

/// An integer near `it`, within the bounds.
fn int(it: i128, min: i128, max: i128, style: ChangeStyle, temperature: f64, rng: &mut Rng) -> i128 {
    let width = max.abs_diff(min);
    let reach = ((width as f64 * SHARE * temperature) as u128).clamp(1, width.max(1));
    let amount = match style {
        ChangeStyle::Near => 1 + below(rng, reach),
        ChangeStyle::Scaled => {
            let bits = 1 + rng.below((128 - reach.leading_zeros()).into()) as u32;
            (1 + below(rng, 1u128.checked_shl(bits).map_or(u128::MAX, |it| it - 1))).min(reach)
        }
        ChangeStyle::Next | ChangeStyle::Redraw => 1,
    };
    let (room_below, room_above) = (it.abs_diff(min), max.abs_diff(it));
    // What would leave the domain goes the other way: at an end, both ways lead inside.
    let up = match rng.chance(128) {
        true => amount <= room_above || room_below < amount,
        false => room_below < amount && amount <= room_above,
    };
    match up {
        true => it.wrapping_add_unsigned(amount.min(room_above)),
        false => it.wrapping_sub_unsigned(amount.min(room_below)),
    }
}

/// A number below `n`.
fn below(rng: &mut Rng, n: u128) -> u128 {
    match u64::try_from(n) {
        Ok(n) => rng.below(n).into(),
        Err(_) => (u128::from(rng.word()) << 64 | u128::from(rng.word())) % n,
    }
}

/// A float near `it`, within the bounds.
fn float(it: f64, min: f64, max: f64, style: ChangeStyle, temperature: f64, rng: &mut Rng) -> f64 {
    if !it.is_finite() {
        return 0.0;
    }
    let width = max - min;
    // A domain without bounds has no share: then the number itself says what is near.
    let reach = if width < 1e15 { width } else { it.abs().max(1.0) * 10.0 } * SHARE * temperature.max(1e-3);
    let sign = if rng.chance(128) { 1.0 } else { -1.0 };
    let moved = match style {
        ChangeStyle::Near => it + sign * unit(rng) * reach,
        ChangeStyle::Scaled => it + sign * reach * 10f64.powf(-15.0 * unit(rng)),
        // To a whole number, or to the next float.
        ChangeStyle::Next | ChangeStyle::Redraw => match rng.below(3) {
            0 => it.round(),
            1 if sign > 0.0 => it.next_up(),
            1 => it.next_down(),
            _ => it.round() + sign,
        },
    };
    moved.clamp(min, max)
}

/// A number of at least zero and below one.
pub(in crate::engine) fn unit(rng: &mut Rng) -> f64 {
    (rng.word() >> 11) as f64 / (1u64 << 53) as f64
}
