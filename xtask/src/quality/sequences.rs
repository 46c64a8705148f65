//! Sequences of calls: one file a subtable.

mod speed;
mod steps;
mod threads;

use super::Measure;

pub(crate) const TABLES: &[Measure] = &[steps::swarm, steps::minima, speed::table, threads::table];
