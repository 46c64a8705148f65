//! Runs the comparison with other libraries, which lies outside the workspace for its dependencies.

use std::process::ExitCode;

use crate::cargo;

/// Compares in release, then in debug, in which most tests are run; fails when either does.
pub(crate) fn run(args: &[&str]) -> ExitCode {
    let mut res = ExitCode::SUCCESS;
    for profile in ["release", "dev"] {
        let command = ["run", "--manifest-path", "peers/Cargo.toml", "--profile", profile, "--"];
        let status = cargo::announce(&[&command, args].concat(), &[]).status().expect("cargo can be run");
        if !status.success() {
            res = cargo::code(status);
        }
    }
    res
}
