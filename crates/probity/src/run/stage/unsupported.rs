//! Where there is no concolic engine.

use std::time::Duration;

use probity_core::{Explored, Found};

use super::super::Runner;
use super::super::portfolio::{AfterStage, Stage};

/// Nothing is ever granted.
pub(in crate::run) enum Grant {}

/// What is missing.
const WHY: &str = if cfg!(feature = "concolic") {
    "the concolic engine needs x86-64 Linux with glibc"
} else {
    "the concolic engine needs the feature `concolic` of probity"
};

pub(in crate::run) fn run(_: &mut Runner<'_>, _: &Stage) -> Result<AfterStage, String> {
    Err(format!("{WHY}; use engine = \"random\""))
}

/// Nothing is proved.
pub(in crate::run) fn prove(runner: &mut Runner<'_>, _: &Stage) -> Result<AfterStage, String> {
    let explored = Explored { asked: true, unsupported: Some(WHY.to_string()), ..Explored::default() };
    runner.state.result.evidence.explored = Some(Box::new(explored));
    Ok(AfterStage::Verdict)
}

/// Nothing is found.
pub(in crate::run) fn seek(
    _: &mut Runner<'_>,
    _: Duration,
) -> Result<Result<(Explored, Vec<Found>), String>, String> {
    Ok(Err(WHY.to_string()))
}

/// The default run does without.
pub(in crate::run) fn share(_: &mut Runner<'_>, _: &Stage) -> Result<AfterStage, String> {
    Ok(AfterStage::Stage)
}
