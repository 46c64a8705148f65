//! Where there is no concolic engine.

use probity_core::Explored;

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

/// The default run does without.
pub(in crate::run) fn share(_: &mut Runner<'_>, _: &Stage) -> Result<AfterStage, String> {
    Ok(AfterStage::Stage)
}
