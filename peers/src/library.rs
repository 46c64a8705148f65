//! The libraries measured, and the way from a library's name to its module.

use crate::shape::Shape;
use crate::workload::{Runner, Workload};
use crate::{bolero, hegel, ours, proptest, quickcheck};

/// A library, or Probity in one of its two modes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Library {
    Probity,
    /// Probity recording every choice of every case, which it otherwise does only once a case has failed.
    Recording,
    Bolero,
    Hegel,
    Proptest,
    Quickcheck,
}

impl Library {
    pub const ALL: [Library; 6] = [
        Library::Probity,
        Library::Recording,
        Library::Bolero,
        Library::Hegel,
        Library::Proptest,
        Library::Quickcheck,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Library::Probity => "probity",
            Library::Recording => "probity recording",
            Library::Bolero => "bolero",
            Library::Hegel => "hegel",
            Library::Proptest => "proptest",
            Library::Quickcheck => "quickcheck",
        }
    }

    pub fn named(name: &str) -> Option<Library> {
        Library::ALL.into_iter().find(|library| library.name() == name)
    }

    /// Whether Probity is to be compared with it.
    pub fn is_peer(self) -> bool {
        !matches!(self, Library::Probity | Library::Recording)
    }

    /// How to check `workload`, with vectors of about `mean_len` elements where the library is a peer:
    /// Probity's own lengths are the measure the others are set to.
    pub fn runner(self, workload: Workload, mean_len: f64, seed: u64) -> Runner {
        match self {
            Library::Probity => ours::runner(workload, false, seed),
            Library::Recording => ours::runner(workload, true, seed),
            Library::Bolero => bolero::runner(workload, mean_len, seed),
            Library::Hegel => hegel::runner(workload, mean_len, seed),
            Library::Proptest => proptest::runner(workload, mean_len, seed),
            Library::Quickcheck => quickcheck::runner(workload, mean_len, seed),
        }
    }

    /// Whether `cases` cases drawn by type alone reveal the bug.
    pub fn find(self, shape: Shape, seed: u64, cases: u64) -> bool {
        match self {
            Library::Probity | Library::Recording => ours::find(shape, seed, cases),
            Library::Bolero => bolero::find(shape, seed, cases),
            Library::Hegel => hegel::find(shape, seed, cases),
            Library::Proptest => proptest::find(shape, seed, cases),
            Library::Quickcheck => quickcheck::find(shape, seed, cases),
        }
    }
}
