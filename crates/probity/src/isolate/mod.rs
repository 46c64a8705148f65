//! Cases in a process of their own, so that a crash, an exit or a hang of the code under test is a finding.
//!
//! A search runs whole in one child, which tells in shared words what it is at: when it dies, the case is known.
//! Every other case (stored failures, replays, shrinking, explaining) is a child of its own, which sends the case back.

#[cfg(unix)]
mod apart;
#[cfg(unix)]
mod child;
#[cfg(unix)]
mod faults;
#[cfg(not(unix))]
mod nowhere;
#[cfg(unix)]
mod shared;
#[cfg(unix)]
pub(crate) mod wire;

use probity_core::{Climb, Ended, Failure, Input, Reach, Tally, Value};

#[cfg(unix)]
pub(crate) use apart::{Isolated, Isolation};
#[cfg(all(feature = "concolic", target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
pub(crate) use child::{Child, Heard, Output, processor_time};
#[cfg(not(unix))]
pub(crate) use nowhere::{Isolated, Isolation};

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
