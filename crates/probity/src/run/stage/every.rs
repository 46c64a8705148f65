//! Every input within the bounds, the smallest first: `engine = "exhaustive"`.

use std::sync::Arc;
use std::time::Instant;

use probity_core::{Bounds, Budget, Ended, Share, search_exhaustive, search_exhaustive_share};

use super::super::Runner;
use super::super::portfolio::{AfterStage, EngineKind, Stage};
use super::pace::{Pace, is_within};
use crate::settings::Settings;

pub(in crate::run) fn run(runner: &mut Runner<'_>, stage: &Stage) -> Result<AfterStage, String> {
    let start = Instant::now();
    let share = runner.share()?;
    let size = runner.settings.size;
    let (time, cases) = (stage.time(runner.settings), stage.cases(runner.settings));
    let live = runner.reporters.direct();
    let result = runner.search(|test, progress| {
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
    })?;
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
