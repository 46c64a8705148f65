//! Inputs in order of size, the smallest first: all of them, where they are few or somebody asks for it; a share of the
//! smallest, where they are many.

use std::sync::Arc;
use std::time::{Duration, Instant};

use probity_core::{
    Bounds, Budget, Ended, SearchResult, Share, Source, Space, search_exhaustive, search_exhaustive_share,
    search_exhaustive_unscored, search_smallest,
};

use super::super::Runner;
use super::super::portfolio::{AfterStage, EngineKind, Stage};
use super::pace::{Pace, is_within};
use crate::events::Event;
use crate::settings::{Key, Settings};

/// How long the smallest inputs may take where nobody set `time`: a slow test is not to become much slower.
const SMALLEST_TIME: Duration = Duration::from_millis(250);

/// Visits every input if there are few, and it does not take long. Where the first of them have a score, and visiting all
/// would take longer than climbing, the others are left to [`rest`].
pub(in crate::run) fn few(runner: &mut Runner<'_>, stage: &Stage) -> Result<AfterStage, String> {
    let cases = runner.settings.cases;
    let Some(total) = runner.few_inputs(stage)? else { return visit_all(runner, stage, cases / 10 + 1) };
    match total {
        // The test need not be run to see that there are many, where its inputs can be counted or drawn.
        None => Ok(AfterStage::Stage),
        // So few are visited sooner than a score is climbed.
        Some(total) if total <= cases => visit_all(runner, stage, u64::MAX),
        Some(_) => visit_all(runner, stage, 1),
    }
}

/// Visits every input after all, where the score led to no failure: so it is known that there is none.
pub(in crate::run) fn rest(runner: &mut Runner<'_>, stage: &Stage) -> Result<AfterStage, String> {
    let start = Instant::now();
    let mut result = runner.visit(stage, u64::MAX, None)?;
    if !is_done(&result) {
        return Ok(AfterStage::Stage);
    }
    result.evidence.climb = runner.state.result.evidence.climb.take();
    let time = runner.state.time + start.elapsed();
    runner.state.set(EngineKind::Exhaustive, result, time);
    Ok(AfterStage::Verdict)
}

/// Visits every input if that does not take long; where there is a score, no more than the first `scored_max` of them.
fn visit_all(runner: &mut Runner<'_>, stage: &Stage, scored_max: u64) -> Result<AfterStage, String> {
    let start = Instant::now();
    let result = runner.visit(stage, scored_max, None)?;
    if is_done(&result) {
        runner.state.set(EngineKind::Exhaustive, result, start.elapsed());
        return Ok(AfterStage::Verdict);
    }
    let is_begun = result.failures.is_empty() && result.tally.cases <= runner.settings.cases / 10 + 1;
    if is_begun {
        let has_score = result.tally.scores.iter().next().is_some();
        runner.state.is_scored = has_score && result.ended == Ended::Budget && scored_max < u64::MAX;
        // What they came to counts.
        runner.state.result.tally = result.tally;
    }
    Ok(AfterStage::Stage)
}

/// Whether all were visited, or one fails.
fn is_done(result: &SearchResult) -> bool {
    result.evidence.reach.is_some_and(|it| it.all)
        || (matches!(result.ended, Ended::Budget | Ended::Stopped) && !result.failures.is_empty())
}

/// The smallest inputs, before random ones: most bugs have a small input, and it needs no shrinking.
///
/// Visits about as many inputs as cases are wanted, the smallest first. Where none fails, they do not count as cases: they
/// are no sample of all inputs. Where there are no others, that is a proof.
pub(in crate::run) fn smallest(runner: &mut Runner<'_>, stage: &Stage) -> Result<AfterStage, String> {
    let start = Instant::now();
    let is_set = !runner.settings.is_default(Key::Time);
    let most = stage.time(runner.settings).min(if is_set { Duration::MAX } else { SMALLEST_TIME });
    let time = most.min(runner.settings.time.saturating_sub(runner.state.start.elapsed()));
    let (cases, rejects) = (stage.cases(runner.settings), runner.settings.max_rejects.into());
    let result = runner.search(Box::new(|test, progress| {
        let watched = Arc::clone(&progress);
        let mut go_on = |ran| is_within(time, start, ran, &watched);
        search_smallest(test, Budget { cases, rejects, go_on: &mut go_on, progress })
    }))?;
    let reach = result.evidence.reach;
    if reach.is_some_and(|it| it.all) || !result.failures.is_empty() {
        runner.state.set(EngineKind::Exhaustive, result, start.elapsed());
        return Ok(AfterStage::Verdict);
    }
    if reach.is_some_and(|it| it.strayed) {
        runner.reporters.tell(&Event::NotInOrder { cases: result.tally.cases });
    }
    runner.state.smallest = result.tally;
    Ok(AfterStage::Stage)
}

