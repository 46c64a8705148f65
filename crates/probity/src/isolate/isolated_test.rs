//! A test whose cases run in children.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use probity_core::{
    Case, Choice, Domain, Drawn, DrawnInputs, Ended, Engine, Failure, Input, Log, Misuse, Ordered, Origin,
    OriginKind, Progress, SearchResult, Source, Span, Stop, Test, Trace, Value, Verdict, render_case,
    run_case,
};

use super::child::{Child, ChildKind, ChildOutput, Pipe, ProcessEnd, Received, leave};
use super::seal::Reason;
use super::shared::{SharedWords, WORDS};
use super::wire::{self, Wire};
use super::{DID_NOT_END, Show};
use crate::panics;
use crate::run::Deadline;

/// What the isolated cases of one run share.
pub(crate) struct Isolation {
    hang: Option<Duration>,
    words: SharedWords,
    mode: Cell<IsolationMode>,
    /// Whether cases run in other processes, for threads that ask.
    is_on: Arc<AtomicBool>,
    pace: CasePace,
    /// What ended a sealed copy that tried to do something to the world.
    ended: Cell<Option<Reason>>,
    /// Who is shown each input as it is drawn; then what a case prints is kept too.
    shown: RefCell<Option<Show>>,
    /// Whether what searches print is dropped.
    is_silent: Cell<bool>,
}

/// Where cases run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IsolationMode {
    /// In this process.
    Here,
    /// In copies of it.
    Copies,
    /// In copies that can do nothing to the world.
    SealedCopies,
}

/// How long a case may take in a sealed copy. What takes longer is nothing to find in passing.
const SEALED_TIME: Duration = Duration::from_secs(1);

/// How often a search is looked at, to see whether it is still in the same case: this part of what a case may take.
const LOOKS: u32 = 8;
/// How long is waited at least for what a case drew that ended its process: it drew it once.
const DRAWN_AGAIN: Duration = Duration::from_secs(20);

impl Isolation {
    /// Isolates cases, or will where it is asked to.
    pub(crate) fn new(hang: Option<Duration>, on: bool) -> Result<Rc<Isolation>, String> {
        let words = SharedWords::new()
            .map_err(|err| format!("`isolate` needs memory to share with processes: {err}"))?;
        let mode = Cell::new(if on { IsolationMode::Copies } else { IsolationMode::Here });
        let (ended, pace, shown) = (Cell::new(None), CasePace::default(), RefCell::new(None));
        let is_on = Arc::new(AtomicBool::new(on));
        let is_silent = Cell::new(false);
        Ok(Rc::new(Isolation { hang, words, mode, is_on, pace, ended, shown, is_silent }))
    }

    /// Drops what searches print, or no more.
    pub(crate) fn silence(&self, is_silent: bool) {
        self.is_silent.set(is_silent);
    }

    pub(crate) fn is_on(&self) -> bool {
        self.mode.get() != IsolationMode::Here
    }

