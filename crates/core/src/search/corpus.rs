//! The search that goes where no case has been.

use std::sync::Arc;

use super::{SearchState, climbed};
use crate::engine::KeptEngine;
use crate::unwind::{BatchEnd, run_batch};
use crate::{
    Budget, Case, Corpus, Engine, Found, Misuse, Progress, Random, Replay, SearchResult, SortedMap, Source,
    SourcePlace, Tail, Test, Verdict, run_case,
};

/// Who knows where cases have been: breakpoints, counters of an instrumented build, paths of an interpreter. What a
/// place is, is theirs to say.
///
/// ```
/// use std::{cell::RefCell, collections::BTreeSet};
/// use probity_core::{Budget, Case, Corpus, Places, Source, search_corpus};
/// /// Places that the test itself writes down.
/// struct Map<'a> { reached: &'a RefCell<Vec<u32>>, known: BTreeSet<u32>, last: Vec<u32>, n_kept: u32 }
/// impl Places for Map<'_> {
///     fn news(&mut self) -> u32 {
///         self.last = self.reached.take();
///         self.last.retain(|it| self.known.insert(*it));
///         self.last.len() as u32
///     }
///     fn forget(&mut self) -> bool {
///         self.last.iter().for_each(|it| _ = self.known.remove(it));
///         true
///     }
///     fn kept(&mut self, _: &Case) {
///         self.n_kept += 1; // or write it to a file
///     }
/// }
/// let reached: RefCell<Vec<u32>> = RefCell::default();
/// let mut test = |src: &mut Source| {
///     let [a, b, c]: [u8; 3] = src.any();
///     let depth = if a != b'F' { 0 } else if b != b'U' { 1 } else if c != b'Z' { 2 } else { panic!() };
///     reached.borrow_mut().push(depth);
/// };
/// let budget = Budget { cases: 200_000, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
/// let mut places = Map { reached: &reached, known: BTreeSet::new(), last: vec![], n_kept: 0 };
/// let found = search_corpus(&mut Corpus::at(7, 0), &mut places, &mut test, budget).unwrap();
/// assert_eq!((found.failures.len(), places.n_kept), (1, 3));
/// ```
pub trait Places {
    /// How many places were reached, since this was last asked, that had never been reached before.
    fn news(&mut self) -> u32;

    /// Takes back what [`news`](Self::news) said last: anyone who reaches those places again brings news again. `false`
    /// where that cannot be done.
    fn forget(&mut self) -> bool {
        false
    }

    /// Learns that a case is kept, to write it down or to send it.
    fn kept(&mut self, case: &Case) {
        let _ = case;
    }
}

/// Nobody knows. What the test says itself counts: labels, scores, arms.
impl Places for () {
    fn news(&mut self) -> u32 {
        0
    }
}

/// Searches with a corpus: what was offered to it first, then cases like those that it keeps, and random ones. A case with
/// news is run again where its news can be taken back, for what runs only once in a process is no news of a case.
///
/// Call it again with the same corpus to go on.
///
/// ```
/// use probity_core::{Budget, Corpus, Source, Value, search_corpus};
/// let budget = Budget { cases: 500, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
/// let mut test = |src: &mut Source| {
///     let (key, n): (u64, u8) = src.any();
///     assert!(key != 0x9e37_79b9_7f4a_7c15 || n < 200); // found only from where the key is known
/// };
/// let mut corpus = Corpus::at(7, 0);
/// corpus.add(vec![Value::Int(0x9e37_79b9_7f4a_7c15), Value::Int(0)]);
/// let found = search_corpus(&mut corpus, &mut (), &mut test, budget).unwrap();
/// assert_eq!(found.failures.len(), 1);
/// ```
pub fn search_corpus(
    corpus: &mut Corpus,
    places: &mut dyn Places,
    test: &mut dyn Test,
    budget: Budget<'_>,
) -> Result<SearchResult, Misuse> {
    let progress = Arc::clone(&budget.progress);
    corpus.watch(Some(Arc::clone(&progress)));
    let state = SearchState { known: corpus.known().to_vec(), ..SearchState::default() };
    let mut arms = std::mem::take(corpus.arms());
    let kept = KeptEngine::new(std::mem::take(corpus));
    let result = run(&kept, &mut arms, places, test, budget, state);
    progress.end_answers();
    *corpus = kept.into_inner();
    corpus.watch(None);
    *corpus.arms() = arms;
    Ok(climbed(result?, corpus.take_climb()))
}

/// Random cases at full speed, beside those that a corpus makes.
struct FastSamples {
    source: Source,
    progress: Arc<Progress>,
    /// Whether news can be taken back, so that a batch with news can be run again, and the test counts nothing.
    is_possible: Option<bool>,
    /// How many cases the corpus made since the last batch.
    made: u64,
    /// How many cases are wanted in all.
    wanted: u64,
}

