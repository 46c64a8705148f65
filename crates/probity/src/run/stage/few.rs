//! Every input, where there are few: then a default run is a proof.

use std::sync::Arc;
use std::time::Instant;

use probity_core::{Bounds, Budget, Ended, SearchResult, Source, Space, search_exhaustive_unscored};

use super::super::Runner;
use super::super::portfolio::{AfterStage, EngineKind, Stage};
use super::pace::is_within;

/// Visits every input if there are few, and it does not take long. Where the first of them have a score, and visiting all
/// would take longer than climbing, the others are left to [`rest`].
pub(in crate::run) fn run(runner: &mut Runner<'_>, stage: &Stage) -> Result<AfterStage, String> {
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
        self.search(|test, progress| {
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
        })
    }
}
