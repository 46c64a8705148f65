//! Inputs that all differ: prepared once, kept, used again, and reported like any others.

use std::fs;

use crate::support::{Folder, Ran, run_in};

/// Runs a fixture; returns what it was run with, and how it went.
fn ran(store: &Folder, name: &str, env: &[(&str, &str)]) -> (Vec<String>, Ran) {
    let folder = Folder::new();
    let file = folder.path().join("seen");
    let env = [&[("SEEN", file.to_str().unwrap())], env].concat();
    let ran = run_in(store, name, &env);
    let seen = fs::read_to_string(file).unwrap_or_default();
    (seen.lines().map(ToString::to_string).collect(), ran)
}

fn ages(seen: &[String]) -> Vec<i32> {
    let mut ages: Vec<i32> = seen.iter().map(|it| it.split(' ').next().unwrap().parse().unwrap()).collect();
    ages.sort();
    ages
}

#[test]
fn every_pair_differs_and_what_is_missing_is_told() {
    let (seen, ran) = ran(&Folder::new(), "ages", &[]);
    let ages = ages(&seen);
    assert!(ages.len() == 10 && ages.windows(2).all(|it| it[1] - it[0] >= 10), "{ages:?}");
    ran.passes().reads("ages");
}

#[test]
fn inputs_are_used_again_until_they_are_declared_otherwise() {
    let store = Folder::new();
    let (first, _) = ran(&store, "hours", &[]);
    let (path, text) = store.only_file();
    assert!(path.ends_with("probity-inputs/harness--fixtures--hours.txt"), "{path:?}");
    assert!(text.starts_with("probity inputs, format 1\n# Prepared by Probity"));
    let (again, verbose) = ran(&store, "hours", &[("PROBITY_VERBOSE", "1")]);
    assert_eq!(first, again);
    verbose.passes().says(&["reuses the 8 inputs of STORE/probity-inputs/harness--fixtures--hours.txt"]);
    let (fewer, changed) = ran(&store, "hours", &[("PROBITY_CASES", "3")]);
    assert_eq!(fewer.len(), 3);
    changed.passes().reads("hours_declared_otherwise");
    let (_, again) = ran(&store, "hours", &[("PROBITY_CASES", "3")]);
    again.passes().says_nothing();
    fs::write(&path, text.replace("i1", "i2")).unwrap();
    let (_, damaged) = ran(&store, "hours", &[("PROBITY_CASES", "3")]);
    damaged.passes().reads("hours_damaged");
}

/// A file of inputs with its lines changed and its checksum made right, as somebody could write it by hand.
fn forged(text: &str, change: impl FnOnce(&mut Vec<String>)) -> String {
    let mut lines: Vec<String> = text.lines().map(ToString::to_string).collect();
    lines.pop();
    let first = lines.iter().position(|it| it.starts_with("inputs: ")).unwrap() + 1;
    let mut inputs = lines.split_off(first);
    change(&mut inputs);
    lines[first - 1] = format!("inputs: {}", inputs.len());
    let body = [lines, inputs].concat().join("\n") + "\n";
    let hash = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    let sum = body.bytes().fold(0xcbf2_9ce4_8422_2325, hash);
    format!("{body}checksum: {sum:016x}\n")
}

#[test]
fn inputs_that_do_not_differ_or_do_not_fit_are_made_anew() {
    let store = Folder::new();
    let (first, _) = ran(&store, "hours", &[]);
    let (path, text) = store.only_file();
    assert_eq!(forged(&text, |_| {}), text);
    type Change = fn(&mut Vec<String>);
    let rows: [(&str, Change); 4] = [
        ("hours_equal", |it| it[2] = it[0].clone()),
        ("hours_outside", |it| it[1] = "i99999999".to_string()),
        ("hours_too_long", |it| it[3] += " i1"),
        ("hours_too_many", |it| it.extend(it.clone())),
    ];
    for (name, change) in rows {
        fs::write(&path, forged(&text, change)).unwrap();
        let (seen, damaged) = ran(&store, "hours", &[]);
        assert_eq!(seen, first);
        damaged.passes().reads(name);
        assert_eq!(store.only_file().1, text, "the file is right again");
    }
    let temp = path.with_extension("4294967295.tmp");
    fs::write(&temp, "half a file").unwrap();
    let (_, again) = ran(&store, "hours", &[]);
    again.passes().says_nothing();
    assert!(!temp.exists() || !cfg!(target_os = "linux"), "what a killed run left is removed");
}

