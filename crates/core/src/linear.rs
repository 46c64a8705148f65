//! Whether calls that ran side by side had the results that some order of them has: linearizability.
//!
//! The search is that of Wing and Gong: of the calls that are left, one that began before any of them ended comes next, if
//! the model agrees with its result. As Lowe has it, no set of calls is finished twice from the same state.

use std::collections::BTreeMap;

/// When a call began and ended, by a clock that all threads share and that never stands still.
///
/// ```
/// use probity_core::CallTime;
/// let (a, b) = (CallTime { began: 1, ended: 2 }, CallTime { began: 3, ended: 4 });
/// assert!(a.ended < b.began, "every order has `a` before `b`");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallTime {
    /// The time before it.
    pub began: u64,
    /// The time after it, which is later.
    pub ended: u64,
}

/// What [`linearize`] found.
///
/// ```
/// use probity_core::Linearization;
/// assert_ne!(Linearization::Order(vec![0, 1]), Linearization::Order(vec![1, 0]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Linearization {
    /// An order that explains all results.
    Order(Vec<usize>),
    /// There is none. These calls, one after the other, come the farthest: the model agrees with no call that could
    /// follow.
    Impossible(Vec<usize>),
    /// There are too many orders to try all of them.
    Unknown,
}

/// The most calls of a history.
///
/// ```
/// assert_eq!(probity_core::CALLS_MAX, 64);
/// ```
pub const CALLS_MAX: usize = u64::BITS as usize;

/// How many calls of the model are made at most. Two threads with eight calls each, whose model cannot be compared, have
/// orders for 26,000.
const MODEL_CALLS_MAX: u32 = 100_000;

/// Looks for an order of calls that agrees with their times and with a model: `agrees` makes call number `i` on a state of
/// the model and says whether it has the result that was seen. States that are the `same` are told apart by nothing;
/// without it, every order is tried. Panics with more than [`CALLS_MAX`] calls.
///
/// ```
/// use probity_core::{CallTime, Linearization, linearize};
/// // Two threads add 1 to a counter and get what was there before.
/// let times = [CallTime { began: 1, ended: 4 }, CallTime { began: 2, ended: 3 }];
/// let order = |seen: [u64; 2]| {
///     linearize(&times, &0, Some(PartialEq::eq), &mut |count: &mut u64, at| {
///         *count += 1;
///         *count - 1 == seen[at]
///     })
/// };
/// assert_eq!(order([1, 0]), Linearization::Order(vec![1, 0]));
/// assert_eq!(order([0, 0]), Linearization::Impossible(vec![0]));
/// ```
pub fn linearize<S: Clone>(
    times: &[CallTime],
    start: &S,
    same: Option<fn(&S, &S) -> bool>,
    agrees: &mut dyn FnMut(&mut S, usize) -> bool,
) -> Linearization {
    assert!(times.len() <= CALLS_MAX, "a history has at most {CALLS_MAX} calls");
    let mut search = OrderSearch {
        times,
        same,
        agrees,
        known: BTreeMap::new(),
        order: Vec::new(),
        farthest: Vec::new(),
        model_calls: 0,
    };
    match search.go_on(0, start) {
        Some(true) => Linearization::Order(search.order),
        Some(false) => Linearization::Impossible(search.farthest),
        None => Linearization::Unknown,
    }
}

struct OrderSearch<'a, S> {
    times: &'a [CallTime],
    same: Option<fn(&S, &S) -> bool>,
    agrees: &'a mut dyn FnMut(&mut S, usize) -> bool,
    /// For sets of calls, the states they led to.
    known: BTreeMap<u64, Vec<S>>,
    order: Vec<usize>,
    farthest: Vec<usize>,
    model_calls: u32,
}