    /// Set while cases run in other processes, where anyone who waits for them knows of one that hangs.
    pub(crate) fn elsewhere(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.is_on)
    }

    /// Whether copies are sealed now.
    pub(crate) fn is_sealed(&self) -> bool {
        self.mode.get() == IsolationMode::SealedCopies
    }

    /// Says where cases run from now on; returns where they ran before.
    pub(crate) fn turn(&self, mode: IsolationMode) -> IsolationMode {
        self.ended.set(None);
        self.is_on.store(mode != IsolationMode::Here, Ordering::Relaxed);
        self.mode.replace(mode)
    }

    /// What ended a sealed copy since the mode was set, if anything has.
    pub(crate) fn ended(&self) -> Option<Reason> {
        self.ended.get()
    }

    /// What copies are made as.
    pub(crate) fn kind(&self, output: ChildOutput) -> ChildKind {
        match self.mode.get() {
            IsolationMode::SealedCopies => ChildKind::Sealed(&self.words.words()[WORDS - 1]),
            _ => ChildKind::Open(output),
        }
    }

    /// How long a case may take.
    fn limit(&self) -> Option<Duration> {
        match self.mode.get() {
            IsolationMode::SealedCopies => Some(self.hang.map_or(SEALED_TIME, |it| it.min(SEALED_TIME))),
            _ => self.hang.map(|it| self.pace.limit(it)),
        }
    }

    /// From now on a case that takes much longer than those that passed is taken for one that hangs, or no more: to wait
    /// for as long as a case may take each time, shrinking would take hours.
    pub(crate) fn hurry(&self, hurry: bool) {
        self.pace.hurries.set(hurry);
    }

    /// The failure of a case that did not end.
    fn hung(&self) -> Failure {
        let limit = self.limit().filter(|_| self.is_sealed()).or(self.hang).unwrap_or_default();
        let place = format!("{DID_NOT_END}{limit:?}");
        let message = format!("the case {place}");
        Failure { message, origin: Origin { kind: OriginKind::Died, place } }
    }

    /// How a case failed whose process came to this end.
    fn died(&self, child: &Child, end: ProcessEnd) -> Failure {
        if let ProcessEnd::Sealed(reason) = end {
            self.ended.set(Some(reason));
        }
        let place = child.place(end).map_or(String::new(), |it| format!(" {it}"));
        died(format!("{end}{place}"))
    }

    /// What is running now, in whichever process.
    pub(crate) fn progress(&self) -> Arc<Progress> {
        Arc::new(Progress::shared(self.words.words()))
    }

    /// How many choices the case that is running has asked for.
    fn asked(&self) -> &'static AtomicU64 {
        &self.words.words()[WORDS - 2]
    }

    pub(crate) fn show(&self, shown: Option<Show>) {
        *self.shown.borrow_mut() = shown;
    }

    /// Runs a whole search in a child. `Err`: what ended the case that `progress` says was running.
    pub(crate) fn search(
        &self,
        search: impl FnOnce() -> Result<SearchResult, Misuse>,
        progress: &Progress,
        deadline: Deadline,
    ) -> Result<Result<SearchResult, Misuse>, Failure> {
        self.search_telling(&mut (), |_, _| search(), progress, deadline, &mut |_, _, _| ())
    }

    /// As [`search`](Self::search), and hears what the search says meanwhile: with `it`, which both need, each in its own
    /// process.
    pub(crate) fn search_telling<T: ?Sized>(
        &self,
        it: &mut T,
        search: impl FnOnce(&mut T, &Pipe) -> Result<SearchResult, Misuse>,
        progress: &Progress,
        mut deadline: Deadline,
        hear: &mut dyn FnMut(&mut T, &[u8], &mut Child),
    ) -> Result<Result<SearchResult, Misuse>, Failure> {
        let output = if self.is_silent.get() { ChildOutput::Dropped } else { ChildOutput::Kept };
        let child = Child::fork(self.kind(output), |pipe| {
            tell_fatal(pipe);
            pipe.send(&[&[CASE], &*wire::bytes(&search(it, pipe))].concat());
        });
        let mut child = match child {
            Ok(child) => child,
            Err(err) => return Ok(Err(no_process(&err))),
        };
        let start = Instant::now();
        let mut last = (progress.running().0, start);
        loop {
            let wait = deadline.wait(progress).min(self.limit().map_or(Duration::MAX, |it| it / LOOKS));
            match child.receive(Some(Instant::now() + wait)) {
                Received::Message(message) => match message.split_first() {
                    Some((&DIED, failure)) => return Err(fatal(failure)),
                    Some((&TOLD, message)) => {
                        hear(it, message, &mut child);
                        last = (progress.running().0, Instant::now());
                    }
                    Some((_, message)) => {
                        self.pace.learn_mean(start.elapsed(), progress.case());
                        return Ok(read_report(message));
                    }
                    None => {}
                },
                Received::Ended(end) => return Err(self.died(&child, end)),
                Received::Late => {
                    deadline.look(progress);
                    let ticks = progress.running().0;
                    if ticks != last.0 {
                        last = (ticks, Instant::now());
                    } else if let Some(limit) = self.limit()
                        && last.1.elapsed() >= limit
                    {
                        self.pace.learn_mean(last.1 - start, progress.case());
                        return Err(self.hung());
                    }
                }
            }
        }
    }
}

/// What a child sent.
fn read_report<T: Wire>(message: &[u8]) -> Result<T, Misuse> {
    wire::read(message).unwrap_or_else(|| {
        let message = "internal error: what a process sent cannot be read".to_string();
        Err(Misuse { message })
    })
}

/// The failure of a case that ended its process: `how` it did.
fn died(how: String) -> Failure {
    let message = format!("the process {how}");
    Failure { message, origin: Origin { kind: OriginKind::Died, place: how } }
}

/// Whether a case failed because it did not end.
pub(crate) fn is_hang(failure: &Failure) -> bool {
    failure.origin.kind == OriginKind::Died && failure.origin.place.starts_with(DID_NOT_END)
}

/// How long cases take that pass.
#[derive(Default)]
struct CasePace {
    /// The least mean of a search, and the longest of those that ran alone.
    mean: Cell<Option<Duration>>,
    longest: Cell<Duration>,
    hurries: Cell<bool>,
}

impl CasePace {
    /// How many times as long as the mean, and as the longest, a case may take in a hurry; and how long in any case.
    const MEANS: u32 = 100;
    const LONGEST: u32 = 10;
    const LEAST: Duration = Duration::from_millis(100);

