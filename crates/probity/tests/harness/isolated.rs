//! Tests whose cases run in processes of their own.

use crate::support::{Folder, Ran, run_in};

fn run(name: &str, env: &[(&str, &str)]) -> Ran {
    run_in(&Folder::new(), &format!("crashes::{name}"), env)
}

#[test]
fn a_crash_is_a_finding_with_its_input() {
    run("segfault", &[]).fails().reads("segfault");
}

#[test]
fn every_way_to_die_is_told_by_its_name() {
    for (name, input, failure) in [
        ("abort", "let n = 1000;", "the process died: abort in `harness::fixtures::crashes::abort`"),
        (
            "exits",
            "let code = 3;\n    let other = 11;",
            "the process exited with code 3 in `harness::fixtures::crashes::exits`",
        ),
        (
            "exits_well",
            "let n = 501;",
            "the process exited with code 0 in `harness::fixtures::crashes::exits_well`",
        ),
        ("double_panic", "let n = 501;", "while another panic unwinds"),
        (
            "crash_of_a_pair",
            "let a = 101;\n    let b = 4;",
            "the process died: abort in `harness::fixtures::crashes::crash_of_a_pair`",
        ),
        (
            "drawn_by_hand",
            "let n = 3;",
            "the process died: abort in `harness::fixtures::crashes::drawn_by_hand`",
        ),
        (
            "fixed_input_crashes",
            "n = 7",
            "the process died: abort in `harness::fixtures::crashes::fixed_input_crashes`",
        ),
        #[cfg(target_os = "linux")]
        (
            "stack_overflow",
            "let s = \"aaa\";",
            "the process died: stack overflow in `harness::fixtures::crashes::deep`",
        ),
    ] {
        let ran = run(name, &[]).fails();
        ran.says(&[&format!("    {input}\n"), &format!("  failure: {failure}\n")]);
        assert!(!ran.raw.contains("overflowed its stack"), "{}", ran.raw);
    }
}

#[test]
fn a_case_that_does_not_end_is_told_by_its_name() {
    let ran = run("endless", &[]).fails();
    ran.says(&["  failure: the case did not end within 1s\n"]);
    // Where the machine is busy, one that ends may be taken for one that does not, and then nothing is shrunk.
    let n: u16 = ran.field("let n =").trim_end_matches(';').parse().unwrap();
    assert!(n > 500, "{n} ends");
}

#[test]
fn a_crash_can_be_climbed_to() {
    let ran = run("climbs_to_a_crash", &[("PROBITY_TIME", "60m")]).fails();
    ran.says(&["  failure: the process died: abort in `harness::", "  found by: engine targeted, case N"]);
    let bits: u64 = ran.field("let bits =").trim_end_matches(';').parse().unwrap();
    assert_eq!(bits.count_ones(), 56);
}

#[test]
fn other_failures_are_as_they_are_without() {
    run("panics", &[]).fails().says(&[
        "    let n = 1000;\n    let other = false;  // _\n  note: n is 1000\n  failure: too much\n    panicked at ",
        "\nthread 'fixtures::crashes::panics' (N) panicked at ",
    ]);
    run("rejects_all", &[])
        .fails()
        .says(&["100.0 % of all cases by assume!(n.count_ones() > 32) at crates/"]);
}

#[test]
fn what_passes_is_counted_as_it_is_without() {
    let verbose = [("PROBITY_VERBOSE", "1")];
    run("passes", &verbose).passes().says(&["passes` passed 1,000 cases in ", " % even\n"]);
    run("every_pair", &verbose).passes().says(&["is complete: all 65,536 inputs pass,"]);
}

#[test]
fn a_stored_crash_runs_first_and_can_be_replayed() {
    let store = Folder::new();
    let first = run_in(&store, "crashes::abort", &[]).fails();
    let (_, file) = store.only_file();
    assert!(
        file.contains(
            "\nlet n = 1000;\nfails: died: abort in `harness::fixtures::crashes::abort`\nchoices: i1000\n"
        ),
        "{file}"
    );
    let stored = run_in(&store, "crashes::abort", &[]).fails();
    stored.says(&["    let n = 1000;\n", "  found by: the stored failure STORE/"]);
    for replay in [first.replay(), "i1000"] {
        let again = run_in(&store, "crashes::abort", &[("PROBITY_REPLAY", replay)]).fails();
        again.says(&[
            "    let n = 1000;\n",
            "  failure: the process died: abort in `harness::fixtures::crashes::abort`\n",
            "  found by: PROBITY_REPLAY",
        ]);
    }
    run_in(&store, "crashes::abort", &[("PROBITY_REPLAY", "i999")]).passes();
}

#[test]
fn any_test_can_be_isolated_from_outside() {
    let isolate = ("PROBITY_ISOLATE", "true");
    let ran = run_in(&Folder::new(), "reported", &[isolate]).fails();
    ran.says(&["    let limit = 11;\n    let v = [12];\n", "  note: the greatest is Some(12), beside 0\n"]);
    for engine in ["random", "targeted", "exhaustive"] {
        let ran = run("crash_of_a_pair", &[("PROBITY_ENGINE", engine)]).fails();
        ran.says(&[
            "    let a = 101;\n    let b = 4;\n",
            &format!("  found by: engine {}, case", if engine == "targeted" { "random" } else { engine }),
        ]);
    }
}
