//! What a search is at, for those who watch it from another thread.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::{CHOICES_MAX, Reach, Value};

/// What is running now, written by searches and read from other threads: a watchdog can tell that a
/// case hangs, and which one it is.
///
/// ```
/// use probity_core::{Progress, Running};
/// assert_eq!(Progress::default().running(), (0, Running::Case(0)));
/// ```
#[derive(Debug, Default)]
pub struct Progress {
    head: [AtomicU64; HEAD],
    places: Words,
    answers: OnceLock<Box<[Words]>>,
    replayed: Mutex<Option<Vec<Value>>>,
    /// Where all of that stands instead, if not here.
    shared: Option<&'static [AtomicU64]>,
    shared_head: Option<&'static [AtomicU64; HEAD]>,
}

/// The words at the head.
const HEAD: usize = 11;
const TICKS: usize = 0;
const CASE: usize = 1;
/// How far an exhaustive search came: the size, and the bits of the share of it that is done.
const SIZE: usize = 2;
const SHARE: usize = 3;
/// How many places its case takes, and one; zero while there is no such search.
const WALKED: usize = 4;
/// How many answers the case of a targeted search has been given, and one; zero while there is no such search.
const ANSWERED: usize = 5;
/// How many answers are replayed, and one, where they are in shared words; zero while there are none.
const REPLAYED: usize = 6;
/// How many cases may run between two looks at the clock; zero where nobody has said.
const PACE: usize = 7;
/// Before which case a batch ends.
const STOP_AT: usize = 8;
/// Whether a batch was ended from outside that may not have begun yet.
const ENDED: usize = 9;
/// When the search is to end; zero where nobody has said.
const DEADLINE: usize = 10;

/// Words that are there from the first use on.
type Words = OnceLock<Box<[AtomicU64]>>;

/// The case that is running.
///
/// ```
/// use probity_core::{Progress, Running, Value};
/// let progress = Progress::default();
/// progress.begin_replay(Some(vec![Value::Int(3)]));
/// assert_eq!(progress.running().1, Running::Replay(vec![Value::Int(3)]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Running {
    /// The case of this number.
    Case(u64),
    /// A replay of these answers, with the simplest ones behind them.
    Replay(Vec<Value>),
    /// The case of an exhaustive search that [`Exhaustive::at`](crate::Exhaustive::at) runs again.
    Walk(Vec<u64>),
}

/// How many places of a case are told to those who watch.
const PLACES_MAX: usize = 1 << 10;
/// Answers are told in blocks, which few cases need more than one of.
const ANSWER_BLOCKS: usize = CHOICES_MAX as usize / ANSWER_BLOCK;
const ANSWER_BLOCK: usize = 1 << 12;
/// Where answers begin in shared words.
const ANSWERS: usize = HEAD + PLACES_MAX;

impl Progress {
    /// How many words [`shared`](Self::shared) wants.
    pub const WORDS: usize = ANSWERS + 3 * CHOICES_MAX as usize;

    /// Progress that is kept in these words, which another process may share: at least [`WORDS`](Self::WORDS) of
    /// them. What is in them is forgotten.
    ///
    /// ```
    /// use std::sync::atomic::AtomicU64;
    /// use probity_core::{Progress, Running, Value};
    /// let words: Vec<AtomicU64> = (0..Progress::WORDS).map(|_| AtomicU64::new(0)).collect();
    /// let words: &'static [AtomicU64] = words.leak();
    /// let progress = Progress::shared(words);
    /// progress.begin_replay(Some(vec![Value::Int(3)]));
    /// assert_eq!(progress.running().1, Running::Replay(vec![Value::Int(3)]));
    /// ```
    pub fn shared(words: &'static [AtomicU64]) -> Progress {
        let head = words.first_chunk().filter(|_| words.len() >= Self::WORDS);
        let head: &[AtomicU64; HEAD] = head.expect("internal error: too few words to share");
        head.iter().for_each(|it| it.store(0, Ordering::Relaxed));
        Progress { shared: Some(words), shared_head: Some(head), ..Progress::default() }
    }

    #[inline]
    fn head(&self, at: usize) -> &AtomicU64 {
        &self.shared_head.unwrap_or(&self.head)[at]
    }

    /// What a word at the head counts, less one.
    fn count(&self, at: usize) -> Option<usize> {
        (self.head(at).load(Ordering::Relaxed) as usize).checked_sub(1)
    }

    fn places(&self) -> &[AtomicU64] {
        match self.shared {
            Some(words) => &words[HEAD..ANSWERS],
            None => self.places.get_or_init(|| (0..PLACES_MAX).map(|_| AtomicU64::new(0)).collect()),
        }
    }

