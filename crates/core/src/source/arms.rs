//! Named arms of which one is run, and loops of them: what `one_of!` and `steps!` call.
//!
//! An arm is plain code of the test, so it may be left in any way: by `?`, `break`, `return`, a panic, or because its
//! future is dropped. The spans around it are therefore closed by a value that is dropped then. That value cannot hold
//! the source, which the arm draws from: it holds a way to the recorder.

use std::cell::RefMut;

use super::Source;
use super::recorder::{Recorder, SharedRecorder};
use crate::domain::n_shut_below;
use crate::unwind::{Unwind, unwind};
use crate::{ArmTally, Lengths, Site, SourcePlace, SpanKind, Tally};

/// The arms that one place of a program has: their names and how often each is wanted, relative to the others.
///
/// ```
/// use probity_core::ArmSet;
/// static ARMS: ArmSet = ArmSet::new(&["push", "pop"], &[3, 1]);
/// assert_eq!(ARMS.names(), ["push", "pop"]);
/// ```
#[derive(Debug)]
pub struct ArmSet {
    names: &'static [&'static str],
    weights: &'static [u32],
    /// What distinguishes it from other places, in every build and run of the same program.
    site: u64,
    location: SourcePlace,
}

/// How many arms a place has at most that can be shut.
const ARMS_MAX: usize = u64::BITS as usize;

impl ArmSet {
    /// ArmSet with these names and weights. Panics where there are not as many of both, or none, or more than 64.
    #[track_caller]
    pub const fn new(names: &'static [&'static str], weights: &'static [u32]) -> ArmSet {
        assert!(names.len() == weights.len() && !names.is_empty(), "give each arm a name and a weight");
        assert!(names.len() <= ARMS_MAX, "more than 64 arms; put some of them into a `one_of!` of their own");
        ArmSet { names, weights, site: hash_names(names), location: SourcePlace::caller() }
    }

    /// The arms of a place in another language, for good. Panics as [`new`](ArmSet::new) does.
    ///
    /// ```
    /// use probity_core::{ArmSet, SourcePlace};
    /// let place = SourcePlace::Foreign { file: "stack.cpp", line: 9 };
    /// assert_eq!(ArmSet::foreign(&["push", "pop"], &[1, 1], place).names(), ["push", "pop"]);
    /// ```
    pub fn foreign(names: &[&'static str], weights: &[u32], place: SourcePlace) -> &'static ArmSet {
        let (names, weights) = (names.to_vec().leak(), weights.to_vec().leak());
        Box::leak(Box::new(ArmSet { location: place, ..ArmSet::new(names, weights) }))
    }

    /// What they are called, in their order.
    pub fn names(&self) -> &'static [&'static str] {
        self.names
    }

    /// Those without a weight, by bit: nobody wonders that they were not entered.
    fn never_by_chance(&self) -> u64 {
        (0..).zip(self.weights).fold(0, |bits, (at, weight)| bits | u64::from(*weight == 0) << at)
    }

    /// Where they stand.
    pub(crate) fn location(&self) -> SourcePlace {
        self.location
    }

    /// Whether all of them are shut.
    #[inline(always)]
    fn are_shut(&self, shut: u64) -> bool {
        let n = self.names.len() as u32;
        n_shut_below(shut, n) == n
    }
}

/// A number for a list of names.
const fn hash_names(names: &[&str]) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let (mut res, mut at) = (OFFSET, 0);
    while at < names.len() {
        let (name, mut i) = (names[at].as_bytes(), 0);
        while i < name.len() {
            res = (res ^ name[i] as u64).wrapping_mul(PRIME);
            i += 1;
        }
        // What ends a name is no byte of any.
        res = (res ^ 0xff).wrapping_mul(PRIME);
        at += 1;
    }
    res
}

/// An arm that runs until this is dropped.
///
/// ```
/// use probity_core::{ArmSet, Random, Source, run_case};
/// static ARMS: ArmSet = ArmSet::new(&["tea", "milk"], &[1, 1]);
/// let mut source = Source::new(Box::new(Random::new(7)));
/// let case = run_case(&mut source, &mut |src: &mut Source| {
///     let arm = src.enter_arm(&ARMS, 0b01); // tea is shut
///     assert_eq!(arm.index(), 1);
/// }).unwrap();
/// let labels: Vec<&str> = case.trace.spans.iter().map(|it| it.label).collect();
/// assert_eq!(labels, ["one_of", "milk"]);
/// ```
pub struct Arm {
    index: usize,
    _spans: Option<OpenSpans>,
}

