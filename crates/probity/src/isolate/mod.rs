//! Cases in a process of their own, so that a crash, an exit or a hang of the code under test is a finding.
//!
//! A search runs whole in one child, which says in shared words what it is at: when it dies, the case is known.
//! Every other case (stored failures, replays, shrinking, explaining) is a child of its own, which sends the case back.
//!
//! This is the one place that splits processes. What works beside a test (the concolic engine) does so in a *sealed* copy,
//! which can do nothing to the world.

#![cfg_attr(
    not(all(feature = "concolic", target_arch = "x86_64", target_os = "linux", target_env = "gnu")),
    allow(dead_code, reason = "only the concolic engine seals copies and replies to them")
)]

#[cfg(unix)]
mod anew;
#[cfg(unix)]
mod child;
#[cfg(unix)]
mod faults;
#[cfg(unix)]
mod isolated_test;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod places;
#[cfg(unix)]
#[cfg_attr(
    not(all(feature = "concolic", target_arch = "x86_64", target_os = "linux", target_env = "gnu")),
    path = "no_seal.rs"
)]
mod seal;
#[cfg(unix)]
mod shared;
#[cfg(not(unix))]
mod unsupported;
// Its reader is tested wherever the others are.
#[cfg(any(unix, feature = "spec"))]
pub(crate) mod wire;

use probity_core::Drawn;

#[cfg(unix)]
pub(crate) use self::faults::tell_place;
#[cfg(all(feature = "coverage", target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
pub(crate) use self::{child::Pipe, isolated_test::TOLD};
#[cfg(all(feature = "concolic", target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
pub(crate) use self::{
    child::{Child, ChildOutput, ProcessEnd, Received, processor_time},
    seal::is_possible as can_seal,
};
#[cfg(unix)]
pub(crate) use anew::{dies_anew, fails_anew};
#[cfg(unix)]
pub(crate) use isolated_test::{IsolatedTest, Isolation, IsolationMode, is_hang};
#[cfg(not(unix))]
pub(crate) use unsupported::{IsolatedTest, Isolation, IsolationMode, dies_anew, fails_anew, is_hang};

/// Whether a stored failure says that its case ended its process, or did not end. A case of which this is said by mistake
/// only runs in a copy first.
pub(crate) fn was_death(failure: &str) -> bool {
    let line = failure.lines().next().unwrap_or_default();
    let is_fatal = crate::panics::FATAL_ENDS.iter().any(|it| line.ends_with(it));
    DEATHS.iter().any(|it| line.starts_with(it)) || is_fatal && line.starts_with("panicked at ")
}

/// How the texts of deaths begin.
const DEATHS: [&str; 4] = ["died: ", "exited with code ", "was ended: ", DID_NOT_END];
/// How the failure of a case that hangs begins.
const DID_NOT_END: &str = "did not end within ";

/// Is shown each input of a case as it is drawn.
type Show = Box<dyn Fn(&Drawn)>;

/// The program that runs the tests, if this is one: Cargo keeps them in a folder of this name. Any other program might do
/// anything when it is started again.
pub(crate) fn test_binary() -> Option<std::path::PathBuf> {
    let path = std::env::current_exe().ok()?;
    (path.parent()?.file_name()? == "deps").then_some(path)
}
