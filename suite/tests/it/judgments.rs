//! Engines that do not do what they should are found out.

use probity_suite::{Engine, Exclusion, Failure, Judgment, Report, Row, complaints, judge, rows};

fn row(name: &str) -> &'static Row {
    rows().find(|it| it.name == name).expect("there is such a row")
}

fn fails(answers: &str) -> Report {
    Report::Fails(vec![Failure { inputs: Vec::new(), answers: answers.to_string() }])
}

#[test]
fn reports_are_held_against_what_is_known() {
    let passes = |inputs, paths| Report::Passes { inputs, paths };
    // A row, a report, and how what is wrong with it begins.
    for (name, report, expected) in [
        ("index", fails("i8"), "right"),
        ("index", fails("i7"), "what is said to fail does not"),
        ("index", fails("n8"), "what is said to fail does not"),
        ("index", Report::Fails(Vec::new()), "what is said to fail does not"),
        ("remainder", fails("i128"), "right"),
        ("score_place", fails("i31415 i-92653"), "right"),
        ("index", passes(None, None), "miss"),
        ("index", passes(Some(9), None), "a claim is false"),
        ("index", passes(None, Some(2)), "a claim is false"),
        ("index", Report::Rejects, "inputs are accepted"),
        ("bits", passes(None, None), "right"),
        ("bits", passes(Some(256), None), "right"),
        ("bits", passes(Some(255), None), "the count is wrong"),
        ("bits", passes(None, Some(9)), "right"),
        ("bits", fails("i8"), "a failure is false"),
        ("bits", Report::Rejects, "inputs are accepted"),
        ("reversed_twice", passes(Some(1000), None), "a claim is false"),
        ("never_accepted", Report::Rejects, "right"),
        ("never_accepted", passes(None, None), "nothing is accepted"),
        ("never_accepted", fails("i1"), "a failure is false"),
        ("bits", Report::Error("no".to_string()), "it did not run"),
    ] {
        let found = match judge(row(name), &report) {
            Judgment::Right => "right".to_string(),
            Judgment::Miss => "miss".to_string(),
            Judgment::Wrong(what) => what,
        };
        assert!(found.starts_with(expected), "{name}, {report:?}: {found}");
    }
}

/// Knows one answer.
const PARROT: Engine = Engine {
    name: "parrot",
    search: |_, _| fails("i8"),
    is_steady: true,
    excluded: &[Exclusion { why: "to be seen", rows: &["index", "table"] }],
};

#[test]
fn exclusions_that_are_not_needed_are_told() {
    let found = complaints(&PARROT, [row("index")]);
    assert_eq!(found, ["parrot finds index: let it no longer be excluded"]);
    assert!(complaints(&PARROT, [row("table")])[0].starts_with("parrot is wrong about table: what is said"));
    assert_eq!(complaints(&Engine { is_steady: false, ..PARROT }, [row("index"), row("table")]), [""; 0]);
    assert_eq!(complaints(&Engine { excluded: &[], ..PARROT }, [row("index")]), [""; 0]);
}

#[test]
fn what_a_busy_machine_misses_is_tried_again() {
    let late =
        |_: &Row, seed| if seed == 3 { fails("i8") } else { Report::Passes { inputs: None, paths: None } };
    let engine = Engine { name: "late", search: late, is_steady: false, excluded: &[] };
    assert_eq!(complaints(&engine, [row("index")]), [""; 0]);
    let steady = Engine { is_steady: true, ..engine };
    assert_eq!(complaints(&steady, [row("index")]), ["late misses index"]);
}
