//! A test whose cases run in children.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use probity_core::{
    Case, Choice, Domain, Ended, Engine, Failure, Input, Log, Misuse, Origin, OriginKind, Progress, Refusal,
    Site, Source, Span, Stop, Test, Trace, Value, Verdict, render_case, run_case,
};

use super::child::{Child, Heard, Output, Pipe, leave};
use super::shared::{Shared, WORDS};
use super::wire::{self, Wire};
use super::{Show, Told};

/// What the isolated cases of one run share.
pub(crate) struct Isolation {
    hang: Option<Duration>,
    words: Shared,
    /// Whether cases are isolated now.
    on: Cell<bool>,
    /// Whether this process is a child already.
    inside: Cell<bool>,
    /// Who is shown each input as it is drawn; then what a case prints is kept too.
    shown: RefCell<Option<Show>>,
}

/// How often a search is looked at, to see whether it is still in the same case: this part of what a case may take.
const LOOKS: u32 = 8;

wire::structs! { Told { failures, ended, tally, reach, climb } }

impl Isolation {
    /// Isolates cases while it is `on`.
    pub(crate) fn new(hang: Option<Duration>, on: bool) -> Result<Rc<Isolation>, String> {
        let words =
            Shared::new().map_err(|err| format!("`isolate` needs memory to share with processes: {err}"))?;
        let (on, inside) = (Cell::new(on), Cell::new(false));
        Ok(Rc::new(Isolation { hang, words, on, inside, shown: RefCell::new(None) }))
    }

    pub(crate) fn is_on(&self) -> bool {
        self.on.get()
    }

    /// Isolates cases from now on, or not.
    #[cfg(all(feature = "concolic", target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
    pub(crate) fn turn(&self, on: bool) {
        self.on.set(on);
    }

    /// Says that this process is a child.
    #[cfg(all(feature = "concolic", target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
    pub(crate) fn enter(&self) {
        self.inside.set(true);
    }

    /// What is running now, in whichever process.
    pub(crate) fn progress(&self) -> Arc<Progress> {
        Arc::new(Progress::shared(self.words.words()))
    }

    /// How many choices the case that is running has asked for.
    fn asked(&self) -> &'static AtomicU64 {
        &self.words.words()[WORDS - 1]
    }

    pub(crate) fn show(&self, shown: Option<Show>) {
        *self.shown.borrow_mut() = shown;
    }

    /// Runs a whole search in a child. `Err`: what ended the case that `progress` says was running.
    pub(crate) fn search(
        &self,
        search: impl FnOnce() -> Result<Told, Misuse>,
        progress: &Progress,
    ) -> Result<Result<Told, Misuse>, Failure> {
        let child = Child::fork(Output::Kept, |pipe| {
            self.inside.set(true);
            pipe.send(&wire::bytes(&search()));
        });
        let mut child = match child {
            Ok(child) => child,
            Err(err) => return Ok(Err(no_process(&err))),
        };
        let mut last = (progress.running().0, Instant::now());
        loop {
            match child.receive(self.hang.map(|it| Instant::now() + it / LOOKS)) {
                Heard::Message(message) => return Ok(told(&message)),
                Heard::Ended(end) => return Err(died(end.to_string())),
                Heard::Late => {
                    let ticks = progress.running().0;
                    if ticks != last.0 {
                        last = (ticks, Instant::now());
                    } else if let Some(limit) = self.hang
                        && last.1.elapsed() >= limit
                    {
                        return Err(hung(limit));
                    }
                }
            }
        }
    }
}

/// What a child sent.
fn told<T: Wire>(message: &[u8]) -> Result<T, Misuse> {
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

/// The failure of a case that did not end.
fn hung(limit: Duration) -> Failure {
    let place = format!("did not end within {limit:?}");
    let message = format!("the case {place}");
    Failure { message, origin: Origin { kind: OriginKind::Died, place } }
}

fn no_process(err: &std::io::Error) -> Misuse {
    Misuse { message: format!("`isolate` cannot start a process: {err}; leave it out, or end others") }
}

/// A test whose recorded cases each run in a child.
pub(crate) struct Isolated<'a> {
    test: &'a mut dyn Test,
    isolation: Rc<Isolation>,
}

impl<'a> Isolated<'a> {
    pub(crate) fn new(test: &'a mut dyn Test, isolation: Rc<Isolation>) -> Self {
        Isolated { test, isolation }
    }

