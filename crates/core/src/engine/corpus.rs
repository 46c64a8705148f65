//! The corpus engine: cases that brought news are kept, varied and mixed.
//!
//! It learns of a case how many places it reached that no case had reached before ([`Case::news`]), and nothing else:
//! what a place is, is for those who run the cases to say. What the test says itself counts too: a label that is new, a
//! score that is better. What was kept is picked by how rare it is and what it costs, and varied with the moves of the
//! targeted engine.

mod pick;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use super::targeted::outline::TraceOutline;
use super::targeted::scoreboard::Scoreboard;
use super::targeted::variation::{CaseKind, Variation};
use crate::rng::hash;
use crate::{
    Case, Domain, Ended, Engine, Ordered, Progress, Rng, Seed, SortedMap, SourcePlace, Stop, Trace,
    Trajectory, Value, Verdict,
};

use pick::Pick;

/// Cases that brought news, and the engine that goes on from them.
///
/// [`search_corpus`](crate::search_corpus) runs it. Before that, and between two searches, answers can be handed to
/// it: [`offer`](Self::offer) for what is kept only if it brings news, such as a stored corpus, the smallest first;
/// [`add`](Self::add) for what is good for a reason that others know, such as what an interpreter solved.
///
/// ```
/// use probity_core::{Corpus, conformance};
/// conformance::check(|| Box::new(Corpus::at(7, 0)));
/// ```
pub struct Corpus {
    next: u64,
    variation: Variation,
    entries: Vec<CorpusEntry>,
    outlines: Vec<TraceOutline>,
    /// Answers to be run as they are, the first first; whether they are kept without news.
    given: VecDeque<(Vec<Value>, bool)>,
    /// Random cases that are to be run next.
    samples: Option<Range<u64>>,
    /// Whether one case in sixteen is a random one.
    has_samples: bool,
    pick: Pick,
    scoreboard: Scoreboard,
    /// Labels that were heard, sorted.
    labels: Vec<String>,
    /// Which arms of `one_of!` and `steps!` were entered, by bit.
    arms: KnownArms,
    /// Failures that are no news to anybody.
    known: Vec<String>,
    /// When there was news last.
    news_at: u64,
    has_kept: bool,
    ends_after_given: bool,
}

/// A case that was kept.
///
/// ```
/// use probity_core::{Budget, Corpus, Source, context::label, search_corpus};
/// let mut corpus = Corpus::at(7, 0);
/// let budget = Budget { cases: 100, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
/// let mut test = |src: &mut Source| if src.bool() { label(format_args!("heads")) };
/// search_corpus(&mut corpus, &mut (), &mut test, budget).unwrap();
/// let heads = &corpus.entries()[0];
/// assert_eq!((heads.answers.len(), heads.news), (1, 1));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CorpusEntry {
    /// Its answers, to be replayed.
    pub answers: Vec<Value>,
    /// How many places it was the first to reach.
    pub news: u32,
    /// How many cases there had been without news before it came.
    pub waited: u64,
    /// How often it was picked to be varied.
    pub picks: u64,
    /// How many cases like it were kept.
    pub finds: u64,
    /// Whether it was kept for its score alone: such entries give way to better ones.
    pub is_for_score: bool,
}

/// Which arms were entered, by where they stand and by bit.
pub(crate) type KnownArms = SortedMap<SourcePlace, u64>;

/// Of how many cases one is a random one, where nobody runs those at full speed.
const SAMPLE_EVERY: u64 = 16;
/// How many entries are kept in memory. What comes then takes the place of one that is picked at random.
const ENTRIES_MAX: usize = 1 << 14;
/// How many of them for their score alone.
const SCORED_MAX: usize = 16;
/// How many labels are news: a test may give each case one of its own.
const LABELS_MAX: usize = 1 << 8;
/// Keeps what neighbors draw apart from the random cases of the same seed.
const SALT: u64 = 0x636f_7270_7573;

impl Default for Corpus {
    fn default() -> Self {
        Corpus::at(0, 0)
    }
}

impl Corpus {
    /// An empty corpus that begins with case number `index` of the random engine.
    pub fn at(seed: impl Into<Seed>, index: u64) -> Self {
        let seed = seed.into();
        Corpus {
            next: index,
            variation: Variation::new(seed, SALT, Rng::new(hash(seed.own_word(), SALT ^ index))),
            entries: Vec::new(),
            outlines: Vec::new(),
            given: VecDeque::new(),
            samples: None,
            has_samples: true,
            pick: Pick::default(),
            scoreboard: Scoreboard::new(false),
            labels: Vec::new(),
            arms: KnownArms::default(),
            known: Vec::new(),
            news_at: index,
            has_kept: false,
            ends_after_given: false,
        }
    }

