//! Shrinking passes on steps: lists whose items each pick an arm.

use super::Shrinker;
use crate::{Domain, SpanKind, Trace, Value};

/// How many runs may be taken to leave out one step and change another: ten steps of two arms have 90 pairs.
const PAIRS_MAX: u64 = 150;
/// As many where each pair is tried with every place of the one switch.
const PAIRS_AND_PLACES_MAX: u64 = 1_000;
/// How many runs may be taken to find fewer switches: two threads with six calls and twenty places have 500 with one
/// switch.
const SWITCHES_MAX: u64 = 800;

/// How many places there may be that the failing run did not have: about two calls of three steps.
const PLACES_MORE: i128 = 6;
/// The most places that are tried one by one.
const PLACES_MAX: i128 = 1_000;

/// The label of the group that has the lists of calls that threads make side by side; it is told to [`Source::group`].
///
/// ```
/// assert_eq!(probity_core::THREADS, "threads");
/// ```
///
/// [`Source::group`]: crate::Source::group
pub const THREADS: &str = "threads";
/// The label of the group behind [`THREADS`] that has the list of places where they are switched, each a number that is
/// greater than the one before.
///
/// ```
/// assert_eq!(probity_core::SWITCHES, "switches");
/// ```
pub const SWITCHES: &str = "switches";

