//! How fast Probity visits every value of a type, beside the crate `exhaustive`.

#![allow(dead_code, reason = "the values are made and not used")]

use crate::report::{Bound, Entry, Report, Target};
use probity::{Generate, Source};
use probity::engine::{Bounds, Budget, search_exhaustive};
use std::hint::black_box;
use std::time::Instant;

/// Visits all values with both; the best of `repeat` runs of each counts.
pub fn report(repeat: u64) -> Report {
    let (build, least) = if cfg!(debug_assertions) { ("debug", None) } else { ("release", Some(LEAST)) };
    let (mut ours, mut theirs) = (f64::INFINITY, f64::INFINITY);
    // They take turns, so that a busy spell of the machine hits both.
    for _ in 0..repeat {
        ours = ours.min(seconds(visit_with_probity));
        theirs = theirs.min(seconds(visit_with_exhaustive));
    }
    let row = |library: &str, seconds: f64, ratio: Entry| {
        vec![
            ("library", Entry::Text(library.to_owned())),
            ("values", Entry::Count(SCENES)),
            ("values/s", Entry::Number(SCENES as f64 / seconds)),
            ("probity/peer", ratio),
        ]
    };
    let rows =
        vec![row("probity", ours, Entry::Missing), row("exhaustive", theirs, Entry::Number(theirs / ours))];
    let target = |least| Target {
        about: "probity / exhaustive".to_owned(),
        figure: theirs / ours,
        bound: Bound::AtLeast(least),
    };
    let about = format!("every value of nested enums, {build} build, best of {repeat}");
    Report { measure: "exhaustive", about, rows, targets: least.map(target).into_iter().collect() }
}

/// The least share of the peer's speed; it visits values in no order of size and finds no failure again.
const LEAST: f64 = 0.5;

/// A scene is one of 73 shapes, one of 74 or none, lit or not, and one of 2 times 7.
const SCENES: u64 = 73 * 74 * 2 * 14;

#[derive(Debug, Generate, exhaustive::Exhaustive)]
enum Color {
    Red,
    Green,
    Blue,
    Gray(bool, bool),
}

#[derive(Debug, Generate, exhaustive::Exhaustive)]
enum Shape {
    Dot,
    Line(Color),
    Box { fill: Option<Color>, round: bool },
    Pair(Color, Color),
}

#[derive(Debug, Generate, exhaustive::Exhaustive)]
struct Scene {
    a: Shape,
    b: Option<Shape>,
    lit: bool,
    n: (bool, Color),
}

/// How long a visit of all values takes.
fn seconds(visit: fn() -> u64) -> f64 {
    let start = Instant::now();
    let values = visit();
    let seconds = start.elapsed().as_secs_f64();
    assert_eq!(values, SCENES, "not every value was visited once");
    seconds
}

fn visit_with_probity() -> u64 {
    let budget = Budget { cases: u64::MAX, rejects: 0, go_on: &mut |_| true, progress: Default::default() };
    let mut test = |src: &mut Source| _ = black_box(src.any::<Scene>());
    let finding = search_exhaustive(Bounds::default(), &mut test, budget).expect("the test can be run");
    let reach = finding.evidence.reach.unwrap();
    assert!(reach.all);
    finding.tally.cases
}

fn visit_with_exhaustive() -> u64 {
    let values = <Scene as exhaustive::Exhaustive>::iter_exhaustive(None).map(black_box);
    values.count() as u64
}
