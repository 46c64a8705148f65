//! Sequences of calls: one file a subtable.

mod calls;
mod speed;
mod steps;
mod threads;

use super::Measure;

pub(crate) const TABLES: &[Measure] =
    &[steps::swarm, steps::minima, calls::foreign, calls::laws, calls::pasted, speed::table, threads::table];
