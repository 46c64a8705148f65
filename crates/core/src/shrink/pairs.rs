//! Shrinking passes over several choices at once.

use std::collections::HashSet;

use super::Shrinker;
use crate::{Choice, Domain, SpanKind, Value};

/// How far apart two choices may stand to be treated as a pair, counted in numbers between them.
const REACH: usize = 12;
/// How many choices, spans or items one pass looks at on one side.
const SIDE_MAX: usize = 64;

impl Shrinker<'_> {
    /// Lowers all choices that have the same value together.
    pub(super) fn lower_equal(&mut self) {
        let mut seen = HashSet::new();
        let mut at = 0;
        while let Some(choice) = self.trace().choices.get(at).cloned() {
            at += 1;
            if choice.domain.rank(choice.value) == 0 || !seen.insert(choice.value) || seen.len() > SIDE_MAX {
                continue;
            }
            let equal = |it: &usize| self.trace().choices[*it].value == choice.value;
            let places: Vec<usize> = (0..self.trace().choices.len()).filter(equal).collect();
            if places.len() > 1 {
                self.lower_all(&places, &choice);
            }
        }
    }

    fn lower_all(&mut self, places: &[usize], choice: &Choice) {
        let set_all = |it: &mut Self, distance: u128| {
            let Some(lower) = choice.domain.nearer(choice.value, distance) else { return false };
            let mut values = it.values();
            for &place in places {
                match values.get_mut(place) {
                    Some(value) if value.same_kind(lower) => *value = lower,
                    _ => return false,
                }
            }
            it.consider(values)
        };
        let mut high = choice.domain.distance(choice.value);
        if set_all(self, 0) {
            return;
        }
        let mut low = 0;
        while low + 1 < high && !self.spent {
            let mid = low + (high - low) / 2;
            if set_all(self, mid) { high = mid } else { low = mid }
        }
    }

    /// The numbers of the trace: where they stand and what they are.
    fn numbers(&self) -> Vec<usize> {
        let number = |it: &Choice| matches!(it.value, Value::Int(_));
        (0..self.trace().choices.len()).filter(|&at| number(&self.trace().choices[at])).collect()
    }

    fn number(&self, at: usize) -> Option<i128> {
        match self.trace().choices.get(at)?.value {
            Value::Int(it) => Some(it),
            _ => None,
        }
    }

    /// Pairs of numbers that stand near each other, the first not its simplest.
    fn each_pair(&mut self, act: impl Fn(&mut Self, usize, usize)) {
        let numbers = self.numbers();
        for (i, &first) in numbers.iter().enumerate() {
            if self.trace().choices.get(first).is_none_or(|it| distance(it) == 0) {
                continue;
            }
            for &second in numbers[i + 1..].iter().take(REACH) {
                if self.spent {
                    return;
                }
                act(self, first, second);
            }
        }
    }

    /// Considers the trace with two numbers changed.
    fn set_two(&mut self, a: (usize, Option<i128>), b: (usize, Option<i128>)) -> bool {
        let (Some(a_value), Some(b_value)) = (a.1, b.1) else { return false };
        let mut values = self.values();
        for (at, value) in [(a.0, Value::Int(a_value)), (b.0, Value::Int(b_value))] {
            match self.trace().choices.get(at) {
                Some(choice) if choice.domain.contains(value) => values[at] = value,
                _ => return false,
            }
        }
        self.consider(values)
    }

    /// Moves numbers towards their simplest by the same amount, so that their differences stay: all that
    /// are not simplest yet, then two at a time.
    pub(super) fn lower_together(&mut self) {
        let choices = self.trace().choices.clone();
        let high: Vec<usize> = self.numbers().into_iter().filter(|&at| distance(&choices[at]) > 0).collect();
        let most = high.iter().map(|&at| distance(&choices[at])).min().unwrap_or(0);
        if high.len() > 2 {
            self.farthest(usize::try_from(most).unwrap_or(usize::MAX / 2), |it, n| {
                let mut values = it.values();
                for &at in &high {
                    let Choice { domain, value } = &choices[at];
                    match (values.get_mut(at), domain.nearer(*value, distance(&choices[at]) - n as u128)) {
                        (Some(value), Some(lower)) if value.same_kind(lower) => *value = lower,
                        _ => return false,
                    }
                }
                it.consider(values)
            });
        }
        self.each_pair(|it, first, second| {
            let (Some(a), Some(b)) = (it.number(first), it.number(second)) else { return };
            let down = if a >= it.origin(first) { -1 } else { 1 };
            let most = a.abs_diff(it.origin(first)).min(usize::MAX as u128 / 2) as usize;
            it.farthest(most, |it, n| {
                let by = down * n as i128;
                it.set_two((first, a.checked_add(by)), (second, b.checked_add(by)))
            });
        });
    }

    fn origin(&self, at: usize) -> i128 {
        match self.trace().choices.get(at).map(|it| &it.domain) {
            Some(Domain::Int { origin, .. }) => *origin,
            _ => 0,
        }
    }

    /// Lowers a number and raises a later one by as much, so that their sum stays.
    pub(super) fn transfer(&mut self) {
        self.each_pair(|it, first, second| {
            let (Some(a), Some(b)) = (it.number(first), it.number(second)) else { return };
            let down = if a >= it.origin(first) { -1 } else { 1 };
            let most = a.abs_diff(it.origin(first)).min(usize::MAX as u128 / 2) as usize;
            // All of it at once is the most likely to be right; then as much as the second has room for.
            let room = match it.trace().choices.get(second).map(|it| &it.domain) {
                Some(Domain::Int { min, max, .. }) if down < 0 => {
                    max.abs_diff(b).min(b.abs_diff(*min).max(max.abs_diff(b)))
                }
                Some(Domain::Int { min, .. }) => b.abs_diff(*min),
                _ => 0,
            };
            let room = room.min(most as u128) as usize;
            let moved = |n: usize| {
                let by = down * n as i128;
                ((first, a.checked_add(by)), (second, b.checked_sub(by)))
            };
            let (x, y) = moved(room);
            if !it.set_two(x, y) {
                it.farthest(room.saturating_sub(1), |it, n| {
                    let (x, y) = moved(n);
                    it.set_two(x, y)
                });
            }
        });
    }

    /// Deletes an item and lowers every number above its index by one: what referred to later items by
    /// index then still does. In the list alone, and everywhere.
    pub(super) fn delete_and_renumber(&mut self) {
        for at in 0..self.trace().spans.len() {
            let n = self.items(at).len().min(SIDE_MAX);
            for index in (0..n).rev() {
                let Some(&list) = self.trace().spans.get(at) else { return };
                for within in [list.range(), 0..self.trace().choices.len()] {
                    let lowered: Vec<(usize, Value)> = within
                        .filter_map(|at| match self.number(at) {
                            Some(it) if it > index as i128 => Some((at, Value::Int(it - 1))),
                            _ => None,
                        })
                        .collect();
                    if lowered.len() <= SIDE_MAX && self.consider_without(at, index..index + 1, &lowered) {
                        break;
                    }
                }
            }
        }
    }

    /// Deletes an item that is one number and adds it to its neighbor, around the ends of the domain
    /// where needed, so that their sum stays.
    pub(super) fn merge_items(&mut self) {
        for at in 0..self.trace().spans.len() {
            for index in (1..self.items(at).len().min(SIDE_MAX)).rev() {
                let items = self.items(at);
                let (Some(a), Some(b)) = (items.get(index - 1), items.get(index)) else { continue };
                let (first, second) = (a.range().start, b.range().start);
                if a.len() != 1 || b.len() != 1 {
                    continue;
                }
                if let (Some(x), Some(y)) = (self.number(first), self.number(second))
                    && let Some(sum) = self.wrapped(first, x.checked_add(y))
                {
                    self.consider_without(at, index..index + 1, &[(first, sum)]);
                }
            }
        }
    }

    /// `it` as a member of the integer domain at `at`, around its ends.
    fn wrapped(&self, at: usize, it: Option<i128>) -> Option<Value> {
        let Domain::Int { min, max, .. } = self.trace().choices.get(at)?.domain else { return None };
        let n = max.checked_sub(min)?.checked_add(1)?;
        Some(Value::Int(min + it?.checked_sub(min)?.rem_euclid(n)))
    }

    /// Deletes an item and takes the next alternative elsewhere: fewer choices make up for a higher one.
    pub(super) fn delete_and_raise(&mut self) {
        if self.trace().choices.len() > SIDE_MAX / 2 {
            return;
        }
        for at in 0..self.trace().spans.len() {
            for index in (0..self.items(at).len()).rev() {
                for choice in 0..self.trace().choices.len() {
                    let Some(Choice { domain, value }) = self.trace().choices.get(choice).cloned() else {
                        break;
                    };
                    if let Domain::Bool | Domain::Pick { .. } = domain
                        && let Some(raised) = domain.at(domain.rank(value) + 1)
                        && self.consider_without(at, index..index + 1, &[(choice, raised)])
                    {
                        return;
                    }
                }
            }
        }
    }

    /// Lowers a number by one and deletes a later span or choice: the number may count what follows.
    pub(super) fn lower_and_delete(&mut self) {
        for at in self.numbers().into_iter().take(SIDE_MAX) {
            while let Some(choice) = self.trace().choices.get(at).cloned() {
                let distance = choice.domain.distance(choice.value);
                let Some(lower) =
                    distance.checked_sub(1).and_then(|it| choice.domain.nearer(choice.value, it))
                else {
                    break;
                };
                let spans = self.trace().spans.iter().filter(|it| it.range().start > at && !it.is_empty());
                let mut gone: Vec<_> =
                    spans.filter(|it| it.kind != SpanKind::List).map(|it| it.range()).collect();
                gone.dedup();
                gone.truncate(SIDE_MAX);
                let choices = self.trace().choices.len();
                gone.extend((at + 1..choices.min(at + 1 + SIDE_MAX / 4)).map(|it| it..it + 1));
                let deleted = gone.into_iter().any(|gone| {
                    let mut values = self.values();
                    values[at] = lower;
                    values.drain(gone);
                    self.consider(values)
                });
                if !deleted || self.spent {
                    break;
                }
            }
        }
    }

    /// Lowers one choice by one and gives the number behind it its greatest value: as in subtraction, the
    /// next place may hold what the first gives up.
    pub(super) fn borrow(&mut self) {
        for at in self.numbers().into_iter().take(SIDE_MAX).filter_map(|it| it.checked_sub(1)) {
            let (Some(first), Some(second)) =
                (self.trace().choices.get(at), self.trace().choices.get(at + 1))
            else {
                return;
            };
            let rank = first.domain.rank(first.value);
            let lower = rank.checked_sub(1).and_then(|it| first.domain.at(it));
            if let (Some(lower), &Domain::Int { max, .. }) = (lower, &second.domain) {
                let mut values = self.values();
                values[at] = lower;
                values[at + 1] = Value::Int(max);
                self.consider(values);
            }
        }
    }

    /// Lowers one choice by one and gives everything behind it in the same input its simplest answers:
    /// a way out when later choices only fit the earlier one.
    pub(super) fn lower_and_simplify_later(&mut self) {
        let n = self.trace().choices.len().min(SIDE_MAX);
        for at in 0..n {
            let Some(choice) = self.trace().choices.get(at).cloned() else { return };
            let rank = choice.domain.rank(choice.value);
            let Some(lower) = rank.checked_sub(1).and_then(|it| choice.domain.at(it)) else { continue };
            let mut values = self.values();
            values[at] = lower;
            values.truncate(at + 1);
            self.consider(values);
        }
    }
}

fn distance(choice: &Choice) -> u128 {
    choice.domain.distance(choice.value)
}
