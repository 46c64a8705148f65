//! Tests that ask for a proof.

use crate::support::{Folder, Ran, run_in};

/// Where nobody waits for it, a proof takes as long as it takes.
fn run(name: &str) -> Ran {
    run_in(&Folder::new(), &format!("proofs::{name}"), &[("PROBITY_TIME", "60m")])
}

#[test]
fn a_proof_says_for_which_inputs() {
    let start = "probity: `harness::fixtures::proofs::";
    for (name, expected) in [
        ("for_all", "proved for every input: the one path, in "),
        ("up_to", "proved for every input of up to 3 choices: all "),
        ("of_few", "proved for every input: all 2 paths, in "),
        ("makes_once", "proved for every input: "),
    ] {
        run(name).passes().says(&[&format!("{start}{name}`: {expected}")]);
    }
}

#[test]
fn what_is_not_followed_is_no_proof() {
    let state = "not proved: a case changes state that outlives it\n";
    for (name, expected) in [
        ("counts_in_a_static", state),
        ("counts_in_a_thread", state),
        ("goes_by_a_hash", state),
        ("reads_a_file", "not proved: the test opens files\n"),
        ("asks_a_clock", "not proved: what `clock_gettime` comes to differs from run to run\n"),
    ] {
        let ran = run(name).passes();
        ran.says(&[&format!("probity: `harness::fixtures::proofs::{name}`: {expected}")]);
        assert!(!ran.raw.contains("proved for"), "{}", ran.raw);
    }
}

#[test]
fn a_failure_is_found_on_the_way() {
    run("needle")
        .fails()
        .says(&["    let n = 1311768467463790320;\n", "  found by: engine concolic, case N"]);
    run("is_to_panic").passes();
}
