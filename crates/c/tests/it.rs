//! Harnesses in C and C++, compiled by the compilers that this machine has, and run.

#[cfg(unix)]
#[path = "it/harness.rs"]
mod harness;
#[cfg(unix)]
#[path = "it/headers.rs"]
mod headers;
#[cfg(unix)]
#[path = "it/runs.rs"]
mod runs;
