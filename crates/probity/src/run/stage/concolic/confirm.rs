//! Whether what a copy says is true of the test itself.

use probity_core::{Found, OriginKind, Value, Verdict};

use super::super::super::Runner;
use super::super::super::portfolio::EngineKind;
use crate::isolate::{Isolation, IsolationMode};

/// What came of running answers that are said to fail.
pub(in crate::run) enum Confirmed {
    /// The test fails with them.
    Yes(Box<Found>),
    /// It does not, not even in a copy.
    No,
    /// It does so only in a copy, which has no other threads and shares no files: that is no failure of the test.
    OnlyThere,
}

impl Runner<'_> {
    /// Runs answers that are said to fail: in a copy, since they may do any harm; then, since a copy is no witness, as an
    /// ordinary case, or where they end the process, in a process that is started anew.
    ///
    /// Where they do end it, cases are isolated from then on.
    pub(in crate::run) fn confirm(
        &mut self,
        isolation: &Isolation,
        values: Vec<Value>,
        index: u64,
    ) -> Result<Confirmed, String> {
        let tried = self.run_values(values)?;
        if isolation.ended().is_some() {
            return Ok(Confirmed::No);
        }
        let Verdict::Fail(failure) = tried.verdict.clone() else { return Ok(Confirmed::No) };
        let values = tried.trace.values();
        if failure.origin.kind == OriginKind::Died {
            // Where it cannot be started anew, a copy that is not sealed is believed, as it is where cases are isolated.
            let is_believed = self.engine == EngineKind::Coverage && !isolation.is_sealed();
            match self.dies_anew(&values) {
                Some(true) => {}
                None if is_believed => {}
                _ => return Ok(Confirmed::OnlyThere),
            }
            isolation.turn(IsolationMode::Copies);
            return Ok(Confirmed::Yes(Box::new(Found { index, failure, case: tried })));
        }
        let mode =
            isolation.turn(if self.settings.isolate { IsolationMode::Copies } else { IsolationMode::Here });
        let case = self.run_values(values)?;
        isolation.turn(mode);
        Ok(match case.verdict.clone() {
            Verdict::Fail(failure) => Confirmed::Yes(Box::new(Found { index, failure, case })),
            _ => Confirmed::OnlyThere,
        })
    }
}
