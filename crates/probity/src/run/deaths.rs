//! Cases that ended their process once: run where they can do so again.

use probity_core::{Case, OriginKind, Value};

use super::Runner;
use crate::isolate::{IsolationMode, dies_anew};
use crate::report;
use crate::watchdog::HANG;

impl Runner<'_> {
    /// Runs a stored case that ended its process: in a copy. If it dies again, cases are isolated from then on. None where
    /// processes cannot be copied.
    ///
    /// Where nobody asked for isolated cases, a copy is no witness of a death: it has no other threads. So it counts only
    /// if a process that is started anew dies, too; else the case is run here.
    pub(super) fn run_deadly(
        &mut self,
        mut run: impl FnMut(&mut Self) -> Result<Case, String>,
    ) -> Result<Option<Case>, String> {
        let Some(isolation) = self.isolation.clone() else { return Ok(None) };
        let before = isolation.turn(IsolationMode::Copies);
        let case = run(self)?;
        if case.verdict.failure().is_none_or(|it| it.origin.kind != OriginKind::Died) {
            isolation.turn(before);
            return Ok(Some(case));
        }
        if self.settings.isolate || self.dies_anew(&case.trace.values()) != Some(false) {
            return Ok(Some(case));
        }
        isolation.turn(before);
        run(self).map(Some)
    }

    /// Whether the test dies with these answers in a process that is started anew, where one can be started.
    pub(super) fn dies_anew(&self, values: &[Value]) -> Option<bool> {
        let limit = self.settings.hang.unwrap_or(HANG);
        dies_anew(self.reporters.harness(), &report::choices_text(values), limit)
    }
}
