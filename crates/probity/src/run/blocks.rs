//! Searches that count which blocks of code they reach, so that engines can be compared: each in a copy with breakpoints.

use probity_core::{Budget, Corpus, Value, search};

use super::Runner;
use crate::corpus::CorpusFolder;
use crate::events::{CoverageStatus, Event};

/// Set where searches count blocks.
const COUNTED: &str = "PROBITY_COUNT_BLOCKS";
/// No setting of a test, but no mistake either.
pub(crate) const VARIABLES: [&str; 1] = [COUNTED];

/// Whether searches count blocks.
pub(super) fn are_counted() -> bool {
    std::env::var_os(COUNTED).is_some()
}

#[cfg(all(feature = "coverage", target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
mod counter {
    use probity_coverage::{CodeLog, CodeWatch, Image};

    use super::super::stage::coverage::save_reached;
    use crate::corpus::CorpusFolder;

    /// What a copy reaches.
    pub(in crate::run) struct BlockCounter {
        image: &'static Image,
        log: CodeLog,
    }

    impl BlockCounter {
        pub(in crate::run) fn new() -> Option<BlockCounter> {
            let image = Image::get().ok().filter(|it| it.can_watch().is_ok())?;
            Some(BlockCounter { image, log: CodeLog::new(image).ok()? })
        }

        /// Sets the breakpoints, in the copy.
        pub(in crate::run) fn arm(&self) {
            let watch = CodeWatch::arm(self.image, &self.log);
            std::mem::forget(watch); // it is as long as the copy is
        }

        /// How many blocks were reached. Which those are is written beside the corpus.
        pub(in crate::run) fn blocks(&self, corpus: Option<&CorpusFolder>) -> usize {
            corpus.into_iter().for_each(|it| save_reached(it, &self.log));
            self.log.reached().count()
        }
    }
}

#[cfg(not(all(feature = "coverage", target_arch = "x86_64", target_os = "linux", target_env = "gnu")))]
mod counter {
    use crate::corpus::CorpusFolder;

    /// Nothing counts blocks here.
    pub(in crate::run) enum BlockCounter {}

    impl BlockCounter {
        pub(in crate::run) fn new() -> Option<BlockCounter> {
            None
        }

        pub(in crate::run) fn arm(&self) {
            match *self {}
        }

        pub(in crate::run) fn blocks(&self, _: Option<&CorpusFolder>) -> usize {
            match *self {}
        }
    }
}

pub(super) use counter::BlockCounter;

impl Runner<'_> {
    /// Says how many blocks were reached.
    pub(super) fn tell_blocks(&self, counter: &BlockCounter) {
        let corpus = CorpusFolder::of(&self.settings.corpus, self.name);
        let status =
            CoverageStatus { blocks: counter.blocks(corpus.as_ref()) as u64, ..CoverageStatus::default() };
        self.reporters.direct().tell(&Event::Covering(status));
    }

    /// Runs answers that were only interpreted so far, where blocks are counted.
    pub(super) fn count_reached(&mut self, reached: &[Vec<Value>]) -> Result<(), String> {
        if !are_counted() || reached.is_empty() {
            return Ok(());
        }
        let mut corpus = Corpus::at(self.seed, 0);
        reached.iter().for_each(|it| corpus.offer(it.clone()));
        corpus.end_after_given();
        self.search(Box::new(|test, progress| {
            let budget = Budget { cases: u64::MAX, rejects: u64::MAX, go_on: &mut |_| true, progress };
            search(Box::new(corpus), test, budget)
        }))?;
        Ok(())
    }
}
