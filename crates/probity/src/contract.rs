//! Contracts while they are checked: what `#[probity::contract]` writes into a function.
//!
//! A contract says what a function requires of its caller and what it ensures. Where a condition does not hold, the
//! case fails, and the failure names who is to blame:
//!
//! ```test_harness
//! # use probity::prelude::*;
//! #[probity::contract]
//! #[requires(b != 0)]
//! #[ensures(|out| *out <= a)]
//! fn quotient(a: u32, b: u32) -> u32 {
//!     a / b
//! }
//! ```
//!
//! The chapter on contracts in the guide has more of them.

use std::cell::RefCell;

use probity_core::Tally;

use crate::context;
use crate::events::RequiredCondition;

thread_local! {
    /// The functions with contracts that are running, outermost first: who calls is found here.
    static CALLS: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
    /// What the contract of the running test requires, and whether it narrows what is drawn.
    static REQUIRED: RefCell<Vec<(&'static str, bool)>> = const { RefCell::new(Vec::new()) };
}

/// Informs the run what a contract requires, once: each condition with its place among those that may narrow what is drawn, of
/// which `narrowing` says whether they do. Written by `#[probity::contract]`.
///
/// ```
/// probity::contract::tell(&[("a < b", Some(0)), ("is_fit(a)", None)], || vec![true]);
/// ```
pub fn tell(conditions: &[(&'static str, Option<usize>)], narrowing: impl FnOnce() -> Vec<bool>) {
    if REQUIRED.with_borrow(|it| it.is_empty()) {
        let narrowing = narrowing();
        let narrows = |at: &Option<usize>| at.and_then(|it| narrowing.get(it).copied()).unwrap_or(false);
        let told = conditions.iter().map(|(text, at)| (*text, narrows(at))).collect();
        REQUIRED.set(told);
    }
}

/// What was told since it was last asked for, with how many inputs passed each.
pub(crate) fn take_required(tally: &Tally) -> Vec<RequiredCondition> {
    let told = REQUIRED.take();
    let rejects =
        |text: &str| -> u64 { tally.rejects.iter().filter(|it| it.0.what == text).map(|it| *it.1).sum() };
    // They are looked at one after the other: what one refuses, the next does not see.
    let mut reached = tally.cases + told.iter().map(|it| rejects(it.0)).sum::<u64>();
    let mut res = Vec::new();
    for (text, narrows) in told {
        let passed = reached - rejects(text);
        res.push(RequiredCondition { text, narrows, passed, reached });
        reached = passed;
    }
    res
}

/// A call of a function that has a contract, while it runs.
///
/// ```
/// use probity::contract::CheckedCall;
/// fn half(n: u32) -> u32 {
///     let call = CheckedCall::new("half");
///     call.require(n % 2 == 0, "n % 2 == 0");
///     let out = n / 2;
///     call.ensure(&out, |out| out * 2 == n, "out * 2 == n");
///     out
/// }
/// assert_eq!(half(6), 3);
/// assert!(std::panic::catch_unwind(|| half(7)).is_err());
/// ```
#[derive(Debug)]
pub struct CheckedCall {
    name: &'static str,
    is_stacked: bool,
}

impl CheckedCall {
    /// A call of the function of that name, from now on until it is dropped.
    pub fn new(name: &'static str) -> CheckedCall {
        CALLS.with_borrow_mut(|it| it.push(name));
        CheckedCall { name, is_stacked: true }
    }

    /// A call that others may run beside, as that of an `async fn`: nobody is its callee.
    pub fn alone(name: &'static str) -> CheckedCall {
        CheckedCall { name, is_stacked: false }
    }

    /// Fails where the caller did not keep to what is required.
    #[track_caller]
    pub fn require(&self, holds: bool, text: &str) {
        if !holds {
            let name = self.name;
            match self.caller() {
                Some(caller) => panic!("`{caller}` broke the contract of `{name}`, which requires `{text}`"),
                None => panic!("the caller of `{name}` broke its contract, which requires `{text}`"),
            }
        }
    }

    /// Fails where what is returned is not as ensured.
    #[track_caller]
    pub fn ensure<T: ?Sized>(&self, out: &T, holds: impl FnOnce(&T) -> bool, text: &str) {
        if !holds(out) {
            panic!("`{}` broke its contract, which ensures `{text}`", self.name);
        }
    }

    /// Who called it, where that one has a contract, too.
    fn caller(&self) -> Option<&'static str> {
        CALLS.with_borrow(|it| {
            let before = it.len().checked_sub(if self.is_stacked { 2 } else { 1 })?;
            it.get(before).copied()
        })
    }
}

impl Drop for CheckedCall {
    fn drop(&mut self) {
        if self.is_stacked {
            CALLS.with_borrow_mut(Vec::pop);
        }
    }
}

/// Requires something of the inputs of a contract's test; see [`assume!`](crate::assume).
///
/// ```
/// probity::check(|src: &mut probity::Source| {
///     let (a, b) = (src.draw(0..100), src.draw(0..100));
///     probity::contract::assume(b != 0, "b != 0");
///     assert!(a / b <= a);
/// });
/// ```
#[inline]
#[track_caller]
pub fn assume(holds: bool, text: &'static str) {
    context::assume(holds, text);
}
