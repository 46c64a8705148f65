//! What runs in the child: a corpus, whose places are the breakpoints of its own code.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use probity_core::{
    Budget, Case, Corpus, Misuse, Places, Progress, SearchResult, Seed, Test, Value, search_corpus,
};
use probity_coverage::{CodeLog, CodeWatch, Image};

use super::super::pace::is_within;
use super::CoverageLimits;
use super::goals::GoalAnswers;
use super::loops::{LoopPace, LoopPlaces, LoopTest};
use crate::events::CoverageStatus;
use crate::isolate::wire::{self, Wire, bytes, read};
use crate::isolate::{Pipe, TOLD, processor_time};

/// What the child says.
#[derive(Debug)]
pub(super) enum CoverageMessage {
    /// These answers reach new code, whenever they are run.
    Kept(Vec<Value>),
    /// Where it stands.
    Status(CoverageStatus),
    /// What it may take is taken, and how much that was; whether new code came up meanwhile. It waits for a message: how much
    /// more it may take.
    IsOver(bool, Duration),
    /// It ends, and has taken so much.
    Ends(Duration),
    /// It goes on without breakpoints, and why.
    Cannot(String),
    /// It gets no further from these answers. It waits for a message: what the interpreter finds.
    Stuck(Vec<Value>),
    /// It ends because there has been no news for long.
    Stalled,
}

/// A search, in the child.
pub(super) struct CoverageSearch<'a> {
    pub(super) pipe: &'a Pipe,
    pub(super) limits: &'a CoverageLimits,
    pub(super) rejects: u64,
    pub(super) start: Instant,
    pub(super) progress: Arc<Progress>,
    pub(super) seed: Seed,
}

/// How often the clocks are looked at, and how often it is told where it stands.
const LOOK: Duration = Duration::from_millis(1);
const TELL: Duration = Duration::from_secs(1);
/// After this many cases without news, the interpreter is asked about one more case.
const CASES_BEFORE_GOALS: u64 = 500;
/// After this many, the search is stalled. Measured on parsers: see the notes on loops.
const CASES_BEFORE_STALL: u64 = 20_000;
/// How long loops are counted then, in turn with the search itself, and from how many of the last cases that begins.
const LOOPS: Duration = Duration::from_millis(50);
const LOOPS_FROM: usize = 32;
/// How many cases are remembered for the interpreter.
const UNASKED_MAX: usize = 1 << 12;

/// Why a search pauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pause {
    /// Its time is over.
    Over,
    /// To ask the interpreter.
    Goals,
    /// There has been no news for many cases: it is time for loops.
    Loops,
    /// There has been no news for long.
    Stalled,
}