impl Arm {
    /// Which arm it is, by its place in [`ArmSet`].
    #[inline(always)]
    pub fn index(&self) -> usize {
        self.index
    }
}

/// A loop of arms, which ends when this is dropped. Each step is an item of a list, and holds the pick, what the arm
/// draws and what is drawn after it, so that leaving out one leaves out all of it.
///
/// ```
/// use probity_core::{ArmSet, Source, sample};
/// static ARMS: ArmSet = ArmSet::new(&["up", "down"], &[1, 1]);
/// let walk = |src: &mut Source| {
///     let (mut height, mut steps) = (0, src.steps(..=9));
///     while steps.has_next() {
///         match src.next_step(&mut steps, &ARMS, if height == 0 { 0b10 } else { 0 }) {
///             Some(0) => height += 1,
///             Some(_) => height -= 1,
///             None => break,
///         }
///     }
///     height
/// };
/// assert!((0..=9).contains(&sample(&walk, 7)));
/// ```
pub struct Steps {
    /// How many were begun.
    begun: u32,
    /// How many more there may be.
    left: u32,
    /// Whether there could not have been fewer.
    has_least_length: bool,
    /// Whether a step runs.
    is_running: bool,
    spans: Option<OpenSpans>,
}

impl Steps {
    /// Ends the step that runs; `false` where none does, or it was ended before. What is drawn until
    /// [`has_next`](Steps::has_next) still belongs to it.
    ///
    /// ```
    /// use probity_core::{ArmSet, Random, Source, run_case};
    /// static ARMS: ArmSet = ArmSet::new(&["push"], &[1]);
    /// let mut source = Source::new(Box::new(Random::at(7, 9)));
    /// run_case(&mut source, &mut |src: &mut Source| {
    ///     let mut steps = src.steps(1..=1);
    ///     src.next_step(&mut steps, &ARMS, 0);
    ///     assert!(steps.end_step());
    ///     assert!(!steps.end_step(), "it was ended before");
    /// }).unwrap();
    /// ```
    #[inline(always)]
    pub fn end_step(&mut self) -> bool {
        if self.is_running
            && let Some(spans) = &self.spans
        {
            spans.close(IN_STEP);
        }
        std::mem::take(&mut self.is_running)
    }

    /// Whether there is another step.
    #[inline(always)]
    pub fn has_next(&mut self) -> bool {
        self.is_running = false;
        if let Some(spans) = &self.spans {
            spans.close(IN_LIST);
        }
        self.left > 0
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        if let Some(spans) = &self.spans {
            spans.end_list(self.begun);
        }
    }
}

/// Which arms were entered.
#[derive(Default)]
pub(super) struct EnteredArms {
    /// Where the last one is.
    last: usize,
    sets: Vec<(&'static ArmSet, u64)>,
}

impl EnteredArms {
    #[inline(always)]
    fn enter(&mut self, arms: &'static ArmSet, index: usize) {
        match self.sets.get_mut(self.last) {
            Some((set, entered)) if std::ptr::eq(*set, arms) => *entered |= 1 << index,
            _ => self.enter_other(arms, index),
        }
    }

    #[inline(never)]
    fn enter_other(&mut self, arms: &'static ArmSet, index: usize) {
        self.know(arms);
        self.sets[self.last].1 |= 1 << index;
    }

    /// Notes that a case came to these arms, whether or not it entered one.
    fn know(&mut self, arms: &'static ArmSet) {
        let known = self.sets.iter().position(|it| std::ptr::eq(it.0, arms));
        self.last = known.unwrap_or_else(|| {
            self.sets.push((arms, 0));
            self.sets.len() - 1
        });
    }
}

/// How many spans are open within a list of steps: the list, the step, the arm.
const IN_LIST: usize = 1;
const IN_STEP: usize = 2;

/// Spans that are closed when this is dropped.
struct OpenSpans {
    shared: SharedRecorder,
    case: u64,
    /// How many spans were open before them.
    depth: usize,
}

impl OpenSpans {
    /// Closes all but the outermost `n` of them, and all that were opened since and are not closed.
    fn close(&self, n: usize) {
        if let Some(mut recorder) = self.recorder() {
            recorder.close_spans(self.depth + n);
        }
    }