    /// Runs these answers next, and keeps them if they bring news. Answers that do not fit are drawn instead.
    ///
    /// ```
    /// use probity_core::{Budget, Corpus, Source, Value, search_corpus};
    /// let mut corpus = Corpus::at(7, 0);
    /// corpus.offer(vec![Value::Int(42)]);
    /// let budget = Budget { cases: 1, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
    /// search_corpus(&mut corpus, &mut (), &mut |src: &mut Source| assert_eq!(src.any::<u8>(), 42), budget).unwrap();
    /// assert!(corpus.entries().is_empty(), "nobody said that it reached anything");
    /// ```
    pub fn offer(&mut self, answers: Vec<Value>) {
        self.given.push_back((answers, false));
    }

    /// Runs these answers next, and keeps them unless they fail.
    ///
    /// ```
    /// use probity_core::{Budget, Corpus, Source, Value, search_corpus};
    /// let mut corpus = Corpus::at(7, 0);
    /// corpus.add(vec![Value::Int(42)]);
    /// let budget = Budget { cases: 1, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
    /// search_corpus(&mut corpus, &mut (), &mut |src: &mut Source| _ = src.any::<u8>(), budget).unwrap();
    /// assert_eq!(corpus.entries()[0].answers, [Value::Int(42)]);
    /// ```
    pub fn add(&mut self, answers: Vec<Value>) {
        self.given.push_back((answers, true));
    }

    /// Ends the search when all that was offered and added is run.
    ///
    /// ```
    /// use probity_core::{Corpus, Ended, Engine};
    /// let mut corpus = Corpus::at(7, 0);
    /// corpus.end_after_given();
    /// assert_eq!(corpus.begin(), Err(Ended::Exhausted));
    /// ```
    pub fn end_after_given(&mut self) {
        self.ends_after_given = true;
    }

    /// Says that failures of this origin are known: a search counts them and goes on. It is the text of an
    /// [`Origin`](crate::Origin), and may have the message of a failure behind it, as a stored failure has.
    ///
    /// ```
    /// use probity_core::{Budget, Corpus, Source, search_corpus};
    /// let mut corpus = Corpus::at(7, 0);
    /// let mut search = |corpus: &mut Corpus| {
    ///     let budget = Budget { cases: 500, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
    ///     search_corpus(corpus, &mut (), &mut |src: &mut Source| assert!(src.bool()), budget).unwrap()
    /// };
    /// let mut found = search(&mut corpus);
    /// corpus.know(found.failures.remove(0).failure.origin.to_string());
    /// let found = search(&mut corpus);
    /// assert!(found.failures.is_empty() && found.tally.cases == 500);
    /// ```
    pub fn know(&mut self, failure: String) {
        if !self.known.contains(&failure) {
            self.known.push(failure);
        }
    }

    /// What was kept, the oldest first.
    ///
    /// ```
    /// assert!(probity_core::Corpus::at(7, 0).entries().is_empty());
    /// ```
    pub fn entries(&self) -> &[CorpusEntry] {
        &self.entries
    }

    /// How many cases it has run.
    ///
    /// ```
    /// assert_eq!(probity_core::Corpus::at(7, 100).cases(), 100);
    /// ```
    pub fn cases(&self) -> u64 {
        self.next
    }

    /// For how many cases there has been no news.
    ///
    /// ```
    /// assert_eq!(probity_core::Corpus::at(7, 100).stalled(), 0);
    /// ```
    pub fn stalled(&self) -> u64 {
        self.next - self.news_at
    }

    /// What its random cases follow from.
    pub(crate) fn seed(&self) -> Seed {
        self.variation.seed
    }

    /// Whether there is something to be run first.
    pub(crate) fn has_given(&self) -> bool {
        !self.given.is_empty() || self.samples.is_some()
    }

    /// Says whether one case in sixteen is a random one, or somebody else runs those.
    pub(crate) fn set_samples(&mut self, has_samples: bool) {
        self.has_samples = has_samples;
    }

    /// Runs these random cases next: one of them has news.
    pub(crate) fn sample(&mut self, cases: Range<u64>) {
        self.samples = Some(cases);
    }

    /// Which arms were entered, which the search knows better than the engine.
    pub(crate) fn arms(&mut self) -> &mut KnownArms {
        &mut self.arms
    }

    /// Whether the last case was kept.
    pub(crate) fn has_kept(&self) -> bool {
        self.has_kept
    }

    /// Failures that are known.
    pub(crate) fn known(&self) -> &[String] {
        &self.known
    }

