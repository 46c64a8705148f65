//! `cargo probity replay`: runs one stored failure. Unlike a variable before a command, this is the same in every shell.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use probity::store::Entry;

use crate::args::Args;
use crate::exit::{CommandError, Exit};

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<Exit, CommandError> {
    let name = args.word(0).unwrap_or_default();
    let text = fs::read_to_string(&args.words[0])
        .map_err(|err| format!("cannot read `{name}`: {err}; name a file in `probity-failures`"))?;
    let entry = Entry::from_text(&text).map_err(|why| format!("`{name}` is no stored failure: {why}"))?;
    let file = fs::canonicalize(&args.words[0]).map_err(|err| format!("cannot find `{name}`: {err}"))?;
    // The harness leaves out the name of the crate.
    let test = entry.test.split_once("::").map_or(&*entry.test, |it| it.1);
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.arg("test");
    if let Some(manifest) = manifest_above(&file) {
        cargo.arg("--manifest-path").arg(manifest);
    }
    cargo.args([test, "--", "--exact", "--include-ignored"]).env("PROBITY_REPLAY", &file);
    let status = cargo.status().map_err(|err| CommandError {
        exit: Exit::Unknown,
        text: format!("cannot run cargo: {err}; install Rust, or set CARGO to its path"),
    })?;
    Ok(status.code().map_or(Exit::Foreign(1), |it| Exit::Foreign(it as u8)))
}

/// The manifest of the package that the file belongs to. Where failures are kept outside of it, that of the current
/// folder counts.
fn manifest_above(file: &Path) -> Option<PathBuf> {
    let manifests = file.ancestors().skip(1).map(|it| it.join("Cargo.toml"));
    manifests.into_iter().find(|it| fs::read_to_string(it).is_ok_and(|it| it.contains("[package]")))
}
