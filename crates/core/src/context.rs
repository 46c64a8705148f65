//! What the running case knows about itself, for code that has no [`Source`](crate::Source) at hand.
//!
//! `assume!`, `check!`, `note!` and their kin work anywhere on the test's thread. They find the case
//! through one thread-local, which the `unwind` module sets and takes back.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::sync::Arc;

use crate::render;
use crate::unwind::{Unwind, unwind};
use crate::{
    Broken, Cover, Failure, Goal, Log, Origin, OriginKind, Progress, PumpOrder, Score, Site, SourcePlace,
};

/// How the case on this thread is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CaseMode {
    /// No case is running.
    Outside,
    /// Many cases at full speed, nothing recorded.
    Fast,
    /// One case with its trace.
    Recording,
    /// One case with its trace, inputs and notes, for a report.
    Rendering,
    /// Code of the user beside a case, such as a `Debug`, which may be run or not: what it says does not count.
    Beside,
    /// One case outside of every search: what it panics with is the user's to see.
    Last,
}

thread_local! {
    static MODE: Cell<CaseMode> = const { Cell::new(CaseMode::Outside) };
    static LOG: RefCell<Log> = const { RefCell::new(Log {
        inputs: Vec::new(), notes: Vec::new(), broken: Vec::new(),
        labels: Vec::new(), remarks: Vec::new(), covers: Vec::new(), goals: Vec::new(), scores: Vec::new(),
    }) };
    static PANICKED_AT: RefCell<Option<String>> = const { RefCell::new(None) };
    /// Why the case has ended, though its test may still run: the test can catch what unwinds it.
    static END: RefCell<Option<Unwind>> = const { RefCell::new(None) };
    /// Whether the case has said what only a recorded case keeps.
    static NEEDS_RECORDING: Cell<bool> = const { Cell::new(false) };
    /// The batch that the case is of, which ends with the case once one of the two above is set.
    static BATCH: RefCell<Option<Arc<Progress>>> = const { RefCell::new(None) };
    /// What the values are called that a rendered case put into pools since it last drew something.
    static MADE: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    static PREFERRED: RefCell<Option<Preferred>> = const { RefCell::new(None) };
    /// The goal that is sought: a case that comes to it fails there.
    static SOUGHT: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// Which cases a random search prefers.
#[derive(Default)]
struct Preferred {
    /// What the last cases were worth at each place that says so, in turn; less is better.
    last: Vec<(SourcePlace, [u128; 8], usize)>,
    /// How many cases were passed over since one was not that might have been.
    passed: u32,
}

impl Preferred {
    /// Whether a case is to be passed over that is worth this much, there.
    fn passes(&mut self, location: SourcePlace, worth: u128) -> bool {
        let at = self.last.iter().position(|it| it.0 == location);
        let Some((_, last, next)) = at.map(|at| &mut self.last[at]) else {
            if self.last.len() < PLACES_MAX {
                self.last.push((location, [worth; 8], 0));
            }
            return false;
        };
        let better = last.iter().filter(|it| **it < worth).count();
        last[*next] = worth;
        *next = (*next + 1) % last.len();
        if better * 2 > last.len() {
            self.passed = (self.passed + 1) % PASSED_OF;
            return self.passed != 0;
        }
        false
    }
}

/// Of this many cases that are worth less than most, all but one are passed over.
const PASSED_OF: u32 = 4;
/// At how many places preferences are minded.
const PLACES_MAX: usize = 8;

/// Whether a case is running on this thread, so that a panic belongs to the search.
///
/// ```
/// assert!(!probity_core::context::in_case());
/// ```
pub fn in_case() -> bool {
    matches!(MODE.get(), CaseMode::Fast | CaseMode::Recording | CaseMode::Rendering | CaseMode::Beside)
}

/// Takes note of where a panic started, as a panic hook sees it; the case's failure will say so.
///
/// ```
/// probity_core::context::panicked_at("src/lib.rs:3:5".to_string()); // outside a case: nothing happens
/// ```
pub fn panicked_at(place: String) {
    if in_case() {
        PANICKED_AT.set(Some(place));
    }
}

/// Requires something of the input; the case is rejected where it does not hold. See `assume!`.
///
/// ```
/// # fn main() {
/// use probity_core::{Random, Source, Verdict, context, run_case};
/// let mut source = Source::new(Box::new(Random::new(1)));
/// let case = run_case(&mut source, &mut |_: &mut Source| context::assume(false, "false")).unwrap();
/// assert!(matches!(case.verdict, Verdict::Reject(_)));
/// # }
/// ```
#[inline]
#[track_caller]
pub fn assume(holds: bool, what: &'static str) {
    if !holds {
        reject(what);
    }
}

/// Rejects the running case.
#[cold]
#[track_caller]
fn reject(what: &'static str) {
    let location = SourcePlace::caller();
    // A destructor of a case that ends already. To unwind from there would end the process.
    if std::thread::panicking() {
        return;
    }
    if MODE.get() == CaseMode::Outside {
        panic!("assume! was used outside a case, at {location}; call it from the test's own thread");
    }
    unwind(Unwind::Reject(Site { what, location }))
}

/// Adds a broken soft check to the case. See `check!`.
///
/// ```
/// # use probity_core::{Random, Source, context, run_case};
/// # let mut source = Source::new(Box::new(Random::new(1)));
/// let mut test = |_: &mut Source| context::broken(format_args!("2 is odd"));
/// let case = run_case(&mut source, &mut test).unwrap();
/// assert_eq!(case.verdict.failure().unwrap().message, "2 is odd");
/// ```
#[cold]
#[track_caller]
pub fn broken(message: fmt::Arguments<'_>) {
    broken_at(message, SourcePlace::caller());
}

/// As [`broken`], with where the check is.
///
/// ```
/// # use probity_core::{SourcePlace, Random, Source, context, run_case};
/// # let mut source = Source::new(Box::new(Random::new(1)));
/// let place = SourcePlace::Foreign { file: "list.cpp", line: 7 };
/// let mut test = |_: &mut Source| context::broken_at(format_args!("2 is odd"), place);
/// assert_eq!(run_case(&mut source, &mut test).unwrap().log.broken[0].location, place);
/// ```
#[cold]
#[track_caller]
pub fn broken_at(message: fmt::Arguments<'_>, location: SourcePlace) {
    match MODE.get() {
        // In a destructor, while something unwinds, a panic would end the process.
        CaseMode::Outside | CaseMode::Last if std::thread::panicking() => {}
        CaseMode::Outside | CaseMode::Last => panic!("{}", render::text(message)),
        _ => recording(|| {
            let message = render::text(message);
            LOG.with_borrow_mut(|log| log.broken.push(Broken { message, location }));
        }),
    }
}

/// Whether a soft check of the running case did not hold, so that the case fails however it ends.
///
/// ```
/// assert!(!probity_core::context::is_broken(), "there is no case");
/// ```
pub fn is_broken() -> bool {
    LOG.with_borrow(|log| !log.broken.is_empty())
}

/// Adds a note, where the case is one that will be shown. See `note!`.
///
/// ```
/// # use probity_core::{Random, Source, context, render_case, run_case};
/// # let mut source = Source::new(Box::new(Random::new(1)));
/// let mut test = |_: &mut Source| context::note(format_args!("halfway"));
/// assert_eq!(render_case(&mut source, &mut test).unwrap().log.notes, ["halfway"]);
/// assert!(run_case(&mut source, &mut test).unwrap().log.notes.is_empty());
/// ```
pub fn note(message: fmt::Arguments<'_>) {
    if MODE.get() == CaseMode::Rendering {
        let text = render::text(message);
        LOG.with_borrow_mut(|log| log.notes.push(text));
    }
}

/// Notes a check that does not hold, for one who fails the case by itself.
pub(crate) fn break_check(message: String, location: SourcePlace) {
    recording(|| LOG.with_borrow_mut(|log| log.broken.push(Broken { message, location })));
}

/// Counts the case under a label. See `classify!` and `collect!`.
///
/// ```
/// # use probity_core::{Random, Source, context, run_case};
/// # let mut source = Source::new(Box::new(Random::new(1)));
/// let mut test = |_: &mut Source| context::label(format_args!("empty"));
/// assert_eq!(run_case(&mut source, &mut test).unwrap().log.labels, ["empty"]);
/// ```
pub fn label(text: fmt::Arguments<'_>) {
    recording(|| {
        let text = render::text(text);
        LOG.with_borrow_mut(|log| log.labels.push(text));
    });
}

/// Says something of the test that is to be read once, though it is no failure: a run that passes reports it.
///
/// ```
/// # use probity_core::{Random, Source, context, run_case};
/// # let mut source = Source::new(Box::new(Random::new(1)));
/// let mut test = |_: &mut Source| context::remark(format_args!("`pop` panics where it is empty"));
/// assert_eq!(run_case(&mut source, &mut test).unwrap().log.remarks.len(), 1);
/// ```
pub fn remark(text: fmt::Arguments<'_>) {
    recording(|| {
        let text = render::text(text);
        LOG.with_borrow_mut(|log| log.remarks.push(text));
    });
}

/// Counts whether the case met something that a share of cases has to meet. See `cover!`.
///
/// ```
/// # use probity_core::{Random, Source, context, run_case};
/// # let mut source = Source::new(Box::new(Random::new(1)));
/// let mut test = |src: &mut Source| context::cover(30.0, src.bool(), "heads");
/// assert_eq!(run_case(&mut source, &mut test).unwrap().log.covers[0].percent, 30.0);
/// ```
#[track_caller]
pub fn cover(percent: f64, held: bool, what: &'static str) {
    let location = SourcePlace::caller();
    recording(|| LOG.with_borrow_mut(|log| log.covers.push(Cover { what, location, percent, held })));
}

/// Says whether the case comes to a goal. See `reach!`.
///
/// ```
/// # use probity_core::{Random, Source, context, run_case};
/// # let mut source = Source::new(Box::new(Random::new(1)));
/// let mut test = |src: &mut Source| context::reach("heads", src.bool(), false);
/// assert_eq!(run_case(&mut source, &mut test).unwrap().log.goals[0].label, "heads");
/// ```
#[track_caller]
pub fn reach(label: &'static str, held: bool, must: bool) {
    if SOUGHT.get().is_some_and(|it| it == label) {
        if held && MODE.get() != CaseMode::Outside {
            unwind(Unwind::Failed(goal_failure(label)));
        }
        return;
    }
    let location = SourcePlace::caller();
    recording(|| LOG.with_borrow_mut(|log| log.goals.push(Goal { label, location, must, held })));
}

/// What a case ends with that comes to the goal that is sought.
///
/// ```
/// assert_eq!(probity_core::context::goal_failure("full").message, "the goal `full` is reached");
/// ```
pub fn goal_failure(label: &str) -> Failure {
    let place = format!("the goal `{label}` is reached");
    Failure { message: place.clone(), origin: Origin { kind: OriginKind::Model, place } }
}

/// Seeks a goal while it lives: cases on this thread that come to it end there, as failures.
///
/// ```
/// # use probity_core::{Random, Source, context, run_case};
/// # let mut source = Source::new(Box::new(Random::new(1)));
/// let sought = context::SoughtGoal::new("any");
/// let case = run_case(&mut source, &mut |_: &mut Source| context::reach("any", true, false)).unwrap();
/// assert_eq!(case.verdict.failure(), Some(&context::goal_failure("any")));
/// ```
#[derive(Debug)]
pub struct SoughtGoal(());

impl SoughtGoal {
    /// Begins to seek.
    pub fn new(label: &'static str) -> SoughtGoal {
        SOUGHT.set(Some(label));
        SoughtGoal(())
    }
}

impl Drop for SoughtGoal {
    fn drop(&mut self) {
        SOUGHT.set(None);
    }
}

/// Gives the case a score to raise.
///
/// ```
/// use probity_core::{Random, Source, context::maximize, run_case};
/// let mut source = Source::new(Box::new(Random::new(1)));
/// let case = run_case(&mut source, &mut |src: &mut Source| {
///     maximize("size", f64::from(src.draw(0..=9)));
/// }).unwrap();
/// assert_eq!(case.log.scores[0].label, "size");
/// ```
pub fn maximize(label: &'static str, value: f64) {
    recording(|| LOG.with_borrow_mut(|log| log.scores.push(Score { label, value, minimize: false })));
}

/// Gives the case a score to lower.
///
/// ```
/// probity_core::context::minimize("distance", 3.0); // outside a case: nothing happens
/// ```
pub fn minimize(label: &'static str, value: f64) {
    recording(|| LOG.with_borrow_mut(|log| log.scores.push(Score { label, value: -value, minimize: true })));
}

/// Gives `value` back. An interpreter of the test's code sees the call and goes on with up to `max` of the values that
/// it can have, in this order. See `pump`.
///
/// ```
/// use probity_core::{PumpOrder, context::pump_point};
/// assert_eq!(pump_point(7, 10, PumpOrder::Smallest), 7);
/// ```
#[inline(never)]
pub extern "C" fn pump_point(value: u64, max: u32, order: PumpOrder) -> u64 {
    // Else the compiler would see that it returns what it is given, and leave out the call.
    std::hint::black_box((max, order));
    std::hint::black_box(value)
}

/// Passes the running case over, three times of four, where it is worth less than most of the last ones: of `worth`, less is
/// better. Only in random cases of a search.
#[track_caller]
pub(crate) fn prefer(worth: impl FnOnce() -> u128) {
    let location = SourcePlace::caller();
    let passes = PREFERRED.with_borrow_mut(|it| it.as_mut().is_some_and(|it| it.passes(location, worth())));
    if passes && !std::thread::panicking() {
        unwind(Unwind::Skipped);
    }
}

/// Lets cases of a search on this thread be passed over while it lives.
pub(crate) struct PreferenceGuard(Option<Preferred>);

impl PreferenceGuard {
    pub(crate) fn new() -> Self {
        PreferenceGuard(PREFERRED.replace(Some(Preferred::default())))
    }
}

impl Drop for PreferenceGuard {
    fn drop(&mut self) {
        PREFERRED.set(self.0.take());
    }
}

/// Runs `act` in a recorded case. A fast case goes on to its end, and is run again with recording: to unwind it here
/// would poison the locks that it holds, and its test could catch that.
fn recording(act: impl FnOnce()) {
    // What a test does after it caught the end of its case is an effect of that; what its destructors say while it
    // ends is not.
    let counts = || END.with_borrow(Option::is_none) || std::thread::panicking();
    match MODE.get() {
        CaseMode::Outside | CaseMode::Last | CaseMode::Beside => {}
        CaseMode::Fast if counts() => {
            NEEDS_RECORDING.set(true);
            leave_batch();
        }
        CaseMode::Recording | CaseMode::Rendering if counts() => act(),
        CaseMode::Fast | CaseMode::Recording | CaseMode::Rendering => {}
    }
}

/// Says why the case ends. The first reason stands: what follows, where the test catches it, is an effect of it.
pub(crate) fn end(why: Unwind) {
    END.with_borrow_mut(|end| {
        end.get_or_insert(why);
    });
    leave_batch();
}

/// Takes back why the case ends, to put it back later.
pub(crate) fn replace_end(end: Option<Unwind>) -> Option<Unwind> {
    END.replace(end)
}

/// Lets no other case begin beside one that has ended, or cannot be a fast one.
fn leave_batch() {
    BATCH.with_borrow(|it| it.iter().for_each(|it| it.leave_batch()));
}

/// Where the last panic of the case started, which is forgotten, or said to have been elsewhere.
pub(crate) fn replace_panicked_at(place: Option<String>) -> Option<String> {
    PANICKED_AT.replace(place)
}

/// The state of the case that was running when another began, to be put back after it.
pub(crate) struct SuspendedCase {
    made: Vec<String>,
    mode: CaseMode,
    log: Log,
    panicked_at: Option<String>,
    end: Option<Unwind>,
    needs_recording: bool,
    batch: Option<Arc<Progress>>,
    /// What is not to be known within this case.
    preferred: Option<Preferred>,
}

/// How a case went, as far as it has said so itself.
pub(crate) struct Left {
    pub(crate) log: Log,
    /// Why it ended before its test did.
    pub(crate) end: Option<Unwind>,
    /// Whether it said what only a recorded case keeps.
    pub(crate) needs_recording: bool,
}

/// Begins what runs beside the case, if one is running.
pub(crate) fn enter_beside() -> SuspendedCase {
    enter(if in_case() { CaseMode::Beside } else { MODE.get() }, false, None)
}

/// Whether no case runs on this thread.
pub(crate) fn is_outside() -> bool {
    MODE.get() == CaseMode::Outside
}

/// Whether the running code is the case itself.
pub(crate) fn is_the_case() -> bool {
    MODE.get() != CaseMode::Beside
}

/// Begins a case, which may be passed over if `may_skip`, or a `batch` of them.
pub(crate) fn enter(mode: CaseMode, may_skip: bool, batch: Option<Arc<Progress>>) -> SuspendedCase {
    // Where there is none it is not written: to the concolic engine, bytes that mean nothing would be state that changes.
    let has_none = may_skip || PREFERRED.with_borrow(Option::is_none);
    let preferred = if has_none { None } else { PREFERRED.take() };
    SuspendedCase {
        made: MADE.take(),
        mode: MODE.replace(mode),
        log: LOG.take(),
        panicked_at: PANICKED_AT.take(),
        end: END.take(),
        needs_recording: NEEDS_RECORDING.replace(false),
        batch: BATCH.replace(batch),
        preferred,
    }
}

/// Whether this is the last run of a failing case, in which nothing is caught.
pub(crate) fn is_last() -> bool {
    MODE.get() == CaseMode::Last
}

/// Whether the running case is rendered for a report: only then is it worth while to make texts for it.
///
/// ```
/// assert!(!probity_core::context::is_rendering(), "no case is running here");
/// ```
pub fn is_rendering() -> bool {
    MODE.get() == CaseMode::Rendering
}

/// Notes what a value is called that a rendered case put into a pool.
pub(crate) fn made(name: String) {
    MADE.with_borrow_mut(|it| it.push(name));
}

/// What was noted since the last call.
pub(crate) fn take_made() -> Vec<String> {
    MADE.take()
}

/// Ends the running case.
pub(crate) fn leave(outer: SuspendedCase) -> Left {
    MODE.set(outer.mode);
    if outer.preferred.is_some() {
        PREFERRED.set(outer.preferred);
    }
    PANICKED_AT.set(outer.panicked_at);
    MADE.set(outer.made);
    // A search within a case may have been told to use the progress of the one around it, and has moved its mark.
    if let Some(batch) = BATCH.replace(outer.batch) {
        batch.leave_batch();
    }
    Left {
        log: LOG.replace(outer.log),
        end: END.replace(outer.end),
        needs_recording: NEEDS_RECORDING.replace(outer.needs_recording),
    }
}
