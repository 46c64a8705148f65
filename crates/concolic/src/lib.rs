//! The concolic engine: runs a test's own machine code in an interpreter, follows what its choices do with
//! bit-vector expressions, and solves for the branch that was not taken.
//!
//! Nothing in the test changes and nothing is installed. The parts, from the bottom up: [`clock`] (when to stop), [`expr`] (expressions),
//! [`answer`] (choices as bits), [`path`] (what one run came to), [`solve`] (answers that lead elsewhere), `machine`
//! (the interpreter, one directory for each architecture), [`search`] (which branch next), and `guest` (a test as the
//! machine runs it).

pub mod answer;
pub mod clock;
pub mod expr;
pub mod path;
pub mod search;
pub mod solve;

#[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
pub mod machine;

#[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
mod explore;

#[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
pub use explore::{PreparedSearch, calibrate, explore, prepare, seek_goals};
#[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
pub use machine::own_memory;
