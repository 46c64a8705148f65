//! Searches, in a process of their own where cases are isolated.

use std::sync::Arc;

use probity_core::{
    Climb, Ended, Failure, Finding, Found, Misuse, Progress, Reach, Running, Source, Tally, Test, run_case,
};

use super::{Runner, misused, tell_threads};
use crate::isolate::Told;
use crate::watchdog::engine_of;

/// What the search of one engine came to.
pub(super) struct Came {
    pub(super) finding: Finding,
    /// How far, where inputs were visited in order of size, to the end.
    pub(super) reach: Option<Reach>,
    /// How it climbed, where there was a score to climb by.
    pub(super) climb: Option<Climb>,
}

impl Came {
    /// A search of which nothing is known but its finding.
    pub(super) fn plain(finding: Finding) -> Came {
        Came { finding, reach: None, climb: None }
    }

    fn told(self) -> Told {
        let Came { finding: Finding { failures, ended, tally }, reach, climb } = self;
        let answers = |it: Found| (it.index, (it.failure, it.case.trace.values()));
        Told { failures: failures.into_iter().map(answers).collect(), ended, tally, reach, climb }
    }
}

impl Runner<'_> {
    /// Runs a search: here, or in a child, whose death is a failure of the case that it was at.
    pub(super) fn apart(
        &mut self,
        search: impl FnOnce(&mut dyn Test, Arc<Progress>) -> Result<Came, Misuse>,
    ) -> Result<Came, String> {
        self.search_apart(Arc::clone(&self.progress), search)
    }

    /// As [`apart`](Self::apart), with a progress that a child shares.
    pub(super) fn search_apart(
        &mut self,
        progress: Arc<Progress>,
        search: impl FnOnce(&mut dyn Test, Arc<Progress>) -> Result<Came, Misuse>,
    ) -> Result<Came, String> {
        let Some(isolation) = self.isolated() else {
            return search(self.test, progress).map_err(misused);
        };
        let test = &mut *self.test;
        let (quiet, reporters) = (self.quiet.clone(), self.reporters.clone());
        let search = || {
            let told = search(test, Arc::clone(&progress)).map(Came::told)?;
            // What fails is run here again, and shows what its threads panic with.
            if told.failures.is_empty() {
                quiet.iter().for_each(|it| tell_threads(it, &reporters));
            }
            Ok(told)
        };
        let told = isolation.search(search, &progress);
        let Told { failures, ended, tally, reach, climb } = match told {
            Ok(told) => told.map_err(misused)?,
            Err(failure) => return self.died(failure, &progress),
        };
        let mut found = Vec::new();
        for (index, (failure, values)) in failures {
            found.push(Found { index, failure, case: self.run_values(values)? });
        }
        Ok(Came { finding: Finding { failures: found, ended, tally }, reach, climb })
    }

    /// What a search came to that ended with its process.
    fn died(&mut self, failure: Failure, progress: &Progress) -> Result<Came, String> {
        let (index, running) = (progress.case(), progress.running().1);
        // How it climbed died with it; that it did is seen from how the case is told.
        let climb = matches!(running, Running::Replay(_)).then(Climb::default);
        let mut source = Source::new(engine_of(running, self.seed));
        let case = run_case(&mut source, self.test).map_err(misused)?;
        let tally = Tally { cases: index + 1, ..Tally::default() };
        let failures = vec![Found { index, failure, case }];
        Ok(Came { finding: Finding { failures, ended: Ended::Budget, tally }, reach: None, climb })
    }
}
