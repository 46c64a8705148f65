//! Whether a failure can be reproduced: the one place that judges that.

use probity_core::{Case, Failure, Origin, OriginKind, PANICS_WHEN_DROPPED, Verdict};

use super::Runner;
use crate::events::{Failed, Flaky};

/// The longest text of a message that is raised again: longer ones were cut.
pub(super) const TEXT_WHOLE: usize = 1 << 16;

/// A failing case that was run again.
pub(super) struct Reproduction {
    /// The case as it went this time, rendered.
    pub(super) case: Case,
    pub(super) again: Again,
}

/// How a case that failed went when it was run again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Again {
    /// It failed in the same way.
    Same,
    /// It failed in another way, which is taken for an effect of the first.
    Otherwise(Origin),
    /// It did not fail.
    Not,
}

impl Again {
    pub(super) fn new(first: &Failure, verdict: &Verdict) -> Again {
        match verdict.failure() {
            Some(it) if it.origin == first.origin => Again::Same,
            Some(it) => Again::Otherwise(it.origin.clone()),
            None => Again::Not,
        }
    }
}

impl Runner<'_> {
    /// Runs a case again that failed with `first`.
    pub(super) fn reproduce(&mut self, first: &Failure, case: &Case) -> Result<Reproduction, String> {
        let case = self.render(case.trace.values())?;
        let again = Again::new(first, &case.verdict);
        Ok(Reproduction { case, again })
    }
}

impl Reproduction {
    /// The evidence that the test is flaky, if it is.
    pub(super) fn flaky(&self, first: &Failure) -> Option<Flaky> {
        let is_flaky = self.again == Again::Not;
        is_flaky
            .then(|| Flaky { first: describe_failure(first), again: describe_verdict(&self.case.verdict) })
    }

    /// How it failed in another way, if it did.
    pub(super) fn otherwise(&self) -> Option<String> {
        matches!(self.again, Again::Otherwise(_)).then(|| describe_verdict(&self.case.verdict))
    }
}

/// Whether the test ends in a panic with the failure's message and at its place when nothing is caught.
pub(super) fn raises_itself(failed: &Failed) -> bool {
    let message = &failed.failure.message;
    if failed.flaky.is_some() || failed.again.is_some() || message.len() >= TEXT_WHOLE {
        return false;
    }
    match failed.failure.origin.kind {
        // Outside of a search a broken check panics, so one that stands before the panic would hide it.
        OriginKind::Panic => failed.broken.is_empty() && message != PANICS_WHEN_DROPPED,
        OriginKind::Check => true,
        OriginKind::Error | OriginKind::Died | OriginKind::Model | OriginKind::Foreign => false,
    }
}

/// How a case went that was expected to fail.
pub(crate) fn describe_verdict(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Pass => "passed with the same input".to_string(),
        Verdict::Reject(site) => format!("was rejected by `{}` with the same choices", site.what),
        Verdict::Overrun => "asked for too many choices".to_string(),
        Verdict::Skipped => "was skipped".to_string(),
        Verdict::Fail(failure) => {
            format!("failed differently: it {}", first_line(&describe_failure(failure)))
        }
    }
}

/// How a case failed.
pub(super) fn describe_failure(Failure { message, origin }: &Failure) -> String {
    match origin.kind {
        OriginKind::Panic | OriginKind::Check => format!("{origin}: {message}"),
        OriginKind::Error => format!("returned the error {message}"),
        OriginKind::Died => origin.to_string(),
        OriginKind::Foreign if !message.contains(&origin.place) => format!("{message} {origin}"),
        OriginKind::Model | OriginKind::Foreign => message.clone(),
    }
}

pub(super) fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
