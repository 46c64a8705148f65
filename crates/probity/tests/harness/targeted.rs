//! Tests that say how good a case is, and searches for the best.

use std::fs;

use crate::searches::watch;
use crate::support::{Folder, Ran, run, run_in};

const VERBOSE: (&str, &str) = ("PROBITY_VERBOSE", "true");
/// Longer than any machine takes, however busy it is: cases end these searches, not the clock.
const PATIENT: (&str, &str) = ("PROBITY_TIME", "60m");
/// More hits than there can be.
const NO_FAILURE: (&str, &str) = ("MOST", "41");

/// What follows `start` on its line, without the glyphs of a sparkline, of which there are some.
fn line<'a>(ran: &'a Ran, start: &str) -> &'a str {
    let (text, glyphs) = ran.field(start).split_at(ran.field(start).find(is_glyph).expect("a sparkline"));
    assert!(glyphs.chars().all(is_glyph) && (2..=40).contains(&glyphs.chars().count()), "{}", ran.raw);
    text.trim()
}

fn is_glyph(c: char) -> bool {
    ('▁'..='█').contains(&c)
}

#[test]
fn a_score_leads_to_the_failure() {
    let ran = run_in(&Folder::new(), "climbs", &[PATIENT]).fails();
    ran.says(&[
        "probity: `harness::fixtures::climbs` fails\n    let bits = [",
        "];\n  failure: too many hits\n    panicked at crates/",
        "\n  found by: engine targeted, case N of seed N (N cases run); shrunk in N steps (N runs)\n  score: ",
        "\n  saved: STORE/harness--fixtures--climbs/HASH.txt\n",
    ]);
    let score = line(&ran, "score: hits ");
    let first: u32 = score.strip_suffix(" → 40").unwrap_or_else(|| panic!("{score}")).parse().unwrap();
    assert!(first < 40, "{score}");
    let ran = run_in(&Folder::new(), "climbs", &[PATIENT, ("PROBITY_SCHEDULE", "hill-climbing")]).fails();
    ran.says(&["  found by: engine targeted, "]);
}

#[test]
fn the_best_input_is_told_where_none_fails() {
    let ran = run_in(&Folder::new(), "climbs", &[PATIENT, NO_FAILURE, VERBOSE]).passes();
    ran.says(&[
        "probity: `harness::fixtures::climbs` passed 10,000 cases in ",
        // Of the samples; most neighbors have more.
        " % hits(&bits) < 30 (wanted: 50 %)\n  most hits: ",
        " → 40\n    best    ",
        "\n    current ",
        " cases were accepted, with ",
        " restarts\n  the best input: hits 40\n    let bits = [",
    ]);
    assert_eq!((line(&ran, "best "), line(&ran, "current ")), ("", ""));
}

#[test]
fn cases_are_as_many_as_were_asked_for() {
    let env = [PATIENT, NO_FAILURE, ("PROBITY_CASES", "300"), VERBOSE];
    run_in(&Folder::new(), "climbs", &env).passes().says(&["` passed 300 cases in "]);
    run_in(&Folder::new(), "climbs", &env[..3]).passes().says_nothing();
}

#[test]
fn the_random_engine_does_not_climb() {
    let ran = run_in(&Folder::new(), "climbs", &[PATIENT, VERBOSE, ("PROBITY_ENGINE", "random")]).passes();
    ran.says(&["climbs` passed 1,000 cases in ", "\n  most hits: "]);
    assert!(!ran.raw.contains("accepted"), "{}", ran.raw);
}

#[test]
fn events_have_the_whole_curve() {
    let folder = Folder::new();
    let path = folder.path().join("events.jsonl");
    let events = ("PROBITY_EVENTS", path.to_str().unwrap());
    run_in(&Folder::new(), "climbs", &[PATIENT, NO_FAILURE, events]).passes();
    run_in(&Folder::new(), "climbs", &[PATIENT, events]).fails();
    let text = fs::read_to_string(&path).unwrap();
    let ends: Vec<&str> = text.lines().filter(|it| it.contains("\"accepted\":")).collect();
    assert_eq!(ends.len(), 2, "{text}");
    for end in ends {
        let start = "\"scores\":[{\"label\":\"hits\",\"minimize\":false,\"best\":40.0,\"points\":[[";
        let (_, points) = end.split_once(start).unwrap_or_else(|| panic!("{end}"));
        let (points, rest) = points.split_once("]]}],\"accepted\":").unwrap();
        assert!(points.matches("],[").count() > 50 && points.ends_with(",40.0"), "{end}");
        assert!(rest.contains(",\"best\":[{\"case\":") && rest.contains("\"scores\":[40.0]"), "{end}");
    }
}

#[test]
fn a_hanging_input_is_named_by_its_answers() {
    let store = Folder::new();
    let ran = watch(&store, "hangs_on_the_way_up", &[]).passes();
    let again = run_in(&store, "hangs_on_the_way_up", &[("PROBITY_REPLAY", ran.replay())]).passes();
    let bits = again.field("let bits = [").trim_end_matches("];").split(", ").enumerate();
    let hits = bits.filter(|(at, bit)| at.is_multiple_of(3).to_string() == *bit).count();
    assert!(hits >= 37, "{}", again.raw);
}

#[test]
fn the_best_is_found() {
    run("finds").passes().says_nothing();
    let find = |score| run_in(&Folder::new(), "finds", &[("SCORE", score)]).fails();
    find("none").says(&[
        "\n`find` needs a score to know what is best; call `maximize` or `minimize` in the closure\n",
    ]);
    find("never").says(&["\ntoo many rejected cases: 0 of 1000 ran, "]);
    let ran = find("fails");
    ran.says(&["    let bits = [", "  failure: the eighth is set\n", "\n  replay: PROBITY_REPLAY='"]);
    let env = [("SCORE", "fails"), ("PROBITY_REPLAY", ran.replay())];
    run_in(&Folder::new(), "finds", &env).fails().says(&["  found by: PROBITY_REPLAY\n"]);
}

#[test]
fn a_search_inside_a_case_is_a_part_of_it() {
    let store = Folder::new();
    let ran = run_in(&store, "finds_in_a_case", &[("PROBITY_SEED", "")]).fails();
    ran.says(&["    let n = 61;\n  failure: too much together\n"]);
    assert_eq!((ran.raw.matches("probity: ").count(), store.files().len()), (1, 1), "{}", ran.text);
}
