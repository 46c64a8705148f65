//! Where there is no concolic engine.

use super::Runner;
use super::search::Searched;

impl Runner<'_> {
    pub(super) fn search_concolic(&mut self) -> Result<(), String> {
        let why = if cfg!(feature = "concolic") {
            "the concolic engine needs x86-64 Linux with glibc"
        } else {
            "the concolic engine needs the feature `concolic` of probity"
        };
        Err(format!("{why}; use engine = \"random\""))
    }

    /// The default run does without.
    pub(super) fn share_concolic(&mut self, _: &mut Searched) -> Result<(), String> {
        let _ = (self.should_panic, self.inner, self.settings.concolic);
        Ok(())
    }
}
