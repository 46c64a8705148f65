//! Cases run until something is found or the budget is spent.

mod corpus;
mod evidence;
mod exhaustive;
mod overrun;
mod progress;
mod sampling;

use std::sync::Arc;

use crate::{
    Case, Ended, Engine, Failure, Misuse, Origin, Site, SortedMap, Source, SourcePlace, Test, Verdict,
    run_case,
};

pub use corpus::{Places, search_corpus};
pub use evidence::{BestCase, Curve, Evidence, Explored, Point, Proof, Trajectory};
pub use exhaustive::{
    Share, search_exhaustive, search_exhaustive_share, search_exhaustive_unscored, search_smallest,
};
pub use progress::{Progress, Running};
use sampling::climbed;
pub use sampling::{search_adaptive, search_random};

/// How long a search may go on.
///
/// ```
/// use probity_core::{Budget, Source, search_random};
/// let mut go_on = |cases| cases < 500; // with a clock at hand: whether there is time left
/// let budget = Budget { cases: 1 << 40, rejects: 10, go_on: &mut go_on, progress: Default::default() };
/// let finding = search_random(7, &mut |_: &mut Source| (), budget).unwrap();
/// assert!((500..1000).contains(&finding.tally.cases));
/// ```
pub struct Budget<'a> {
    /// How many cases are wanted whose test ran to a verdict.
    pub cases: u64,
    /// How many rejected cases are tolerated for each wanted one.
    pub rejects: u64,
    /// Asked from time to time with the number of cases run; `false` ends the search. This is where
    /// time comes in: core has no clock.
    pub go_on: &'a mut dyn FnMut(u64) -> bool,
    /// What is running now, for anyone who watches from another thread.
    pub progress: Arc<Progress>,
}

/// What a search of any kind returns.
///
/// ```
/// # use probity_core::{Budget, Ended, Source, search_random};
/// # let budget = Budget { cases: 100, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
/// let mut test = |src: &mut Source| assert!(src.draw(0..9) < 9);
/// let finding = search_random(7, &mut test, budget).unwrap();
/// assert!(finding.failures.is_empty() && finding.ended == Ended::Budget);
/// ```
#[derive(Debug)]
pub struct SearchResult {
    /// The first failure of each origin, in the order they were found.
    pub failures: Vec<Found>,
    /// Why the search ended.
    pub ended: Ended,
    /// What it counted.
    pub tally: Tally,
    /// What it knows beside that.
    pub evidence: Evidence,
}

/// A failing case, as it was found.
///
/// ```
/// # use probity_core::{Budget, Random, Source, run_case, search_random};
/// # let budget = Budget { cases: 1000, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
/// let mut test = |src: &mut Source| assert!(src.draw(0..100) < 95);
/// let found = search_random(7, &mut test, budget).unwrap().failures.remove(0);
/// let again = run_case(&mut Source::new(Box::new(Random::at(7, found.index))), &mut test).unwrap();
/// assert_eq!(again.trace, found.case.trace);
/// ```
#[derive(Clone, Debug)]
pub struct Found {
    /// The number of the case.
    pub index: u64,
    /// What went wrong when it was found.
    pub failure: Failure,
    /// The same case again, recorded. Its verdict differs from `failure` when the test is flaky.
    pub case: Case,
}

/// What a search counted.
///
/// ```
/// # use probity_core::{Budget, Source, context::label, search_random};
/// # let budget = Budget { cases: 100, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
/// let mut test = |src: &mut Source| if src.bool() { label(format_args!("heads")) };
/// let tally = search_random(7, &mut test, budget).unwrap().tally;
/// assert!(tally.cases == 100 && (20..80).contains(&tally.labels["heads"]));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Cases whose test ran to a verdict.
    pub cases: u64,
    /// Rejected cases, by the place that rejected them.
    pub rejects: SortedMap<Site, u64>,
    /// Cases that asked for too many choices.
    pub overruns: u64,
    /// Those of them that were made like another case, by the targeted engine. They are no sample of all inputs,
    /// so that labels and covers are counted in the others.
    pub neighbours: u64,
    /// How many cases had each label.
    pub labels: SortedMap<String, u64>,
    /// How many cases said each thing of the test.
    pub remarks: SortedMap<String, u64>,
    /// What `cover!` saw, by its place.
    pub covers: SortedMap<SourcePlace, CoverTally>,
    /// What `reach!` saw, by its label.
    pub goals: SortedMap<&'static str, GoalTally>,
    /// Which arms of `one_of!` and `steps!` some case entered, by their place.
    pub arms: SortedMap<SourcePlace, ArmTally>,
    /// The best score of each label, and whether the test asked for low numbers.
    pub scores: SortedMap<&'static str, (f64, bool)>,
}

