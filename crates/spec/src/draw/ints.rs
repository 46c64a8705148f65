//! Whole numbers and what is counted in them: the exact set that requirements leave, and a member of it.

use super::answers::Answers;
use super::terms::{closed, holds, is_it};
use crate::solve::builtin::IntSet;
use crate::{Date, DateTime, Decimal, Duration, Node, Op, Shape, Spec, Term, Time, Value};

/// A set of at most so many numbers is narrowed by trying each.
const TRIED: u128 = 4096;
/// Of more intervals than this a member is drawn by its place among all.
const INTERVALS: usize = 64;
/// Decimals that are not bounded are drawn with at most so many digits.
const DIGITS: u32 = 12;

/// What a whole number stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Whole {
    Int,
    /// So many digits after the point.
    Number(u32),
    Date,
    Time,
    DateTime,
    Duration,
}

impl Whole {
    /// The kind of a shape that is counted in whole numbers, and all its numbers.
    pub(super) fn of(shape: &Shape) -> Option<(Whole, IntSet)> {
        Some(match shape {
            Shape::Int { min, max } => {
                // What has no bound of its own is drawn from 64 bits.
                let low = min.unwrap_or_else(|| i128::from(i64::MIN).min(max.unwrap_or(0)));
                let high = max.unwrap_or_else(|| i128::from(i64::MAX).max(low));
                (Whole::Int, IntSet::range(low, high))
            }
            Shape::Number { decimals } => {
                let most = 10_i128.pow(DIGITS.max(*decimals).min(36));
                (Whole::Number(*decimals), IntSet::range(-most, most))
            }
            Shape::Date => (Whole::Date, IntSet::range(Date::MIN.days(), Date::MAX.days())),
            Shape::Time => (Whole::Time, IntSet::range(0, 86_399)),
            Shape::DateTime => {
                let seconds = |it: Date| it.days() * 86_400;
                (Whole::DateTime, IntSet::range(seconds(Date::MIN), seconds(Date::MAX) + 86_399))
            }
            Shape::Duration => {
                (Whole::Duration, IntSet::range(-Duration::MAX.seconds(), Duration::MAX.seconds()))
            }
            _ => return None,
        })
    }

    pub(super) fn value(self, number: i128) -> Option<Value> {
        Some(match self {
            Whole::Int => Value::Int(number),
            Whole::Number(decimals) => Value::Number(Decimal::new(number, decimals)),
            Whole::Date => Value::Date(Date::from_days(number)?),
            Whole::Time => Value::Time(Time::from_seconds(number)?),
            Whole::DateTime => Value::DateTime(DateTime::from_seconds(number)?),
            Whole::Duration => Value::Duration(Duration::from_seconds(number)?),
        })
    }

    pub(super) fn number(self, value: &Value) -> Option<i128> {
        match (self, value) {
            (Whole::Int, Value::Int(it)) => Some(*it),
            (Whole::Number(decimals), Value::Number(it)) => it.at_scale(decimals),
            (Whole::Number(decimals), Value::Int(it)) => Decimal::new(*it, 0).at_scale(decimals),
            (Whole::Date, Value::Date(it)) => Some(it.days()),
            (Whole::Time, Value::Time(it)) => Some(it.seconds()),
            (Whole::DateTime, Value::DateTime(it)) => Some(it.seconds()),
            (Whole::Duration, Value::Duration(it)) => Some(it.seconds()),
            _ => None,
        }
    }

    /// The simplest number: dates lie around the year 2000 rather than 1970, so that both signs of days are seen.
    fn simplest(self) -> i128 {
        match self {
            Whole::Date => 10_957,
            Whole::DateTime => 10_957 * 86_400,
            _ => 0,
        }
    }