    /// A number that changes whenever another case begins, and the case that is running.
    ///
    /// ```
    /// use probity_core::{Progress, Running};
    /// let progress = Progress::default();
    /// let (before, case) = progress.running();
    /// assert_eq!(case, Running::Case(0));
    /// assert_eq!(progress.running().0, before, "no other case has begun: is this one hanging?");
    /// ```
    pub fn running(&self) -> (u64, Running) {
        let case = self.head(CASE).load(Ordering::Relaxed);
        let replayed = self.replayed.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let ticks = self.head(TICKS).load(Ordering::Relaxed).wrapping_add(case);
        let walked = || {
            let len = self.count(WALKED)?;
            let places = self.places().iter().take(len).map(|it| it.load(Ordering::Relaxed));
            Some(Running::Walk(places.collect()))
        };
        let answers = |at| Some(Running::Replay(self.answers(self.count(at)?)?));
        let replayed = replayed.map(Running::Replay).or_else(|| answers(REPLAYED));
        let told = replayed.or_else(walked).or_else(|| answers(ANSWERED));
        (ticks, told.unwrap_or(Running::Case(case)))
    }

    /// Says that a case of a targeted search begins.
    pub(crate) fn begin_answers(&self) {
        self.head(ANSWERED).store(1, Ordering::Relaxed);
    }

    /// Says how a case of a targeted search answers choice number `at`.
    #[inline]
    pub(crate) fn answer(&self, at: usize, value: Value) {
        self.tell_answer(at, value);
        self.head(ANSWERED).store(at as u64 + 2, Ordering::Relaxed);
    }

    fn tell_answer(&self, at: usize, value: Value) {
        let tell = |words: &[AtomicU64]| {
            for (told, word) in words.iter().zip(value.words()) {
                told.store(word, Ordering::Relaxed);
            }
        };
        if let Some(words) = self.shared {
            return tell(words.get(ANSWERS + 3 * at..).unwrap_or_default());
        }
        let blocks = self.answers.get_or_init(|| (0..ANSWER_BLOCKS).map(|_| OnceLock::new()).collect());
        if let Some(block) = blocks.get(at / ANSWER_BLOCK) {
            let words = block.get_or_init(|| (0..3 * ANSWER_BLOCK).map(|_| AtomicU64::new(0)).collect());
            tell(&words[3 * (at % ANSWER_BLOCK)..]);
        }
    }

    pub(crate) fn end_answers(&self) {
        self.head(ANSWERED).store(0, Ordering::Relaxed);
    }

    fn answers(&self, len: usize) -> Option<Vec<Value>> {
        let word = |at: usize| {
            if let Some(words) = self.shared {
                return Some(words.get(ANSWERS + at)?.load(Ordering::Relaxed));
            }
            let block = self.answers.get()?.get(at / (3 * ANSWER_BLOCK))?.get()?;
            Some(block[at % (3 * ANSWER_BLOCK)].load(Ordering::Relaxed))
        };
        let value = |at| Value::from_words([word(3 * at)?, word(3 * at + 1)?, word(3 * at + 2)?]);
        (0..len).map(value).collect()
    }

    #[inline]
    pub(crate) fn begin_case(&self, index: u64) {
        self.head(CASE).store(index, Ordering::Relaxed);
    }

    /// The number of the case that a search runs, however it is answered.
    ///
    /// ```
    /// assert_eq!(probity_core::Progress::default().case(), 0);
    /// ```
    pub fn case(&self) -> u64 {
        self.head(CASE).load(Ordering::Relaxed)
    }

    /// Says how many cases a search may run before it asks [`Budget::go_on`](crate::Budget::go_on) again: few
    /// where they are slow, so that time is not overrun.
    ///
    /// ```
    /// use probity_core::{Budget, Progress, Source, search_random};
    /// let progress = std::sync::Arc::<Progress>::default();
    /// let (mut last, pace) = (0, progress.clone());
    /// let mut go_on = |cases| {
    ///     pace.set_pace(3);
    ///     assert!(cases - std::mem::replace(&mut last, cases) <= 3);
    ///     true
    /// };
    /// let budget = Budget { cases: 100, rejects: 10, go_on: &mut go_on, progress };
    /// search_random(7, &mut |_: &mut Source| (), budget).unwrap();
    /// ```
    pub fn set_pace(&self, cases: u64) {
        self.head(PACE).store(cases.max(1), Ordering::Relaxed);
    }

    /// The most cases between two looks at the clock.
    pub(crate) fn pace(&self) -> u64 {
        match self.head(PACE).load(Ordering::Relaxed) {
            0 => u64::MAX,
            pace => pace,
        }
    }

