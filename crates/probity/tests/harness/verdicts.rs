//! Verdicts that could get lost: in a catch, in a destructor, in a `Debug`, behind a lock, in another thread.

use crate::searches::watch;
use crate::support::{Folder, Ran, command, run, run_in};

const PLACE: &str = "crates/probity/tests/harness/fixtures/verdicts.rs:N:N";

/// The ways to run a test.
const WAYS: &[&[(&str, &str)]] = &[
    &[],
    &[("PROBITY_ENGINE", "random")],
    &[("PROBITY_ENGINE", "exhaustive")],
    &[("PROBITY_ENGINE", "targeted")],
    #[cfg(unix)]
    &[("PROBITY_ISOLATE", "true")],
    #[cfg(all(feature = "concolic", target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
    &[("PROBITY_ENGINE", "concolic")],
];

/// Runs a fixture in every way, in which it has to fail and to say this.
#[track_caller]
fn fails_always(name: &str, parts: &[&str]) {
    for way in WAYS {
        let ran = run_in(&Folder::new(), &format!("verdicts::{name}"), way);
        assert!(!ran.passed && parts.iter().all(|it| ran.text.contains(it)), "{way:?}:\n{}", ran.text);
        assert!(!ran.text.contains("flaky") && !ran.text.contains("complete"), "{way:?}:\n{}", ran.text);
    }
}

fn fails(name: &str) -> Ran {
    run(&format!("verdicts::{name}")).fails()
}

#[test]
fn a_broken_check_outranks_a_later_rejection() {
    fails_always("broken_then_rejected", &["    let n = 99;\n", "failure: check failed: n != 99\n"]);
    fails_always("broken_then_refused", &["    let n = 40000;\n", "failure: check failed: n < 40000\n"]);
}

#[test]
fn a_broken_check_outranks_an_overrun() {
    // To visit all that can be drawn takes as long as it may.
    for way in WAYS.iter().filter(|it| it.first().is_none_or(|it| it.1 != "exhaustive")) {
        let ran = run_in(&Folder::new(), "verdicts::broken_then_endless", way).fails();
        ran.says(&["` fails\n    let n = 99;\n    drew 0\n", "failure: check failed: n != 99\n"]);
    }
    let ran = fails("broken_then_long");
    ran.says(&[
        "    let n = 1000;\n    let v = [0, 0, 0];\n",
        "failure: check failed: n < 1000 || v.len() < 3\n",
    ]);
}

#[test]
fn what_is_said_in_a_catch_counts() {
    fails_always("caught_check", &["    let n = 200;\n", "failure: check failed: n < 200\n"]);
    fails("caught_cover").says(&["n < 3 held in 3 of 256 cases (1.2 %), wanted in 50 %"]);
    let ran = run("verdicts::caught_counts").passes();
    ran.says(&["is complete: all 256 inputs pass", "50.0 % low\n", "50.0 % n / 128 = 0\n", "n: "]);
    let ran = run("verdicts::caught_assume").passes();
    ran.says(&["is complete: all 128 inputs pass", "128 cases were rejected"]);
}

#[test]
fn a_check_in_a_destructor_counts_while_a_case_is_rejected() {
    fails_always("check_in_drop", &["    let n = 77;\n", "failure: check failed: n != 77\n"]);
}

#[cfg(unix)]
#[test]
fn a_panic_in_a_destructor_is_an_ordinary_failure() {
    for (name, message) in
        [("assert_in_drop", "1000 is too much to drop"), ("panic_in_drop_of_panic", "the second")]
    {
        for way in [&[][..], &[("PROBITY_ENGINE", "random")], &[("PROBITY_ISOLATE", "true")]] {
            let store = Folder::new();
            let ran = run_in(&store, &format!("verdicts::{name}"), way).fails();
            let failure = format!("  failure: {message}\n    panicked at {PLACE} in a destructor, while");
            ran.says(&[
                &format!("`harness::fixtures::verdicts::{name}` fails\n    let n = 1000;\n"),
                &failure,
            ]);
            ran.says(&["  saved: STORE/", "  replay: PROBITY_REPLAY=STORE/"]);
            let again = run_in(&store, &format!("verdicts::{name}"), way).fails();
            again.says(&["    let n = 1000;\n", &failure, "  found by: the stored failure STORE/"]);
            assert!(!again.text.contains("SIGABRT") && !again.text.contains("aborting"), "{}", again.text);
        }
    }
}

#[cfg(unix)]
#[test]
fn other_panics_that_nobody_can_catch_are_ordinary_failures_too() {
    for way in [&[][..], &[("PROBITY_ISOLATE", "true")]] {
        let ran = run_in(&Folder::new(), "verdicts::assert_eq_debug_panics", way).fails();
        ran.says(&["` fails\n    let odd = <its Debug panicked: no text for 1000>;\n  failure: the process died: abort in `<harness::"]);
        let ran = run_in(&Folder::new(), "verdicts::panic_of_a_callback", way).fails();
        ran.says(&["` fails\n    let n = 1000;\n  failure: 1000 is too much for C\n"]);
        ran.says(&[&format!("    panicked at {PLACE} in a function that cannot unwind\n"), "  saved: "]);
    }
}

#[test]
fn a_payload_that_panics_when_dropped_is_reported() {
    fails("payload_bomb").says(&[
        "`harness::fixtures::verdicts::payload_bomb` fails\n    let n = 1001;\n",
        "  failure: a panic whose payload is not text, and panics when it is dropped\n",
        &format!("    panicked at {PLACE}\n"),
    ]);
}

