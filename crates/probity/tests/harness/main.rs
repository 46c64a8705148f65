//! The harness as users meet it: what they read, what is kept, and what a test may look like.
//!
//! The tests in `fixtures` fail, hang or flake on purpose. They are ignored, and run by the others as
//! processes of their own.

mod arms;
mod calls;
#[cfg(all(feature = "concolic", target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
mod concolic;
#[cfg(all(feature = "concolic", target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
mod concolic_puzzles;
#[cfg(target_os = "linux")]
mod deaths;
mod exhaustive;
mod failures;
mod fixtures;
#[cfg(all(feature = "concolic", target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
mod goals;
#[cfg(unix)]
mod isolated;
mod outside;
mod prepared;
#[cfg(all(feature = "concolic", target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
mod proofs;
mod records;
mod searches;
mod stored;
mod support;
mod surface;
mod targeted;
mod verdicts;
