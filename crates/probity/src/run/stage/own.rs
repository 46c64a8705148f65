//! An engine that the test brings.

use std::sync::Arc;
use std::time::Instant;

use probity_core::{Budget, search};

use super::super::Runner;
use super::super::portfolio::{AfterStage, Stage};
use super::pace::is_within;

pub(in crate::run) fn run(runner: &mut Runner<'_>, stage: &Stage) -> Result<AfterStage, String> {
    let Some((_, make)) = &mut runner.own else { return Ok(AfterStage::Stage) };
    let start = Instant::now();
    let engine = make(runner.seed.own_word());
    let (time, cases) = (stage.time(runner.settings), stage.cases(runner.settings));
    let rejects = runner.settings.max_rejects.into();
    let result = runner.search(Box::new(|test, progress| {
        let watched = Arc::clone(&progress);
        let mut go_on = |ran| is_within(time, start, ran, &watched);
        search(engine, test, Budget { cases, rejects, go_on: &mut go_on, progress })
    }))?;
    runner.state.set(runner.engine, result, start.elapsed());
    Ok(AfterStage::Stage)
}
