//! The language of specs: programs, spec files, JSON with places, and tables as types.
//!
//! A front that makes [`Request`](probity_spec::Request)s of texts. It draws nothing, solves nothing and prints nothing,
//! and reads no file: anyone who calls it passes texts in.
//!
//! ```
//! let text = "(declare age ?(Integer 0 150)) (generate ages 10 (constrain-solutions age (numeric-distance 10)))";
//! let program = probity_lang::read("ages.spec", text, &|_| Err("no files here".into())).unwrap();
//! assert_eq!(program.outlines[0].request.n, 10);
//! ```

pub mod files;
pub mod json;
mod language;
#[doc(hidden)]
pub mod readers;
#[doc(hidden)]
pub mod suggest;
pub mod tables;

pub use language::{Diagnostic, Outline, Program, Span, read, render_all};
