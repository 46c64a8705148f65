//! What the engines report.

use std::thread;

use probity_suite::{ENGINES, Engine, Group, Known, Report, complaints, rows};

#[test]
fn every_engine_finds_what_it_should_and_says_nothing_false() {
    let found: Vec<String> = thread::scope(|scope| {
        let threads: Vec<_> = ENGINES.iter().map(|it| scope.spawn(|| complaints(it, rows()))).collect();
        threads.into_iter().flat_map(|it| it.join().expect("a search ends")).collect()
    });
    assert_eq!(found, [""; 0], "{}", found.join("\n"));
}

/// Adding an engine takes a file and a line: the portfolio runs it, the suite judges it.
#[test]
fn an_engine_that_is_brought_along_finds_what_it_should() {
    let found = complaints(&crate::toy::ODOMETER, rows().filter(|it| it.group == Group::Shape));
    assert_eq!(found, [""; 0], "{}", found.join("\n"));
}

/// What an engine reports of a row, where it has both.
fn report(engine: &str, row: &str) -> Option<Report> {
    let engine: &Engine = ENGINES.iter().find(|it| it.name == engine)?;
    let row = rows().find(|it| it.name == row)?;
    Some((engine.search)(row, 1))
}

#[test]
fn who_visits_every_input_counts_them() {
    for row in rows() {
        let Known::Passes { inputs: Some(n) } = row.known else { continue };
        for engine in ["exhaustive", "auto"] {
            let counted = Report::Passes { inputs: Some(n), paths: None };
            assert_eq!(report(engine, row.name), Some(counted), "{engine} on {}", row.name);
        }
    }
}

#[test]
fn who_runs_every_path_says_so() {
    for row in rows().filter(|it| it.group == Group::Claim && matches!(it.known, Known::Passes { .. })) {
        if let Some(report) = report("concolic", row.name) {
            assert!(matches!(report, Report::Passes { paths: Some(_), .. }), "{}: {report:?}", row.name);
        }
    }
}
