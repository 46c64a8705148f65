//! Makes sure that the tests with an SMT solver have one.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cargo;

/// The variable that names the solver.
pub(crate) const VARIABLE: &str = "PROBITY_SOLVER";

/// Where a solver for the tests comes from.
#[derive(Debug, PartialEq)]
pub(crate) enum SolverPlace {
    /// The tests find it themselves: it is on the path, or named already.
    ByThemselves,
    /// It was fetched and has to be named to them.
    Fetched(PathBuf),
}

/// A solver for the tests: one that is there, or else Z3 fetched with pip into `target`. The error says why there is
/// none.
pub(crate) fn ensure() -> Result<SolverPlace, String> {
    let read = |name| std::env::var(name).ok().filter(|it| !it.trim().is_empty());
    if read(VARIABLE).is_some() || is_on_path(read("PATH").as_deref().unwrap_or_default()) {
        return Ok(SolverPlace::ByThemselves);
    }
    let folder = cargo::root().join("target").join("z3");
    let program = folder.join("bin").join(format!("z3{}", std::env::consts::EXE_SUFFIX));
    if !works(&program) {
        fetch(&folder)?;
    }
    if works(&program) {
        return Ok(SolverPlace::Fetched(program));
    }
    Err("the package `z3-solver` came without a program that runs here".to_string())
}

/// Whether the error of [`ensure`] is to fail the check: on CI these tests have to run.
pub(crate) fn is_required() -> bool {
    std::env::var("CI").is_ok_and(|it| it == "true")
}

fn is_on_path(path: &str) -> bool {
    let folders: Vec<PathBuf> = std::env::split_paths(path).collect();
    let file = |name: &str| format!("{name}{}", std::env::consts::EXE_SUFFIX);
    ["z3", "cvc5"].iter().any(|name| folders.iter().any(|it| it.join(file(name)).is_file()))
}

fn works(program: &Path) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|it| it.status.success())
}

fn fetch(folder: &Path) -> Result<(), String> {
    println!("$ python3 -m pip install --target target/z3 z3-solver");
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--upgrade", "--target"]).arg(folder).arg("z3-solver");
    let output = pip.output().map_err(|error| format!("python3 cannot be started: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    let last = complaint.lines().rev().find(|it| !it.trim().is_empty()).unwrap_or("it did not say why");
    Err(format!("pip failed: {}", last.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solvers_are_looked_for_on_the_path() {
        let folder = std::env::temp_dir().join(format!("probity-solver-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        assert!(!is_on_path(folder.to_str().unwrap()));
        assert!(!is_on_path(""));
        std::fs::write(folder.join(format!("z3{}", std::env::consts::EXE_SUFFIX)), "").unwrap();
        assert!(is_on_path(folder.to_str().unwrap()));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
