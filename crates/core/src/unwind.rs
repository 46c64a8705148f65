//! The one place that starts unwinding and the one place that catches it.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::context::{self, CaseMode, Left};
use crate::render;
use crate::{Case, Failure, Log, Misuse, Origin, OriginKind, Site, Source, SourcePlace, Verdict};

/// A test: code that draws from a source. Any `FnMut(&mut Source)` is one.
///
/// `batch` exists so that the loop over cases is compiled together with the test: one virtual call
/// per batch instead of one per case.
///
/// ```
/// # use probity_core::{Budget, Source, search_random};
/// # let budget = Budget { cases: 100, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
/// fn addition(src: &mut Source) {
///     let (a, b): (u8, u8) = src.any();
///     assert_eq!(a.wrapping_add(b), b.wrapping_add(a));
/// }
/// assert_eq!(search_random(7, &mut addition, budget).unwrap().tally.cases, 100);
/// ```
///
/// A test of one's own wraps another:
///
/// ```
/// # use probity_core::{Budget, Case, Misuse, Source, Test, Verdict, run_case, search_random};
/// /// Counts how often it is recorded.
/// struct Counted<T> { test: T, recorded: u32 }
/// impl<T: Test> Test for Counted<T> {
///     fn case(&mut self, source: &mut Source) {
///         self.recorded += 1;
///         self.test.case(source);
///     }
///     fn batch(&mut self, source: &mut Source) {
///         self.test.batch(source);
///     }
///     fn run_elsewhere(&mut self, source: &mut Source, render: bool) -> Option<Result<Case, Misuse>> {
///         self.test.run_elsewhere(source, render)
///     }
/// }
/// let mut test = Counted { test: |src: &mut Source| assert!(src.draw(0..100) < 50), recorded: 0 };
/// let budget = Budget { cases: 100, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
/// assert_eq!(search_random(7, &mut test, budget).unwrap().failures.len(), 1);
/// assert!(test.recorded < 100, "most cases run in a batch, at full speed");
/// ```
pub trait Test {
    /// Runs one case.
    fn case(&mut self, source: &mut Source);
    /// Runs cases at full speed until `source` has no more.
    fn batch(&mut self, source: &mut Source);
    /// Runs one case with recording elsewhere than here, such as in a process of its own, and `render`s its inputs
    /// and notes. `None`, which is the default, for a test that runs here.
    fn run_elsewhere(&mut self, source: &mut Source, render: bool) -> Option<Result<Case, Misuse>> {
        let _ = (source, render);
        None
    }
}

impl<F: FnMut(&mut Source)> Test for F {
    #[inline]
    fn case(&mut self, source: &mut Source) {
        self(source);
    }

    #[inline]
    fn batch(&mut self, source: &mut Source) {
        while source.next_fast() {
            self(source);
        }
    }
}

/// Why a case ends before its test does. The context keeps it, because the test may catch what unwinds it.
pub(crate) enum Unwind {
    Reject(Site),
    Overrun,
    Skipped,
    NeedsRecording,
    Failed(Failure),
    Misuse(Misuse),
}

/// What travels up the stack then. Never seen by a panic hook.
struct Ends;

#[cold]
pub(crate) fn unwind(why: Unwind) -> ! {
    mark_end(why);
    resume_unwind(Box::new(Ends))
}

/// Says how the case ends.
fn mark_end(why: Unwind) {
    if context::is_the_case() {
        case_ended(match why {
            // However it ends, it fails.
            Unwind::Reject(_) | Unwind::Skipped | Unwind::Overrun if context::is_broken() => CaseEnd::Failed,
            Unwind::Reject(_) | Unwind::Skipped => CaseEnd::Rejected,
            Unwind::Overrun => CaseEnd::Overrun,
            Unwind::Failed(_) => CaseEnd::Failed,
            Unwind::NeedsRecording | Unwind::Misuse(_) => CaseEnd::Other,
        });
    }
    context::end(why);
}

/// Says that the running case is rejected, and unwinds nothing: for tests in other languages, which leave by themselves
/// right after that.
///
/// ```
/// use probity_core::{SourcePlace, Random, Site, Source, Verdict, mark_rejected, run_case};
/// let mut source = Source::new(Box::new(Random::new(1)));
/// let site = Site { what: "x > 0", location: SourcePlace::Foreign { file: "a.c", line: 3 } };
/// let case = run_case(&mut source, &mut |_: &mut Source| mark_rejected(site)).unwrap();
/// assert_eq!(case.verdict, Verdict::Reject(site));
/// ```
pub fn mark_rejected(site: Site) {
    mark_end(Unwind::Reject(site));
}

