//! The coverage engine in a run: a copy whose code has breakpoints runs cases, and keeps those that meet new ones.

mod child;

use std::sync::Arc;
use std::time::{Duration, Instant};

use probity_core::{Corpus, Found, OriginKind, SearchResult, Tally, Value};
use probity_coverage::{CodeLog, Image};

use self::child::{CoverageMessage, CoverageSearch};
use super::super::portfolio::{AfterStage, EngineKind, Stage};
use super::super::{Runner, misuse_message};
use super::concolic::Confirmed;
use super::pace::Deadline;
use crate::corpus::{CorpusFolder, Reached};
use crate::events::Event;
use crate::isolate::wire::{self, bytes};
use crate::isolate::{Child, Isolation, IsolationMode};

/// How far to go.
#[derive(Clone, Copy)]
struct CoverageLimits {
    time: Duration,
    /// Time of the processor, after which it is to be asked for more.
    processor: Option<Duration>,
    cases: u64,
    /// The number of the first case.
    first: u64,
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
    let mut limits = CoverageLimits { time, processor: None, cases: stage.cases(runner.settings), first: 0 };
    let mut folder = CorpusFolder::of(&runner.settings.corpus, runner.name);
    let mut tally = Tally::default();
    let mut can_watch = true;
    let mut result = loop {
        let given = folder.as_mut().map(|it| it.load().cases).unwrap_or_default();
        // Side effects of the test are repeated: that is what was asked for.
        let before = isolation.turn(IsolationMode::Copies);
        let covered = runner.cover(&isolation, &limits, given, can_watch, folder.as_mut())?;
        if !covered.result.failures.iter().any(|it| it.failure.origin.kind == OriginKind::Died) {
            isolation.turn(before);
        }
        if let Some(why) = covered.unsupported {
            runner.reporters.direct().tell(&Event::Unwatched { why });
        }
        limits.time = time.saturating_sub(start.elapsed());
        // One that died of its breakpoints goes on without.
        if covered.unconfirmed > 0
            && can_watch
            && covered.result.failures.is_empty()
            && !limits.time.is_zero()
        {
            can_watch = false;
            limits.first += covered.result.tally.cases;
            tally.add_all(&covered.result.tally);
            continue;
        }
        break covered.result;
    };
    result.tally.add_all(&tally);
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
        let mut covered =
            Covered { result: no_result(), unconfirmed: 0, unsupported: None, taken: Duration::ZERO };
        let watched = match can_watch.then(prepare) {
            Some(Ok(it)) => Some(it),
            Some(Err(why)) => {
                covered.unsupported = Some(why);
                None
            }
            None => None,
        };
        let mut corpus = Corpus::at(self.seed, limits.first);
        given.into_iter().for_each(|it| corpus.offer(it));
        self.known_failures().into_iter().for_each(|it| corpus.know(it));
        let (rejects, start) = (self.settings.max_rejects.into(), Instant::now());
        let (reporters, grant) = (self.reporters.clone(), &mut self.state.grant);
        let mut hear = |_: &mut _, message: &[u8], child: &mut Child| match wire::read(message) {
            Some(CoverageMessage::Kept(values)) => {
                if let Some(Err(why)) = folder.as_mut().map(|it| it.save(&values)) {
                    reporters.tell(&Event::Unwatched { why: why.to_string() });
                    folder = None;
                }
            }
            Some(CoverageMessage::Status(mut status)) => {
                status.time = start.elapsed();
                reporters.tell(&Event::Covering(status));
            }
            Some(CoverageMessage::IsOver(has_news, taken)) => {
                covered.taken = taken;
                let more = grant.as_mut().map_or(Duration::ZERO, |it| it.extend(has_news));
                child.send(&bytes(&more));
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
                let search = CoverageSearch { pipe, limits, rejects, start, progress: shared };
                search.run(corpus, watch, &mut **test)
            },
            &progress,
            deadline,
            &mut hear,
        );
        covered.result = match found {
            Ok(result) => result.map_err(misuse_message)?,
            Err(failure) => self.search_died(failure, &progress)?,
        };
        if let (Some(folder), Some((_, log))) = (folder, &watched) {
            save_reached(folder, log);
        }
        self.confirm_all(isolation, &mut covered)?;
        Ok(covered)
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
fn save_reached(folder: &CorpusFolder, log: &CodeLog) {
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
