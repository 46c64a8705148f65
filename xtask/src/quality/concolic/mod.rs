//! What the concolic engine solves, whether it is right, and what it costs. The code it runs is in `subjects`, outside
//! the workspace for its dependencies.

mod claims;
mod cross_check;
mod differential;
mod hostile;
pub(super) mod newcomer;
mod solving;
mod subjects;

use super::Measure;
pub(super) use claims::programs;

/// The parts, each of which can be run alone.
pub(super) const SECTIONS: &[(&str, Measure)] = &[
    ("subjects", subjects::table),
    ("solving", solving::table),
    ("differential", differential::table),
    ("claims", claims::table),
    ("claims", claims::families),
    ("claims", claims::programs),
    ("solver", cross_check::table),
    ("default", newcomer::finds),
    ("overhead", newcomer::overhead),
    ("needles", newcomer::needles),
    ("hostile", hostile::table),
    ("native", differential::table_native),
];

/// The middle one of several figures; the greater of two.
pub(super) fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}
