//! Where there is no coverage engine. What the concolic engine reached is still varied, where there is that one.

use super::super::Runner;
use super::super::portfolio::{AfterStage, Stage};

pub(in crate::run) fn run(_: &mut Runner<'_>, _: &Stage) -> Result<AfterStage, String> {
    let why = if cfg!(feature = "coverage") {
        "the coverage engine needs x86-64 Linux with glibc"
    } else {
        "the coverage engine needs the feature `coverage` of probity"
    };
    Err(format!("{why}; use engine = \"random\""))
}

/// The default run does without.
#[cfg(not(all(feature = "concolic", target_arch = "x86_64", target_os = "linux", target_env = "gnu")))]
pub(in crate::run) fn share(_: &mut Runner<'_>, _: &Stage) -> Result<AfterStage, String> {
    Ok(AfterStage::Stage)
}

#[cfg(all(feature = "concolic", target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
pub(in crate::run) use near::share;

#[cfg(all(feature = "concolic", target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
mod near {
    use std::sync::Arc;
    use std::time::Instant;

    use probity_core::{Budget, Corpus, search_corpus};

    use super::super::super::portfolio::{AfterStage, Stage};
    use super::super::super::{Runner, misuse_message};
    use super::super::concolic::Confirmed;
    use super::super::pace::{Deadline, is_within};
    use crate::isolate::Isolation;

    /// How long it may take: this part of what the concolic engine took.
    const PART: u32 = 4;

    /// Runs cases like those that the concolic engine reached, in a sealed copy.
    pub(in crate::run) fn share(runner: &mut Runner<'_>, stage: &Stage) -> Result<AfterStage, String> {
        let given = !runner.state.reached.is_empty();
        if let Some(isolation) = runner.isolation.clone().filter(|_| given) {
            runner.sealed(&isolation, |it| it.run_near(&isolation, stage))?;
        }
        Ok(AfterStage::Stage)
    }

    impl Runner<'_> {
        fn run_near(&mut self, isolation: &Isolation, stage: &Stage) -> Result<(), String> {
            let evidence = &self.state.result.evidence;
            let Some(explored) = evidence.explored.as_ref().filter(|it| it.unsupported.is_none()) else {
                return Ok(()); // what sealed copies cannot run
            };
            let taken = self.state.grant.as_ref().map_or(explored.time, |it| it.taken);
            let time = (taken / PART).min(stage.time(self.settings));
            let first = self.state.result.tally.cases;
            let mut corpus = Corpus::at(self.seed, first);
            let given = std::mem::take(&mut self.state.reached).into_iter().chain(self.best_values());
            given.for_each(|it| corpus.add(it));
            let (start, progress) = (Instant::now(), isolation.progress());
            let shared = Arc::clone(&progress);
            let (cases, rejects) = (stage.cases(self.settings), self.settings.max_rejects.into());
            let test = &mut *self.test;
            let search = || {
                let watched = Arc::clone(&shared);
                let mut go_on = |ran| is_within(time, start, ran, &watched);
                let budget = Budget { cases, rejects, go_on: &mut go_on, progress: shared };
                search_corpus(&mut corpus, &mut (), test, budget)
            };
            let (result, counted) = match isolation.search(search, &progress, Deadline::new(time)) {
                Ok(result) => (result.map_err(misuse_message)?, 0),
                // It counts from the first case of all.
                Err(failure) => (self.search_died(failure, &progress)?, first),
            };
            self.state.grant.iter_mut().for_each(|it| it.taken += start.elapsed().min(time));
            if isolation.ended().is_some() {
                return Ok(()); // that is no finding
            }
            let (mut found, mut unconfirmed) = (Vec::new(), 0);
            for it in result.failures.into_iter().take(1) {
                match self.confirm(isolation, it.case.trace.values(), it.index)? {
                    Confirmed::Yes(it) => found.push(*it),
                    Confirmed::No | Confirmed::OnlyThere => unconfirmed += 1,
                }
            }
            if let Some(explored) = &mut self.state.result.evidence.explored {
                explored.near = result.tally.cases.saturating_sub(counted);
                explored.unconfirmed += unconfirmed;
            }
            self.found_beside(found);
            Ok(())
        }
    }
}
