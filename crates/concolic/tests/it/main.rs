//! The engine as its users see it.

#[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
mod explore;
#[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
mod rare_instructions;
