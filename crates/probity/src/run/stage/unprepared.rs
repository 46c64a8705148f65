//! Where no inputs are prepared: that needs the feature `spec`.

use super::super::Runner;
use super::super::portfolio::{AfterStage, Stage};

pub(in crate::run) fn are_declared(_: &Runner<'_>) -> bool {
    false
}

pub(in crate::run) fn run(_: &mut Runner<'_>, _: &Stage) -> Result<AfterStage, String> {
    Ok(AfterStage::Stage)
}
