//! Runs the comparison with other libraries, which lies outside the workspace for its dependencies.

use std::process::ExitCode;

use crate::{build_time, cargo, ports};

/// What builds are repeated for where nothing else is asked for.
const BUILDS: u64 = 3;

/// Compares in release, then in debug, in which most tests are run; fails when either does. Builds are measured once, and
/// here: no library has to be linked for that.
pub(crate) fn run(args: &[&str]) -> ExitCode {
    let has = |it: &str| args.contains(&it);
    let is_measure = |it: &&str| matches!(*it, "--throughput" | "--exhaustive" | "--find");
    let measures = args.iter().filter(|it| is_measure(it)).count();
    if has("--ports") {
        return ports::run(has("--json"));
    }
    let mut res = ExitCode::SUCCESS;
    if has("--build") || (has("--all") && measures == 0) {
        let repeat =
            args.iter().position(|it| *it == "--repeat").and_then(|at| args.get(at + 1)?.parse().ok());
        res = build_time::run(repeat.unwrap_or(BUILDS), has("--all"), has("--json"));
        if has("--build") && measures == 0 {
            return res;
        }
    }
    let others: Vec<&str> = args.iter().copied().filter(|it| *it != "--build").collect();
    for profile in ["release", "dev"] {
        let command = ["run", "--manifest-path", "peers/Cargo.toml", "--profile", profile, "--"];
        let status =
            cargo::announce(&[&command, &others[..]].concat(), &[]).status().expect("cargo can be run");
        if !status.success() {
            res = cargo::code(status);
        }
    }
    res
}
