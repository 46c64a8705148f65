//! Settings, the store, what is read, specs as types, and a crate that uses all of it, in one binary. `harness` is
//! another, since its fixtures fail on purpose and have its name in what they report.

mod circles;
mod contract_kinds;
mod contracts;
mod floats;
mod lists_within;
mod models;
mod new_crate;
mod own_engines;
mod parameters;
mod readers;
mod settings_file;
mod settings_resolve;
mod spec_types;
mod store_files;
mod store_format;
mod wrong_uses;
