//! What a search is at, for those who watch it from another thread.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
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
    ticks: AtomicU64,
    case: AtomicU64,
    /// How far an exhaustive search came: the size, and the bits of the share of it that is done.
    size: AtomicU64,
    share: AtomicU64,
    /// How many places its case takes, and one; zero while there is no such search.
    walked: AtomicUsize,
    places: Words,
    /// How many answers the case of a targeted search has been given, and one; zero while there is no such search.
    answered: AtomicUsize,
    answers: OnceLock<Box<[Words]>>,
    replayed: Mutex<Option<Vec<Value>>>,
}

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

impl Progress {
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
        let case = self.case.load(Ordering::Relaxed);
        let replayed = self.replayed.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let ticks = self.ticks.load(Ordering::Relaxed).wrapping_add(case);
        let walked = || {
            let len = self.walked.load(Ordering::Relaxed).checked_sub(1)?;
            let places = self.places.get()?.iter().take(len).map(|it| it.load(Ordering::Relaxed));
            Some(Running::Walk(places.collect()))
        };
        let answered = || {
            let len = self.answered.load(Ordering::Relaxed).checked_sub(1)?;
            Some(Running::Replay(self.answers(len)?))
        };
        let told = replayed.map(Running::Replay).or_else(walked).or_else(answered);
        (ticks, told.unwrap_or(Running::Case(case)))
    }

    /// Says that a case of a targeted search begins.
    pub(crate) fn begin_answers(&self) {
        self.answered.store(1, Ordering::Relaxed);
    }

    /// Says how a case of a targeted search answers choice number `at`.
    #[inline]
    pub(crate) fn answer(&self, at: usize, value: Value) {
        let blocks = self.answers.get_or_init(|| (0..ANSWER_BLOCKS).map(|_| OnceLock::new()).collect());
        if let Some(block) = blocks.get(at / ANSWER_BLOCK) {
            let words = block.get_or_init(|| (0..3 * ANSWER_BLOCK).map(|_| AtomicU64::new(0)).collect());
            let first = 3 * (at % ANSWER_BLOCK);
            for (told, word) in words[first..first + 3].iter().zip(value.words()) {
                told.store(word, Ordering::Relaxed);
            }
        }
        self.answered.store(at + 2, Ordering::Relaxed);
    }

    pub(crate) fn end_answers(&self) {
        self.answered.store(0, Ordering::Relaxed);
    }

    fn answers(&self, len: usize) -> Option<Vec<Value>> {
        let word = |at: usize| {
            let block = self.answers.get()?.get(at / (3 * ANSWER_BLOCK))?.get()?;
            Some(block[at % (3 * ANSWER_BLOCK)].load(Ordering::Relaxed))
        };
        let value = |at| Value::from_words([word(3 * at)?, word(3 * at + 1)?, word(3 * at + 2)?]);
        (0..len).map(value).collect()
    }

    #[inline]
    pub(crate) fn begin_case(&self, index: u64) {
        self.case.store(index, Ordering::Relaxed);
    }

    /// How far an exhaustive search came: the size it is at, and how much of it is done, from 0 to 1.
    ///
    /// ```
    /// assert_eq!(probity_core::Progress::default().size(), (0, 0.0));
    /// ```
    pub fn size(&self) -> (u64, f64) {
        (self.size.load(Ordering::Relaxed), f64::from_bits(self.share.load(Ordering::Relaxed)))
    }

    /// Says which places the case of an exhaustive search takes; those before `first` are as they were.
    #[inline]
    pub(crate) fn begin_walk(&self, path: &[u64], first: usize) {
        let places = self.places.get_or_init(|| (0..PLACES_MAX).map(|_| AtomicU64::new(0)).collect());
        // Mostly one or two of them.
        let mut at = first;
        while let (Some(told), Some(place)) = (places.get(at), path.get(at)) {
            told.store(*place, Ordering::Relaxed);
            at += 1;
        }
        self.walked.store(path.len() + 1, Ordering::Relaxed);
    }

    pub(crate) fn end_walk(&self) {
        self.walked.store(0, Ordering::Relaxed);
    }

    pub(crate) fn reach(&self, reach: Reach) {
        self.size.store(reach.size, Ordering::Relaxed);
        self.share.store(reach.share.to_bits(), Ordering::Relaxed);
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
        *self.replayed.lock().unwrap_or_else(PoisonError::into_inner) = values;
        self.ticks.fetch_add(1, Ordering::Relaxed);
    }
}
