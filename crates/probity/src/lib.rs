//! Write a test once and leave its inputs blank; every engine can fill them in.

pub mod settings;
pub mod store;

pub use probity_core::*;
pub use probity_macros::{Generate, test};
