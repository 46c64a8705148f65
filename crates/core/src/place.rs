//! Where something is in the source code that is tested, in whichever language.

use std::fmt;
use std::panic::Location;

/// A place in source code.
///
/// ```
/// use probity_core::SourcePlace;
/// let place = SourcePlace::Foreign { file: "list.cpp", line: 7 };
/// assert_eq!(place.to_string(), "list.cpp:7");
/// assert_eq!(SourcePlace::caller().line(), line!());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SourcePlace {
    /// A place in Rust.
    Rust(&'static Location<'static>),
    /// A place in another language.
    Foreign {
        /// The file, as its compiler calls it.
        file: &'static str,
        /// The line, counted from 1.
        line: u32,
    },
}

impl SourcePlace {
    /// Where the function that calls this was called, as [`Location::caller`] has it.
    #[inline(always)]
    #[track_caller]
    pub const fn caller() -> SourcePlace {
        SourcePlace::Rust(Location::caller())
    }

    /// The line, counted from 1.
    pub fn line(&self) -> u32 {
        match self {
            SourcePlace::Rust(it) => it.line(),
            SourcePlace::Foreign { line, .. } => *line,
        }
    }
}

impl fmt::Display for SourcePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SourcePlace::Rust(it) => it.fmt(f),
            SourcePlace::Foreign { file, line } => write!(f, "{file}:{line}"),
        }
    }
}