/// How many random cases are run at once, and for how many that the corpus made.
const BATCH: u64 = 64;
const MADE: u64 = 15 * BATCH;
/// After how many cases without news there are as many random cases as others, and how many at once.
const STALL: u64 = 20_000;
const STALL_BATCH: u64 = 1 << 10;

impl FastSamples {
    /// Learns that the corpus made a case, and runs random ones where it is their turn. A batch with news is run again by
    /// the corpus, case by case.
    fn turn(
        &mut self,
        corpus: &KeptEngine<Corpus>,
        places: &mut dyn Places,
        test: &mut dyn Test,
        state: &mut SearchState,
    ) -> Result<(), Misuse> {
        self.made += 1;
        corpus.get_mut().set_samples(self.is_possible != Some(true));
        let is_stalled = corpus.get().stalled() >= STALL;
        let (made, batch) = if is_stalled { (STALL_BATCH, STALL_BATCH) } else { (MADE, BATCH) };
        if self.made < made || self.is_possible != Some(true) || corpus.get().has_given() {
            return Ok(());
        }
        self.made = 0;
        self.progress.end_answers();
        let first = self.source.next_index();
        let left = self.wanted.saturating_sub(state.tally.cases + 1); // one is just being counted
        self.source.allow(first + batch.min(left).min(self.progress.pace()));
        let end = run_batch(&mut self.source, test);
        let until = self.source.next_index();
        let passed = (until - first).saturating_sub(1);
        state.tally.cases += passed;
        match end {
            BatchEnd::Done => state.tally.cases += u64::from(until > first),
            BatchEnd::Misuse(misuse) => return Err(misuse),
            BatchEnd::Skipped => {}
            BatchEnd::Reject(site) => *state.tally.rejects.entry(site, || 0) += 1,
            BatchEnd::Overrun => state.overran(test)?,
            BatchEnd::NeedsRecording => {
                self.is_possible = Some(false);
                corpus.get_mut().sample(until - 1..until);
            }
            BatchEnd::Failed(failure) => {
                state.tally.cases += 1;
                if !state.count_repeat(&failure.origin) {
                    let mut random = Random::at(corpus.get().seed(), until - 1);
                    random.begin().ok();
                    let case = run_case(&mut Source::new(Box::new(random)), test)?;
                    state.keep(Found { index: until - 1, failure, case });
                }
            }
        }
        if places.news() > 0 && places.forget() {
            corpus.get_mut().sample(first..until);
        }
        self.source.tally_arms(&mut state.tally);
        Ok(())
    }
}

fn run(
    corpus: &KeptEngine<Corpus>,
    arms: &mut SortedMap<SourcePlace, u64>,
    places: &mut dyn Places,
    test: &mut dyn Test,
    budget: Budget<'_>,
    state: SearchState,
) -> Result<SearchResult, Misuse> {
    let first = corpus.get().cases();
    places.news(); // what came before is nobody's
    let progress = Arc::clone(&budget.progress);
    let source = Source::fast(corpus.get().seed(), first, Arc::clone(&progress));
    let mut fast = FastSamples { source, progress, is_possible: None, made: 0, wanted: budget.cases };
    let each = &mut |source: &mut Source, case: &mut Case, test: &mut dyn Test, state: &mut SearchState| {
        case.news = look(places, case, test, &mut fast.is_possible)?;
        for (place, entered) in source.arms_entered() {
            let known = arms.entry(place, || 0);
            case.news += (entered & !*known).count_ones();
            *known |= entered;
        }
        source.end(case);
        if corpus.get().has_kept() {
            places.kept(case);
        }
        fast.turn(corpus, places, test, state)
    };
    super::search_each(Box::new(corpus.clone()), first, 0, test, budget, state, each)
}

/// How many places a case is the first to reach, also when it is run again.
fn look(
    places: &mut dyn Places,
    case: &mut Case,
    test: &mut dyn Test,
    can_forget: &mut Option<bool>,
) -> Result<u32, Misuse> {
    let news = places.news();
    if news == 0 {
        return Ok(0);
    }
    let forgets = places.forget();
    can_forget.get_or_insert(forgets);
    if !forgets {
        return Ok(news);
    }
    if matches!(case.verdict, Verdict::Fail(_)) {
        return Ok(0); // it is not kept: others may be the first
    }
    let replay = Replay::new(case.trace.values(), Tail::Simplest);
    let again = run_case(&mut Source::new(Box::new(replay)), test)?;
    let news = places.news();
    if matches!(again.verdict, Verdict::Fail(_)) {
        *case = again;
    }
    Ok(news)
}