    /// Runs a case in a child. With `stop_at`, only until that many choices are answered.
    fn child(&mut self, source: &mut Source, render: bool, stop_at: Option<u64>) -> std::io::Result<Child> {
        let Isolated { test, isolation } = self;
        let asked = isolation.asked();
        asked.store(0, Ordering::Relaxed);
        let output = if isolation.shown.borrow().is_some() { Output::Kept } else { Output::Dropped };
        Child::fork(output, |pipe| {
            isolation.inside.set(true);
            let to = pipe.clone();
            source.wrap(|engine| Box::new(Counted { engine, asked, stop_at, pipe: to }));
            let to = pipe.clone();
            source.on_input(Box::new(move |input| to.send(&[&[INPUT], &*wire::bytes(input)].concat())));
            // A case inside of it is its own affair.
            let case = if render { render_case(source, *test) } else { run_case(source, *test) };
            pipe.send(&[&[CASE], &*wire::bytes(&case)].concat());
        })
    }

    /// Waits for a case. `Err`: what ended it, with the inputs that it had drawn until then.
    fn wait(&self, mut child: Child) -> Result<Result<Case, Misuse>, (Failure, Vec<Input>)> {
        let until = self.isolation.hang.map(|it| Instant::now() + it);
        let mut inputs = Vec::new();
        loop {
            match (child.receive(until), self.isolation.hang) {
                (Heard::Message(message), _) => match message.split_first() {
                    Some((&INPUT, input)) => {
                        let Some(input) = wire::read::<Input>(input) else { continue };
                        if let Some(show) = &*self.isolation.shown.borrow() {
                            show(&input);
                        }
                        inputs.push(input);
                    }
                    Some((_, case)) => return Ok(told(case)),
                    None => {}
                },
                (Heard::Late, Some(limit)) => return Err((hung(limit), inputs)),
                (Heard::Late, None) => {}
                (Heard::Ended(end), _) => return Err((died(end.to_string()), inputs)),
            }
        }
    }

    fn record(&mut self, source: &mut Source, render: bool) -> Result<Case, Misuse> {
        let child = self.child(source, render, None).map_err(|err| no_process(&err))?;
        let (failure, inputs) = match self.wait(child) {
            Ok(case) => return case,
            Err(died) => died,
        };
        let verdict = Verdict::Fail(failure);
        let mut case = Case { trace: Trace::default(), verdict, log: Log { inputs, ..Log::default() } };
        // What it drew died with it: it draws the same once more, and stops there.
        let asked = self.isolation.asked().load(Ordering::Relaxed);
        if asked > 0 {
            let shown = self.isolation.shown.take();
            let again = self.child(source, false, Some(asked)).map_err(|err| no_process(&err))?;
            if let Ok(Ok(again)) = self.wait(again) {
                case.trace = again.trace;
            }
            self.isolation.show(shown);
        }
        Ok(case)
    }
}

/// The first byte of a message: an input, as it is drawn, or the case at its end.
const INPUT: u8 = 0;
const CASE: u8 = 1;

impl Test for Isolated<'_> {
    fn case(&mut self, source: &mut Source) {
        self.test.case(source);
    }

    fn batch(&mut self, source: &mut Source) {
        self.test.batch(source);
    }

    fn apart(&mut self, source: &mut Source, render: bool) -> Option<Result<Case, Misuse>> {
        let Isolation { on, inside, .. } = &*self.isolation;
        (on.get() && !inside.get()).then(|| self.record(source, render))
    }
}

/// The engine of a case in a child: says how many choices were asked for, and may end the process after one.
struct Counted {
    engine: Box<dyn Engine>,
    asked: &'static AtomicU64,
    stop_at: Option<u64>,
    pipe: Pipe,
}

impl Engine for Counted {
    fn begin(&mut self) -> Result<(), Ended> {
        self.engine.begin()
    }

    fn answer(&mut self, domain: &Domain, so_far: &Trace) -> Result<Value, Stop> {
        let value = self.engine.answer(domain, so_far)?;
        let asked = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
        if self.stop_at == Some(asked) {
            let mut trace = so_far.clone();
            trace.choices.push(Choice { domain: domain.clone(), value });
            let end = trace.choices.len() as u32;
            for span in trace.spans.iter_mut().filter(|it| it.end == Span::OPEN) {
                span.end = end;
            }
            let case = Case { trace, verdict: Verdict::Overrun, log: Log::default() };
            self.pipe.send(&[&[CASE], &*wire::bytes(&Ok::<Case, Misuse>(case))].concat());
            leave(0);
        }
        Ok(value)
    }

    fn end(&mut self, case: &Case) {
        self.engine.end(case);
    }

    fn refuse(&mut self, start: usize, can_return: bool, site: Site) -> Refusal {
        self.engine.refuse(start, can_return, site)
    }

    fn is_sample(&self) -> bool {
        self.engine.is_sample()
    }

    fn places(&self, start: usize) -> Option<Vec<u64>> {
        self.engine.places(start)
    }
}
