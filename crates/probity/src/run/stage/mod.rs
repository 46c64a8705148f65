//! The stages of a run, one file each; `portfolio.rs` says which run has which.

#[cfg_attr(
    not(all(feature = "concolic", target_arch = "x86_64", target_os = "linux", target_env = "gnu")),
    path = "unsupported.rs"
)]
pub(super) mod concolic;
#[cfg_attr(
    not(all(feature = "coverage", target_arch = "x86_64", target_os = "linux", target_env = "gnu")),
    path = "uncovered.rs"
)]
pub(super) mod coverage;
pub(super) mod examples;
pub(super) mod fuzzer;
pub(super) mod goals;
pub(super) mod own;
pub(super) mod pace;
#[cfg_attr(not(feature = "spec"), path = "unprepared.rs")]
pub(super) mod prepared;
pub(super) mod replay;
pub(super) mod sample;
pub(super) mod stored;
pub(super) mod walk;