impl Shrinker<'_> {
    /// Leaves out a step and lets another go another way: a shorter sequence may do the same by other calls.
    pub(super) fn delete_step_and_change_arm(&mut self) {
        let start = self.evaluations;
        // Other calls may have to be interrupted elsewhere.
        let places = self.interleaving().filter(|it| it.n_switches == 1).map(|it| it.places);
        let max = if places.is_some() { PAIRS_AND_PLACES_MAX } else { PAIRS_MAX };
        let places: Vec<Option<i128>> = match places {
            Some((min, max)) => (min..=max).map(Some).collect(),
            None => vec![None],
        };
        // Only what is a step: a trace may have ten thousands of other spans.
        let steps: Vec<usize> =
            (0..self.trace().spans.len()).filter(|it| self.step_at(*it).is_some()).collect();
        for &gone in steps.iter().rev() {
            for &changed in steps.iter().filter(|it| **it != gone) {
                let (Some(gone), Some(changed)) = (self.step_at(gone), self.step_at(changed)) else {
                    continue;
                };
                let choice = &self.trace().choices[changed.pick];
                let ranks = (0..).map_while(|rank| choice.domain.at(rank)).filter(|it| *it != choice.value);
                for pick in ranks.collect::<Vec<_>>() {
                    let Some(mut trace) = self.without_step(&gone, &changed, pick) else { continue };
                    for place in &places {
                        set_place(&mut trace, *place);
                        if self.consider_aligned(trace.clone())
                            || self.spent
                            || self.evaluations - start > max
                        {
                            return;
                        }
                    }
                }
            }
        }
    }

    /// Looks for fewer switches between threads, with the calls as they are or arranged in another way, or for as many
    /// with one call less. All places are tried, with the fewest switches first.
    pub(super) fn find_fewer_switches(&mut self) {
        let Some(found) = self.interleaving() else { return };
        let start = self.evaluations;
        let mut tries: Vec<(usize, Threads)> = Vec::new();
        for n in 0..=found.n_switches {
            let same = if n < found.n_switches { arrangements(&found.threads) } else { Vec::new() };
            tries.extend(same.into_iter().chain(shorter(&found.threads)).map(|it| (n, it)));
        }
        for (n, threads) in tries {
            let mut places: Vec<i128> = (0..n as i128).map(|it| found.places.0 + it).collect();
            loop {
                if self.consider(found.values(&threads, &places)) || self.spent {
                    return;
                }
                if self.evaluations - start > SWITCHES_MAX {
                    return;
                }
                if !advance(&mut places, found.places.1) {
                    break;
                }
            }
        }
    }

    /// The calls of threads and the switches between them, where that is what the trace ends with.
    fn interleaving(&self) -> Option<ThreadTrace> {
        let Trace { choices, spans } = self.trace();
        let group = |label: &str| spans.iter().position(|it| it.kind == SpanKind::Group && it.label == label);
        let (threads, switches) = (group(THREADS)?, group(SWITCHES)?);
        let values = self.values();
        let items = |at: usize| -> Vec<Vec<Value>> {
            self.items(at).iter().map(|it| values[it.range()].to_vec()).collect()
        };
        let list = self.lists_in(switches).into_iter().next()?;
        let first = self.items(list).first()?.range();
        let places = choices[first.clone()].iter().find_map(|it| match it.domain {
            // A user may have called other groups so.
            Domain::Int { min, max, .. } if max.saturating_sub(min) < PLACES_MAX => {
                Some((min, max + PLACES_MORE))
            }
            _ => None,
        });
        if spans[threads].range().end > spans[list].range().start {
            return None;
        }
        Some(ThreadTrace {
            before: values[..spans[threads].range().start].to_vec(),
            threads: self.lists_in(threads).into_iter().map(items).collect(),
            between: values[spans[threads].range().end..spans[list].range().start].to_vec(),
            n_switches: self.items(list).len(),
            switch: values[first].to_vec(),
            places: places?,
        })
    }

    /// The numbers of the outermost lists within a span.
    fn lists_in(&self, span: usize) -> Vec<usize> {
        let spans = &self.trace().spans;
        let (mut res, mut at) = (Vec::new(), span + 1);
        while at < spans.len() && spans[at].depth > spans[span].depth {
            let is_list = spans[at].kind == SpanKind::List;
            res.extend(is_list.then_some(at));
            let inner = spans[at + 1..].iter().take_while(|it| is_list && it.depth > spans[at].depth);
            at += 1 + inner.count();
        }
        res
    }

    /// The step whose span is number `at`, if that is one of several arms.
    fn step_at(&self, at: usize) -> Option<ArmStep> {
        let Trace { choices, spans } = self.trace();
        let (item, arm) = (spans.get(at)?, spans.get(at + 1)?);
        let is_step = item.kind == SpanKind::Item && arm.kind == SpanKind::Arm && arm.start == item.start + 1;
        let pick = item.start as usize;
        let Value::Pick(_) = choices.get(pick).filter(|_| is_step)?.value else { return None };
        let list = spans[..at].iter().rposition(|it| it.depth < item.depth)?;
        Some(ArmStep { item: at, pick, list })
    }

    /// The trace without step `gone`, and with another pick for step `changed`, which drew nothing else.
    fn without_step(&self, gone: &ArmStep, changed: &ArmStep, pick: Value) -> Option<Trace> {
        let mut trace = self.trace().clone();
        let length = trace.spans[gone.list].start as usize;
        let Value::Length(n) = trace.choices[length].value else { return None };
        let fewer = Value::Length(n.checked_sub(1)?);
        if !trace.choices[length].domain.contains(fewer) {
            return None;
        }
        trace.choices[length].value = fewer;
        trace.choices[changed.pick].value = pick;
        // The later one first, so that the other keeps its number.
        let (one, other) = (gone.item, changed.item + 1);
        remove(&mut trace, one.max(other));
        remove(&mut trace, one.min(other));
        Some(trace)
    }
}

/// What is drawn for threads: lists of calls, then a list of switches.
struct ThreadTrace {
    before: Vec<Value>,
    threads: Threads,
    between: Vec<Value>,
    n_switches: usize,
    /// The first of the switches.
    switch: Vec<Value>,
    /// Where a first switch can be.
    places: (i128, i128),
}

