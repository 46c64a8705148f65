//! What has to hold of the table before any engine sees it.

use std::collections::BTreeSet;

use probity_suite::{ENGINES, Known, fails, rows};

#[test]
fn there_are_enough_rows_and_each_has_a_name_of_its_own() {
    let names: BTreeSet<&str> = rows().map(|it| it.name).collect();
    assert_eq!(names.len(), rows().count());
    assert!(names.len() >= 100, "{}", names.len());
}

#[test]
fn known_inputs_fail() {
    for row in rows() {
        if let Known::Fails { input, .. } = row.known {
            let answers: Vec<String> = input().iter().map(ToString::to_string).collect();
            assert!(fails(row, &answers.join(" ")), "{} does not fail: {answers:?}", row.name);
        }
    }
}

#[test]
fn exclusions_are_of_rows_and_each_row_has_one_reason() {
    let names: BTreeSet<&str> = rows().map(|it| it.name).collect();
    for engine in ENGINES {
        let mut seen = BTreeSet::new();
        for name in engine.excluded.iter().flat_map(|it| it.rows) {
            assert!(names.contains(name), "{} excludes `{name}`, which is no row", engine.name);
            assert!(seen.insert(name), "{} excludes {name} twice", engine.name);
        }
    }
}
