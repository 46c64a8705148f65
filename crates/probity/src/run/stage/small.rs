//! The smallest inputs, before random ones: most bugs have a small input, and it needs no shrinking.

use std::sync::Arc;
use std::time::{Duration, Instant};

use probity_core::{Budget, search_smallest};

use super::super::Runner;
use super::super::portfolio::{AfterStage, EngineKind, Stage};
use super::pace::is_within;
use crate::events::Event;
use crate::settings::Key;

/// How long it may take where nobody set `time`: a slow test is not to become much slower.
const TIME_MAX: Duration = Duration::from_millis(250);

/// Visits about as many inputs as cases are wanted, the smallest first. Where none fails, they do not count as cases: they
/// are no sample of all inputs. Where there are no others, that is a proof.
pub(in crate::run) fn run(runner: &mut Runner<'_>, stage: &Stage) -> Result<AfterStage, String> {
    let start = Instant::now();
    let is_set = !runner.settings.is_default(Key::Time);
    let most = stage.time(runner.settings).min(if is_set { Duration::MAX } else { TIME_MAX });
    let time = most.min(runner.settings.time.saturating_sub(runner.state.start.elapsed()));
    let (cases, rejects) = (stage.cases(runner.settings), runner.settings.max_rejects.into());
    let result = runner.search(|test, progress| {
        let watched = Arc::clone(&progress);
        let mut go_on = |ran| is_within(time, start, ran, &watched);
        search_smallest(test, Budget { cases, rejects, go_on: &mut go_on, progress })
    })?;
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
