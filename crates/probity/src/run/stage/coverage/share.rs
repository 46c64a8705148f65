//! The share of a default run: from what the concolic engine reached, or what is stored, to code that no case reached.

use std::time::{Duration, Instant};

use probity_coverage::Image;

use super::super::super::Runner;
use super::super::super::portfolio::{AfterStage, Stage};
use super::super::pace::BUSY;
use super::CoverageLimits;
use crate::events::Event;
use crate::isolate::Isolation;

/// How long it may take for what the concolic engine reached: this part of what that took, or of what climbing did before.
const PART: u32 = 4;
/// How long at least where the test is about to fail because most of its cases were rejected.
const STARVING_TIME: Duration = Duration::from_secs(1);
/// How many times as long as setting the breakpoints takes the rest has to be, to be worth it.
const WORTH: u32 = 3;
/// What setting them takes for a million bytes of code: measured 0.5 ms with few functions, 0.9 ms with many.
const ARMING: Duration = Duration::from_millis(1);

/// Searches by coverage in a default run, in which nothing has failed, in a sealed copy.
pub(in crate::run) fn share(runner: &mut Runner<'_>, stage: &Stage) -> Result<AfterStage, String> {
    if let Some(isolation) = runner.isolation.clone() {
        runner.sealed(&isolation, |it| it.cover_share(&isolation, stage))?;
    }
    Ok(AfterStage::Stage)
}

impl Runner<'_> {
    fn cover_share(&mut self, isolation: &Isolation, stage: &Stage) -> Result<(), String> {
        let (is_starving, start) = (self.has_too_few(), Instant::now());
        let mut given = std::mem::take(&mut self.state.reached);
        let has_reached = !given.is_empty();
        given.extend(self.best_values());
        let evidence = &self.state.result.evidence;
        if evidence.explored.as_ref().is_none_or(|it| it.unsupported.is_some()) {
            return Ok(()); // what sealed copies cannot run
        }
        let has_score = evidence.climb.is_some();
        let explored = evidence.explored.as_ref().map_or(Duration::ZERO, |it| it.time);
        let explored = self.state.grant.as_ref().map_or(explored, |it| it.taken);
        let first = self.state.result.tally.cases;
        let mut time = match has_reached {
            true if has_score => self.state.time / PART,
            true => explored / PART,
            false => Duration::ZERO,
        };
        let mut cases = if has_score { first / u64::from(PART) } else { stage.cases(self.settings) };
        if is_starving && has_reached {
            (time, cases) = (time.max(STARVING_TIME), self.settings.cases);
        }
        let granted = self.state.grant.as_mut().map_or(Duration::ZERO, |it| it.extend(has_reached));
        time += granted;
        // Where inputs are wanted that are accepted, those are what counts.
        let can_watch = !is_starving && Image::get().is_ok_and(|image| time >= arming(image) * WORTH);
        if !can_watch && !has_reached {
            self.state.grant.iter_mut().for_each(|it| it.give_back(granted));
            return Ok(());
        }
        let limits = CoverageLimits {
            time: (time * BUSY).min(stage.time(self.settings)),
            processor: Some(time),
            cases: if can_watch { u64::MAX } else { cases },
            first,
            is_hybrid: false,
            patience: Duration::MAX,
            is_replay: false,
            keeps_given: true,
        };
        let covered = self.cover(isolation, &limits, given, can_watch, None)?;
        if let Some(why) = covered.unsupported.filter(|_| self.settings.verbose) {
            self.reporters.tell(&Event::Unwatched { why });
        }
        let taken = if covered.taken.is_zero() { start.elapsed().min(limits.time) } else { covered.taken };
        self.state.grant.iter_mut().for_each(|it| it.taken += taken);
        if isolation.ended().is_some() {
            return Ok(()); // that is no finding
        }
        let so_far = &mut self.state.result;
        so_far.evidence.explored.iter_mut().for_each(|it| {
            it.near = covered.result.tally.cases;
            it.unconfirmed += covered.unconfirmed;
        });
        if is_starving {
            so_far.tally.cases += covered.result.tally.cases;
        }
        if let (Some(before), Some(after)) = (&mut so_far.evidence.climb, covered.result.evidence.climb) {
            before.go_on(after);
        }
        self.found_beside(covered.result.failures.into_iter().take(1).collect());
        Ok(())
    }
}

/// What setting the breakpoints takes.
fn arming(image: &Image) -> Duration {
    ARMING.mul_f64(image.text().len() as f64 / 1e6)
}
