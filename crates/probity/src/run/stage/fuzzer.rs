//! Another fuzzer that runs the test, and the inputs that one has found.

use std::sync::Arc;
use std::time::Instant;

use probity_core::{Budget, ByteReplay, search};

use super::super::Runner;
use super::super::portfolio::{AfterStage, Stage};
use super::pace::is_within;
use crate::fuzzer;

/// Hands the test over. It does not come back.
pub(in crate::run) fn run(runner: &mut Runner<'_>, _: &Stage) -> Result<AfterStage, String> {
    fuzzer::drive(runner.name, runner.test)?;
    Ok(AfterStage::End)
}

/// Runs the inputs that are given as bytes, and no others.
pub(in crate::run) fn files(runner: &mut Runner<'_>, stage: &Stage) -> Result<AfterStage, String> {
    let start = Instant::now();
    let (made_by, files) = fuzzer::files()?;
    let (time, cases) = (stage.time(runner.settings), files.len() as u64);
    if files.is_empty() {
        return Ok(AfterStage::End);
    }
    let result = runner.search(Box::new(|test, progress| {
        let watched = Arc::clone(&progress);
        let mut go_on = |ran| is_within(time, start, ran, &watched);
        let budget = Budget { cases, rejects: u64::MAX, go_on: &mut go_on, progress };
        search(Box::new(ByteReplay::each(files)), test, budget)
    }))?;
    runner.state.set(made_by, result, start.elapsed());
    runner.state.wanted = Some(cases);
    match runner.state.result.failures.is_empty() {
        true => Ok(AfterStage::End),
        false => runner.conclude().map(|()| AfterStage::End),
    }
}
