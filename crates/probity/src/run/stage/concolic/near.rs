//! Cases like what the concolic engine reached new code with.

use std::time::{Duration, Instant};

use probity_core::{Budget, Corpus, search_corpus};

use super::super::super::Runner;
use super::super::super::portfolio::{AfterStage, Stage};
use super::confirm::Confirmed;
use crate::isolate::Isolation;

/// How long it may take: this part of what the engine took, or of what climbing did before.
const PART: u32 = 4;
/// How long at least where the test is about to fail because most of its cases were rejected.
const STARVING_TIME: Duration = Duration::from_secs(1);

/// Makes a corpus of what reaches new code, and goes on from there: by what the test says of itself, or among cases like
/// it.
pub(in crate::run) fn near(runner: &mut Runner<'_>, stage: &Stage) -> Result<AfterStage, String> {
    if let Some(isolation) = runner.isolation.clone() {
        let given = std::mem::take(&mut runner.state.reached);
        runner.sealed(&isolation, |it| it.search_reached(&isolation, given, stage))?;
    }
    Ok(AfterStage::Stage)
}

impl Runner<'_> {
    fn search_reached(
        &mut self,
        isolation: &Isolation,
        mut given: Vec<Vec<probity_core::Value>>,
        stage: &Stage,
    ) -> Result<(), String> {
        let is_starving = self.has_too_few();
        given.extend(self.best_values());
        let evidence = &self.state.result.evidence;
        let has_score = evidence.climb.is_some();
        let explored = evidence.explored.as_ref().map_or(Duration::ZERO, |it| it.time);
        let explored = self.state.grant.as_ref().map_or(explored, |it| it.taken);
        let mut longest = if has_score { self.state.time } else { explored } / PART;
        let first = self.state.result.tally.cases;
        let mut cases = if has_score { first / u64::from(PART) } else { stage.cases(self.settings) };
        if is_starving {
            (longest, cases) = (longest.max(STARVING_TIME), self.settings.cases);
        }
        let mut corpus = Corpus::at(self.seed, first);
        given.into_iter().for_each(|it| corpus.add(it));
        let rejects = self.settings.max_rejects.into();
        let start = Instant::now();
        // The one that a copy shares.
        let own = std::mem::replace(&mut self.progress, isolation.progress());
        let result = self.search(Box::new(|test, progress| {
            let mut go_on = |_| start.elapsed() < longest;
            let budget = Budget { cases, rejects, go_on: &mut go_on, progress };
            search_corpus(&mut corpus, &mut (), test, budget)
        }));
        self.progress = own;
        let result = result?;
        let taken = start.elapsed().min(longest);
        self.state.grant.iter_mut().for_each(|it| it.taken += taken);
        if isolation.ended().is_some() {
            return Ok(()); // that is no finding
        }
        let so_far = &mut self.state.result;
        so_far.evidence.explored.iter_mut().for_each(|it| it.near = result.tally.cases);
        if is_starving {
            so_far.tally.cases += result.tally.cases;
        }
        if let (Some(before), Some(after)) = (&mut so_far.evidence.climb, result.evidence.climb) {
            before.go_on(after);
        }
        for found in result.failures {
            match self.confirm(isolation, found.case.trace.values(), found.index)? {
                Confirmed::Yes(found) => {
                    self.found_beside(vec![*found]);
                    break;
                }
                Confirmed::No => {}
                Confirmed::OnlyThere => {
                    let explored = &mut self.state.result.evidence.explored;
                    explored.iter_mut().for_each(|it| it.unconfirmed += 1);
                    break;
                }
            }
        }
        Ok(())
    }
}