impl<S: Clone> OrderSearch<'_, S> {
    /// Whether the calls that are not `done` can follow; `None` where that took too long.
    fn go_on(&mut self, done: u64, state: &S) -> Option<bool> {
        if self.order.len() > self.farthest.len() {
            self.farthest.clone_from(&self.order);
        }
        let times = self.times;
        let is_left = |at: &usize| done >> at & 1 == 0;
        let Some(first_end) = (0..times.len()).filter(is_left).map(|at| times[at].ended).min() else {
            return Some(true);
        };
        for at in (0..times.len()).filter(is_left).filter(|at| times[*at].began <= first_end) {
            if self.model_calls >= MODEL_CALLS_MAX {
                return None;
            }
            self.model_calls += 1;
            let mut next = state.clone();
            if !(self.agrees)(&mut next, at) || self.is_known(done | 1 << at, &next) {
                continue;
            }
            self.order.push(at);
            if self.go_on(done | 1 << at, &next)? {
                return Some(true);
            }
            self.order.pop();
        }
        Some(false)
    }

    /// Whether `done` was gone on from with this state before; from now on it was.
    fn is_known(&mut self, done: u64, state: &S) -> bool {
        let Some(same) = self.same else { return false };
        let states = self.known.entry(done).or_default();
        if states.iter().any(|it| same(it, state)) {
            return true;
        }
        states.push(state.clone());
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;

    /// A call of a register, a counter and a queue at once, and what it returned.
    #[derive(Clone, Copy, Debug)]
    struct SeenCall {
        call: u64,
        result: u64,
    }

    type State = (u64, Vec<u64>);

    fn model(state: &mut State, call: u64) -> u64 {
        match call {
            0 => state.0,
            1 | 2 => {
                state.0 += call;
                state.0 - call
            }
            3 => std::mem::replace(&mut state.0, 0),
            4 => {
                state.1.push(state.0);
                0
            }
            _ => state.1.pop().unwrap_or(99),
        }
    }

    /// Tries all orders.
    fn has_order(times: &[CallTime], seen: &[SeenCall]) -> bool {
        fn permute(order: &mut Vec<usize>, n: usize, fits: &mut dyn FnMut(&[usize]) -> bool) -> bool {
            if order.len() == n {
                return fits(order);
            }
            (0..n).any(|at| {
                let is_new = !order.contains(&at);
                order.push(at);
                let found = is_new && permute(order, n, fits);
                order.pop();
                found
            })
        }
        permute(&mut Vec::new(), times.len(), &mut |order| fits(order, times, seen))
    }

    /// Whether the order keeps to the times and to the model.
    fn fits(order: &[usize], times: &[CallTime], seen: &[SeenCall]) -> bool {
        let in_time = (0..order.len())
            .all(|i| order[i + 1..].iter().all(|later| times[*later].ended >= times[order[i]].began));
        let mut state = State::default();
        in_time && order.iter().all(|at| model(&mut state, seen[*at].call) == seen[*at].result)
    }

    /// A random history of at most six calls: of a model that ran them in some order, or changed in one result.
    fn history(rng: &mut Rng) -> (Vec<CallTime>, Vec<SeenCall>) {
        let n = rng.below(7) as usize;
        let threads = 1 + rng.below(3) as usize;
        let (mut clock, mut free, mut times) = (0, vec![0; threads], Vec::new());
        for _ in 0..n {
            let thread = rng.below(threads as u64) as usize;
            clock += 1 + rng.below(2);
            let began = clock.max(free[thread]);
            let ended = began + 1 + rng.below(5);
            free[thread] = ended + 1;
            times.push(CallTime { began, ended });
        }
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|at| times[*at].began + rng.below(times[*at].ended - times[*at].began + 1));
        let (mut state, mut seen) = (State::default(), vec![SeenCall { call: 0, result: 0 }; n]);
        for at in order {
            let call = rng.below(6);
            seen[at] = SeenCall { call, result: model(&mut state, call) };
        }
        if n > 0 && rng.below(2) == 0 {
            seen[rng.below(n as u64) as usize].result = rng.below(3);
        }
        (times, seen)
    }

    #[test]
    fn it_agrees_with_brute_force_over_all_orders() {
        let mut rng = Rng::new(7);
        let mut counts = [0; 2];
        for round in 0..5_000 {
            let (times, seen) = history(&mut rng);
            let expected = has_order(&times, &seen);
            counts[usize::from(expected)] += 1;
            for same in [None, Some(<State as PartialEq>::eq as fn(&State, &State) -> bool)] {
                let agrees =
                    &mut |state: &mut State, at: usize| model(state, seen[at].call) == seen[at].result;
                match linearize(&times, &State::default(), same, agrees) {
                    Linearization::Order(order) => {
                        assert!(
                            expected && fits(&order, &times, &seen),
                            "{round}: {order:?} {times:?} {seen:?}"
                        );
                        assert_eq!(order.len(), times.len());
                    }
                    Linearization::Impossible(farthest) => {
                        assert!(!expected && farthest.len() < times.len(), "{round}: {times:?} {seen:?}");
                        assert!(fits(&farthest, &times, &seen));
                    }
                    Linearization::Unknown => panic!("{round}: {times:?}"),
                }
            }
        }
        assert!(counts.iter().all(|it| *it > 500), "both happen: {counts:?}");
    }

    #[test]
    fn states_that_are_the_same_are_gone_on_from_once() {
        // 12 calls at the same time, one of which has a wrong result: without the memo, 11! orders.
        let times = [CallTime { began: 0, ended: 1 }; 12];
        let agrees = &mut |count: &mut u32, at: usize| {
            *count += 1;
            at != 11
        };
        let farthest = linearize(&times, &0, Some(PartialEq::eq), agrees);
        assert_eq!(farthest, Linearization::Impossible((0..11).collect()));
        assert_eq!(linearize(&times, &0, None, agrees), Linearization::Unknown, "it gives up in time");
    }
}
