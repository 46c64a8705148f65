//! Core as its users see it.

mod generated;
mod programs;
