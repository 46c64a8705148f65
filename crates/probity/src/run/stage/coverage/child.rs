//! What runs in the child: a corpus, whose places are the breakpoints of its own code.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use probity_core::{
    Budget, Case, Corpus, Misuse, Places, Progress, SearchResult, Test, Value, search_corpus,
};
use probity_coverage::{CodeLog, CodeWatch, Image};

use super::super::pace::is_within;
use super::CoverageLimits;
use crate::events::CoverageStatus;
use crate::isolate::wire::{Wire, bytes, read};
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
}

/// A search, in the child.
pub(super) struct CoverageSearch<'a> {
    pub(super) pipe: &'a Pipe,
    pub(super) limits: &'a CoverageLimits,
    pub(super) rejects: u64,
    pub(super) start: Instant,
    pub(super) progress: Arc<Progress>,
}

/// How often the clocks are looked at, and how often it is told where it stands.
const LOOK: Duration = Duration::from_millis(1);
const TELL: Duration = Duration::from_secs(1);

impl CoverageSearch<'_> {
    pub(super) fn run(
        self,
        mut corpus: Corpus,
        watched: Option<(&'static Image, &CodeLog)>,
        test: &mut dyn Test,
    ) -> Result<SearchResult, Misuse> {
        let CoverageSearch { pipe, limits, rejects, start, progress } = self;
        let watch = watched.and_then(|(image, log)| match CodeWatch::arm(image, log) {
            Ok(watch) => Some(watch),
            Err(why) => {
                tell(pipe, &CoverageMessage::Cannot(why));
                None
            }
        });
        let status = RefCell::new(SearchStatus::new(start));
        let mut blocks = BlockPlaces { watch, asked: 0, before: 0, pipe, status: &status };
        let (mut most, mut looked) = (limits.processor, start);
        let clock = Arc::clone(&progress);
        let mut go_on = |ran: u64| {
            let now = Instant::now();
            let mut status = status.borrow_mut();
            status.cases = ran;
            if now - looked < LOOK {
                return true;
            }
            looked = now;
            status.tell(pipe, now);
            let is_within = is_within(limits.time, start, ran, &clock);
            let (Some(most_now), true) = (most, is_within) else { return is_within };
            let taken = taken();
            if taken < most_now {
                return true;
            }
            let has_news = std::mem::take(&mut status.has_news);
            let more = pipe.ask(&told(&CoverageMessage::IsOver(has_news, taken)));
            let more: Duration = read(&more).unwrap_or_default();
            most = Some(taken + more);
            !more.is_zero()
        };
        let budget = Budget { cases: limits.cases, rejects, go_on: &mut go_on, progress };
        let result = search_corpus(&mut corpus, &mut blocks, test, budget);
        let mut status = status.borrow_mut();
        status.told = None;
        status.tell(pipe, Instant::now());
        tell(pipe, &CoverageMessage::Ends(taken()));
        result
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
    news_at: Instant,
    has_news: bool,
    told: Option<Instant>,
}

impl SearchStatus {
    fn new(now: Instant) -> SearchStatus {
        let (has_news, told) = (false, Some(now));
        SearchStatus { cases: 0, blocks: 0, functions: 0, kept: 0, news_at: now, has_news, told }
    }

    /// Tells it, if it is time.
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
struct BlockPlaces<'a> {
    watch: Option<CodeWatch<'a>>,
    /// How many entries the log had when it was asked for last, and the time before.
    asked: usize,
    before: usize,
    pipe: &'a Pipe,
    status: &'a RefCell<SearchStatus>,
}

impl Places for BlockPlaces<'_> {
    fn news(&mut self) -> u32 {
        let Some(watch) = &mut self.watch else { return 0 };
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
        let Some(watch) = &mut self.watch else { return false };
        watch.again(self.before);
        self.asked = self.before;
        true
    }

    fn kept(&mut self, case: &Case) {
        let mut status = self.status.borrow_mut();
        status.kept += 1;
        status.blocks += u64::from(case.news);
        status.functions = self.watch.as_ref().map_or(0, |it| it.functions() as u64);
        (status.has_news, status.news_at) = (true, Instant::now());
        tell(self.pipe, &CoverageMessage::Kept(case.trace.values()));
    }
}

fn told(message: &CoverageMessage) -> Vec<u8> {
    [&[TOLD], &*bytes(message)].concat()
}

fn tell(pipe: &Pipe, message: &CoverageMessage) {
    pipe.send(&told(message));
}

impl Wire for CoverageMessage {
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            CoverageMessage::Kept(values) => {
                0_u8.put(out);
                values.put(out);
            }
            CoverageMessage::Status(it) => {
                1_u8.put(out);
                [it.cases, it.blocks, it.functions, it.corpus].iter().for_each(|it| it.put(out));
                it.last_news.put(out);
            }
            CoverageMessage::IsOver(has_news, taken) => {
                2_u8.put(out);
                has_news.put(out);
                taken.put(out);
            }
            CoverageMessage::Ends(taken) => {
                3_u8.put(out);
                taken.put(out);
            }
            CoverageMessage::Cannot(why) => {
                4_u8.put(out);
                why.put(out);
            }
        }
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        Some(match u8::take(from)? {
            0 => CoverageMessage::Kept(Wire::take(from)?),
            1 => {
                let mut it = CoverageStatus::default();
                (it.cases, it.blocks) = (Wire::take(from)?, Wire::take(from)?);
                (it.functions, it.corpus) = (Wire::take(from)?, Wire::take(from)?);
                it.last_news = Wire::take(from)?;
                CoverageMessage::Status(it)
            }
            2 => CoverageMessage::IsOver(Wire::take(from)?, Wire::take(from)?),
            3 => CoverageMessage::Ends(Wire::take(from)?),
            4 => CoverageMessage::Cannot(Wire::take(from)?),
            _ => return None,
        })
    }
}
