//! How a failing case went when it was run again, and the words for it.

use probity_core::{Case, Failure, Origin, OriginKind, PANICS_WHEN_DROPPED, Verdict};

use super::Report;
use crate::events::Failed;

/// The longest text of an input that is explained, and of a message that is raised again: longer ones were cut.
pub(super) const TEXT_EXPLAINED: usize = 1 << 16;
/// The most choices of a case that is explained: parts are compared with each other.
pub(super) const CHOICES_EXPLAINED: usize = 1 << 11;

/// A failure that was shrunk, or could not be.
pub(super) struct Shrunken {
    pub(super) report: Report,
    pub(super) again: Again,
    /// The simplest cases of other origins.
    pub(super) others: Vec<Case>,
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

/// The verdict, where it is another failure than the first.
pub(super) fn otherwise<'a>(first: &Failure, verdict: &'a Verdict) -> Option<&'a Verdict> {
    matches!(Again::new(first, verdict), Again::Otherwise(_)).then_some(verdict)
}

/// Whether the test ends in a panic with the failure's message and at its place when nothing is caught.
pub(super) fn raises_itself(failed: &Failed) -> bool {
    let message = &failed.failure.message;
    if failed.flaky.is_some() || failed.again.is_some() || message.len() >= TEXT_EXPLAINED {
        return false;
    }
    match failed.failure.origin.kind {
        // Outside of a search a broken check panics, so one that stands before the panic would hide it.
        OriginKind::Panic => failed.broken.is_empty() && message != PANICS_WHEN_DROPPED,
        OriginKind::Check => true,
        OriginKind::Error | OriginKind::Died => false,
    }
}

/// How a case that was to fail went instead.
pub(crate) fn told(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Pass => "passed with the same input".to_string(),
        Verdict::Reject(site) => format!("was rejected by `{}` with the same choices", site.what),
        Verdict::Overrun => "asked for too many choices".to_string(),
        Verdict::Fail(failure) => format!("failed differently: it {}", first_line(&how(failure))),
    }
}

/// How a case failed.
pub(super) fn how(Failure { message, origin }: &Failure) -> String {
    match origin.kind {
        OriginKind::Panic | OriginKind::Check => format!("{origin}: {message}"),
        OriginKind::Error => format!("returned the error {message}"),
        OriginKind::Died => origin.to_string(),
    }
}

pub(super) fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