/// Says that the running case fails, and unwinds nothing; see [`mark_rejected`].
///
/// ```
/// use probity_core::{Failure, Origin, OriginKind, Random, Source, mark_failed, run_case};
/// let mut source = Source::new(Box::new(Random::new(1)));
/// let origin = Origin { kind: OriginKind::Foreign, place: "at a.c:3".to_string() };
/// let failure = Failure { message: "x > 0".to_string(), origin };
/// let case = run_case(&mut source, &mut |_: &mut Source| mark_failed(failure.clone())).unwrap();
/// assert_eq!(case.verdict.failure(), Some(&failure));
/// ```
pub fn mark_failed(failure: Failure) {
    mark_end(Unwind::Failed(failure));
}

/// Does nothing. It is called when a case ends before its test does, for an interpreter of the test's code, which need
/// not follow the unwinding.
///
/// ```
/// probity_core::case_ended(probity_core::CaseEnd::Rejected);
/// ```
#[inline(never)]
pub extern "C" fn case_ended(end: CaseEnd) {
    std::hint::black_box(end);
}

/// How a case ends before its test does.
///
/// ```
/// use probity_core::CaseEnd;
/// assert_eq!(CaseEnd::from_code(CaseEnd::Overrun as u32), Some(CaseEnd::Overrun));
/// assert_eq!(CaseEnd::from_code(99), None);
/// ```
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseEnd {
    /// It is rejected.
    Rejected,
    /// It asked for too many choices.
    Overrun,
    /// It fails, unless the test catches that.
    Failed,
    /// It ends in another way, which is found by following the unwinding.
    Other,
}

impl CaseEnd {
    const ALL: [CaseEnd; 4] = [CaseEnd::Rejected, CaseEnd::Overrun, CaseEnd::Failed, CaseEnd::Other];

    /// The end with this code, as an interpreter finds it in a register.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|it| *it as u32 == code)
    }
}

/// Fails the running case with an error that the test returned.
///
/// ```
/// use probity_core::{Random, Source, fail_with_error, run_case};
/// let mut source = Source::new(Box::new(Random::new(1)));
/// let case = run_case(&mut source, &mut |_: &mut Source| fail_with_error(&"no such file")).unwrap();
/// assert_eq!(case.verdict.failure().unwrap().message, "\"no such file\"");
/// ```
#[cold]
pub fn fail_with_error(error: &dyn std::fmt::Debug) -> ! {
    let message = render::text(format_args!("{error:?}"));
    // The variant's name distinguishes one error from another; its fields tell one input from another.
    let place =
        message.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').next().unwrap_or_default();
    let origin = Origin { kind: OriginKind::Error, place: place.to_string() };
    unwind(Unwind::Failed(Failure { message, origin }))
}

/// Fails the running case.
///
/// ```
/// use probity_core::{Failure, Origin, OriginKind, Random, Source, fail_case, run_case};
/// let mut source = Source::new(Box::new(Random::new(1)));
/// let origin = Origin { kind: OriginKind::Model, place: "deadlock".to_string() };
/// let failure = Failure { message: "both threads wait".to_string(), origin };
/// let case = run_case(&mut source, &mut |_: &mut Source| fail_case(failure.clone())).unwrap();
/// assert_eq!(case.verdict.failure(), Some(&failure));
/// ```
#[cold]
pub fn fail_case(failure: Failure) -> ! {
    unwind(Unwind::Failed(failure))
}

/// Runs a part of a case that nothing may unwind out of, such as all that a thread does. `Err` is how it panicked; `None`
/// where it ended the case in another way, such as by `assume!`: then let [`end_case`] go on with that.
///
/// On a thread of its own it has a case to itself, whose panics are as quiet.
///
/// ```
/// use probity_core::catch_panic;
/// assert_eq!(catch_panic(|| 7).unwrap(), 7);
/// std::thread::spawn(|| {
///     let failure = catch_panic(|| panic!("away")).unwrap_err().unwrap();
///     assert_eq!(failure.message, "away");
/// }).join().unwrap();
/// ```
pub fn catch_panic<T>(work: impl FnOnce() -> T) -> Result<T, Option<Failure>> {
    let outer = context::is_outside().then(|| context::enter(CaseMode::Recording, false, None));
    let mut res = None;
    let panicked = caught(|| res = Some(work()));
    outer.map(context::leave);
    res.ok_or(panicked)
}

