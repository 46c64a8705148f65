//! Runs cargo at the root of the repository.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};

/// The root of the repository: that of the checkout cargo runs this in, which need not be the one it was built in. (A
/// checkout that is copied with its `target` keeps what was built.)
pub(crate) fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    Path::new(&here).parent().expect("xtask lies in the repository").to_path_buf()
}

/// Prints a cargo command and returns it, ready to be run. `vars` are set for it alone.
pub(crate) fn announce(args: &[&str], vars: &[(&str, &str)]) -> Command {
    let shown: Vec<String> = vars.iter().map(|(name, value)| format!("{name}='{value}' ")).collect();
    println!("$ {}cargo {}", shown.concat(), args.join(" "));
    silent(args, vars)
}

/// As [`announce`], without printing it.
pub(crate) fn silent(args: &[&str], vars: &[(&str, &str)]) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut res = Command::new(cargo);
    res.args(args).envs(vars.iter().copied()).current_dir(root());
    res
}

/// The exit code of a finished command; 1 where a signal ended it.
pub(crate) fn code(status: ExitStatus) -> ExitCode {
    ExitCode::from(status.code().and_then(|it| u8::try_from(it).ok()).unwrap_or(1))
}