    /// Reports its answers to those who watch: a case does not follow from its number.
    pub(crate) fn watch(&mut self, progress: Option<Arc<Progress>>) {
        self.variation.progress = progress;
    }

    /// How the scores went, if any case had one.
    pub(crate) fn take_climb(&mut self) -> Option<Trajectory> {
        self.scoreboard.take_climb(None)
    }

    /// How much of what the test said of a case is new.
    fn heard(&mut self, case: &Case) -> u32 {
        let mut res = 0;
        for label in &case.log.labels {
            if let Err(at) = self.labels.binary_search(label)
                && self.labels.len() < LABELS_MAX
            {
                self.labels.insert(at, label.clone());
                res += 1;
            }
        }
        res
    }

    /// Whether a case has a score that is better than those before it.
    fn is_better(&mut self, case: &Case) -> bool {
        let Some(scores) = self.scoreboard.scores(&case.log.scores) else { return false };
        let is_better = self.scoreboard.see(self.next - 1, &scores, case);
        self.scoreboard.step(self.next - 1, Some(&scores), is_better);
        is_better
    }

    fn keep(&mut self, case: &Case, news: u32, is_for_score: bool) {
        let waited = self.stalled();
        if !is_for_score {
            self.news_at = self.next;
        }
        let answers = case.trace.values();
        let entry = CorpusEntry { answers, news, waited, picks: 0, finds: 0, is_for_score };
        let full = match is_for_score {
            true => {
                let scored = self.entries.iter().filter(|it| it.is_for_score).count() >= SCORED_MAX;
                scored.then(|| self.entries.iter().position(|it| it.is_for_score)).flatten()
            }
            false => (self.entries.len() >= ENTRIES_MAX)
                .then(|| self.variation.rng.below(ENTRIES_MAX as u64) as usize),
        };
        if let Some(at) = full {
            self.entries.remove(at);
            self.outlines.remove(at);
        }
        let mut outline = TraceOutline::default();
        outline.set(&case.trace, &mut self.variation.labels);
        self.entries.push(entry);
        self.outlines.push(outline);
        self.pick.keep(&self.entries, full);
    }
}

impl Engine for Corpus {
    fn begin(&mut self) -> Result<(), Ended> {
        if self.ends_after_given && self.given.is_empty() {
            return Err(Ended::Exhausted);
        }
        let index = self.next;
        self.next += 1;
        if let Some(sample) = self.samples.as_mut().and_then(Iterator::next) {
            self.variation.begin_sample(sample);
            return Ok(());
        }
        self.samples = None;
        if !self.given.is_empty() {
            self.variation.begin_given(index);
        } else if self.entries.is_empty() || self.has_samples && index.is_multiple_of(SAMPLE_EVERY) {
            self.variation.begin_sample(index);
        } else {
            let (base, other, temperature) = self.pick.next(&mut self.entries, &mut self.variation.rng);
            let other = other.map(|at| &self.outlines[at]);
            self.variation.begin_neighbour(index, &self.outlines[base], other, temperature);
        }
        Ok(())
    }

    #[inline]
    fn answer(&mut self, domain: &Domain, so_far: &Trace) -> Result<Value, Stop> {
        let given = match self.variation.running {
            CaseKind::Given => self.given.front().and_then(|it| it.0.get(so_far.choices.len()).copied()),
            CaseKind::Sample | CaseKind::Neighbour => None,
        };
        Ok(self.variation.answer(domain, so_far, given, self.outlines.get(self.pick.base())))
    }

    fn end(&mut self, case: &Case) {
        let running = std::mem::replace(&mut self.variation.running, CaseKind::Sample);
        let mut news = case.news;
        let mut is_better = false;
        // What fails is no base: everything that is like it might fail alike.
        let is_kept = match case.verdict {
            Verdict::Fail(_) | Verdict::Skipped | Verdict::Overrun => false,
            Verdict::Reject(_) => true,
            Verdict::Pass => {
                news += self.heard(case);
                is_better = self.is_better(case);
                true
            }
        };
        let is_news = is_kept && (news > 0 || is_better);
        let mut is_added = false;
        match running {
            CaseKind::Given => is_added = self.given.pop_front().is_some_and(|it| it.1),
            CaseKind::Neighbour => {
                self.variation.learn(is_news);
                self.pick.learn(&mut self.entries, is_news);
            }
            CaseKind::Sample => {}
        }
        self.has_kept = is_kept && (is_news || is_added);
        if self.has_kept {
            self.keep(case, news, news == 0 && is_better);
        }
    }

    fn order(&mut self) -> Option<&mut dyn Ordered> {
        Some(&mut self.variation)
    }
}
