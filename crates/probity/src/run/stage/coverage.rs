//! The coverage engine in a run: a copy whose code has breakpoints runs cases, and keeps those that meet new ones.

mod campaign;
mod child;
mod goals;
mod loops;
mod share;

use std::sync::Arc;
use std::time::{Duration, Instant};

use probity_core::{Corpus, Found, OriginKind, SearchResult, Tally, Test, Value};
use probity_coverage::{CodeLog, Image};

use self::child::{CoverageMessage, CoverageSearch};
use self::goals::GoalHelper;
pub(in crate::run) use self::share::share;
use super::super::portfolio::{AfterStage, EngineKind, Stage};
use super::super::{Runner, misuse_message};
use super::concolic::Confirmed;
use super::pace::Deadline;
use crate::corpus::{CorpusFolder, Reached};
use crate::events::Event;
use crate::isolate::wire::{self, bytes};
use crate::isolate::{Child, Isolation, IsolationMode};
use crate::settings::CampaignMode;

/// How long a search goes on without news before the interpreter searches by itself.
const PATIENCE: Duration = Duration::from_millis(250);
/// How many cases it is given.
const GIVEN_MAX: usize = 8;

/// How far to go.
#[derive(Clone, Copy)]
struct CoverageLimits {
    time: Duration,
    /// Time of the processor, after which it is to be asked for more.
    processor: Option<Duration>,
    cases: u64,
    /// The number of the first case.
    first: u64,
    /// Whether the interpreter is asked where no case gets through.
    is_hybrid: bool,
    /// How long a search goes on without news before it counts as stalled.
    patience: Duration,
    /// Whether it only runs what it is given.
    is_replay: bool,
    /// Whether what it is given is kept, news or not.
    keeps_given: bool,
}

/// What came of a search.
struct Covered {
    result: SearchResult,
    /// How many failures were none when they were run without breakpoints.
    unconfirmed: u64,
    /// Why there were no breakpoints, or none to the end.
    unsupported: Option<String>,
    /// The time of the processor that it took, as far as it told.
    taken: Duration,
    /// What it kept.
    kept: Vec<Vec<Value>>,
    /// Whether it ended because there was no news for long.
    is_stalled: bool,
    /// How many blocks it met.
    blocks: usize,
    /// Whether it ended by a failure that a campaign knows.
    is_known: bool,
}

/// The search of the engine alone: `engine = "coverage"`.
pub(in crate::run) fn run(runner: &mut Runner<'_>, stage: &Stage) -> Result<AfterStage, String> {
    let start = Instant::now();
    if runner.inner {
        return Err("the coverage engine cannot run a test inside the case of another; use engine = \
                    \"random\" for the inner one"
            .to_string());
    }
    let isolation = runner.isolation.clone().ok_or_else(|| {
        "the coverage engine cannot run this test: no memory can be shared with processes; use engine = \
         \"random\""
            .to_string()
    })?;
    let time = stage.time(runner.settings);
    let mut limits = CoverageLimits {
        time,
        processor: None,
        cases: stage.cases(runner.settings),
        first: 0,
        is_hybrid: true,
        patience: PATIENCE,
        is_replay: false,
        keeps_given: false,
    };
    let mut folder = CorpusFolder::of(&runner.settings.corpus, runner.name);
    if runner.settings.campaign == CampaignMode::Minimize {
        let covered = runner.minimize_corpus(&isolation, &limits, folder)?;
        runner.state.set(EngineKind::Coverage, covered.result, start.elapsed());
        return Ok(AfterStage::Verdict);
    }
    let mut given = runner.load_corpus(&mut folder);
    let mut tally = Tally::default();
    let (mut can_watch, mut most_blocks) = (true, 0);
    let mut result = loop {
        // Side effects of the test are repeated: that is what was asked for.
        let before = isolation.turn(IsolationMode::Copies);
        let mut covered = runner.cover(&isolation, &limits, given, can_watch, folder.as_mut())?;
        let mut failures = std::mem::take(&mut covered.result.failures);
        limits.time = time.saturating_sub(start.elapsed());
        let ran = tally.cases + covered.result.tally.cases;
        let may_go_on = failures.is_empty() && !limits.time.is_zero() && ran < limits.cases;
        if covered.is_stalled && may_go_on {
            // What led on once may do so again.
            if covered.blocks > most_blocks {
                (most_blocks, limits.patience) = (covered.blocks, PATIENCE);
            }
            failures = runner.explore_from(&isolation, &mut limits, &covered.kept)?;
            covered.is_known |= runner.drop_known(&mut failures);
        }
        if !failures.iter().any(|it| it.failure.origin.kind == OriginKind::Died) {
            isolation.turn(before);
        }
        // One that died of its breakpoints goes on without.
        let is_broken = covered.unconfirmed > 0 && can_watch;
        if is_broken {
            covered
                .unsupported
                .get_or_insert("a copy with breakpoints failed where the test does not".into());
            can_watch = false;
        }
        if let Some(why) = covered.unsupported {
            runner.reporters.direct().tell(&Event::Unwatched { why });
        }
        let goes_on = is_broken || covered.is_stalled || covered.is_known;
        if !may_go_on || !failures.is_empty() || !goes_on {
            covered.result.failures = failures;
            break covered.result;
        }
        limits.first += covered.result.tally.cases;
        limits.time = time.saturating_sub(start.elapsed());
        tally.merge(covered.result.tally);
        given = covered.kept;
        if covered.is_known {
            // It may have died before it had run all that it was given.
            folder = CorpusFolder::of(&runner.settings.corpus, runner.name);
            given.append(&mut runner.load_corpus(&mut folder));
        }
        given.append(&mut runner.state.reached);
    };
    result.tally.merge(tally);
    runner.state.set(EngineKind::Coverage, result, start.elapsed());
    Ok(AfterStage::Verdict)
}