impl CoverageSearch<'_> {
    pub(super) fn run(
        self,
        mut corpus: Corpus,
        watched: Option<(&'static Image, &CodeLog)>,
        test: &mut dyn Test,
    ) -> Result<SearchResult, Misuse> {
        let watch = watched.and_then(|(image, log)| match CodeWatch::arm(image, log) {
            Ok(watch) => Some(watch),
            Err(why) => {
                tell(self.pipe, &CoverageMessage::Cannot(why));
                None
            }
        });
        let (watch, status) =
            (watch.map(RefCell::new), RefCell::new(SearchStatus::new(self.start, self.limits)));
        let mut blocks =
            BlockPlaces { watch: watch.as_ref(), asked: 0, before: 0, pipe: self.pipe, status: &status };
        let mut result: Option<SearchResult> = None;
        let mut loops = None;
        loop {
            let mut pause = Pause::Over;
            let so_far = result.as_ref().map_or(0, |it| it.tally.cases);
            let mut go_on = |ran: u64| match self.look(&mut status.borrow_mut(), so_far + ran) {
                Some(why) => {
                    pause = why;
                    false
                }
                None => true,
            };
            let cases = self.limits.cases.saturating_sub(so_far);
            let progress = Arc::clone(&self.progress);
            let budget = Budget { cases, rejects: self.rejects, go_on: &mut go_on, progress };
            let part = search_corpus(&mut corpus, &mut blocks, test, budget)?;
            match &mut result {
                None => result = Some(part),
                Some(it) => join(it, part),
            }
            let has_failed =
                |result: &Option<SearchResult>| result.as_ref().is_some_and(|it| !it.failures.is_empty());
            match pause {
                _ if has_failed(&result) => break,
                Pause::Over => break,
                Pause::Stalled => {
                    tell(self.pipe, &CoverageMessage::Stalled);
                    break;
                }
                Pause::Goals => self.seek(&mut status.borrow_mut(), &mut corpus),
                Pause::Loops => {
                    if let (Some(watch), Some(it)) = (&watch, &mut result) {
                        let part = self.count_loops(watch, &mut loops, &mut corpus, &mut blocks, test)?;
                        join(it, part);
                    }
                    status.borrow_mut().loops_at = Instant::now();
                    if has_failed(&result) {
                        break;
                    }
                }
            }
        }
        let mut status = status.borrow_mut();
        status.told = None;
        status.tell(self.pipe, Instant::now());
        tell(self.pipe, &CoverageMessage::Ends(taken()));
        Ok(result.unwrap_or_else(super::no_result))
    }

    /// Looks at the clocks after `ran` cases, now and then: whether to pause, and why.
    fn look(&self, status: &mut SearchStatus, ran: u64) -> Option<Pause> {
        let now = Instant::now();
        status.cases = ran;
        if now - status.looked < LOOK {
            return None;
        }
        status.looked = now;
        status.tell(self.pipe, now);
        if !is_within(self.limits.time, self.start, ran, &self.progress) {
            return Some(Pause::Over);
        }
        let taken = taken();
        if let Some(most) = status.most
            && taken >= most
        {
            let has_news = std::mem::take(&mut status.has_news);
            let more = self.pipe.ask(&told(&CoverageMessage::IsOver(has_news, taken)));
            let more: Duration = read(&more).unwrap_or_default();
            status.most = Some(taken + more);
            if more.is_zero() {
                return Some(Pause::Over);
            }
        }
        if !self.limits.is_hybrid {
            return None;
        }
        let without = ran - status.news_after;
        if without >= CASES_BEFORE_GOALS && !status.unasked.is_empty() && status.asking <= taken {
            return Some(Pause::Goals);
        }
        if without < CASES_BEFORE_STALL {
            return None;
        }
        match now - status.news_at >= self.limits.patience && status.unasked.is_empty() {
            true => Some(Pause::Stalled),
            false => (now - status.loops_at >= LOOPS).then_some(Pause::Loops),
        }
    }

    /// Searches by how often loops go round, for a while. What reaches new blocks is offered to the search itself.
    fn count_loops(
        &self,
        watch: &RefCell<CodeWatch<'_>>,
        loops: &mut Option<(Corpus, LoopPace)>,
        corpus: &mut Corpus,
        blocks: &mut BlockPlaces<'_, '_>,
        test: &mut dyn Test,
    ) -> Result<SearchResult, Misuse> {
        let (own, pace) = loops.get_or_insert_with(|| {
            let mut own = Corpus::at(self.seed, corpus.cases());
            corpus.entries().iter().rev().take(LOOPS_FROM).for_each(|it| own.add(it.answers.clone()));
            (own, LoopPace::new(&watch.borrow(), self.seed.word))
        });
        let until = Instant::now() + LOOPS;
        let mut go_on = |_| Instant::now() < until;
        let progress = Arc::clone(&self.progress);
        let budget = Budget { cases: u64::MAX, rejects: self.rejects, go_on: &mut go_on, progress };
        let asked = watch.borrow().met();
        let mut places = LoopPlaces { blocks, watch, asked, last: 0, found: Vec::new() };
        let result = search_corpus(own, &mut places, &mut LoopTest { test, watch, pace }, budget)?;
        places.found.into_iter().for_each(|it| corpus.offer(it));
        Ok(result)
    }

    /// Asks the interpreter about the case that was kept last.
    fn seek(&self, status: &mut SearchStatus, corpus: &mut Corpus) {
        let Some(values) = status.unasked.pop() else { return };
        let answer = self.pipe.ask(&told(&CoverageMessage::Stuck(values)));
        match read::<Option<GoalAnswers>>(&answer).flatten() {
            Some((found, taken)) => {
                status.asking = taken;
                found.into_iter().for_each(|it| corpus.offer(it));
            }
            None => status.can_ask = false,
        }
        if !status.can_ask {
            status.unasked.clear();
        }
    }
}

