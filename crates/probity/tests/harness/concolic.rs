//! Tests that the concolic engine answers.

use crate::support::{Folder, Ran, run_in};

fn run(name: &str, env: &[(&str, &str)]) -> Ran {
    run_in(&Folder::new(), &format!("magic::{name}"), env)
}

/// The default share would depend on how busy the machine is. It ends sooner, where it is done.
const SHARE: (&str, &str) = ("PROBITY_CONCOLIC", "10m");
const PATIENT: (&str, &str) = ("PROBITY_TIME", "60m");

#[test]
fn magic_values_are_found_by_default() {
    let rows = [
        ("number", "let x = 123456789;"),
        ("bytes", "let b = [70, 85, 90, 90];"),
        ("looked_up", "let b = [201, 87, 130, 65];"),
    ];
    for (name, input) in rows {
        run(name, &[SHARE, PATIENT]).fails().says(&[
            &format!("    {input}\n  failure: found\n"),
            "  found by: engine concolic, case N of seed N (N cases run); shrunk in ",
            "  saved: STORE/",
        ]);
        run(name, &[("PROBITY_CONCOLIC", "off")]).passes().says_nothing();
        run(name, &[("PROBITY_ENGINE", "random")]).passes().says_nothing();
    }
}

#[test]
fn a_crash_that_it_finds_is_a_finding() {
    for (name, failure) in
        [("crash", "the process died: segmentation fault"), ("exit", "the process exited with code 0")]
    {
        let ran = run(name, &[SHARE, PATIENT]).fails();
        ran.says(&[
            "    let x = 123456789;\n",
            &format!("  failure: {failure} in `harness::fixtures::magic::{name}`\n"),
            "engine concolic, case N",
        ]);
    }
}

#[test]
fn all_paths_are_claimed_where_all_were_run() {
    let ran = run("three_paths", &[PATIENT]).passes();
    ran.says(&["probity: `harness::fixtures::magic::three_paths`: proved for every input: all 3 paths, in "]);
    let ran = run("threads", &[PATIENT]).passes();
    ran.says(&[": not proved: threads are not followed\n", "\n  threads are not followed ("]);
}

#[test]
fn a_pumped_value_is_no_proof() {
    let ran = run("pumped", &[PATIENT]).passes();
    assert!(!ran.raw.contains("all "), "{}", ran.raw);
}

#[test]
fn a_test_that_is_to_panic_is_left_alone() {
    run("wanted_panic", &[SHARE]).fails().says_nothing();
}
