//! Runs what the macros expand to.

extern crate probity_core as probity;

mod attribute;
mod derive;
mod fragments;