impl Runner<'_> {
    /// Searches by coverage, in a copy as `isolation` makes them now. What it keeps is saved to `folder`.
    fn cover(
        &mut self,
        isolation: &Isolation,
        limits: &CoverageLimits,
        given: Vec<Vec<Value>>,
        can_watch: bool,
        mut folder: Option<&mut CorpusFolder>,
    ) -> Result<Covered, String> {
        let mut covered = Covered {
            result: no_result(),
            unconfirmed: 0,
            unsupported: None,
            taken: Duration::ZERO,
            kept: Vec::new(),
            is_stalled: false,
            blocks: 0,
            is_known: false,
        };
        let watched = match can_watch.then(prepare) {
            Some(Ok(it)) => Some(it),
            Some(Err(why)) => {
                covered.unsupported = Some(why);
                None
            }
            None => None,
        };
        let mut corpus = Corpus::at(self.seed, limits.first);
        given.into_iter().for_each(|it| match limits.keeps_given {
            true => corpus.add(it),
            false => corpus.offer(it),
        });
        self.known_failures().into_iter().for_each(|it| corpus.know(it));
        if limits.is_replay {
            corpus.end_after_given();
        }
        let (rejects, start, seed) = (self.settings.max_rejects.into(), Instant::now(), self.seed);
        let is_asked = self.engine == EngineKind::Coverage;
        let (reporters, grant) = (self.reporters.clone(), &mut self.state.grant);
        let mut helper: Option<Option<GoalHelper>> = None;
        let log = watched.as_ref().map(|it| &it.1);
        let hear =
            &mut |test: &mut &mut dyn Test, message: &[u8], child: &mut Child| match wire::read(message) {
                Some(CoverageMessage::Stuck(values)) => {
                    let begin = |log| GoalHelper::begin(&mut **test, isolation, log).ok();
                    let helper = helper.get_or_insert_with(|| log.and_then(begin));
                    child.reply(&bytes(&helper.as_mut().and_then(|it| it.ask(&values))));
                }
                Some(CoverageMessage::Stalled) => covered.is_stalled = true,
                Some(CoverageMessage::Kept(values)) => {
                    if let Some(Err(why)) = folder.as_mut().map(|it| it.save(&values)) {
                        reporters.tell(&Event::Unwatched { why: why.to_string() });
                        folder = None;
                    }
                    covered.kept.push(values);
                }
                // The share of a default run is a matter of how much time there is.
                Some(CoverageMessage::Status(_)) if !is_asked => {}
                Some(CoverageMessage::Status(mut status)) => {
                    status.time = start.elapsed();
                    reporters.tell(&Event::Covering(status));
                }
                Some(CoverageMessage::IsOver(has_news, taken)) => {
                    covered.taken = taken;
                    let more = grant.as_mut().map_or(Duration::ZERO, |it| it.extend(has_news));
                    child.reply(&bytes(&more));
                }
                Some(CoverageMessage::Ends(taken)) => covered.taken = taken,
                Some(CoverageMessage::Cannot(why)) => covered.unsupported = Some(why),
                None => {}
            };
        let progress = isolation.progress();
        let (watch, shared) = (watched.as_ref().map(|it| (it.0, &it.1)), Arc::clone(&progress));
        let deadline = Deadline::new(limits.time.min(self.settings.time));
        let found = isolation.search_telling(
            &mut self.test,
            |test, pipe| {
                let search = CoverageSearch { pipe, limits, rejects, start, progress: shared, seed };
                search.run(corpus, watch, &mut **test)
            },
            &progress,
            deadline,
            hear,
        );
        covered.result = match found {
            Ok(result) => result.map_err(misuse_message)?,
            Err(failure) => {
                let mut died = self.search_died(failure, &progress)?;
                // It counts from the first case of all.
                died.tally.cases = died.tally.cases.saturating_sub(limits.first);
                died
            }
        };
        covered.blocks = log.map_or(0, |it| it.reached().count());
        if let (Some(folder), Some((_, log))) = (folder, &watched) {
            save_reached(folder, log);
        }
        covered.is_known = self.drop_known(&mut covered.result.failures);
        self.confirm_all(isolation, &mut covered)?;
        Ok(covered)
    }

    /// Lets the concolic engine search by itself, from what was kept last, for about as long as it did before; what it reaches
    /// is in `state.reached`. Returns what fails.
    fn explore_from(
        &mut self,
        isolation: &Isolation,
        limits: &mut CoverageLimits,
        kept: &[Vec<Value>],
    ) -> Result<Vec<Found>, String> {
        let given = kept.iter().rev().take(GIVEN_MAX).cloned().collect();
        let time = (limits.patience * 2).min(limits.time / 2);
        // The next one is longer: it begins anew.
        limits.patience *= 2;
        Ok(self.explore_for(isolation, time, given)?.map_or_else(|_| Vec::new(), |it| it.1))
    }

    /// Runs failures without breakpoints, and keeps those that are.
    fn confirm_all(&mut self, isolation: &Isolation, covered: &mut Covered) -> Result<(), String> {
        for found in std::mem::take(&mut covered.result.failures) {
            let Found { index, case, .. } = found;
            match self.confirm(isolation, case.trace.values(), index)? {
                Confirmed::Yes(found) => covered.result.failures.push(*found),
                Confirmed::No => covered.unconfirmed += 1,
                Confirmed::OnlyThere => {
                    covered.unconfirmed += 1;
                    break;
                }
            }
        }
        Ok(())
    }
}

/// What is needed to watch a copy. `Err`: why none can be watched.
fn prepare() -> Result<(&'static Image, CodeLog), String> {
    let image = Image::get()?;
    image.can_watch()?;
    Ok((image, CodeLog::new(image)?))
}

/// Writes down which code was reached. It is for those who ask later; a run does not fail for it.
pub(in crate::run) fn save_reached(folder: &CorpusFolder, log: &CodeLog) {
    let Some(exe) = std::env::current_exe().ok() else { return };
    let (mut reached, exe) = (Reached::default(), exe.to_string_lossy());
    log.reached().for_each(|it| reached.add(&exe, it));
    if !reached.is_empty() {
        let _ = folder.save_reached(&reached);
    }
}

/// Before anything came of it.
fn no_result() -> SearchResult {
    SearchResult {
        failures: Vec::new(),
        ended: probity_core::Ended::Stopped,
        tally: Tally::default(),
        evidence: Default::default(),
    }
}
