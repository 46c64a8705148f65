//! What CI runs: format, tidiness, lints, tests, other platforms, documentation, the book, the first hour.

use std::fmt;
use std::io::{BufRead, BufReader};
use std::process::{ExitCode, Stdio};

use crate::solver::{self, SolverPlace};
use crate::{book, cargo, newcomer, package, platforms, tidy};

/// Runs every check up to the first that fails, and returns its exit code.
pub(crate) fn run() -> ExitCode {
    let mut tests = Tests::default();
    let res = steps(&mut tests).err().unwrap_or(ExitCode::SUCCESS);
    if tests != Tests::default() {
        println!("{tests}");
    }
    res
}

fn steps(tests: &mut Tests) -> Result<(), ExitCode> {
    cargo(&["fmt", "--all", "--check"], &[])?;
    println!("$ cargo xtask tidy");
    if tidy::run() != ExitCode::SUCCESS {
        return Err(ExitCode::FAILURE);
    }
    cargo(&["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"], &[])?;
    run_tests(&["test"], &[], tests)?;
    // What the optional features add is all in these two modules, and in one chapter of the book.
    run_tests(&["test", "--package", "probity", "--all-features", "--lib", "bridges"], &[], tests)?;
    run_tests(&["test", "--package", "probity-core", "--all-features", "--lib", "crates"], &[], tests)?;
    run_tests(&["test", "--package", "probity", "--all-features", "--doc", "moving_over"], &[], tests)?;
    // Features are added up where a whole workspace is built, and its own tests need some: here each is alone.
    for features in ALONE {
        let features = format!("alone {features}");
        run_tests(&["test", "--package", "probity-features", "--features", &features], &[], tests)?;
    }
    // Likewise for what a crate needs of its dependencies.
    for name in package::published(&cargo::root()) {
        cargo(&["check", "--package", &name, "--all-targets"], &[])?;
    }
    for features in TYPES {
        cargo(&["check", "--package", "probity-core", "--features", features], &[])?;
    }
    other_platforms(tests)?;
    if let Some(found) = solver()? {
        let named = if let SolverPlace::Fetched(it) = &found { it.to_str() } else { None };
        let vars: Vec<(&str, &str)> = named.iter().map(|it| (solver::VARIABLE, *it)).collect();
        for args in WITH_SOLVER {
            run_tests(&[&["test"], args, &["--", "--ignored"][..]].concat(), &vars, tests)?;
        }
    }
    cargo(&["doc", "--workspace", "--no-deps"], &[("RUSTDOCFLAGS", "-D warnings")])?;
    // Some of its reports need the concolic engine.
    if cfg!(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu")) {
        println!("$ cargo xtask book");
        if book::run(&[]) != Ok(ExitCode::SUCCESS) {
            return Err(ExitCode::FAILURE);
        }
        println!("$ cargo xtask newcomer");
        if newcomer::run(&[]) != Ok(ExitCode::SUCCESS) {
            return Err(ExitCode::FAILURE);
        }
    }
    Ok(())
}

/// Checks that `probity` and the command compile for other platforms, as far as their targets are installed.
fn other_platforms(tests: &mut Tests) -> Result<(), ExitCode> {
    let (installed, missing) = platforms::targets();
    for target in installed {
        let args = ["check", "--package", "probity", "--target", target];
        // Code that nothing uses on a platform is a warning there, which users would see.
        for features in [&[][..], &["--no-default-features"], &["--features", "spec"]] {
            cargo(&[&args, features].concat(), &[("RUSTFLAGS", "-D warnings")])?;
        }
        // The command starts processes, which the web has none of.
        if !target.starts_with("wasm") {
            let args = ["check", "--package", "cargo-probity", "--target", target];
            cargo(&args, &[("RUSTFLAGS", "-D warnings")])?;
        }
    }
    for target in missing {
        println!("skipped: the target {target} is not installed (rustup target add {target})");
        tests.skipped += 1;
    }
    Ok(())
}

/// The features of `probity` that are tested without any other, and none.
const ALONE: [&str; 8] = ["", "arbitrary", "concolic", "coverage", "proptest", "regex", "shuttle", "spec"];
/// Those that only pass on one of core's, which are tested together.
const TYPES: [&str; 13] = [
    "bigdecimal",
    "bytes",
    "chrono",
    "indexmap",
    "ipnet",
    "jiff",
    "num-bigint",
    "rust_decimal",
    "serde_json",
    "smallvec",
    "time",
    "url",
    "uuid",
];

