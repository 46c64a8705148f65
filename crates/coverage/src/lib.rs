//! Which code a test reaches: breakpoints in a copy of its process.
//!
//! Nothing is rebuilt and nothing runs slower. The unwind tables tell where functions are ([`Image`]); in a copy of the
//! process each of them gets a breakpoint (`int3`) on its entry. The one that is met puts the byte back, and while the
//! function waits, its blocks are found by decoding it and get breakpoints of their own. Each is met once and then gone, so
//! that code which was reached before runs as ever. [`CodeWatch`] says what was met.
//!
//! The process of the test itself is never touched: [`CodeWatch::arm`] refuses to run in it.

#[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
mod blocks;
#[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
mod image;
#[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
mod log;
#[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
mod trap;
#[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
mod watch;

#[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
pub use self::{
    blocks::block_starts,
    image::Image,
    log::{CodeLog, own_memory},
    watch::CodeWatch,
};