/// Every input within the bounds: `engine = "exhaustive"`.
pub(in crate::run) fn every(runner: &mut Runner<'_>, stage: &Stage) -> Result<AfterStage, String> {
    let start = Instant::now();
    let share = runner.share()?;
    let size = runner.settings.size;
    let (time, cases) = (stage.time(runner.settings), stage.cases(runner.settings));
    let live = runner.reporters.direct();
    let result = runner.search(Box::new(|test, progress| {
        let mut pace = Pace::new(start);
        let watched = Arc::clone(&progress);
        let mut go_on = |cases| {
            if let Some(event) = pace.event(cases, &watched) {
                live.tell(&event);
            }
            is_within(time, start, cases, &watched)
        };
        let budget = Budget { cases, rejects: 0, go_on: &mut go_on, progress };
        let bounds = Bounds { size, inputs: None };
        match share {
            None => search_exhaustive(bounds, test, budget),
            Some(share) => search_exhaustive_share(bounds, share, test, budget),
        }
    }))?;
    if let (Some(Share { start, .. }), Some(reach)) = (share, result.evidence.reach)
        && result.ended == Ended::Complete
        && start >= reach.visited
    {
        let visited = reach.visited;
        return Err(format!("`start` is {start}, but there are only {visited} inputs; take a lower one"));
    }
    runner.state.share = share;
    runner.state.set(EngineKind::Exhaustive, result, start.elapsed());
    Ok(AfterStage::Verdict)
}

impl Runner<'_> {
    /// Whether it is known without running the test how many inputs there are; and then how many, if they are few.
    fn few_inputs(&mut self, stage: &Stage) -> Result<Option<Option<u64>>, String> {
        if let Some(mut space) = self.space.and_then(|it| Space::new(it).ok()) {
            let total = space.total().and_then(|it| u64::try_from(it).ok());
            let most = stage.cases(self.settings);
            return Ok(Some(total.filter(|it| space.is_whole() && *it <= most)));
        }
        let Some(inputs) = self.inputs else { return Ok(None) };
        let drawn = self.visit(stage, u64::MAX, Some(inputs))?;
        let visited = drawn.evidence.reach.map(|it| it.visited);
        Ok(Some(visited.filter(|_| drawn.ended == Ended::Complete)))
    }

    /// Visits every input of the test, or what draws them alone, while there seem to be few.
    fn visit(
        &mut self,
        stage: &Stage,
        scored_max: u64,
        inputs: Option<fn(&mut Source)>,
    ) -> Result<SearchResult, String> {
        let left = self.settings.time.saturating_sub(self.state.start.elapsed());
        let time = stage.time(self.settings).min(left);
        let start = Instant::now();
        let bounds = Bounds { size: None, inputs: Some(stage.cases(self.settings)) };
        self.search(Box::new(|test, progress| {
            let watched = Arc::clone(&progress);
            let mut go_on = |ran| is_within(time, start, ran, &watched);
            let budget = Budget { cases: u64::MAX, rejects: 0, go_on: &mut go_on, progress };
            match inputs {
                Some(inputs) => {
                    let mut draw = |src: &mut Source| inputs(src);
                    search_exhaustive_unscored(bounds, u64::MAX, &mut draw, budget)
                }
                None => search_exhaustive_unscored(bounds, scored_max, test, budget),
            }
        }))
    }

    /// Which inputs are this run's, where that is not all of them.
    fn share(&self) -> Result<Option<Share>, String> {
        let Settings { shard, start, .. } = *self.settings;
        if shard.is_none() && start == 0 {
            return Ok(None);
        }
        let (part, of) = shard.unwrap_or((1, 1));
        let inputs = self.inputs.ok_or(
            "`shard` and `start` are for tests whose inputs can be drawn without running them: \
             make all inputs parameters of a `#[probity::test]`, or give them by `Check::inputs`",
        )?;
        Ok(Some(Share { inputs, part: part - 1, of, start }))
    }
}