    /// How long a case may take now that may take `most`.
    fn limit(&self, most: Duration) -> Duration {
        let mean = self.mean.get().unwrap_or_default();
        let learnt = (mean * Self::MEANS).max(self.longest.get() * Self::LONGEST);
        if self.hurries.get() { learnt.max(Self::LEAST).min(most) } else { most }
    }

    /// Learns how long the cases of a search took. It is at most that: what a search hangs in is only looked at now and
    /// then, so where few cases came before, most of the time may be that of the last. Hence the least of all is kept.
    fn learn_mean(&self, time: Duration, cases: u64) {
        let mean = time / cases.clamp(1, u32::MAX.into()) as u32;
        self.mean.set(Some(self.mean.get().map_or(mean, |it| it.min(mean))));
    }

    /// Learns how long a case took that came to an end.
    fn learn(&self, time: Duration) {
        self.longest.set(self.longest.get().max(time));
    }
}

fn no_process(err: &std::io::Error) -> Misuse {
    Misuse { message: format!("`isolate` cannot start a process: {err}; leave it out, or end others") }
}

/// A test whose recorded cases each run in a child.
pub(crate) struct IsolatedTest<'a> {
    test: &'a mut dyn Test,
    isolation: Rc<Isolation>,
}

impl<'a> IsolatedTest<'a> {
    pub(crate) fn new(test: &'a mut dyn Test, isolation: Rc<Isolation>) -> Self {
        IsolatedTest { test, isolation }
    }

    /// Runs a case in a child. With `stop_at`, only until that many choices are answered.
    fn child(&mut self, source: &mut Source, render: bool, stop_at: Option<u64>) -> std::io::Result<Child> {
        let IsolatedTest { test, isolation } = self;
        let asked = isolation.asked();
        asked.store(0, Ordering::Relaxed);
        let output =
            if isolation.shown.borrow().is_some() { ChildOutput::Kept } else { ChildOutput::Dropped };
        Child::fork(isolation.kind(output), |pipe| {
            tell_fatal(pipe);
            let stop = stop_at.map(|at| (at, pipe.clone()));
            source.wrap(|engine| Box::new(Counted { engine, asked, stop }));
            let to = pipe.clone();
            source.on_draw(Box::new(move |drawn| to.send(&[&[DRAWN], &*wire::bytes(drawn)].concat())));
            // A case inside of it is its own affair.
            let case = if render { render_case(source, *test) } else { run_case(source, *test) };
            pipe.send(&[&[CASE], &*wire::bytes(&case)].concat());
        })
    }

    /// Waits for a case, for so long at most. `Err`: what ended it, with the inputs that it had drawn until then.
    fn wait(
        &self,
        mut child: Child,
        limit: Option<Duration>,
    ) -> Result<Result<Case, Misuse>, (Failure, Vec<Input>)> {
        let start = Instant::now();
        let until = limit.map(|it| start + it);
        let mut inputs = DrawnInputs::default();
        loop {
            match (child.receive(until), limit) {
                (Received::Message(message), _) => match message.split_first() {
                    Some((&DRAWN, drawn)) => {
                        let Some(drawn) = wire::read::<Drawn>(drawn) else { continue };
                        if let Some(show) = &*self.isolation.shown.borrow() {
                            show(&drawn);
                        }
                        inputs.add(drawn);
                    }
                    Some((&DIED, failure)) => return Err((fatal(failure), inputs.finish())),
                    Some((_, case)) => {
                        self.isolation.pace.learn(start.elapsed());
                        return Ok(read_report(case));
                    }
                    None => {}
                },
                (Received::Late, Some(_)) => return Err((self.isolation.hung(), inputs.finish())),
                (Received::Late, None) => {}
                (Received::Ended(end), _) => {
                    return Err((self.isolation.died(&child, end), inputs.finish()));
                }
            }
        }
    }

    fn record(&mut self, source: &mut Source, render: bool) -> Result<Case, Misuse> {
        let child = self.child(source, render, None).map_err(|err| no_process(&err))?;
        let (failure, inputs) = match self.wait(child, self.isolation.limit()) {
            Ok(case) => return case,
            Err(died) => died,
        };
        let verdict = Verdict::Fail(failure);
        let mut case =
            Case { trace: Trace::default(), verdict, log: Log { inputs, ..Log::default() }, news: 0 };
        // What it drew died with it: it draws the same once more, and stops there.
        let asked = self.isolation.asked().load(Ordering::Relaxed);
        if asked > 0 && self.isolation.ended().is_none() {
            let shown = self.isolation.shown.take();
            let again = self.child(source, false, Some(asked)).map_err(|err| no_process(&err))?;
            // It has come this far before: however busy the machine is now, what is not waited for is lost.
            if let Ok(Ok(again)) = self.wait(again, self.isolation.hang.map(|it| it.max(DRAWN_AGAIN))) {
                case.trace = again.trace;
            }
            self.isolation.show(shown);
        }
        Ok(case)
    }
}

