//! Whole runs as records: the report, the events and what is stored, with every number that a seed decides.
//!
//! Elsewhere a test says what a report is to tell. Here nothing is picked out: whatever a change moves in what people read,
//! what programs read or what is kept on disk, shows up as a difference of a file in `snapshots/records`.

use std::fmt::Write;
use std::fs;

use probity_testkit::assert_snapshot;

use crate::support::{Folder, run_in, snapshot};

/// No clock ends these runs, and the concolic engine, whose share is time, does not run unless it is asked for.
const STEADY: [(&str, &str); 3] =
    [("PROBITY_TIME", "60m"), ("PROBITY_CONCOLIC", "off"), ("PROBITY_VERBOSE", "true")];

const RANDOM: (&str, &str) = ("PROBITY_ENGINE", "random");
const EXHAUSTIVE: (&str, &str) = ("PROBITY_ENGINE", "exhaustive");
const TARGETED: (&str, &str) = ("PROBITY_ENGINE", "targeted");
#[cfg(unix)]
const ISOLATED: (&str, &str) = ("PROBITY_ISOLATE", "true");

/// Runs a fixture with these variables, and compares everything that is seen of it with a snapshot.
#[track_caller]
fn check(name: &str, fixture: &str, env: &[(&str, &str)]) {
    check_in(&Folder::new(), name, fixture, env);
}

#[track_caller]
fn check_in(store: &Folder, name: &str, fixture: &str, env: &[(&str, &str)]) {
    let events = Folder::new();
    let path = events.at("events");
    let env = [&STEADY[..], &[("PROBITY_EVENTS", path.to_str().unwrap())], env].concat();
    let ran = run_in(store, fixture, &env);
    let mut text = format!("{}\n\n{}", if ran.passed { "passes" } else { "fails" }, ran.raw);
    let _ = write!(text, "\nevents\n\n{}", fs::read_to_string(path).unwrap_or_default());
    for file in store.files() {
        let _ = write!(text, "\n{}\n\n{}", file.display(), fs::read_to_string(&file).unwrap());
    }
    assert_snapshot(snapshot(&format!("records/{name}")), &steady(&text, store));
}

/// Takes out what two runs differ in: the store, places in the code, numbers of threads, times, and sums over these.
fn steady(text: &str, store: &Folder) -> String {
    let mut res = String::new();
    for line in text.replace(&store.path().display().to_string(), "STORE").split_inclusive('\n') {
        if line.starts_with("checksum: ") {
            res.push_str("checksum: HASH\n");
            continue;
        }
        let mut rest = line;
        while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
            let (before, digits) = rest.split_at(at);
            res.push_str(before);
            let end = digits.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(digits.len());
            let (number, after) = digits.split_at(end);
            let unit = ["ns", "µs", "ms", "s"].into_iter().find(|it| after.starts_with(it));
            let is_time =
                unit.is_some_and(|it| !after[it.len()..].starts_with(|c: char| c.is_alphanumeric()));
            let is_place = res.ends_with(".rs:") || res.ends_with(".rs:N:");
            let is_thread = res.ends_with("' (") && after.starts_with(") panicked");
            let is_count = res.ends_with("\"milliseconds\":");
            rest = if is_time { &after[unit.unwrap_or_default().len()..] } else { after };
            let replaced = if is_time { "TIME" } else { "N" };
            res.push_str(if is_time || is_place || is_thread || is_count { replaced } else { number });
        }
        res.push_str(rest);
    }
    res
}

#[test]
fn failures_of_every_kind() {
    for name in ["reported", "fixed_input", "soft", "soft_then_hard", "errors", "distinct", "quotes", "flaky"]
    {
        check(name, name, &[]);
    }
    for name in ["draws_nothing_and_fails", "covers_too_little", "never", "a_hundred_thousand", "misused"] {
        check(name, name, &[]);
    }
    for name in ["caught_check", "payload_bomb", "debug_panics", "poisons", "scoped_threads_fail"] {
        check(name, &format!("verdicts::{name}"), &[]);
    }
}

#[test]
fn passes_of_every_kind() {
    for name in ["settings", "every_pair", "draws_nothing", "covers_in_part", "far_too_many"] {
        check(name, name, &[]);
    }
    for name in ["roses", "floats", "steps", "nothings", "near_number"] {
        check(name, &format!("complete::{name}"), &[]);
    }
}

#[test]
fn failures_by_every_engine() {
    for (engine, name) in [(RANDOM, "random"), (EXHAUSTIVE, "exhaustive"), (TARGETED, "targeted")] {
        for fixture in ["quotes", "errors", "complete::far_number"] {
            let last = fixture.split("::").last().unwrap();
            check(&format!("{last}_by_{name}"), fixture, &[engine]);
        }
    }
    check("lazy_list", "lazy_list", &[]);
    check("few_floats", "few_floats", &[]);
}

#[test]
fn scores_that_are_climbed() {
    check("climbs", "climbs", &[("PROBITY_CASES", "1000")]);
    check("climbs_in_vain", "climbs", &[("PROBITY_CASES", "200"), ("MOST", "41")]);
    check("climbs_by_hill_climbing", "climbs", &[("PROBITY_SCHEDULE", "hill-climbing")]);
    check("climbs_by_random", "climbs", &[RANDOM]);
    check("finds_in_a_case", "finds_in_a_case", &[]);
}

#[test]
fn replays_and_stored_failures() {
    let store = Folder::new();
    check_in(&store, "counted", "counted", &[]);
    check_in(&store, "counted_again", "counted", &[]);
    check_in(&store, "counted_fixed", "counted", &[("FIXED", "1")]);
    check_in(&store, "counted_stale", "counted", &[("NARROW", "1"), ("PROBITY_MAX_REJECTS", "100000")]);
    for (name, replay) in [
        ("choices", "i11 n1 i12 i0"),
        ("case", "seed-0x7-case-2"),
        ("passing", "i11"),
        ("rejected", "i5"),
        ("misfit", "n1"),
    ] {
        // To explain a long input may take all the time that there is for it.
        let explains = ("PROBITY_EXPLAIN", if name == "case" { "false" } else { "true" });
        check(&format!("replayed_{name}"), "reported", &[("PROBITY_REPLAY", replay), explains]);
    }
    check("replayed_walk", "quotes", &[("PROBITY_REPLAY", "walk-100")]);
    check("replayed_walk_misfit", "lazy_list", &[("PROBITY_REPLAY", "walk-2-0")]);
}

#[test]
fn inputs_that_are_prepared() {
    let store = Folder::new();
    check_in(&store, "hours", "hours", &[]);
    check_in(&store, "hours_reused", "hours", &[]);
    check_in(&store, "hours_fail", "hours", &[("FAILS", "1")]);
    check("ages_prepared", "ages", &[]);
}

#[cfg(unix)]
#[test]
fn cases_in_processes_of_their_own() {
    for name in ["segfault", "exits", "double_panic", "panics", "passes", "drawn_by_hand", "rejects_all"] {
        check(&format!("isolated_{name}"), &format!("crashes::{name}"), &[]);
    }
    // A process for each variation takes long on a busy machine, and explaining has a limit of time.
    check("isolated_reported", "reported", &[ISOLATED, ("PROBITY_EXPLAIN", "false")]);
    check("isolated_flaky", "flaky", &[ISOLATED]);
    check("isolated_every_pair", "crashes::every_pair", &[]);
}
