//! What is reported of a failure, and how the test ends.

use crate::support::{Folder, Ran, command, normal, run, run_in};

#[test]
fn a_failure_is_reported_in_full() {
    run("reported").fails().reads("reported");
}

#[test]
fn what_is_captured_reads_the_same() {
    let store = Folder::new();
    let output = command("reported", &store, &[]).output().unwrap();
    let captured = normal(&String::from_utf8(output.stdout).unwrap(), &store);
    let shown = run("reported");
    assert!(output.stderr.is_empty() && captured.contains(&shown.text), "{captured}");
}

#[test]
fn a_fixed_input_is_reported_as_it_is_written() {
    run("fixed_input").fails().reads("fixed_input");
}

#[test]
fn a_test_that_draws_nothing_can_fail() {
    run("draws_nothing").passes();
    let ran = run("draws_nothing_and_fails").fails();
    ran.says(&["    (no inputs were drawn)\n", "  failure: always\n"]);
}

#[test]
fn every_way_to_replay_reproduces_the_failure() {
    let store = Folder::new();
    let first = run_in(&store, "reported", &[]).fails();
    let found: Vec<&str> = first.field("found by:").split([' ', ',']).collect();
    let after = |word: &str| found[found.iter().position(|it| *it == word).unwrap() + 1];
    let case = format!("seed-{}-case-{}", after("seed"), after("case"));

    let fresh = Folder::new();
    let by_file = run_in(&fresh, "reported", &[("PROBITY_REPLAY", first.replay())]).fails();
    let choices = by_file.replay().to_string();
    assert_eq!(choices, "i11 n1 i12 i0");
    let by_choices = run_in(&fresh, "reported", &[("PROBITY_REPLAY", &choices)]).fails();
    let by_case = run_in(&fresh, "reported", &[("PROBITY_REPLAY", &case)]).fails();

    let inputs = "    let limit = 11;\n    let v = [12];\n    let other = 0;\n";
    let title = "probity: `harness::fixtures::reported` runs what PROBITY_REPLAY says, with these inputs\n";
    for ran in [&by_file, &by_choices] {
        assert!(ran.text.starts_with(&format!("{title}{inputs}")), "{}", ran.text);
    }
    for ran in [by_file, by_choices, by_case] {
        ran.says(&["  failure: too large\n", "  found by: PROBITY_REPLAY\n"]);
        assert_eq!(panics(&ran), 1);
    }
    assert_eq!(fresh.files().len(), 0, "a replay stores nothing");
}

#[test]
fn a_replay_that_does_not_fail_says_how_it_went() {
    let replay = |text: &str| run_in(&Folder::new(), "reported", &[("PROBITY_REPLAY", text)]);
    replay("i11").passes().says(&["    let limit = 11;\n    let v = [];\n"]);
    replay("i5").fails().says(&["\nthe replayed input is rejected by `assume!(limit > 10)` at crates/"]);
    replay("no/such/file").fails().says(&["\ncannot replay `no/such/file`: there is no such file, and as"]);
}

#[test]
fn a_replay_that_does_not_fit_is_an_error_that_says_which_choice() {
    let replay = |text: &str| run_in(&Folder::new(), "reported", &[("PROBITY_REPLAY", text)]);
    let left = "; it is of another test, or the test has changed; take what `replay` in a report says";
    for (text, expected) in [
        ("n1", "choice 1 of 1 is `n1`, and the test asks for a whole number from"),
        ("i11 i5", "choice 2 of 2 is `i5`, and the test asks for a length from `n0` to"),
        (
            "i11 n1 i-5 i0",
            "choice 3 of 4 is `i-5`, and the test asks for a whole number from `i0` to `i4294967295` there",
        ),
        (
            "i11 n1 i12 i0 i7",
            "choice 5 of 5 (`i7`) is left over: the test asks for 4 choices (with those before it",
        ),
        (
            "i11 n0 i0 i7",
            "choice 4 of 4 (`i7`) is left over: the test asks for 3 choices; it is of another test",
        ),
        ("walk-11-99999999999", "place 2 of 2 is 99999999999, and the test asks for a length from"),
        ("walk-99999999999", "place 1 of 1 is 99999999999, and the test asks for a whole number from"),
        (
            "walk-21-0-0-4-4",
            "place 4 of 5 (4) is left over: the test asks for 3 choices; it is of another test",
        ),
        ("walk-1-x", "a walk is written as `walk-0-3-1`, with numbers below 2^64"),
        ("seed-0x7-case-18446744073709551616", "a case is written as `seed-0x1f-case-7`, with numbers below"),
        ("seed-0x7-case-+1", "a case is written as"),
        ("i11 x9", "there is no such file, and as choices: choice 2 is no choice: `x9` is not a choice"),
        ("i11 n01", "there is no such file, and as choices: choice 2 is no choice: `n01` is not a choice"),
    ] {
        let ran = replay(text).fails();
        let said = format!("cannot replay `{text}`: ");
        assert!(ran.raw.contains(&said) && ran.raw.contains(expected), "{text}: {}", ran.raw);
        assert!(!expected.contains("the test asks") || ran.text.contains(left), "{}", ran.text);
    }
    // The last case of all is one like the others.
    let last = replay("seed-0x7-case-18446744073709551615");
    assert!(!last.raw.contains("overflow"), "{}", last.raw);
    replay("i11").passes().says(&["asked for 3 choices, and PROBITY_REPLAY has 1\n"]);
    replay("fitted i99999999999 n1 i-5").says(&["runs what PROBITY_REPLAY says"]);
}

