//! Random inputs; and where the test gives scores, inputs that climb by them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use probity_core::{Annealing, Budget, SearchResult, Value, search_adaptive, search_random};

use super::super::Runner;
use super::super::portfolio::{AfterStage, EngineKind, Stage};
use super::pace::is_within;
use crate::find::Best;
use crate::settings::{Key, Settings};

/// How many cases a test with a score gets where nobody says how many: a climb is many small steps.
pub(in crate::run) const CLIMB_CASES: u64 = 10_000;
/// For how long such a test may go on beyond the cases that others get, so that suites stay quick.
const CLIMB_TIME: Duration = Duration::from_secs(2);

/// Samples, and climbs once the test gives a score.
pub(in crate::run) fn run(runner: &mut Runner<'_>, _: &Stage) -> Result<AfterStage, String> {
    runner.sample(CLIMB_TIME)?;
    Ok(AfterStage::Stage)
}

/// Samples, whatever the test says.
pub(in crate::run) fn random(runner: &mut Runner<'_>, stage: &Stage) -> Result<AfterStage, String> {
    let start = Instant::now();
    let (time, cases) = (stage.time(runner.settings), stage.cases(runner.settings));
    let (rejects, seed) = (runner.settings.max_rejects.into(), runner.seed);
    let result = runner.search(Box::new(|test, progress| {
        let watched = Arc::clone(&progress);
        let mut go_on = |ran| is_within(time, start, ran, &watched);
        let budget = Budget { cases, rejects, go_on: &mut go_on, progress };
        search_random(seed, test, budget)
    }))?;
    runner.state.set(EngineKind::Random, result, start.elapsed());
    Ok(AfterStage::Stage)
}

/// Searches for the answers with the best score.
pub(in crate::run) fn find(runner: &mut Runner<'_>) -> Result<Best<Vec<Value>>, String> {
    runner.sample(Duration::MAX)?;
    let SearchResult { evidence, tally, .. } = &runner.state.result;
    let best = evidence.climb.as_ref().and_then(|it| Some((it.best.first()?.clone(), &it.curves)));
    let best = best.and_then(|(best, curves)| {
        let scores: Vec<_> = curves.iter().map(|it| it.label).zip(best.scores).collect();
        Some(Best { value: best.values, score: scores.first()?.1, scores, cases: tally.cases })
    });
    runner.conclude()?;
    best.ok_or_else(|| {
        "`find` needs a score to know what is best; call `maximize` or `minimize` in the closure".to_string()
    })
}

impl Runner<'_> {
    /// Samples, and climbs where there is a score. `time_beyond` is how long that may take beyond the cases that a test
    /// without a score gets, where nobody has set how many or how long.
    fn sample(&mut self, time_beyond: Duration) -> Result<(), String> {
        let start = self.state.start;
        let Settings { time, cases, schedule, .. } = *self.settings;
        let is_default = |key| self.settings.is_default(key);
        let wanted = if is_default(Key::Cases) { CLIMB_CASES } else { cases };
        let beyond =
            if is_default(Key::Cases) && is_default(Key::Time) { time.min(time_beyond) } else { time };
        let annealing = Annealing { schedule, cases: wanted, goal: self.goal };
        let (rejects, seed) = (self.settings.max_rejects.into(), self.seed);
        let before = std::mem::take(&mut self.state.result.tally);
        let result = self.search(Box::new(|test, progress| {
            let watched = Arc::clone(&progress);
            let mut go_on = |ran| is_within(if ran > cases { beyond } else { time }, start, ran, &watched);
            let budget = Budget { cases, rejects, go_on: &mut go_on, progress };
            search_adaptive(before, seed, annealing, test, budget)
        }))?;
        let engine = if result.evidence.climb.is_some() { EngineKind::Targeted } else { EngineKind::Random };
        self.state.set(engine, result, start.elapsed());
        Ok(())
    }
}