#[test]
fn a_place_that_cannot_be_written_is_told_and_the_test_runs() {
    let store = Folder::new();
    fs::write(store.path().join("probity-inputs"), "a file where the folder would be").unwrap();
    let (seen, ran) = ran(&store, "hours", &[("PROBITY_CASES", "3")]);
    assert_eq!(seen.len(), 3);
    ran.passes().says(&[
        "`harness::fixtures::hours` could not keep its inputs: cannot create `STORE/probity-inputs`",
    ]);
}

#[test]
fn fields_of_a_blank_differ() {
    let (seen, _) = ran(&Folder::new(), "hours", &[]);
    let parts: Vec<Vec<&str>> = seen.iter().map(|it| it.split(' ').collect()).collect();
    for (at, a) in parts.iter().enumerate() {
        let from = |it: &[&str]| it[1].parse::<i32>().unwrap();
        assert!(parts[..at].iter().all(|b| a[0] != b[0] && (from(a) - from(b)).abs() >= 2), "{seen:?}");
    }
    assert_eq!(seen.len(), 8);
}

#[test]
fn inputs_may_be_longer_than_those_of_chance() {
    for name in ["lengths", "long_names"] {
        let (seen, ran) = ran(&Folder::new(), name, &[]);
        ran.passes().says_nothing();
        let different: std::collections::BTreeSet<&String> = seen.iter().collect();
        assert_eq!((seen.len(), different.len()), (150, 150), "{name}");
    }
}

#[test]
fn a_relation_of_ones_own_holds_for_every_pair() {
    let (seen, ran) = ran(&Folder::new(), "last_digits", &[]);
    let digits: std::collections::BTreeSet<&str> = seen.iter().map(|it| &it[it.len() - 1..]).collect();
    assert!(digits.len() == 10 && seen.len() == 10, "{seen:?}");
    ran.passes().says(&["runs 10 inputs of 20 wanted: exactly 10 inputs that differ exist"]);
}

#[test]
fn leaves_of_a_pattern_are_covered() {
    let (seen, ran) = ran(&Folder::new(), "times", &[]);
    ran.passes();
    assert!(seen.len() >= 6 && seen.iter().any(|it| it.contains("PM")), "{seen:?}");
    assert!(seen.iter().any(|it| it.contains("UTC")) && seen.iter().any(|it| it.contains("CET")), "{seen:?}");
}

#[test]
fn a_failure_is_shrunk_stored_and_replayed() {
    for (name, input) in [("times", "    let time = \"00:00PM\";"), ("hours", "to: 12")] {
        let store = Folder::new();
        let (_, failed) = ran(&store, name, &[("FAILS", "1")]);
        let failed = failed.fails();
        failed.says(&[
            input,
            "  found by: engine prepared, case N of seed N",
            "  saved: STORE/harness--fixtures--",
        ]);
        let replay = failed.replay().to_string();
        let (seen, again) = ran(&store, name, &[("FAILS", "1"), ("PROBITY_REPLAY", &replay)]);
        again.fails().says(&[input, "  found by: PROBITY_REPLAY"]);
        assert!(!seen.is_empty());
        let (_, stored) = ran(&store, name, &[("FAILS", "1")]);
        stored.fails().says(&["  found by: the stored failure STORE/"]);
    }
}

#[test]
fn other_engines_draw_the_same_blanks() {
    let (seen, all) = ran(
        &Folder::new(),
        "ages",
        &[("PROBITY_ENGINE", "exhaustive"), ("PROBITY_CASES", "1000"), ("PROBITY_VERBOSE", "1")],
    );
    assert_eq!(seen.len(), 200);
    all.passes().says(&["is complete: all 200 inputs pass"]);
    let (seen, random) = ran(&Folder::new(), "ages", &[("PROBITY_ENGINE", "random")]);
    random.passes();
    assert_eq!(seen.len(), 12);
}

#[test]
fn misuse_is_told_at_the_test() {
    for (name, message) in [
        ("no_such_input", "no input meets what is declared; relax a requirement"),
        ("bad_pattern", "the pattern \"a(?=b)\" cannot be used: "),
    ] {
        let (seen, ran) = ran(&Folder::new(), name, &[]);
        assert!(seen.is_empty());
        ran.fails().says(&["panicked at crates/probity/tests/harness/fixtures.rs:N:N:\n", message]);
    }
}
