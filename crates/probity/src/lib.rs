//! Write a test once and leave its inputs blank; every engine can fill them in.
//!
//! ```
//! use probity::prelude::*;
//!
//! #[probity::test]
//! fn sorting_keeps_length(v: Vec<i32>) {
//!     let mut sorted = v.clone();
//!     sorted.sort();
//!     assert_eq!(sorted.len(), v.len());
//! }
//! # fn main() {}
//! ```
//!
//! The test is a plain `#[test]`. When it fails, the report shows the simplest input that fails in the
//! same way, which parts of it matter, and a command that runs it again; the input is kept in a file
//! beside `Cargo.toml` and tried first from then on.
//!
//! - Blanks: by type, by [`#[from(..)]`](macro@test), or imperatively from a [`Source`].
//! - Generators: [ranges](Ranged), [`any`], [`vec()`], [`one_of()`], [`recursive`] and others here, combined
//!   with the methods of [`Combine`]; [`#[derive(Generate)]`](derive@Generate) for your own types.
//! - In the test: [`assume!`], [`check!`], [`note!`], [`classify!`], [`collect!`], [`cover!`],
//!   [`maximize`], [`minimize`], [`pump`], and everything that panics or returns an error.
//! - Scores: a test that calls [`maximize`] or [`minimize`] is answered by the targeted engine, which climbs
//!   from the best inputs so far; [`find`] returns the best input there is instead of checking anything.
//! - Magic values: on x86-64 Linux, after the random cases, the concolic engine interprets the test's own machine code for
//!   a moment and solves for the branches that were not taken; `engine = "concolic"` gives it all the time, and then it says
//!   whether it has run every path. `concolic = "off"` does without.
//! - Crashes: `isolate = true` runs cases in processes of their own, so that a segmentation fault, an abort, a stack
//!   overflow, an exit or a hang is a failure with its input, like any other.
//! - Specs, with the feature `spec`: patterns as generators, `#[derive(Spec)]` with requirements between fields, and
//!   tests whose inputs all differ in a way that matters: see the module `spec`.
//! - Without macros: [`check()`] and [`Check`].
//! - Settings: [`settings`].

#[cfg(any(feature = "arbitrary", feature = "proptest"))]
mod bridges;
mod check;
pub mod events;
mod files;
mod find;
mod isolate;
mod macros;
mod nesting;
mod panics;
#[cfg(feature = "spec")]
#[doc(hidden)]
pub mod readers;
mod report;
mod run;
pub mod settings;
#[cfg(feature = "spec")]
pub mod spec;
pub mod store;
mod watchdog;

#[cfg(any(feature = "arbitrary", feature = "proptest"))]
pub use bridges::*;
pub use check::{Check, Outcome, SettingText, check};
pub use find::{Best, find};
pub use probity_core::context::{maximize, minimize};
pub use probity_core::*;
pub use probity_macros::{Generate, test};
#[cfg(feature = "spec")]
pub use probity_macros::{Spec, spec};

/// What a file of tests wants in scope.
///
/// ```
/// use probity::prelude::*;
/// let pair = (any::<u8>(), from(0..10).map(|n| n * 2));
/// assert!(sample(&pair, 7).1 < 20);
/// ```
pub mod prelude {
    pub use crate::{
        Combine, Function, Generate, Generator, Labels, Lazy, Source, any, assume, btree_map, btree_set,
        check, classify, collect, cover, find, from, function, hash_map, hash_set, just, lazy, maximize,
        minimize, note, one_of, optional, pump, pump_max, pump_min_max, recursive, sample, select, shuffle,
        sized, string, subset, unique, vec, weighted,
    };
    #[cfg(feature = "spec")]
    pub use crate::{Spec, spec, spec::matching};
}

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct ReadmeDoctests;