    /// Says that the outermost, a list, has `n` items.
    fn end_list(&self, n: u32) {
        if let Some(mut recorder) = self.recorder() {
            recorder.end_list(self.depth, n);
        }
    }

    /// The recorder, unless the case is over: a test may keep what was dropped in other cases.
    fn recorder(&self) -> Option<RefMut<'_, Recorder>> {
        self.shared.get().filter(|it| it.case == self.case)
    }
}

impl Drop for OpenSpans {
    fn drop(&mut self) {
        self.close(0);
    }
}

impl Source {
    /// Picks one of `arms` that `shut` does not shut, by bit, and opens a span for it. Where all are shut the case is
    /// rejected. `one_of!` calls it; see [`Arm`].
    #[inline(always)]
    #[track_caller]
    pub fn enter_arm(&mut self, arms: &'static ArmSet, shut: u64) -> Arm {
        if arms.are_shut(shut) {
            all_shut();
        }
        let spans = self.open_spans("one_of", SpanKind::Group);
        let index = self.pick_arm(arms.weights, shut, arms.site);
        self.entered.enter(arms, index);
        if spans.is_some() {
            self.open_arm(arms.names[index]);
        }
        Arm { index, _spans: spans }
    }

    /// Begins a loop of arms with this many steps. `steps!` calls it; see [`Steps`].
    #[inline(always)]
    pub fn steps(&mut self, lengths: impl Into<Lengths>) -> Steps {
        let lengths = lengths.into();
        let spans = self.open_spans("steps", SpanKind::List);
        let left = lengths.draw(self);
        Steps { begun: 0, left, has_least_length: left == lengths.bounds().0, is_running: false, spans }
    }

    /// Begins the next step: picks one of `arms` that `shut` does not shut, by bit, and opens a span for it. `None` where
    /// all are shut: then the loop is over. `steps!` calls it; see [`Steps`].
    #[inline(always)]
    pub fn next_step(&mut self, steps: &mut Steps, arms: &'static ArmSet, shut: u64) -> Option<usize> {
        if arms.are_shut(shut) {
            self.entered.know(arms);
            self.end_early(steps);
            return None;
        }
        if steps.spans.is_some() {
            self.open_span("step", SpanKind::Item);
        }
        let index = self.pick_arm(arms.weights, shut, arms.site);
        self.entered.enter(arms, index);
        if steps.spans.is_some() {
            self.open_arm(arms.names[index]);
        }
        steps.left -= 1;
        steps.begun += 1;
        steps.is_running = true;
        Some(index)
    }

    /// Which arms were entered since they were last tallied: where they stand, and which, by bit.
    pub(crate) fn arms_entered(&self) -> impl Iterator<Item = (SourcePlace, u64)> {
        self.entered.sets.iter().map(|(set, entered)| (set.location, *entered))
    }

    /// Adds which arms were entered since the last call to a tally.
    pub(crate) fn tally_arms(&mut self, tally: &mut Tally) {
        for (set, entered) in std::mem::take(&mut self.entered).sets {
            let new = || ArmTally { names: set.names.to_vec(), entered: set.never_by_chance() };
            tally.arms.entry(set.location, new).entered |= entered;
        }
    }

    /// Opens a span, and returns what closes it, where a case is recorded.
    #[inline(always)]
    fn open_spans(&mut self, label: &'static str, kind: SpanKind) -> Option<OpenSpans> {
        self.is_recording().then(|| self.open_shared(label, kind))
    }

    #[inline(never)]
    fn open_shared(&mut self, label: &'static str, kind: SpanKind) -> OpenSpans {
        let shared = self.recorder.share().clone();
        let mut recorder = self.recorder.get();
        let (case, depth) = (recorder.case, recorder.open.len());
        recorder.open_span(label, kind);
        OpenSpans { shared, case, depth }
    }

    /// Ends a loop whose arms are all shut.
    #[inline(never)]
    fn end_early(&mut self, steps: &mut Steps) {
        // Where each input is visited once, the same steps come with a lower length.
        if !steps.has_least_length && self.visits_all() {
            unwind(Unwind::Skipped);
        }
        steps.left = 0;
    }
}

#[cold]
#[track_caller]
fn all_shut() -> ! {
    let site = Site { what: "an open branch of `one_of!`", location: SourcePlace::caller() };
    unwind(Unwind::Reject(site))
}