#[test]
fn a_stored_failure_that_does_not_fit_is_an_error_when_it_is_replayed() {
    let store = Folder::new();
    let path = run_in(&store, "reported", &[]).fails().replay().to_string();
    let mut entry = probity::store::read(path.as_ref()).unwrap();
    entry.choices.push(probity::engine::Value::Bool(true));
    std::fs::write(&path, entry.to_text()).unwrap();
    let ran = run_in(&Folder::new(), "reported", &[("PROBITY_REPLAY", &path)]).fails();
    ran.says(&["choice 5 of 5 (`true`) is left over: the test asks for 4 choices"]);
}

/// How often a panic was printed.
fn panics(ran: &Ran) -> usize {
    ran.raw.matches(") panicked at ").count()
}

#[test]
fn one_panic_is_printed_last_with_the_message_of_the_first_failure() {
    let place = "crates/probity/tests/harness/fixtures.rs:N:N";
    let note = "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace";
    for (name, more) in [
        ("reported", "for the limit\n"),
        ("fixed_input", ""),
        ("soft", ""),
        ("soft_then_hard", ""),
        ("errors", ""),
        ("distinct", ""),
        ("nested", ""),
    ] {
        let ran = run(name).fails();
        let message = ran.field("failure:");
        let end = format!("\nthread 'fixtures::{name}' (N) panicked at {place}:\n{message}\n{more}{note}\n");
        assert!(ran.text.ends_with(&end), "{}", ran.text);
        assert_eq!(panics(&ran), 1, "{}", ran.text);
    }
}

#[test]
fn a_wanted_panic_passes_and_is_not_kept() {
    let store = Folder::new();
    run_in(&store, "wanted_panic", &[]).passes();
    assert_eq!(store.files().len(), 0);
}

#[test]
fn panics_of_other_threads_are_shown() {
    let ran = run("other_thread").fails();
    assert_eq!(panics(&ran), 1, "{}", ran.text);
    ran.says(&["thread 'helper' panicked at crates/", "of another thread\n", "\n1001 is too much\n"]);
}

#[test]
fn a_hook_that_was_there_shows_the_last_panic() {
    let ran = run("hook_of_the_user").fails();
    assert_eq!(ran.raw.matches("the user's hook: ").count(), 1, "{}", ran.text);
    assert_eq!(panics(&ran), 0, "{}", ran.text);
    ran.says(&["the user's hook: panicked at crates/probity/tests/harness/fixtures.rs:N:N:\ntoo much\n"]);
}

#[test]
fn all_broken_checks_are_reported() {
    let place = "at crates/probity/tests/harness/fixtures.rs:N:N\n";
    run("soft").fails().says(&[
        "    let n = 50;\n",
        &format!("  failure: check failed: n < 50\n    {place}"),
        &format!("  failure: check failed: n != 50 || n > 50: 50 is not what it should be\n    {place}"),
    ]);
    run("soft_then_hard").fails().says(&[
        &format!("  failure: in the end\n    panicked {place}"),
        &format!("  failure: check failed: n < 50\n    {place}"),
    ]);
}

#[test]
fn failures_of_different_origins_are_all_reported() {
    run("distinct").fails().says(&[
        "fixtures::distinct` fails (failure 1 of 2)\n",
        "fixtures::distinct` fails (failure 2 of 2)\n",
        "\n    let n = 600;\n  failure: large\n    panicked at ",
        "\n    let n = 300;\n  failure: middling\n    panicked at ",
        "N rejected); no smaller input fails so: its size is N\n",
    ]);
    run("errors").fails().says(&[
        "    let n = 501;\n  failure: Parse(ParseIntError { kind: InvalidDigit })\n    the test returned this error\n",
        "    let n = 301;\n  failure: Odd(301)\n    the test returned this error\n",
    ]);
}

#[test]
fn a_check_inside_a_case_is_a_part_of_it() {
    let store = Folder::new();
    let ran = run_in(&store, "nested", &[("PROBITY_SEED", "")]).fails();
    ran.says(&["    let n = 51;\n", "    let m = 99;\n"]);
    assert_eq!(ran.raw.matches("probity: ").count(), 2, "{}", ran.text);
    assert_eq!(store.files().len(), 1, "only the outer failure can be replayed");
    run_in(&Folder::new(), "nested", &[("PROBITY_REPLAY", "i51")]).fails();
    run_in(&Folder::new(), "nested", &[("PROBITY_REPLAY", "i50")]).passes();
}

#[test]
fn a_flaky_test_is_called_so() {
    run("flaky").fails().reads("flaky");
    let place = "crates/probity/tests/harness/fixtures.rs:N:N";
    run("flaky_differently").fails().says(&[
        &format!("  failure: at first\n    panicked at {place}\n"),
        &format!("  again: it failed differently: it panicked at {place}: later\n"),
        &format!("(N) panicked at {place}:\nat first\n"),
    ]);
}