/// Goes on with the end of a case that [`catch_panic`] held up; where that was on another thread, the case is rejected.
///
/// ```
/// use probity_core::{Random, Source, Verdict, catch_panic, context, end_case, run_case};
/// let mut source = Source::new(Box::new(Random::new(1)));
/// let mut test = |_: &mut Source| {
///     if catch_panic(|| context::assume(false, "false")) == Err(None) { end_case() }
/// };
/// let case = run_case(&mut source, &mut test).unwrap();
/// assert!(matches!(case.verdict, Verdict::Reject(site) if site.what == "false"));
/// ```
#[cold]
#[track_caller]
pub fn end_case() -> ! {
    // What the case said first stays what ended it.
    let location = SourcePlace::caller();
    unwind(Unwind::Reject(Site { what: "a call on another thread", location }))
}

/// Ends the search with an error that teaches the user how to use us.
///
/// ```
/// use probity_core::{Random, Source, misuse, run_case};
/// let mut source = Source::new(Box::new(Random::new(1)));
/// let err = run_case(&mut source, &mut |_: &mut Source| misuse("swap the bounds")).unwrap_err();
/// assert_eq!(err.message, "swap the bounds");
/// ```
#[cold]
#[track_caller]
pub fn misuse(message: impl Into<String>) -> ! {
    let message = message.into();
    if !context::in_case() {
        panic!("{message}");
    }
    unwind(Unwind::Misuse(Misuse { message }))
}

/// Runs `test` once under the engine of `source` and records the trace.
///
/// The caller has called [`Engine::begin`](crate::Engine::begin) where the engine needs it.
///
/// ```
/// use probity_core::{Random, Source, Verdict, run_case};
/// let mut source = Source::new(Box::new(Random::new(7)));
/// let case = run_case(&mut source, &mut |src: &mut Source| assert!(src.draw(1..=6) <= 6)).unwrap();
/// assert_eq!(case.verdict, Verdict::Pass);
/// ```
pub fn run_case(source: &mut Source, test: &mut dyn Test) -> Result<Case, Misuse> {
    record(source, test, CaseMode::Recording)
}

/// As [`run_case`], and keeps the rendered inputs and the notes.
///
/// ```
/// use probity_core::{Replay, Source, Tail, Value, render_case};
/// let mut source = Source::new(Box::new(Replay::new(vec![Value::Int(4)], Tail::Simplest)));
/// let case = render_case(&mut source, &mut |src: &mut Source| { src.draw(1..=6); }).unwrap();
/// assert_eq!(case.log.inputs[0].text, "4");
/// ```
pub fn render_case(source: &mut Source, test: &mut dyn Test) -> Result<Case, Misuse> {
    record(source, test, CaseMode::Rendering)
}

/// Runs `test` once and catches nothing: the last run of a failing case, whose panic is the user's to see.
///
/// ```should_panic
/// use probity_core::{Random, Source, run_uncaught};
/// let mut source = Source::new(Box::new(Random::new(7)));
/// run_uncaught(&mut source, &mut |src: &mut Source| assert!(src.draw(1..=6) > 6));
/// ```
pub fn run_uncaught(source: &mut Source, test: &mut dyn Test) {
    source.start_recording(false);
    // Within the case of another test, the panic is that case's.
    let outer = (!context::in_case()).then(|| context::enter(CaseMode::Last, false, None));
    let end = context::replace_end(None);
    let outcome = catch_unwind(AssertUnwindSafe(|| test.case(source)));
    context::replace_end(end);
    outer.map(context::leave);
    match outcome {
        // Rejected, for example, where the test is flaky: there is no panic to show.
        Err(payload) if payload.is::<Ends>() => {}
        // The panic hook has told of it already; on it goes.
        Err(payload) => resume_unwind(payload),
        Ok(()) => {}
    }
}

/// Runs `work`, and returns how it panicked, if it did and nobody else caught that.
fn caught(work: impl FnOnce()) -> Option<Failure> {
    let payload = catch_unwind(AssertUnwindSafe(work)).err()?;
    if payload.is::<Ends>() {
        return None;
    }
    let place = context::replace_panicked_at(None);
    let mut message = message(&*payload);
    if !dispose(payload) {
        message = PANICS_WHEN_DROPPED.to_string();
    }
    let place = place.unwrap_or_else(|| message.lines().next().unwrap_or_default().to_string());
    Some(Failure { message, origin: Origin { kind: OriginKind::Panic, place } })
}

/// The message of a panic with a payload that cannot be handed on.
///
/// ```
/// assert!(probity_core::PANICS_WHEN_DROPPED.contains("payload"));
/// ```
pub const PANICS_WHEN_DROPPED: &str = "a panic whose payload is not text, and panics when it is dropped";

