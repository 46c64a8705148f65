//! The concolic engine on code of many kinds: what it finds, what it claims, and how it ends.

use crate::support::{Folder, Ran, command, run_in};

/// The default share would depend on how busy the machine is. It ends sooner, where it is done.
const SHARE: (&str, &str) = ("PROBITY_CONCOLIC", "10m");
const PATIENT: (&str, &str) = ("PROBITY_TIME", "60m");
const CONCOLIC: (&str, &str) = ("PROBITY_ENGINE", "concolic");

fn run(name: &str, env: &[(&str, &str)]) -> Ran {
    run_in(&Folder::new(), &format!("puzzles::{name}"), env)
}

#[test]
fn what_nobody_meets_by_chance_is_found() {
    for (name, input) in [("number_i64", "let x = 123456789;"), ("secret", "let s = \"secret\";")] {
        run(name, &[SHARE, PATIENT]).fails().says(&[
            &format!("    {input}\n  failure: that one\n"),
            "  found by: engine concolic, case N of seed N (N cases run); shrunk in ",
        ]);
        run(name, &[("PROBITY_CONCOLIC", "off")]).passes().says_nothing();
    }
    for (name, env) in [("double", SHARE), ("caught_and_solved", CONCOLIC)] {
        run(name, &[env, PATIENT])
            .fails()
            .says(&["  failure: that one\n", "  found by: engine concolic, case N"]);
    }
}

#[test]
fn the_number_of_paths_is_told() {
    let start = |name| format!("probity: `harness::fixtures::puzzles::{name}`: ");
    run("one_path", &[CONCOLIC, PATIENT])
        .passes()
        .says(&[&(start("one_path") + "proved for every input: the one path, in ")]);
    let ran = run("few_paths", &[CONCOLIC, PATIENT]).passes();
    let (n, rest) =
        ran.field(&(start("few_paths") + "proved for every input: all ")).split_once(' ').unwrap();
    // As many as there are arms; how a range is compared is the compiler's business.
    assert!((4..=6).contains(&n.parse::<u32>().unwrap()), "{}", ran.raw);
    assert!(rest.starts_with("paths, in "), "{}", ran.raw);
    let ran = run("many_paths", &[CONCOLIC, PATIENT, ("PROBITY_CASES", "50")]).passes();
    ran.says(&[&start("many_paths")]);
    assert!(ran.raw.contains(", not all") && !ran.raw.contains("for every input:"), "{}", ran.raw);
}

#[test]
fn hostile_code_ends_with_its_name() {
    for (name, failure) in [
        ("abort", "the process died: abort in `harness::fixtures::puzzles::abort`"),
        ("blocks", "the case did not end within 1s"),
    ] {
        let ran = run(name, &[CONCOLIC, PATIENT]).fails();
        ran.says(&["    let x = 2239518586;\n", &format!("  failure: {failure}\n")]);
    }
}

#[test]
fn what_is_not_followed_is_told() {
    let env = [CONCOLIC, PATIENT];
    run("endless", &env)
        .passes()
        .says(&[": not proved: a run was cut off after ", "\n  a run was cut off after "]);
    run("file", &env).passes().says(&[": not proved: ", " is not followed ("]);
}

#[test]
fn several_run_at_once() {
    let store = Folder::new();
    let mut it = command("puzzles::", &store, &[SHARE, PATIENT]);
    // All of them, but not one of them exactly: the last words of the command are replaced.
    let program = it.get_program().to_owned();
    let env: Vec<_> =
        it.get_envs().map(|(name, value)| (name.to_owned(), value.map(ToOwned::to_owned))).collect();
    it = std::process::Command::new(program);
    for (name, value) in env {
        match value {
            Some(value) => it.env(name, value),
            None => it.env_remove(name),
        };
    }
    it.args(["--ignored", "--test-threads=4", "puzzles::number_i64", "puzzles::double", "puzzles::secret"]);
    let output = it.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("test result: FAILED. 0 passed; 3 failed;"), "{text}");
}