    /// Says when the search is to end, by a clock of anyone who asks it to go on, for those who watch: they
    /// [`end_batch`](Self::end_batch) then. Never zero.
    ///
    /// ```
    /// let progress = probity_core::Progress::default();
    /// progress.set_deadline(10_000_000_000);
    /// assert_eq!(progress.deadline(), Some(10_000_000_000));
    /// ```
    pub fn set_deadline(&self, at: u64) {
        self.head(DEADLINE).store(at, Ordering::Relaxed);
    }

    /// When the search is to end, where that is known.
    ///
    /// ```
    /// assert_eq!(probity_core::Progress::default().deadline(), None);
    /// ```
    pub fn deadline(&self) -> Option<u64> {
        Some(self.head(DEADLINE).load(Ordering::Relaxed)).filter(|it| *it != 0)
    }

    /// Lets no further case begin before the search has asked [`Budget::go_on`](crate::Budget::go_on) again. From any
    /// thread, at any time; it does not change which cases there are.
    ///
    /// ```
    /// use probity_core::{Budget, Progress, Source, search_random};
    /// let progress = std::sync::Arc::<Progress>::default();
    /// let watcher = progress.clone();
    /// let is_late = std::cell::Cell::new(false);
    /// let mut go_on = |_| !is_late.get();
    /// let mut ran = 0;
    /// let mut test = |_: &mut Source| {
    ///     ran += 1;
    ///     if ran == 700 {
    ///         is_late.set(true); // as a clock would
    ///         watcher.end_batch();
    ///     }
    /// };
    /// let budget = Budget { cases: 1000, rejects: 10, go_on: &mut go_on, progress };
    /// assert_eq!(search_random(7, &mut test, budget).unwrap().tally.cases, 700);
    /// ```
    pub fn end_batch(&self) {
        // In one order for all threads, so that a batch that is allowed just now sees one of the two.
        self.head(ENDED).store(1, Ordering::SeqCst);
        self.head(STOP_AT).store(0, Ordering::SeqCst);
    }

    /// Begins a batch that ends before case `stop_at`.
    pub(crate) fn begin_batch(&self, stop_at: u64) {
        self.head(STOP_AT).store(stop_at, Ordering::SeqCst);
        if self.head(ENDED).swap(0, Ordering::SeqCst) != 0 {
            self.leave_batch();
        }
    }

    /// Ends a batch from within.
    pub(crate) fn leave_batch(&self) {
        self.head(STOP_AT).store(0, Ordering::Relaxed);
    }

    /// Whether the batch goes on with this case.
    #[inline(always)]
    pub(crate) fn allows(&self, index: u64) -> bool {
        index < self.head(STOP_AT).load(Ordering::Relaxed)
    }

    /// How far an exhaustive search came: the size it is at, and how much of it is done, from 0 to 1.
    ///
    /// ```
    /// assert_eq!(probity_core::Progress::default().size(), (0, 0.0));
    /// ```
    pub fn size(&self) -> (u64, f64) {
        let word = |at| self.head(at).load(Ordering::Relaxed);
        (word(SIZE), f64::from_bits(word(SHARE)))
    }

    /// Says which places the case of an exhaustive search takes; those before `first` are as they were.
    #[inline]
    pub(crate) fn begin_walk(&self, path: &[u64], first: usize) {
        let places = self.places();
        // Mostly one or two of them.
        let mut at = first;
        while let (Some(told), Some(place)) = (places.get(at), path.get(at)) {
            told.store(*place, Ordering::Relaxed);
            at += 1;
        }
        self.head(WALKED).store(path.len() as u64 + 1, Ordering::Relaxed);
    }

    pub(crate) fn end_walk(&self) {
        self.head(WALKED).store(0, Ordering::Relaxed);
    }

    pub(crate) fn reach(&self, reach: Reach) {
        self.head(SIZE).store(reach.size, Ordering::Relaxed);
        self.head(SHARE).store(reach.share.to_bits(), Ordering::Relaxed);
    }

    /// Says that `values` are replayed from now on; with `None`, that the replays are over.
    ///
    /// ```
    /// use probity_core::{Progress, Running};
    /// let progress = Progress::default();
    /// progress.begin_replay(Some(vec![]));
    /// progress.begin_replay(None);
    /// assert_eq!(progress.running(), (2, Running::Case(0)));
    /// ```
    pub fn begin_replay(&self, values: Option<Vec<Value>>) {
        if self.shared.is_some() {
            let values = values.as_deref();
            for (at, value) in values.unwrap_or_default().iter().enumerate() {
                self.tell_answer(at, *value);
            }
            self.head(REPLAYED).store(values.map_or(0, |it| it.len() as u64 + 1), Ordering::Relaxed);
        } else {
            *self.replayed.lock().unwrap_or_else(PoisonError::into_inner) = values;
        }
        self.head(TICKS).fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;
