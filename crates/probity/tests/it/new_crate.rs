//! A crate of ten lines outside of this workspace: what a newcomer writes, runs and reads.

use std::fs;
use std::path::Path;
use std::process::Command;

use probity_testkit::{Folder, quiet, run};

const MANIFEST: &str = r#"
[package]
name = "newcomer"
edition = "2024"

[dependencies]
probity = { path = "PROBITY" }
"#;
const LIB: &str = r#"
#[cfg(test)]
mod tests {
    #[probity::test]
    fn reversing_keeps_length(v: Vec<i32>) {
        assert_eq!(v.iter().rev().count(), v.len());
    }

    #[probity::test]
    fn lists_are_short(v: Vec<i32>) {
        assert!(v.len() < 3, "too long");
    }
}
"#;
/// What needs a feature that is off.
const NEEDS_SPEC: &str = r#"
#[probity::test]
fn times(#[from("[0-9]+:[0-9]+")] time: String) {
    assert!(time.len() > 2);
}

#[probity::test(different = not_equal)]
fn numbers(_n: u8) {}
"#;
const MAIN: &str = r#"
fn main() {
    probity::check(|src: &mut probity::Source| assert!(src.draw(0..100) < 50));
}
"#;

/// The crate, with everything that is built for it; removed at the end.
struct NewCrate(Folder);

impl NewCrate {
    fn new() -> NewCrate {
        let probity = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = Folder::new();
        let manifest = MANIFEST.replace("PROBITY", &probity.display().to_string().replace('\\', "/"));
        root.write("Cargo.toml", manifest);
        // What the workspace was built with is there without a network.
        root.write("Cargo.lock", fs::read(probity.join("../../Cargo.lock")).unwrap());
        root.write("src/lib.rs", LIB);
        root.write("src/main.rs", MAIN);
        root.write("tests/needs_spec.rs", NEEDS_SPEC);
        NewCrate(root)
    }

    /// Runs `cargo` there; returns whether it succeeded, and all it said.
    fn cargo(&self, args: &[&str], env: &[(&str, &str)]) -> (bool, String) {
        let mut command = quiet("cargo");
        command.current_dir(self.0.path()).args(args).args(["--offline", "--color=never"]);
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            if ["NEXTEST", "CARGO_PKG_"].iter().any(|it| name.starts_with(it)) {
                command.env_remove(name);
            }
        }
        command.env_remove("CARGO_MANIFEST_DIR");
        // Built once and thrown away: what makes a second build faster or debugging possible is waste.
        command.envs([("CARGO_INCREMENTAL", "0"), ("CARGO_PROFILE_DEV_DEBUG", "0")]);
        command.env("CARGO_TARGET_DIR", self.0.at("target")).envs(env.iter().copied());
        let run = run(&mut command, "");
        (run.code == Some(0), run.out + &run.err)
    }
}

#[track_caller]
fn assert_says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is missing:\n{text}");
    }
}

#[test]
fn a_newcomer_finds_a_failure_and_replays_it() {
    let new = NewCrate::new();
    let report = [
        "probity: `newcomer::tests::lists_are_short` fails\n",
        "    let v = [0, 0, 0];",
        "  failure: too long\n    panicked at src/lib.rs:11:9\n",
        "  saved: probity-failures/newcomer--tests--lists_are_short/",
        "panicked at src/lib.rs:11:9:\ntoo long\n",
    ];
    let (passed, text) = new.cargo(&["test", "--lib"], &[]);
    assert!(!passed);
    assert_says(
        &text,
        &["test tests::reversing_keeps_length ... ok\n", "tests::lists_are_short ... FAILED\n"],
    );
    assert_says(&text, &report);

    let line = text.lines().find_map(|it| it.trim().strip_prefix("replay: PROBITY_REPLAY=")).unwrap();
    let (replay, command) = line.split_once(" cargo ").unwrap();
    assert_eq!(command, "test -p newcomer tests::lists_are_short -- --exact");
    let args = ["test", "--lib", "-p", "newcomer", "tests::lists_are_short"];
    let (passed, text) = new.cargo(&args, &[("PROBITY_REPLAY", replay)]);
    assert!(!passed);
    assert_says(&text, &["  found by: PROBITY_REPLAY\n", "test result: FAILED. 0 passed; 1 failed;"]);

    under_nextest(&new);
    under_abort(&new);
    without_specs(&new);
}

/// A feature that is off is named, with the command that turns it on, where something needs it.
fn without_specs(new: &NewCrate) {
    let (passed, text) = new.cargo(&["test", "--test", "needs_spec", "--no-run"], &[]);
    assert!(!passed);
    let enable = "enable the `spec` feature (`cargo add probity --features spec`)\n";
    let pattern = "error: patterns as generators are off; enable the `regex` feature (`cargo add probity --features regex`)\n --> tests/needs_spec.rs:3:17\n";
    let different = format!("error: `different` needs specs; {enable} --> tests/needs_spec.rs:7:17\n");
    assert_says(&text, &[pattern, &different]);
}

#[allow(clippy::print_stderr, reason = "what is skipped is said")]
fn under_nextest(new: &NewCrate) {
    if !Command::new("cargo").args(["nextest", "--version"]).output().is_ok_and(|it| it.status.success()) {
        return eprintln!("SKIPPED: cargo nextest is not installed, so nothing was run under it");
    }
    let (passed, text) = new.cargo(&["nextest", "run", "--lib", "--no-fail-fast"], &[]);
    assert!(!passed);
    let found_by = "  found by: the stored failure probity-failures/newcomer--tests--lists_are_short/";
    assert_says(&text, &["1 passed, 1 failed", "    let v = [0, 0, 0];", "  failure: too long\n", found_by]);
    assert_says(&text, &["cargo test -p newcomer tests::lists_are_short -- --exact\n"]);
}

/// Without unwinding there is nothing to catch: that has to be said before the first case ends the run.
fn under_abort(new: &NewCrate) {
    let (passed, text) = new.cargo(&["run"], &[("CARGO_PROFILE_DEV_PANIC", "abort")]);
    assert!(!passed);
    let what = "this build aborts on panic, so a failing case would end the whole run; \
                build tests with `panic = \"unwind\"`\n";
    assert_says(&text, &["panicked at src/main.rs:3:5:\n", what]);
}