    /// The members of `set` for which `term`, about a value of `spec`, holds; none where that cannot be told.
    pub(super) fn narrowed(self, set: &IntSet, spec: &Spec, term: &Term) -> Option<IntSet> {
        let found = match term.node() {
            Node::Const(Value::Bool(it)) => Some(if *it { set.clone() } else { IntSet::empty() }),
            Node::Apply(op, args) => self.narrowed_by(set, spec, *op, args),
            _ => None,
        };
        if found.is_some() || set.count() > TRIED {
            return found;
        }
        let keeps = |it: &i128| self.value(*it).is_some_and(|it| holds(term, spec, &it));
        Some(IntSet::of(set.iter().filter(keeps)))
    }

    fn narrowed_by(self, set: &IntSet, spec: &Spec, op: Op, args: &[Term]) -> Option<IntSet> {
        match (op, args) {
            (Op::And, _) => args.iter().try_fold(set.clone(), |set, it| self.narrowed(&set, spec, it)),
            (Op::Or, _) => {
                let parts = args.iter().map(|it| self.narrowed(set, spec, it));
                parts.into_iter().try_fold(IntSet::empty(), |all, it| all.union(&it?))
            }
            (Op::Not, [it]) => set.minus(&self.narrowed(set, spec, it)?),
            (Op::Le | Op::Lt | Op::Eq, [a, b]) if is_it(a) => self.compared(set, op, &closed(b)?, true),
            (Op::Le | Op::Lt | Op::Eq, [a, b]) if is_it(b) => self.compared(set, op, &closed(a)?, false),
            (Op::Eq, [a, b]) if self == Whole::Int => match (a.node(), closed(b)) {
                (Node::Apply(Op::Mod, of), Some(Value::Int(rest))) if is_it(&of[0]) => {
                    let Some(Value::Int(by)) = closed(&of[1]) else { return None };
                    let by = by.checked_abs().filter(|it| *it > 0)?;
                    Some(if (0..by).contains(&rest) { set.congruent(rest, by) } else { IntSet::empty() })
                }
                _ => None,
            },
            (Op::In, [a, b]) if is_it(a) => match closed(b)? {
                Value::List(items) => {
                    let items = items.iter().map(|it| self.number(it)).collect::<Option<Vec<_>>>()?;
                    Some(set.intersect(&IntSet::of(items)))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The members that stand to `by` as the operation says; `first` where they are its first argument.
    fn compared(self, set: &IntSet, op: Op, by: &Value, first: bool) -> Option<IntSet> {
        let by = self.number(by)?;
        Some(match (op, first) {
            (Op::Eq, _) => set.clip(by, by),
            (Op::Le, true) => set.clip(i128::MIN, by),
            (Op::Le, false) => set.clip(by, i128::MAX),
            (_, true) => by.checked_sub(1).map_or_else(IntSet::empty, |it| set.clip(i128::MIN, it)),
            (_, false) => by.checked_add(1).map_or_else(IntSet::empty, |it| set.clip(it, i128::MAX)),
        })
    }

    /// Draws a member of a set that is not empty.
    pub(super) fn draw(self, set: &IntSet, answers: &mut Answers, wanted: Option<i128>) -> Option<i128> {
        if wanted.is_some_and(|it| !set.contains(it)) {
            return None;
        }
        let (modulus, residue) = set.congruence();
        // Numbers are counted from the simplest in steps of the modulus.
        let origin = match self.simplest() {
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
        parts.sort_by_key(|&(low, high)| {
            if low <= 0 && 0 <= high { 0 } else { low.unsigned_abs().min(high.unsigned_abs()) }
        });
        let wanted = match wanted {
            Some(it) => Some(step(it)?),
            None => None,
        };
        let weights: Vec<u32> =
            parts.iter().map(|it| (it.1.abs_diff(it.0).min(1 << 16) + 1) as u32).collect();
        let holds = |&(low, high): &(i128, i128)| wanted.is_some_and(|it| (low..=high).contains(&it));
        let at = answers.pick(&weights, parts.iter().position(holds))?;
        let steps = answers.int(parts[at].0, parts[at].1, wanted)?;
        Some(origin + steps * modulus)
    }
}
