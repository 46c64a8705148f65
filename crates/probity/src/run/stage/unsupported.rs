//! Where there is no concolic engine.

use super::super::Runner;
use super::super::portfolio::{AfterStage, Stage};

/// Nothing is ever granted.
pub(in crate::run) enum Grant {}

pub(in crate::run) fn run(_: &mut Runner<'_>, _: &Stage) -> Result<AfterStage, String> {
    let why = if cfg!(feature = "concolic") {
        "the concolic engine needs x86-64 Linux with glibc"
    } else {
        "the concolic engine needs the feature `concolic` of probity"
    };
    Err(format!("{why}; use engine = \"random\""))
}

/// The default run does without.
pub(in crate::run) fn share(_: &mut Runner<'_>, _: &Stage) -> Result<AfterStage, String> {
    Ok(AfterStage::Stage)
}
