//! Searches that run too little, are slow, or do not come to an end.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::support::{Folder, Ran, assert_same, command, normal, run, run_in};

#[test]
fn a_test_that_rejects_everything_fails_and_says_where() {
    run("never").fails().reads(
        "probity: `harness::fixtures::never` tested too little: 0 of 100 cases ran, 1100 were rejected
  100.0 % of all cases by assume!(n.count_ones() > 32) at crates/probity/tests/harness/fixtures.rs:N:N
  build inputs that meet the requirement (`#[from(..)]`, `map`, `and_then`) instead of waiting for them;
  to wait longer, raise max_rejects (now 10 for each case)

thread 'fixtures::never' (N) panicked at crates/probity/tests/harness/fixtures.rs:N:N:
too many rejected cases: 0 of 100 ran, 1100 were rejected
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
",
    );
    let ran = run("nearly_never").fails();
    ran.says(&[" % of all cases by filter at crates/probity/tests/harness/fixtures.rs:N:N\n"]);
    run_in(&Folder::new(), "nearly_never", &[("PROBITY_MAX_REJECTS", "100000")]).passes();
}

#[test]
fn a_slow_test_has_not_failed_but_is_not_silent() {
    for name in ["slow", "slow_and_strict"] {
        let store = Folder::new();
        let output = command(name, &store, &[]).output().unwrap();
        // What is captured of a test that passes is not shown.
        let seen = normal(&String::from_utf8(output.stderr).unwrap(), &store);
        let line = format!("probity: `harness::fixtures::{name}` ran only 1 of 1,000 cases in ");
        let rest = "; raise `time`, want fewer `cases`, or make it faster\n";
        assert!(output.status.success() && seen.starts_with(&line) && seen.ends_with(rest), "{seen}");
    }
}

#[test]
fn what_is_rejected_until_the_time_is_over_fails() {
    let says = |name: &str| {
        run(name).fails().says(&[
            &format!("probity: `harness::fixtures::{name}` tested too little: "),
            " of 1000 cases ran, ",
            "  the time was over first; to wait longer, raise `time`\n",
        ]);
    };
    says("slow_and_rejected");
    says("rejected_for_ever");
}

#[test]
fn what_is_always_too_long_is_said_at_once() {
    let ran = run("a_million").fails();
    ran.says(&["every case asks for too many choices: a list of `v` has at least 1000000 items and takes at least \
                1000001 choices, but a case may ask for at most 65536; draw fewer items, or make many of one drawn seed"]);
    run("a_hundred_thousand").fails().says(&[
        " tested too little: 0 of 1000 cases ran, ",
        " cases asked for more than 65536 choices\n",
        "  draw fewer or shorter lists, or make many values of one drawn seed\n",
    ]);
}

#[test]
fn misuse_is_an_error_and_no_counterexample() {
    let ran = run("misused").fails();
    ran.says(&["\nno value in 9..=1; swap the bounds"]);
    assert!(!ran.raw.contains("probity:"), "{}", ran.text);
}

/// Runs a fixture that hangs until its standard input ends, which is when it has said something; returns all that it
/// says.
pub(crate) fn watch(store: &Folder, name: &str) -> Ran {
    // Captured output would come at the end: that it is seen at once is the point.
    let mut command = command(name, store, &[("WATCHED", "1")]);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut told = BufReader::new(child.stderr.take().unwrap()).lines().map(|it| it.unwrap() + "\n");
    let first = told.next().unwrap_or_default();
    drop(child.stdin.take());
    let raw = first + &told.collect::<String>();
    let passed = child.wait().unwrap().success();
    Ran { passed, text: normal(&raw, store), raw }.passes()
}

#[test]
fn a_hanging_input_is_named_while_it_runs_and_kept() {
    let store = Folder::new();
    let ran = watch(&store, "hangs");
    let (_, file) = store.only_file();
    assert!(file.contains("\nfails: did not end within "), "{file}");
    let inputs = file.lines().filter(|it| it.starts_with("let ")).map(|it| format!("    {it}\n"));
    let inputs: String = inputs.collect();
    assert!(inputs.contains("let n = ") && inputs.contains("let word = "), "{file}");
    let (title, rest) = ran.text.split_once('\n').unwrap();
    let start = "probity: `harness::fixtures::hangs` is still in one case after ";
    assert!(title.starts_with(start) && title.ends_with("ms"), "{title}");
    let expected = format!(
        "{inputs}  if this input should not take so long, it is a finding; run it alone with
    PROBITY_REPLAY=STORE/harness--fixtures--hangs/HASH.txt cargo test -p probity fixtures::hangs -- --exact\n"
    );
    assert_same(rest, &expected);
}

#[test]
fn a_hanging_case_without_known_inputs_can_be_replayed() {
    let store = Folder::new();
    let ran = watch(&store, "hangs_in_a_closure");
    assert!(
        ran.text.ends_with(" cargo test -p probity fixtures::hangs_in_a_closure -- --exact\n"),
        "{}",
        ran.text
    );
    assert_eq!(store.files().len(), 0);
    let again = run_in(&store, "hangs_in_a_closure", &[("PROBITY_REPLAY", ran.replay())]).passes();
    let n: u32 = again.field("let n = ").trim_end_matches(';').parse().unwrap();
    assert!(n >= 500, "{n} does not hang");
}

#[test]
fn a_hanging_fixed_input_is_named() {
    let ran = watch(&Folder::new(), "hangs_in_an_example");
    ran.says(&["\n    n = 900\n  if this input should not take so long, it is a finding\n"]);
}

#[test]
fn a_hanging_input_is_named_while_shrinking() {
    let ran = run("hangs_while_shrinking").fails();
    ran.says(&[
        "` is still in one case after ",
        "\n    let n = 500;\n  if this input should not take so long",
    ]);
    ran.says(&["\n    let n = 500;\n  failure: too large\n"]);
}