/// The first byte of a message: what is drawn, at once, or what came of all at the end, or a panic that ends the process, or
/// what a search says meanwhile.
const DRAWN: u8 = 0;
const CASE: u8 = 1;
const DIED: u8 = 2;
pub(crate) const TOLD: u8 = 3;

/// Lets a child say how it panics where nobody can catch that.
fn tell_fatal(pipe: &Pipe) {
    let to = pipe.clone();
    panics::replace_fatal_in_copy(Some(Box::new(move |failure| {
        to.send(&[&[DIED], &*wire::bytes(&failure)].concat());
        leave(0);
    })));
}

/// How a child says that it panicked.
fn fatal(message: &[u8]) -> Failure {
    wire::read(message).unwrap_or_else(|| died("died: abort".to_string()))
}

impl Test for IsolatedTest<'_> {
    fn case(&mut self, source: &mut Source) {
        self.test.case(source);
    }

    fn batch(&mut self, source: &mut Source) {
        self.test.batch(source);
    }

    fn run_elsewhere(&mut self, source: &mut Source, render: bool) -> Option<Result<Case, Misuse>> {
        Some(self.record(source, render))
    }
}

/// The engine of a case in a child: says how many choices were asked for, and may end the process after one.
struct Counted {
    engine: Box<dyn Engine>,
    asked: &'static AtomicU64,
    /// After which choice the process ends, and where it then sends the trace.
    stop: Option<(u64, Pipe)>,
}

impl Engine for Counted {
    fn begin(&mut self) -> Result<(), Ended> {
        self.engine.begin()
    }

    fn answer(&mut self, domain: &Domain, so_far: &Trace) -> Result<Value, Stop> {
        let value = self.engine.answer(domain, so_far)?;
        let asked = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some((_, pipe)) = self.stop.as_ref().filter(|it| it.0 == asked) {
            let mut trace = so_far.clone();
            trace.choices.push(Choice { domain: domain.clone(), value });
            let end = trace.choices.len() as u32;
            for span in trace.spans.iter_mut().filter(|it| it.end == Span::OPEN) {
                span.end = end;
            }
            let case = Case { trace, verdict: Verdict::Overrun, log: Log::default(), news: 0 };
            pipe.send(&[&[CASE], &*wire::bytes(&Ok::<Case, Misuse>(case))].concat());
            leave(0);
        }
        Ok(value)
    }

    fn end(&mut self, case: &Case) {
        self.engine.end(case);
    }

    fn order(&mut self) -> Option<&mut dyn Ordered> {
        self.engine.order()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_hurries_waits_by_what_is_known_of_cases_that_pass() {
        const MS: Duration = Duration::from_millis(1);
        /// Searches that ran, as (milliseconds, cases); cases that ran alone; how long the next one may take.
        type Row = (&'static [(u32, u64)], &'static [u32], u32);
        let rows: [Row; 7] = [
            (&[], &[], 100),
            (&[(1000, 1000)], &[], 100),
            (&[(4000, 1000)], &[], 400),
            // Many quick ones, and then a search that hung in its first case.
            (&[(20, 1000), (200, 0)], &[], 100),
            (&[(200, 1), (20, 1000)], &[], 100),
            (&[(4000, 1000)], &[3, 90], 900),
            (&[(60_000, 10)], &[], 30_000),
        ];
        for (searches, alone, limit) in rows {
            let pace = CasePace::default();
            searches.iter().for_each(|(time, cases)| pace.learn_mean(MS * *time, *cases));
            alone.iter().for_each(|it| pace.learn(MS * *it));
            assert_eq!(pace.limit(MS * 30_000), MS * 30_000, "{searches:?} {alone:?}");
            pace.hurries.set(true);
            assert_eq!(pace.limit(MS * 30_000), MS * limit, "{searches:?} {alone:?}");
        }
    }

    #[test]
    fn what_counts_choices_keeps_nothing_back() {
        static ASKED: AtomicU64 = AtomicU64::new(0);
        let wrap = |engine| -> Box<dyn Engine> { Box::new(Counted { engine, asked: &ASKED, stop: None }) };
        probity_core::conformance::check_wrapper(wrap);
        let exhaustive = || Box::new(probity_core::Exhaustive::new(Default::default()));
        probity_core::conformance::check(|| wrap(exhaustive()));
        assert!(ASKED.load(Ordering::Relaxed) > 0);
    }
}