/// What one `cover!` saw.
///
/// ```
/// # use probity_core::{Budget, Source, context::cover, search_random};
/// # let budget = Budget { cases: 100, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
/// let mut test = |src: &mut Source| cover(30.0, src.bool(), "heads");
/// let tally = search_random(7, &mut test, budget).unwrap().tally;
/// let heads = tally.covers.values().next().unwrap();
/// assert!(heads.reached == 100 && (20..80).contains(&heads.held));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CoverTally {
    /// What was to be covered.
    pub what: &'static str,
    /// The share of cases in which it has to hold, in percent.
    pub percent: f64,
    /// In how many cases it held.
    pub held: u64,
    /// In how many cases it was reached.
    pub reached: u64,
}

/// What one `reach!` saw.
///
/// ```
/// # use probity_core::{Budget, Source, context::reach, search_random};
/// # let budget = Budget { cases: 100, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
/// let mut test = |src: &mut Source| reach("heads", src.bool(), false);
/// let tally = search_random(7, &mut test, budget).unwrap().tally;
/// assert!(tally.goals.values().next().unwrap().held > 20);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct GoalTally {
    /// Where it stands.
    pub location: SourcePlace,
    /// Whether the test fails if no input comes to it.
    pub must: bool,
    /// In how many cases it held.
    pub held: u64,
}

/// Which arms of one `one_of!` or `steps!` some case entered.
///
/// ```
/// # use probity_core::{Budget, Source, search_random, steps};
/// # let budget = Budget { cases: 100, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
/// let mut test = |src: &mut Source| steps!(src, ..9, { push => (), pop if false => () });
/// let tally = search_random(7, &mut test, budget).unwrap().tally;
/// let arms = tally.arms.values().next().unwrap();
/// assert_eq!(arms.never().collect::<Vec<_>>(), ["pop"]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArmTally {
    /// What they are called, in their order.
    pub names: Vec<&'static str>,
    /// Those that were entered, by bit.
    pub entered: u64,
}

impl ArmTally {
    /// Those that no case entered.
    ///
    /// ```
    /// let arms = probity_core::ArmTally { names: vec!["push", "pop"], entered: 0b01 };
    /// assert_eq!(arms.never().collect::<Vec<_>>(), ["pop"]);
    /// ```
    pub fn never(&self) -> impl Iterator<Item = &'static str> {
        (0..).zip(&self.names).filter(|(at, _)| self.entered >> at & 1 == 0).map(|(_, name)| *name)
    }
}

impl Tally {
    /// Takes over which arms another search of the run entered.
    ///
    /// ```
    /// use probity_core::Tally;
    /// let mut tally = Tally::default();
    /// tally.add_arms(&Tally::default());
    /// assert!(tally.arms.values().next().is_none());
    /// ```
    pub fn add_arms(&mut self, other: &Tally) {
        for (place, arms) in other.arms.iter() {
            let new = || ArmTally { names: arms.names.clone(), entered: 0 };
            self.arms.entry(*place, new).entered |= arms.entered;
        }
    }

    /// Adds all that another search of the run counted.
    ///
    /// ```
    /// use probity_core::Tally;
    /// let mut tally = Tally { cases: 3, ..Tally::default() };
    /// tally.merge(Tally { cases: 4, overruns: 1, ..Tally::default() });
    /// assert_eq!((tally.cases, tally.overruns), (7, 1));
    /// ```
    pub fn merge(&mut self, other: Tally) {
        self.add_arms(&other);
        self.cases += other.cases;
        self.overruns += other.overruns;
        self.neighbours += other.neighbours;
        other.rejects.iter().for_each(|(site, n)| *self.rejects.entry(*site, || 0) += n);
        other.labels.iter().for_each(|(label, n)| *self.labels.entry(label.clone(), || 0) += n);
        other.remarks.iter().for_each(|(remark, n)| *self.remarks.entry(remark.clone(), || 0) += n);
        for (place, cover) in other.covers.iter() {
            let tally = self.covers.entry(*place, || CoverTally { held: 0, reached: 0, ..cover.clone() });
            tally.held += cover.held;
            tally.reached += cover.reached;
        }
        for (label, goal) in other.goals.iter() {
            self.goals.entry(*label, || GoalTally { held: 0, ..goal.clone() }).held += goal.held;
        }
        for (label, score) in other.scores.iter() {
            let best = self.scores.entry(*label, || *score);
            best.0 = best.0.max(score.0);
        }
    }

