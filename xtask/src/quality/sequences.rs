//! Sequences of calls: one file a subtable.

mod threads;

use super::Measure;

pub(crate) const TABLES: &[Measure] = &[threads::table];