impl ThreadTrace {
    /// The answers with these threads, and with switches like the first at these places.
    fn values(&self, threads: &Threads, places: &[i128]) -> Vec<Value> {
        let mut res = self.before.clone();
        for items in threads {
            res.push(Value::Length(items.len() as u32));
            res.extend(items.iter().flatten());
        }
        res.extend(&self.between);
        res.push(Value::Length(places.len() as u32));
        for place in places {
            let mut is_place = true;
            for value in &self.switch {
                let is_number = matches!(value, Value::Int(_));
                res.push(if is_number && is_place { Value::Int(*place) } else { *value });
                is_place &= !is_number;
            }
        }
        res
    }
}

/// The calls of each thread, each with its answers.
type Threads = Vec<Vec<Vec<Value>>>;

/// Ways to share the calls of threads out: as they are, with two threads exchanged, and each of these with the last call
/// of one thread made by another.
fn arrangements(threads: &Threads) -> Vec<Threads> {
    let mut res = vec![threads.clone()];
    for (a, b) in pairs(threads).filter(|it| it.0 < it.1) {
        let mut swapped = threads.clone();
        swapped.swap(a, b);
        res.push(swapped);
    }
    for at in 0..res.len() {
        for (from, to) in pairs(threads) {
            let mut moved = res[at].clone();
            if let Some(item) = moved[from].pop() {
                moved[to].push(item);
                res.push(moved);
            }
        }
    }
    res
}

/// Ways to leave out one call, perhaps with the first call of one thread made by another.
fn shorter(threads: &Threads) -> Vec<Threads> {
    let mut whole = vec![threads.clone()];
    for (from, to) in pairs(threads).filter(|it| !threads[it.0].is_empty()) {
        let mut moved = threads.clone();
        let item = moved[from].remove(0);
        moved[to].insert(0, item);
        whole.push(moved);
    }
    let mut res = Vec::new();
    for threads in whole {
        for (thread, calls) in threads.iter().enumerate() {
            for at in (0..calls.len()).rev() {
                let mut less = threads.clone();
                less[thread].remove(at);
                res.push(less);
            }
        }
    }
    res
}

/// Every thread with every other.
fn pairs(threads: &Threads) -> impl Iterator<Item = (usize, usize)> + use<> {
    let n = threads.len();
    (0..n).flat_map(move |a| (0..n).map(move |b| (a, b))).filter(|it| it.0 != it.1)
}

/// Sets the place of the one switch.
fn set_place(trace: &mut Trace, place: Option<i128>) {
    let Some(group) = trace.spans.iter().find(|it| it.kind == SpanKind::Group && it.label == SWITCHES) else {
        return;
    };
    let mut numbers = trace.choices[group.range()].iter_mut().filter(|it| matches!(it.value, Value::Int(_)));
    if let (Some(choice), Some(place)) = (numbers.next(), place) {
        choice.value = Value::Int(place);
    }
}

/// The next list of numbers that rise, none above `max`.
fn advance(places: &mut [i128], max: i128) -> bool {
    for at in (0..places.len()).rev() {
        let room = (places.len() - 1 - at) as i128;
        if places[at] + room < max {
            places[at] += 1;
            for next in at + 1..places.len() {
                places[next] = places[next - 1] + 1;
            }
            return true;
        }
    }
    false
}

/// A step of a list.
struct ArmStep {
    /// The number of its span; that of its arm is the next.
    item: usize,
    /// The choice of its arm.
    pick: usize,
    /// The number of its list's span.
    list: usize,
}

/// Removes span `at` with everything that is in it.
fn remove(trace: &mut Trace, at: usize) {
    let gone = trace.spans[at];
    let inner = trace.spans[at + 1..].iter().take_while(|it| it.depth > gone.depth).count();
    trace.spans.drain(at..=at + inner);
    trace.choices.drain(gone.range());
    let n = gone.len() as u32;
    // Spans are in the order of their beginnings: those before it have ended, or it lies within them.
    for (index, span) in trace.spans.iter_mut().enumerate() {
        let is_after = index >= at;
        span.start -= if is_after { n } else { 0 };
        span.end -= if is_after || (span.end >= gone.end && span.depth < gone.depth) { n } else { 0 };
    }
}
