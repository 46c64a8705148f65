//! The real binaries, run as a user runs them.

#[cfg(unix)]
mod c;
mod check_count;
mod coverage;
mod errors;
#[path = "../../src/new/first.rs"]
mod first;
mod first_steps;
mod generate;
mod interrupts;
mod rest;
mod sources;
mod support;
