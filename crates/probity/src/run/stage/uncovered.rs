//! Where there is no coverage engine.

use super::super::Runner;
use super::super::portfolio::{AfterStage, Stage};

pub(in crate::run) fn run(_: &mut Runner<'_>, _: &Stage) -> Result<AfterStage, String> {
    let why = if cfg!(feature = "coverage") {
        "the coverage engine needs x86-64 Linux with glibc"
    } else {
        "the coverage engine needs the feature `coverage` of probity"
    };
    Err(format!("{why}; use engine = \"random\""))
}

/// The default run does without.
pub(in crate::run) fn share(_: &mut Runner<'_>, _: &Stage) -> Result<AfterStage, String> {
    Ok(AfterStage::Stage)
}