    /// All rejected cases.
    ///
    /// ```
    /// # use probity_core::{Budget, Source, context::assume, search_random};
    /// # let budget = Budget { cases: 100, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
    /// let mut test = |src: &mut Source| assume(src.bool(), "heads");
    /// let tally = search_random(7, &mut test, budget).unwrap().tally;
    /// assert!(tally.cases == 100 && tally.rejected() > 20);
    /// ```
    pub fn rejected(&self) -> u64 {
        self.rejects.values().sum::<u64>() + self.overruns
    }

    /// Counts a case; one that is no sample says nothing of how often inputs are of a kind.
    ///
    /// ```
    /// # use probity_core::{Random, Source, Tally, run_case};
    /// # let mut source = Source::new(Box::new(Random::new(7)));
    /// let case = run_case(&mut source, &mut |src: &mut Source| { src.bool(); }).unwrap();
    /// let mut tally = Tally::default();
    /// tally.add(&case, true);
    /// assert_eq!(tally.cases, 1);
    /// ```
    pub fn add(&mut self, case: &Case, is_sample: bool) {
        match &case.verdict {
            Verdict::Skipped => return,
            Verdict::Reject(site) => return *self.rejects.entry(*site, || 0) += 1,
            Verdict::Overrun => return self.overruns += 1,
            Verdict::Pass | Verdict::Fail(_) => self.cases += 1,
        }
        for score in &case.log.scores {
            let best = self.scores.entry(score.label, || (score.value, score.minimize));
            best.0 = best.0.max(score.value);
        }
        for it in &case.log.goals {
            let new = GoalTally { location: it.location, must: it.must, held: 0 };
            self.goals.entry(it.label, || new).held += u64::from(it.held);
        }
        for remark in &case.log.remarks {
            *self.remarks.entry(remark.clone(), || 0) += 1;
        }
        if !is_sample {
            return self.neighbours += 1;
        }
        for label in &case.log.labels {
            *self.labels.entry(label.clone(), || 0) += 1;
        }
        for cover in &case.log.covers {
            let new = CoverTally { what: cover.what, percent: cover.percent, held: 0, reached: 0 };
            let tally = self.covers.entry(cover.location, || new);
            tally.reached += 1;
            tally.held += u64::from(cover.held);
        }
    }
}

/// How many cases a search goes on for after a failure, to see whether there are others.
const CASES_AFTER_FAILURE: u64 = 200;
/// How many failures of known origins are met before that ends sooner.
const REPEATS_MAX: u64 = 20;
/// The least of both for a search in order, which goes on for as long as it took to find the failure: what
/// fails otherwise does not come early by chance.
const AFTER_FAILURE_IN_ORDER: u64 = 1000;
/// How many cases may ask for too many choices before their share matters; each takes as long as the longest input.
const OVERRUNS_MAX: u64 = 50;
/// How many failures of different origins are kept.
const ORIGINS_MAX: usize = 5;

/// Searches with any engine; every case is recorded.
///
/// ```
/// use probity_core::{Budget, Random, Source, search};
/// let budget = Budget { cases: 1000, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
/// let finding = search(Box::new(Random::new(7)), &mut |_: &mut Source| (), budget).unwrap();
/// assert!(finding.failures.is_empty() && finding.tally.cases == 1000);
/// ```
pub fn search(
    engine: Box<dyn Engine>,
    test: &mut dyn Test,
    budget: Budget<'_>,
) -> Result<SearchResult, Misuse> {
    search_recorded(engine, 0, 0, test, budget, SearchState::default())
}

fn search_recorded(
    engine: Box<dyn Engine>,
    first: u64,
    scored: u64,
    test: &mut dyn Test,
    budget: Budget<'_>,
    state: SearchState,
) -> Result<SearchResult, Misuse> {
    let end: &mut EndCase<'_> = &mut |source, case, _, _| {
        source.end(case);
        Ok(())
    };
    search_each(engine, first, scored, test, budget, state, end)
}

/// Lets the engine of a source know how its case went; it may run others.
type EndCase<'a> =
    dyn FnMut(&mut Source, &mut Case, &mut dyn Test, &mut SearchState) -> Result<(), Misuse> + 'a;