/// Drops what somebody panicked with. `false` where that panics.
fn dispose(payload: Box<dyn Any + Send>) -> bool {
    let dropped = catch_unwind(AssertUnwindSafe(|| drop(payload)));
    // What it panics with may do the same, without end.
    dropped.map_err(std::mem::forget).is_ok()
}

fn message(payload: &(dyn Any + Send)) -> String {
    match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(it), _) => render::cut(it, render::TEXT_MAX),
        (_, Some(it)) => render::cut(it, render::TEXT_MAX),
        _ => "a panic whose payload is not text".to_string(),
    }
}

/// Runs code of the user beside the case, such as a `Debug`. `Err` is what it panics with, or how it tries to end the
/// case.
pub(crate) fn beside<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let outer = context::enter_beside();
    let res = catch_unwind(AssertUnwindSafe(work));
    let Left { end, .. } = context::leave(outer);
    res.map_err(|payload| match end {
        Some(Unwind::Reject(site)) if payload.is::<Ends>() => site.what.to_string(),
        Some(Unwind::Misuse(misuse)) if payload.is::<Ends>() => unwind(Unwind::Misuse(misuse)),
        _ if payload.is::<Ends>() => "it ends the case".to_string(),
        _ => {
            let message = message(&*payload);
            dispose(payload);
            message
        }
    })
}

fn record(source: &mut Source, test: &mut dyn Test, mode: CaseMode) -> Result<Case, Misuse> {
    if let Some(result) = test.run_elsewhere(source, mode == CaseMode::Rendering) {
        return result;
    }
    source.start_recording(mode == CaseMode::Rendering);
    let outer = context::enter(mode, source.may_skip(), None);
    let panicked = caught(|| test.case(source));
    let Left { mut log, end, .. } = context::leave(outer);
    let (trace, inputs) = source.finish_recording();
    log.inputs = inputs;
    let broken = || broken_checks(&log);
    let verdict = match (end, panicked) {
        (Some(Unwind::Misuse(misuse)), _) => return Err(misuse),
        (Some(Unwind::Failed(failure)), _) => Verdict::Fail(failure),
        // A check that is broken stays broken, whatever comes after it.
        (Some(Unwind::Reject(site)), _) => broken().map_or(Verdict::Reject(site), Verdict::Fail),
        (Some(Unwind::Overrun), _) => broken().map_or(Verdict::Overrun, Verdict::Fail),
        (Some(Unwind::Skipped), _) => broken().map_or(Verdict::Skipped, Verdict::Fail),
        (Some(Unwind::NeedsRecording), _) => unreachable!("this case is recorded"),
        (None, Some(failure)) => Verdict::Fail(failure),
        (None, None) => broken().map_or(Verdict::Pass, Verdict::Fail),
    };
    Ok(Case { trace, verdict, log, news: 0 })
}

fn broken_checks(log: &Log) -> Option<Failure> {
    let first = log.broken.first()?;
    let origin = Origin { kind: OriginKind::Check, place: first.location.to_string() };
    Some(Failure { message: first.message.clone(), origin })
}

/// Why a batch of fast cases stopped. All but `Done` speak of the case that ran last.
#[derive(Debug)]
pub(crate) enum BatchEnd {
    /// Every case passed.
    Done,
    Reject(Site),
    Overrun,
    Skipped,
    Failed(Failure),
    /// The test counts something, so it has to be recorded from this case on.
    NeedsRecording,
    Misuse(Misuse),
}

/// Runs fast cases until the batch is done or one of them does not simply pass.
pub(crate) fn run_batch(source: &mut Source, test: &mut dyn Test) -> BatchEnd {
    let outer = context::enter(CaseMode::Fast, source.may_skip(), source.progress());
    let panicked = caught(|| test.batch(source));
    let Left { end, needs_recording, .. } = context::leave(outer);
    match (end, panicked) {
        (Some(Unwind::Misuse(misuse)), _) => BatchEnd::Misuse(misuse),
        (Some(Unwind::Failed(failure)), _) | (None, Some(failure)) => BatchEnd::Failed(failure),
        (Some(Unwind::NeedsRecording), _) => BatchEnd::NeedsRecording,
        _ if needs_recording => BatchEnd::NeedsRecording,
        (Some(Unwind::Reject(site)), _) => BatchEnd::Reject(site),
        (Some(Unwind::Overrun), _) => BatchEnd::Overrun,
        (Some(Unwind::Skipped), _) => BatchEnd::Skipped,
        (None, None) => BatchEnd::Done,
    }
}

#[cfg(test)]
mod tests;