/// The tests that need an SMT solver. They are ignored by name, so that nobody takes them for passed where there is
/// none.
const WITH_SOLVER: [&[&str]; 3] = [
    &["--package", "probity-models", "--test", "it"],
    &["--package", "cargo-probity", "--test", "command", "an_smt_solver"],
    &["--package", "probity-concolic", "--lib", "verdicts_agree_with_z3"],
];

/// The solver for the tests that need one. Fails only where they have to run.
fn solver() -> Result<Option<SolverPlace>, ExitCode> {
    match solver::ensure() {
        Ok(found) => Ok(Some(found)),
        Err(why) if solver::is_required() => {
            eprintln!("error: there is no SMT solver, and CI is true: {why}; install z3 or cvc5");
            Err(ExitCode::FAILURE)
        }
        Err(why) => {
            eprintln!("warning: THE TESTS WITH AN SMT SOLVER ARE NOT RUN: {why}; install z3 or cvc5");
            Ok(None)
        }
    }
}

fn cargo(args: &[&str], vars: &[(&str, &str)]) -> Result<(), ExitCode> {
    let status = cargo::announce(args, vars).status().expect("cargo can be run");
    if status.success() { Ok(()) } else { Err(cargo::code(status)) }
}

/// Runs tests and counts them as they go by.
fn run_tests(args: &[&str], vars: &[(&str, &str)], tests: &mut Tests) -> Result<(), ExitCode> {
    let mut child = cargo::announce(args, vars).stdout(Stdio::piped()).spawn().expect("cargo can be run");
    let output = BufReader::new(child.stdout.take().expect("it is piped"));
    // By bytes: a failing test may print anything.
    for line in output.split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        tests.count(&line);
    }
    let status = child.wait().expect("cargo was started");
    if status.success() { Ok(()) } else { Err(cargo::code(status)) }
}

/// Counts over all test programs.
#[derive(Debug, Default, PartialEq)]
struct Tests {
    passed: u64,
    failed: u64,
    /// Platforms that nothing was compiled for.
    skipped: u64,
}

impl fmt::Display for Tests {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)?;
        match self.skipped {
            0 => Ok(()),
            1 => write!(f, ", 1 platform skipped"),
            n => write!(f, ", {n} platforms skipped"),
        }
    }
}

impl Tests {
    /// Adds up a line such as `test result: ok. 12 passed; 0 failed; 1 ignored`; leaves others alone.
    fn count(&mut self, line: &str) {
        let Some((_, counts)) = line.strip_prefix("test result: ").and_then(|it| it.split_once(". ")) else {
            return;
        };
        for count in counts.split("; ") {
            match count.split_once(' ').map(|(n, what)| (n.parse::<u64>(), what)) {
                Some((Ok(n), "passed")) => self.passed += n,
                Some((Ok(n), "failed")) => self.failed += n,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_is_alone_once() {
        let manifest = std::fs::read_to_string(cargo::root().join("crates/probity/Cargo.toml")).unwrap();
        let (_, features) = manifest.split_once("[features]\n").unwrap();
        let lines = features.lines().take_while(|it| !it.is_empty()).filter(|it| !it.starts_with('#'));
        let mut all: Vec<&str> = lines.filter_map(|it| Some(it.split_once(" = ")?.0)).collect();
        all.retain(|it| *it != "default");
        all.sort_unstable();
        let mut alone: Vec<&str> = ALONE.into_iter().chain(TYPES).filter(|it| !it.is_empty()).collect();
        alone.sort_unstable();
        assert_eq!(alone, all);
    }

    #[test]
    fn results_are_added_up() {
        let mut tests = Tests::default();
        for line in [
            "running 13 tests",
            "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s",
            "test a::result ... ok",
            "test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s",
        ] {
            tests.count(line);
        }
        assert_eq!(tests, Tests { passed: 15, failed: 2, skipped: 0 });
        assert_eq!(tests.to_string(), "15 passed, 2 failed");
        tests.skipped = 5;
        assert_eq!(tests.to_string(), "15 passed, 2 failed, 5 platforms skipped");
    }
}