fn search_each(
    engine: Box<dyn Engine>,
    first: u64,
    scored: u64,
    test: &mut dyn Test,
    mut budget: Budget<'_>,
    mut state: SearchState,
    end: &mut EndCase<'_>,
) -> Result<SearchResult, Misuse> {
    let mut source = Source::new(engine);
    for index in first.. {
        if !state.wants_more(&mut budget) {
            break;
        }
        if let Err(ended) = source.begin() {
            source.tally_arms(&mut state.tally);
            return Ok(state.result(ended));
        }
        budget.progress.begin_case(index);
        let is_sample = source.is_sample();
        source.set_may_skip(is_sample && state.may_skip);
        let mut case = run_case(&mut source, test)?;
        end(&mut source, &mut case, test, &mut state)?;
        state.has_begun = true;
        match case.verdict {
            Verdict::Overrun => state.overran(test)?,
            _ => state.tally.add(&case, is_sample),
        }
        if !state.tally.scores.is_empty() {
            budget.cases = budget.cases.max(scored);
        }
        if let Verdict::Fail(failure) = &case.verdict
            && !state.count_repeat(&failure.origin)
        {
            state.keep(Found { index, failure: failure.clone(), case });
        }
    }
    source.tally_arms(&mut state.tally);
    Ok(state.result(Ended::Budget))
}

/// What a search knows while it runs.
#[derive(Default)]
struct SearchState {
    tally: Tally,
    failures: Vec<Found>,
    repeats: u64,
    /// Failures that are known from before: they are counted, and the search goes on.
    known: Vec<String>,
    /// Whether inputs come in order of size.
    is_in_order: bool,
    /// Whether random cases may be passed over for others.
    may_skip: bool,
    /// When the first failure was found, counted in cases.
    failed_at: Option<u64>,
    /// Whether a case was run, whatever came of it.
    has_begun: bool,
    /// Whether it ends before the budget is spent.
    is_stopped: bool,
}

impl SearchState {
    fn wants_more(&mut self, budget: &mut Budget<'_>) -> bool {
        let rejects_max = budget.cases.saturating_mul(budget.rejects).saturating_add(100);
        self.left(budget) > 0
            && self.tally.rejected() < rejects_max
            && self.repeats < self.after_failure(REPEATS_MAX)
            && self.failures.len() < ORIGINS_MAX
            && !self.stops(budget)
    }

    /// Whether it is time to stop. One case is begun however late it is, except where inputs come in order: there,
    /// how far it came is something.
    fn stops(&mut self, budget: &mut Budget<'_>) -> bool {
        let tolerated = self.tally.cases.saturating_mul(budget.rejects).saturating_mul(2);
        let overruns = self.tally.overruns > tolerated.saturating_add(OVERRUNS_MAX);
        let is_late = !(budget.go_on)(self.tally.cases) && (self.has_begun || self.is_in_order);
        self.is_stopped = overruns || is_late;
        self.is_stopped
    }

    /// Counts a case that asked for too many choices. The first one says whether all will.
    fn overran(&mut self, test: &mut dyn Test) -> Result<(), Misuse> {
        self.tally.overruns += 1;
        if self.tally.overruns > 1 { Ok(()) } else { overrun::look(test) }
    }

    /// How many more cases are wanted.
    fn left(&self, budget: &Budget<'_>) -> u64 {
        let more = self.after_failure(CASES_AFTER_FAILURE);
        let until = self.failed_at.map_or(budget.cases, |at| budget.cases.min(at + more));
        until.saturating_sub(self.tally.cases)
    }

    /// How much to see after the first failure, where it is `at_random` for a random search.
    fn after_failure(&self, at_random: u64) -> u64 {
        match self.is_in_order {
            true => self.failed_at.unwrap_or(0).max(AFTER_FAILURE_IN_ORDER),
            false => at_random,
        }
    }

    fn count_repeat(&mut self, origin: &Origin) -> bool {
        if !self.known.is_empty() && origin.is_of(&self.known) {
            return true;
        }
        let known = self.failures.iter().any(|it| it.failure.origin == *origin);
        self.repeats += u64::from(known);
        known
    }

    fn keep(&mut self, found: Found) {
        self.failed_at.get_or_insert(self.tally.cases);
        self.failures.push(found);
    }

    fn result(self, ended: Ended) -> SearchResult {
        let ended = if self.is_stopped && ended == Ended::Budget { Ended::Stopped } else { ended };
        SearchResult { failures: self.failures, ended, tally: self.tally, evidence: Evidence::default() }
    }
}