#[test]
fn a_debug_that_does_not_work_is_no_failure_and_hides_none() {
    let failure = "  failure: too much\n";
    for (name, input) in [
        ("debug_panics", "    let odd = <its Debug panicked: no text for 1000>;\n    let other = 0;"),
        ("debug_errs", "    let odd = <its Debug failed>;\n    let other = 0;"),
    ] {
        for way in WAYS.iter().filter(|it| it.first().is_none_or(|it| it.1 != "exhaustive")) {
            let store = Folder::new();
            let ran = run_in(&store, &format!("verdicts::{name}"), way).fails();
            ran.says(&["` fails\n", input, failure]);
            let again = run_in(&store, &format!("verdicts::{name}"), way).fails();
            again.says(&["` fails\n", input, failure, "found by: the stored failure"]);
        }
    }
    fails("debug_panics").says(&["  note: noted <its Debug panicked: no text for 1000>\n"]);
    fails("error_debug_panics").says(&["    let n = 1001;\n", "<its Debug panicked: no text for 1001>"]);
    let broken = "check failed: odd.0 < 1000: it is <its Debug panicked: no text for 1000>\n";
    fails("check_debug_panics").says(&["<its Debug panicked: no text for 1000>;\n", broken]);
}

#[test]
fn a_debug_that_is_too_long_is_cut() {
    for (name, more) in [("debug_long", "99996000 more characters"), ("debug_pieces", "at least ")] {
        let ran = fails(name);
        ran.says(&["` fails\n", " … (", more]);
        ran.says(&["    let other = 0;", "  failure: too much\n"]);
        assert!(ran.raw.len() < 20_000, "{}", ran.raw.len());
    }
}

#[test]
fn the_failure_that_poisons_a_lock_is_the_one_that_is_reported() {
    for way in [&[][..], &[("PROBITY_ENGINE", "random")], &[("PROBITY_ENGINE", "exhaustive")]] {
        let store = Folder::new();
        let ran = run_in(&store, "verdicts::poisons", way).fails();
        let parts = [
            "`harness::fixtures::verdicts::poisons` fails\n    let n = ",
            &format!("  failure: the true failure\n    panicked at {PLACE}\n"),
            &format!("  again: it failed differently: it panicked at {PLACE}: called `Result::unwrap()`"),
            ") panicked at crates/probity/tests/harness/fixtures/verdicts.rs:N:N:\nthe true failure\n",
        ];
        ran.says(&parts);
        assert!(!ran.text.contains("flaky") && !ran.text.contains("failure 1 of"), "{}", ran.text);
        // Another process meets it first, once more.
        run_in(&store, "verdicts::poisons", way).fails().says(&parts);
        let replay = [way, &[("PROBITY_REPLAY", ran.replay())]].concat();
        run_in(&Folder::new(), "verdicts::poisons", &replay).fails().says(&parts);
    }
    fails("example_poisons").says(
        &["  failure: the true failure\n", "):\nthe true failure\n"].map(|it| it.trim_start_matches(')')),
    );
    run("verdicts::counts_with_a_lock").passes();
    fails("rejects_with_a_lock").says(&["PoisonError", "a case that is rejected unwinds, which poisons"]);
}

#[cfg(unix)]
#[test]
fn isolated_cases_are_not_poisoned_by_each_other() {
    let ran = run_in(&Folder::new(), "verdicts::poisons", &[("PROBITY_ISOLATE", "true")]).fails();
    ran.says(&["` fails\n    let n = 1000;\n", "  failure: the true failure\n"]);
    assert!(!ran.text.contains("PoisonError"), "{}", ran.text);
}

#[test]
fn panics_of_threads_are_shown_once_for_the_reported_case() {
    for name in ["thread_fails", "named_thread_fails", "scoped_threads_fail"] {
        for way in [&[][..], &[("PROBITY_ENGINE", "random")], &[("PROBITY_ENGINE", "exhaustive")]] {
            let ran = run_in(&Folder::new(), &format!("verdicts::{name}"), way).fails();
            ran.says(&["` fails\n    let n = 1000;\n"]);
            assert_eq!(ran.raw.matches("1000 is too much").count(), 1, "{}", ran.text);
            assert_eq!(ran.raw.matches("is too much").count(), 1, "{}", ran.text);
        }
    }
    let ran = run("verdicts::threads_may_fail").passes();
    assert_eq!(ran.raw.matches(" on its way").count(), 1, "{}", ran.text);
    ran.says(&[
        "`harness::fixtures::verdicts::threads_may_fail`: thread '<unnamed>' panicked ",
        " times at crates/",
    ]);
}

#[test]
fn a_case_that_waits_for_a_dead_thread_says_why() {
    let ran = watch(&Folder::new(), "verdicts::waits_for_a_dead_thread", &[]).passes();
    let (before, _) = ran.text.split_once("is still in one case after").expect(&ran.text);
    assert!(
        before.contains("thread '<unnamed>' panicked at crates/") && before.contains("    why it waits\n")
    );
}

#[test]
fn panics_of_other_tests_are_shown_with_them() {
    let store = Folder::new();
    let mut command = command("verdicts::beside", &store, &[]);
    let output = command.args(["fixtures::verdicts::beside::waits", "fixtures::verdicts::beside::plain"]);
    let output = output.args(["--test-threads", "2"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let (_, shown) = text.split_once("---- fixtures::verdicts::beside::plain stdout ----").expect(&text);
    assert!(shown.contains("of the plain test") && text.contains("1 passed; 1 failed"), "{text}");
}
