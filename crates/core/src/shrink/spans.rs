//! Shrinking passes over spans.

use std::ops::Range;

use super::Shrinker;
use crate::insertion_sort::sort_by;
use crate::{Domain, Span, SpanKind, Trace, Value};

impl Shrinker<'_> {
    /// Deletes the tries that filters refused.
    pub(super) fn drop_discarded(&mut self) {
        let discarded = |span: &Span| span.kind == SpanKind::Discarded;
        if self.trace().spans.iter().any(discarded) {
            let mut values = self.values();
            for span in self.trace().spans.iter().filter(|it| discarded(it)).rev() {
                // Discarded spans may nest: the outer one then ends before the list does.
                let end = span.range().end.min(values.len());
                values.drain(span.range().start.min(end)..end);
            }
            self.consider(values);
        }
    }

    /// Gives whole spans, the widest first, nothing but simplest answers: most of what a test draws does
    /// not matter.
    pub(super) fn simplify_spans(&mut self) {
        self.simplify(true);
    }

    /// As [`simplify_spans`](Self::simplify_spans), without what is within list items: there may be many,
    /// and most of them can go as a whole.
    pub(super) fn simplify_outside_items(&mut self) {
        self.simplify(false);
    }

    fn simplify(&mut self, within_items: bool) {
        let mut at = 0;
        let mut item = None;
        while let Some(&span) = self.trace().spans.get(at) {
            at += 1;
            item = item.filter(|&depth| span.depth > depth);
            if span.kind == SpanKind::Item && !within_items {
                item = item.or(Some(span.depth));
            }
            let choices = &self.trace().choices[span.range()];
            let wanted = item.is_none() && span.kind != SpanKind::Discarded;
            if !wanted || choices.len() < 2 || choices.iter().all(|it| it.domain.rank(it.value) == 0) {
                continue;
            }
            let all: Vec<Value> = choices.iter().map(|it| it.domain.simplest()).collect();
            // A span whose first answer is the simplest often asks for nothing more, and sometimes for as
            // much as before: each form keeps what follows in its place for one of the two.
            for simplest in [&all[..1], &all[..]] {
                let mut values = self.values();
                values.splice(span.range(), simplest.iter().copied());
                if self.consider(values) {
                    break;
                }
            }
        }
    }

    /// Deletes items of lists, as many at a time as will go.
    pub(super) fn delete_items(&mut self) {
        let mut at = 0;
        while let Some(&span) = self.trace().spans.get(at) {
            if span.kind == SpanKind::List {
                let mut end = self.items(at).len();
                // Of a long list whose items have to stay, only some are tried.
                let step = (end / STAYING_MAX).max(1);
                while end > 0 && !self.spent {
                    let n = self.farthest(end, |it, n| it.consider_without(at, end - n..end, &[]));
                    end = end.saturating_sub(n.max(step)).min(self.items(at).len());
                }
            }
            at += 1;
        }
    }

    /// Takes back steps to neighbors, the last first and as many at a time as will go.
    pub(super) fn delete_steps(&mut self) {
        let mut at = 0;
        while at < self.trace().spans.len() {
            let mut end = self.steps_of(at).len();
            while end > 0 && !self.spent {
                let n = self.farthest(end, |it, n| it.consider_without_steps(at, end - n..end, None));
                end = end.saturating_sub(n.max(1)).min(self.steps_of(at).len());
            }
            at += 1;
        }
    }

    /// Takes back steps to neighbors, all of them or the last one, and begins with another value instead.
    pub(super) fn replace_steps(&mut self) {
        let mut at = 0;
        while at < self.trace().spans.len() {
            let n = self.steps_of(at).len();
            if n == 0 || self.spent || !(self.replace(at, 0..n) || self.replace(at, n - 1..n)) {
                at += 1;
            }
        }
    }

    fn replace(&mut self, at: usize, gone: Range<usize>) -> bool {
        // The first value may be replaced by what a step drew, or by a number that is as far from it.
        let end = self.steps_of(at)[gone.end - 1].range();
        let drawn: Vec<Value> = self.values()[end].iter().rev().take(REPLACED_MAX).copied().collect();
        let first = self.trace().spans[at + 1].range();
        first.take(REPLACED_MAX).any(|choice| {
            let crate::Choice { domain, value } = self.trace().choices[choice].clone();
            let mut tries = drawn.clone();
            if let (Domain::Int { min, max, .. }, Value::Int(it)) = (&domain, value) {
                let mut by = Vec::new();
                for drawn in &drawn {
                    by.extend(if let Value::Int(it) = drawn { Some(*it) } else { None });
                }
                by.extend((0..MAGNITUDES).flat_map(|it| [1 << it, -(1 << it)]));
                tries.extend(by.into_iter().filter_map(|by| it.checked_add(by)).map(Value::Int));
                tries.extend([Value::Int(*max), Value::Int(*min)]);
            }
            tries.into_iter().any(|it| {
                domain.contains(it) && self.consider_without_steps(at, gone.clone(), Some((choice, it)))
            })
        })
    }

    /// The spans of the steps that were taken in span `at`, where neighbors are the user's.
    fn steps_of(&self, at: usize) -> Vec<Span> {
        match self.trace().spans.get(at) {
            Some(span) if span.kind == SpanKind::Neighbor => {
                let children = self.trace().children(at).skip(1).map(|it| self.trace().spans[it]);
                // One that was not taken asks for nothing more.
                children.filter(|it| it.len() > 1).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Considers the trace without some steps of span `at`, after setting the choice in `also`.
    fn consider_without_steps(
        &mut self,
        at: usize,
        gone: Range<usize>,
        also: Option<(usize, Value)>,
    ) -> bool {
        let steps = self.steps_of(at);
        let (Some(first), Some(last), Some(end)) =
            (steps.get(gone.start), gone.end.checked_sub(1).and_then(|it| steps.get(it)), steps.last())
        else {
            return false;
        };
        let mut values = self.values();
        if let Some((choice, value)) = also {
            values[choice] = value;
        }
        // Of as many steps as there may be, the last is not followed by the choice to take none.
        values.splice(end.range().end..self.trace().spans[at].range().end, [Value::Pick(0)]);
        values.drain(first.range().start..last.range().end);
        self.consider(values)
    }

    /// The spans of the items of list `at`.
    pub(super) fn items(&self, at: usize) -> Vec<Span> {
        match self.trace().spans.get(at) {
            Some(span) if span.kind == SpanKind::List => {
                let children = self.trace().children(at).map(|it| self.trace().spans[it]);
                children.filter(|it| it.kind == SpanKind::Item).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Considers the trace without some items of list `at`, after setting the choices in `also`.
    pub(super) fn consider_without(
        &mut self,
        at: usize,
        gone: Range<usize>,
        also: &[(usize, Value)],
    ) -> bool {
        let Some(span) = self.trace().spans.get(at).copied() else { return false };
        let items = self.items(at);
        let (Some(first), Some(last)) =
            (items.get(gone.start), gone.end.checked_sub(1).and_then(|it| items.get(it)))
        else {
            return false;
        };
        let Some((counter, fewer)) = self.counter(span, items.len(), gone.len()) else { return false };
        let mut values = self.values();
        for &(choice, value) in also {
            values[choice] = value;
        }
        values[counter] = fewer;
        values.drain(first.range().start..last.range().end);
        self.consider(values)
    }

    /// The choice that says how many items the list has, and its value for `fewer` items less: the
    /// list's own length, or the last number before it that is equal to its length.
    fn counter(&self, list: Span, n_items: usize, fewer: usize) -> Option<(usize, Value)> {
        let choices = &self.trace().choices;
        let own = choices.get(list.range().start).filter(|_| !list.is_empty());
        let (at, value) = match own.map(|it| it.value) {
            Some(Value::Length(n)) => (list.range().start, Value::Length(n.checked_sub(fewer as u32)?)),
            _ => {
                let is_counter = |it: &crate::Choice| it.value == Value::Int(n_items as i128);
                let at = choices[..list.range().start].iter().rposition(is_counter)?;
                (at, Value::Int((n_items - fewer) as i128))
            }
        };
        choices[at].domain.contains(value).then_some((at, value))
    }

    /// Puts a part of a span in the place of the whole, where both were drawn by the same generator; in
    /// the place of a whole input, any part that begins with the same question.
    pub(super) fn hoist(&mut self) {
        let mut at = 0;
        while let Some(&span) = self.trace().spans.get(at) {
            let choices = &self.trace().choices;
            let alike = |part: &&Span| {
                let same_question =
                    || choices[part.range().start].domain == choices[span.range().start].domain;
                let same_generator = part.label == span.label && part.kind == span.kind;
                !part.is_empty()
                    && part.len() < span.len()
                    && (same_generator || span.kind == SpanKind::Input && same_question())
            };
            let inner = self.trace().spans[at + 1..].iter().take_while(|it| it.depth > span.depth);
            let mut parts: Vec<Span> = inner.filter(alike).copied().collect();
            // The largest are the likeliest to fail as well, the smallest remove most: some of both.
            sort_by(&mut parts, |a, b| a.len() <= b.len());
            parts.dedup_by_key(|it| self.trace().choices[it.range()].to_vec());
            let n_small = parts.len().saturating_sub(HOISTS_MAX).min(HOISTS_MAX);
            let tries = parts.iter().rev().take(HOISTS_MAX).chain(&parts[..n_small]);
            let tries: Vec<Span> = tries.copied().collect();
            let hoisted = tries.into_iter().any(|part| {
                let mut values = self.values();
                values.splice(span.range(), self.values()[part.range()].to_vec());
                let grafted = self.grafted(at, part);
                self.consider(values) || self.consider_aligned(grafted)
            });
            if !hoisted {
                at += 1;
            }
        }
    }

    /// The trace with `part`, which lies within span `at`, in the place of that span.
    fn grafted(&self, at: usize, part: Span) -> Trace {
        let whole = self.trace().spans[at];
        let mut choices = self.trace().choices.clone();
        choices.splice(whole.range(), self.trace().choices[part.range()].to_vec());
        let shorter = (whole.len() - part.len()) as u32;
        let moved = |it: &Span| {
            let within = whole.encloses(it);
            if within && !part.encloses(it) {
                return None;
            }
            let (left, up) = match (within, it.start >= whole.end) {
                (true, _) => (part.start - whole.start, part.depth - whole.depth),
                (false, true) => (shorter, 0),
                (false, false) => (0, 0),
            };
            let end = if !within && it.end >= whole.end { it.end - shorter } else { it.end - left };
            Some(Span { start: it.start - left, end, depth: it.depth - up, ..*it })
        };
        Trace { choices, spans: self.trace().spans.iter().filter_map(moved).collect() }
    }

    /// Joins two neighboring lists that are items of one list.
    pub(super) fn join_lists(&mut self) {
        let mut at = 0;
        while at < self.trace().spans.len() {
            let n = self.items(at).len();
            let joined = n >= 2 && (0..n - 1).any(|first| self.join_pair(at, first));
            if !joined {
                at += 1;
            }
        }
    }

    fn join_pair(&mut self, at: usize, first: usize) -> bool {
        let Some(outer) = self.trace().spans.get(at).copied() else { return false };
        let items = self.items(at);
        let Some((outer_at, fewer)) = self.counter(outer, items.len(), 1) else { return false };
        let choices = &self.trace().choices;
        let length = |item: &Span| {
            let at = item.range().start;
            match choices.get(at).filter(|_| !item.is_empty()).map(|it| it.value) {
                Some(Value::Length(n)) => Some((at, n)),
                _ => None,
            }
        };
        let (Some(a), Some(b)) = (length(&items[first]), length(&items[first + 1])) else { return false };
        let mut values = self.values();
        values[outer_at] = fewer;
        values[a.0] = Value::Length(a.1 + b.1);
        values.remove(b.0);
        self.consider(values)
    }

    /// Puts simpler parts first: items within a list, and any two parts drawn by the same generator.
    pub(super) fn sort(&mut self) {
        for at in 0..self.trace().spans.len() {
            let items = self.items(at);
            if items.len() > 1 {
                self.sort_items(&items);
            }
        }
        let n = self.trace().spans.len().min(SWAPPED_MAX);
        for i in 0..n {
            for j in i + 1..n {
                let spans = &self.trace().spans;
                if let (Some(&a), Some(&b)) = (spans.get(i), spans.get(j))
                    && matches!(a.kind, SpanKind::List | SpanKind::Group | SpanKind::Arm)
                    && (a.label, a.kind) == (b.label, b.kind)
                    && a.end <= b.start
                    && self.ranks(b) < self.ranks(a)
                {
                    self.swap(a, b);
                }
            }
        }
    }

    fn ranks(&self, span: Span) -> Vec<u128> {
        self.trace().choices[span.range()].iter().map(|it| it.domain.rank(it.value)).collect()
    }

    fn sort_items(&mut self, items: &[Span]) {
        let mut order: Vec<_> = items.iter().map(|span| (self.ranks(*span), *span)).collect();
        sort_by(&mut order, |a, b| (a.0.len(), &a.0) <= (b.0.len(), &b.0));
        let values = self.values();
        let mut sorted = values[..items[0].range().start].to_vec();
        for (_, span) in &order {
            sorted.extend(&values[span.range()]);
        }
        sorted.extend(&values[items[items.len() - 1].range().end..]);
        if sorted == values || self.consider(sorted) || items.len() > SORTED_ITEMS_MAX {
            return;
        }
        for i in 0..items.len() {
            for j in i + 1..items.len() {
                let (a, b) = (items[i], items[j]);
                if self.ranks(b) < self.ranks(a) && self.swap(a, b) {
                    return; // spans have moved: the next round goes on from here
                }
            }
        }
    }

    fn swap(&mut self, a: Span, b: Span) -> bool {
        let values = self.values();
        if values[a.range()] == values[b.range()] {
            return false;
        }
        let mut swapped = values[..a.range().start].to_vec();
        swapped.extend(&values[b.range()]);
        swapped.extend(&values[a.range().end..b.range().start]);
        swapped.extend(&values[a.range()]);
        swapped.extend(&values[b.range().end..]);
        self.consider(swapped)
    }
}

/// How many items of one list are tried in vain.
const STAYING_MAX: usize = 200;
/// How many parts, from either end of the range of sizes, are tried in the place of one whole.
const HOISTS_MAX: usize = 8;
/// How many choices of a value are replaced in the place of its steps, and by how many that a step drew.
const REPLACED_MAX: usize = 16;
/// By how many magnitudes numbers are raised and lowered in the place of steps.
const MAGNITUDES: u32 = 20;
/// The most items that are sorted by swapping pairs.
const SORTED_ITEMS_MAX: usize = 16;
/// The most spans that are compared with each other.
const SWAPPED_MAX: usize = 200;
