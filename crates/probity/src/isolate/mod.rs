//! Cases in a process of their own, so that a crash, an exit or a hang of the code under test is a finding.
//!
//! A search runs whole in one child, which tells in shared words what it is at: when it dies, the case is known.
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
mod apart;
#[cfg(unix)]
mod child;
#[cfg(unix)]
mod faults;
#[cfg(not(unix))]
mod nowhere;
#[cfg(unix)]
#[cfg_attr(
    not(all(feature = "concolic", target_arch = "x86_64", target_os = "linux", target_env = "gnu")),
    path = "no_seal.rs"
)]
mod seal;
#[cfg(unix)]
mod shared;
#[cfg(unix)]
pub(crate) mod wire;

use probity_core::{Climb, Ended, Failure, Input, Reach, Tally, Value};

#[cfg(all(feature = "concolic", target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
pub(crate) use self::{
    apart::Mode,
    child::{Child, End, Heard, Output, processor_time},
    seal::is_possible as can_seal,
};
#[cfg(unix)]
pub(crate) use anew::{dies_anew, fails_anew};
#[cfg(unix)]
pub(crate) use apart::{Isolated, Isolation, is_hang};
#[cfg(not(unix))]
pub(crate) use nowhere::{Isolated, Isolation, fails_anew, is_hang};

/// Is shown each input of a case as it is drawn.
type Show = Box<dyn Fn(&Input)>;

/// What a search in a child came to.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    /// Number, failure and answers of each failing case.
    pub(crate) failures: Vec<(u64, (Failure, Vec<Value>))>,
    pub(crate) ended: Ended,
    pub(crate) tally: Tally,
    pub(crate) reach: Option<Reach>,
    pub(crate) climb: Option<Climb>,
}

/// The program that runs the tests, if this is one: Cargo keeps them in a folder of this name. Any other program might do
/// anything when it is started again.
pub(crate) fn test_binary() -> Option<std::path::PathBuf> {
    let path = std::env::current_exe().ok()?;
    (path.parent()?.file_name()? == "deps").then_some(path)
}