/// Adds what a search came to when it went on.
fn join(result: &mut SearchResult, part: SearchResult) {
    result.failures = part.failures;
    result.ended = part.ended;
    result.tally.merge(part.tally);
    match (&mut result.evidence.climb, part.evidence.climb) {
        (Some(before), Some(after)) => before.go_on(after),
        (before, after) => *before = before.take().or(after),
    }
}

/// The time of the processor that this process has taken.
fn taken() -> Duration {
    processor_time(libc::CLOCK_PROCESS_CPUTIME_ID).unwrap_or_default()
}

/// Where a search stands.
struct SearchStatus {
    cases: u64,
    blocks: u64,
    functions: u64,
    kept: u64,
    /// When there was news last, by the clock and in cases.
    news_at: Instant,
    news_after: u64,
    /// Whether there was since somebody asked.
    has_news: bool,
    told: Option<Instant>,
    looked: Instant,
    /// When loops were counted last.
    loops_at: Instant,
    /// The time of the processor that it may take.
    most: Option<Duration>,
    /// Cases that the interpreter was not asked about, what it has taken, and whether there is one.
    unasked: Vec<Vec<Value>>,
    asking: Duration,
    can_ask: bool,
}

impl SearchStatus {
    fn new(now: Instant, limits: &CoverageLimits) -> SearchStatus {
        SearchStatus {
            cases: 0,
            blocks: 0,
            functions: 0,
            kept: 0,
            news_at: now,
            news_after: 0,
            has_news: false,
            told: Some(now),
            looked: now,
            loops_at: now,
            most: limits.processor,
            unasked: Vec::new(),
            asking: Duration::ZERO,
            can_ask: limits.is_hybrid,
        }
    }

    /// Says so, if it is time.
    fn tell(&mut self, pipe: &Pipe, now: Instant) {
        if self.told.is_some_and(|it| now - it < TELL) {
            return;
        }
        self.told = Some(now);
        let mut status = CoverageStatus::default();
        (status.cases, status.blocks, status.functions) = (self.cases, self.blocks, self.functions);
        (status.corpus, status.last_news) = (self.kept, now - self.news_at);
        tell(pipe, &CoverageMessage::Status(status));
    }
}

/// The blocks of this process as the places of a corpus.
struct BlockPlaces<'a, 'w> {
    watch: Option<&'a RefCell<CodeWatch<'w>>>,
    /// How many entries the log had when it was asked for last, and the time before.
    asked: usize,
    before: usize,
    pipe: &'a Pipe,
    status: &'a RefCell<SearchStatus>,
}

impl Places for BlockPlaces<'_, '_> {
    fn news(&mut self) -> u32 {
        let Some(mut watch) = self.watch.map(RefCell::borrow_mut) else { return 0 };
        if watch.met() == self.asked && !watch.is_unsettled() {
            return 0;
        }
        self.before = self.asked;
        let news = watch.log().blocks(self.before).count() as u32;
        watch.settle();
        self.asked = watch.met();
        news
    }

    fn forget(&mut self) -> bool {
        let Some(watch) = self.watch else { return false };
        watch.borrow_mut().again(self.before);
        self.asked = self.before;
        true
    }

    fn kept(&mut self, case: &Case) {
        let mut status = self.status.borrow_mut();
        status.kept += 1;
        status.blocks += u64::from(case.news);
        status.functions = self.watch.map_or(0, |it| it.borrow().functions() as u64);
        (status.has_news, status.news_at, status.news_after) = (true, Instant::now(), status.cases);
        let values = case.trace.values();
        tell(self.pipe, &CoverageMessage::Kept(values.clone()));
        if status.can_ask && status.unasked.len() < UNASKED_MAX {
            status.unasked.push(values);
        }
    }
}

fn told(message: &CoverageMessage) -> Vec<u8> {
    [&[TOLD], &*bytes(message)].concat()
}

fn tell(pipe: &Pipe, message: &CoverageMessage) {
    pipe.send(&told(message));
}

wire::enums! {
    CoverageMessage {
        0 Kept(values), 1 Status(status), 2 IsOver(has_news, taken), 3 Ends(taken), 4 Cannot(why), 5 Stuck(values), 6 Stalled
    }
}
