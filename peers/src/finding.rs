//! How often each library finds each of seven bugs, drawing by type alone.

use crate::library::Library;
use crate::report::{Bound, Entry, Report, Row, Target};
use crate::shape::Shape;
use crate::worker::{self, CASES, SEEDS};

/// Lets all libraries search for all bugs.
pub fn report() -> Report {
    // Recording changes what is kept of a case, not what is drawn.
    let libraries = Library::ALL.into_iter().filter(|&library| library != Library::Recording);
    let found: Vec<(Library, Vec<u64>)> = libraries.map(|library| (library, worker::find(library))).collect();
    let mut rows = Vec::new();
    let mut targets = Vec::new();
    for (at, shape) in Shape::ALL.into_iter().enumerate() {
        let mut row: Row = vec![("bug", Entry::Text(shape.name().to_owned()))];
        row.extend(found.iter().map(|(library, found)| (library.name(), Entry::Count(found[at]))));
        rows.push(row);
        let (_, ours) =
            found.iter().find(|(library, _)| *library == Library::Probity).expect("it was searched");
        targets.push(Target {
            about: shape.name().to_owned(),
            figure: ours[at] as f64,
            bound: Bound::AtLeast(LEAST_SEEDS),
        });
    }
    let about = format!("how many of {SEEDS} seeds find the bug within {CASES} cases");
    Report { measure: "finding", about, rows, targets }
}

/// How many seeds must find each bug.
const LEAST_SEEDS: f64 = 18.0;
