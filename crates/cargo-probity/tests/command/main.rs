//! The real binaries, run as a user runs them.

mod check_count;
mod coverage;
mod errors;
mod generate;
mod interrupts;
mod rest;
mod sources;
mod support;
