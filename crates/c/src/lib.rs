//! Probity for C and C++.
//!
//! A test in C or C++ includes `probity.h`, `probity.hpp` or `deepstate/DeepState.hpp` and is linked with this library. What
//! the headers call is here: functions with C's calling convention, which draw, end the case, or run the tests. Everything
//! else (engines, shrinking, reports, the store) is the crate `probity`.
//!
//! Nothing unwinds out of a function of this crate. A case is left by a jump to where it was entered; see `jump`.
//!
//! ```
//! assert_eq!(probity_c::probity_is_rendering(), 0, "no case is running");
//! ```
#![cfg(unix)]

mod arms;
mod case;
mod draw;
mod end;
mod fuzz;
mod input;
mod jump;
mod options;
mod program;
mod registry;
mod saved;
mod take_over;
mod text;

pub use arms::*;
pub use draw::*;
pub use end::*;
pub use fuzz::*;
pub use input::probity_is_rendering;
pub use program::*;
pub use registry::*;
pub use take_over::*;
