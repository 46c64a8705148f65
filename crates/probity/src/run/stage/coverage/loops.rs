//! What blocks do not see: how often loops go round. A corpus of its own learns that, where the search is stalled.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use probity_core::{Case, Misuse, Places, Source, Test, Value};
use probity_coverage::CodeWatch;

/// What one round of a loop takes that is counted: measured 2.6 microseconds, and some for what it meets.
const ROUND: Duration = Duration::from_micros(3);
/// The part of the time that may go by with them.
const PART: u32 = 10;

/// A test, some of whose loops are counted in each case, as long as that takes a small part of the time.
pub(super) struct LoopTest<'a, 'w> {
    pub(super) test: &'a mut dyn Test,
    pub(super) watch: &'a RefCell<CodeWatch<'w>>,
    pub(super) pace: &'a LoopPace,
}

/// How much was counted.
pub(super) struct LoopPace {
    start: Instant,
    traps: u64,
    word: Cell<u64>,
}

impl LoopPace {
    pub(super) fn new(watch: &CodeWatch<'_>, seed: u64) -> LoopPace {
        LoopPace { start: Instant::now(), traps: watch.long_traps(), word: Cell::new(seed) }
    }

    /// Whether some more may be counted.
    fn has_time(&self, watch: &CodeWatch<'_>) -> bool {
        let rounds = (watch.long_traps() - self.traps).min(u32::MAX.into()) as u32;
        ROUND * rounds <= self.start.elapsed() / PART
    }
}

impl Test for LoopTest<'_, '_> {
    fn case(&mut self, source: &mut Source) {
        let LoopPace { word, .. } = self.pace;
        word.set(word.get().wrapping_add(1));
        let has_time = self.pace.has_time(&self.watch.borrow());
        // A case may unwind.
        let _counting = has_time.then(|| Counting::begin(self.watch, word.get()));
        self.test.case(source);
    }

    fn batch(&mut self, source: &mut Source) {
        self.test.batch(source); // a corpus records every case
    }

    fn run_elsewhere(&mut self, source: &mut Source, render: bool) -> Option<Result<Case, Misuse>> {
        self.test.run_elsewhere(source, render)
    }
}

/// Loops are counted for as long as this is there.
struct Counting<'a, 'w>(&'a RefCell<CodeWatch<'w>>);

impl<'a, 'w> Counting<'a, 'w> {
    fn begin(watch: &'a RefCell<CodeWatch<'w>>, word: u64) -> Self {
        watch.borrow().begin_counting(word);
        Counting(watch)
    }
}

impl Drop for Counting<'_, '_> {
    fn drop(&mut self) {
        self.0.borrow().end_counting();
    }
}

/// Blocks and loops as the places of a corpus.
pub(super) struct LoopPlaces<'a, 'w> {
    pub(super) blocks: &'a mut dyn Places,
    pub(super) watch: &'a RefCell<CodeWatch<'w>>,
    /// How many entries the log had.
    pub(super) asked: usize,
    /// How many blocks the last case was the first to reach.
    pub(super) last: u32,
    /// Cases that reached blocks, which are for the other corpus.
    pub(super) found: Vec<Vec<Value>>,
}

impl Places for LoopPlaces<'_, '_> {
    fn news(&mut self) -> u32 {
        let loops = self.watch.borrow().log().loops(self.asked);
        self.last = self.blocks.news();
        self.asked = self.watch.borrow().met();
        self.last + loops as u32
    }

    fn forget(&mut self) -> bool {
        // How often a loop went round is kept in mind: it cannot be news again.
        let can_forget = self.last > 0 && self.blocks.forget();
        self.asked = self.watch.borrow().met();
        can_forget
    }

    fn kept(&mut self, case: &Case) {
        if self.last > 0 {
            self.blocks.kept(case);
            self.found.push(case.trace.values());
        }
    }
}
