//! `cargo probity new`: a first file of tests to start from.

use std::fs;
use std::path::Path;

use crate::args::Args;
use crate::exit::{CommandError, Exit};

/// The file that is written; the tests of this crate run it.
const FIRST: &str = include_str!("first.rs");

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<Exit, CommandError> {
    let name = args.word(0).unwrap_or_default();
    let name = name.strip_suffix(".rs").unwrap_or(&name);
    let is_plain = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '-';
    if !name.starts_with(|it: char| it.is_ascii_alphabetic()) || !name.chars().all(is_plain) {
        return Err(format!("`{name}` is no name for a test file; take letters, digits and `_`").into());
    }
    let manifest = fs::read_to_string("Cargo.toml").map_err(|err| {
        format!("cannot read Cargo.toml: {err}; go to the folder of a package, or make one with `cargo new`")
    })?;
    let path = format!("tests/{name}.rs");
    if Path::new(&path).exists() {
        return Err(format!("{path} is there already, and stays as it is; take another name").into());
    }
    let failed = |err| format!("cannot write {path}: {err}");
    fs::create_dir_all("tests").map_err(failed)?;
    fs::write(&path, FIRST).map_err(failed)?;
    let mut text = format!("wrote {path}; run it with `cargo test --test {name}`\n");
    if !manifest.lines().any(|it| it.trim_start().starts_with("probity")) {
        text += "Cargo.toml does not name `probity`: add it to [dev-dependencies] first\n";
    }
    crate::print(&text).map_err(CommandError::from)
}
