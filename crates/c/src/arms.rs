//! One of several ways: what `OneOf` calls.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::{c_char, c_double, c_uint};
use std::slice;

use probity_core::ArmSet;

use crate::case::{self, ask, pop_arm, push_arm};
use crate::input::DrawSite;
use crate::saved;
use crate::text::{self, kept};

/// How many alternatives of one place are told apart; more are drawn by their number.
const ARMS_MAX: usize = 64;
/// What the weights of a place add up to, about.
const WEIGHTS: f64 = 1_000_000.0;

/// A place with alternatives: its file and line, its text, how many there are, and their weights.
type ArmPlace = (usize, c_uint, usize, Vec<u32>);

thread_local! {
    /// The place that was last asked about.
    static LAST: RefCell<Option<(ArmPlace, &'static ArmSet)>> = const { RefCell::new(None) };
    static KNOWN: RefCell<BTreeMap<ArmPlace, &'static ArmSet>> = const { RefCell::new(BTreeMap::new()) };
}

/// Picks one of `n` alternatives and begins it. `texts` are their source texts, as the preprocessor has them.
/// [`probity_end_one_of`] ends it. Random cases leave some of them out; see the setting `swarm`.
///
/// # Safety
///
/// Both texts end with a zero, or are null, and last as long as the program.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn probity_one_of(
    n: usize,
    texts: *const c_char,
    file: *const c_char,
    line: c_uint,
) -> usize {
    // SAFETY: as the caller promises.
    unsafe { enter(n, None, texts, DrawSite { file, line }) }
}

/// As [`probity_one_of`], each alternative as likely as its part of `parts` says.
///
/// # Safety
///
/// As there; and there are `n` parts.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn probity_one_of_weighted(
    n: usize,
    parts: *const c_double,
    texts: *const c_char,
    file: *const c_char,
    line: c_uint,
) -> usize {
    // SAFETY: as the caller promises.
    let parts = unsafe { slice::from_raw_parts(parts, n) };
    // SAFETY: as the caller promises.
    unsafe { enter(n, Some(parts), texts, DrawSite { file, line }) }
}

/// Ends the alternative that was begun last.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn probity_end_one_of() {
    pop_arm();
}

/// # Safety
///
/// As of [`probity_one_of`].
unsafe fn enter(n: usize, parts: Option<&[f64]>, texts: *const c_char, at: DrawSite) -> usize {
    if n == 0 || n > ARMS_MAX {
        return ask(|src| src.pick(n));
    }
    // SAFETY: as the caller promises.
    let arms = unsafe { arm_set(n, parts, texts, at) };
    saved::propose(4, 0, n as i128 - 1);
    let arm = ask(|src| src.enter_arm(arms, 0));
    let index = arm.index();
    saved::add(4, index as u64);
    push_arm(arm);
    index
}

/// # Safety
///
/// As of [`probity_one_of`].
unsafe fn arm_set(n: usize, parts: Option<&[f64]>, texts: *const c_char, at: DrawSite) -> &'static ArmSet {
    let address = if texts.is_null() { at.file } else { texts } as usize;
    let is_last =
        |it: &ArmPlace| (it.0, it.1, it.2) == (address, at.line, n) && parts.is_none() && it.3.is_empty();
    if let Some(it) = LAST.with_borrow(|it| it.as_ref().filter(|it| is_last(&it.0)).map(|it| it.1)) {
        return it;
    }
    let weights: Vec<u32> = parts.iter().flat_map(|it| it.iter()).map(|it| (it * WEIGHTS) as u32).collect();
    let place = (address, at.line, n, weights);
    let make = || {
        // SAFETY: as the caller promises.
        let texts = text::arms(&unsafe { case::text(texts) }, n);
        let names: Vec<&str> = texts.iter().map(|it| kept(it)).collect();
        let weights = if parts.is_some() { place.3.clone() } else { vec![1; n] };
        ArmSet::foreign(&names, &weights, at.place())
    };
    let arms = KNOWN.with_borrow_mut(|it| *it.entry(place.clone()).or_insert_with(make));
    LAST.set(Some((place, arms)));
    arms
}
