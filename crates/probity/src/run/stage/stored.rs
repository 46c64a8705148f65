//! Failures of earlier runs, each run again.

use std::path::PathBuf;

use probity_core::Verdict;

use super::super::Runner;
use super::super::failures::FailingCase;
use super::super::portfolio::{AfterStage, Stage};
use crate::events::{Event, FoundBy};
use crate::isolate::was_death;
use crate::settings::CampaignMode;
use crate::store::{self, Entry, Loaded, Store};

/// Why a stored death is passed over.
pub(super) const NO_PROCESS: &str = "its case ended its process, and this system has no copies of processes to run it in; run it on a Unix system";

pub(in crate::run) fn run(runner: &mut Runner<'_>, _: &Stage) -> Result<AfterStage, String> {
    let Some(store) = runner.store.clone() else { return Ok(AfterStage::Stage) };
    let mut failing = Vec::new();
    for loaded in store.load() {
        match loaded {
            Loaded::Damaged { path, reason } if store::may_be_good(&path) => runner.unusable(path, reason),
            Loaded::Damaged { path, reason } => runner.set_aside(&store, path, reason),
            Loaded::Entry { path, entry } => {
                let run = |runner: &mut Runner<'_>| runner.render(entry.choices.clone());
                let case = match was_death(&entry.failure) {
                    true => runner.run_deadly(run)?,
                    false => Some(run(runner)?),
                };
                let Some(case) = case else {
                    runner.unusable(path, NO_PROCESS.to_string());
                    continue;
                };
                let now = Entry::new(runner.name, &case.log.inputs, String::new(), Vec::new());
                let same = now.shows_same(&entry);
                match case.verdict.clone() {
                    Verdict::Fail(failure) => {
                        let found_by = FoundBy::Stored(path);
                        failing.push(FailingCase { found_by, case, failure, shrunk: None });
                    }
                    Verdict::Pass if same => {}
                    _ => runner.set_aside(&store, path, why_stale(same, &case.verdict)),
                }
            }
        }
    }
    if !failing.is_empty() {
        runner.report_all(failing, None)?;
    }
    Ok(AfterStage::Stage)
}

impl Runner<'_> {
    /// The failures that a campaign has found before, as texts for [`Corpus::know`](probity_core::Corpus::know).
    #[allow(dead_code, reason = "for the search by coverage, which not every build has")]
    pub(in crate::run) fn known_failures(&self) -> Vec<String> {
        let is_campaign = self.settings.campaign != CampaignMode::Off;
        let Some(store) = self.store.as_ref().filter(|_| is_campaign) else { return Vec::new() };
        let failure = |it| match it {
            Loaded::Entry { entry, .. } => Some(entry.failure),
            Loaded::Damaged { .. } => None,
        };
        store.load().into_iter().filter_map(failure).collect()
    }

    /// Keeps a file that is of no use out of the way of later runs.
    fn set_aside(&mut self, store: &Store, path: PathBuf, reason: String) {
        match store.set_aside(&path) {
            Ok(aside) => self.unusable(aside, format!("{reason}; it was put aside under this name")),
            Err(err) => self.unusable(path, format!("{reason}; it could not be put aside: {err}")),
        }
    }

    fn unusable(&mut self, path: PathBuf, reason: String) {
        self.reporters.tell(&Event::Unusable { path, reason });
    }
}

fn why_stale(same: bool, verdict: &Verdict) -> String {
    match verdict {
        _ if !same => "its choices now give other values than it was saved with".to_string(),
        Verdict::Reject(site) => format!("its input is now rejected by `{}` at {}", site.what, site.location),
        _ => "its input can no longer be drawn".to_string(),
    }
}
