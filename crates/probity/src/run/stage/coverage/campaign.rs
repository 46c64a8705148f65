//! What a search by coverage does as a part of a campaign, and for its corpus on disk.

use probity_core::{Ended, Found, Value};

use super::super::super::Runner;
use super::{CoverageLimits, Covered};
use crate::corpus::CorpusFolder;
use crate::events::Event;
use crate::isolate::{Isolation, IsolationMode};

impl Runner<'_> {
    /// The cases of a corpus on disk that were not loaded before. Files that are of no use are told.
    pub(super) fn load_corpus(&mut self, folder: &mut Option<CorpusFolder>) -> Vec<Vec<Value>> {
        let Some(folder) = folder else { return Vec::new() };
        let loaded = folder.load();
        for (path, reason) in loaded.unusable {
            self.reporters.tell(&Event::Unusable { path, reason });
        }
        loaded.cases
    }

    /// Takes out failures that are known to a campaign, and says whether there were any.
    pub(super) fn drop_known(&self, failures: &mut Vec<Found>) -> bool {
        let known = self.known_failures();
        let before = failures.len();
        failures.retain(|it| !it.failure.origin.is_of(&known));
        failures.len() < before
    }

    /// Runs the cases of a corpus alone, the smallest first, and removes the files of those that reach nothing new.
    pub(super) fn minimize_corpus(
        &mut self,
        isolation: &Isolation,
        limits: &CoverageLimits,
        mut folder: Option<CorpusFolder>,
    ) -> Result<Covered, String> {
        let given = self.load_corpus(&mut folder);
        let before = isolation.turn(IsolationMode::Copies);
        let limits = CoverageLimits { is_replay: true, is_hybrid: false, ..*limits };
        let covered = self.cover(isolation, &limits, given.clone(), true, folder.as_mut())?;
        isolation.turn(before);
        // Anyone who has not seen all of them, or nothing of what they reach, removes none.
        let is_whole = covered.result.ended == Ended::Exhausted && covered.unsupported.is_none();
        if let Some(folder) = folder.as_mut().filter(|_| is_whole && covered.result.failures.is_empty()) {
            for case in given.iter().filter(|it| !covered.kept.contains(it)) {
                folder.remove(case).map_err(|err| format!("cannot remove a case of the corpus: {err}"))?;
            }
        }
        Ok(covered)
    }
}
