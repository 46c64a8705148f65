//! The program of subjects: built in several profiles, and run once for each row.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::cargo;
pub(super) use crate::quality::process::in_parallel;
use crate::quality::process::{self, Ran};
use crate::quality::table::Table;

/// How the subjects are built.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Profile {
    /// As the workspace is: the engine is optimized, the test is not.
    Debug,
    Release,
    /// Nothing is optimized: what a user has who writes nothing.
    Plain,
    /// For release, with all that this processor has.
    Native,
}

impl Profile {
    pub(super) fn name(self) -> &'static str {
        match self {
            Profile::Debug => "debug",
            Profile::Release => "release",
            Profile::Plain => "plain",
            Profile::Native => "native",
        }
    }

    /// Builds the program; returns where it is.
    pub(super) fn build(self) -> PathBuf {
        let target = cargo::root().join("subjects").join(match self {
            Profile::Native => "target/native",
            _ => "target",
        });
        let profile = match self {
            Profile::Debug => "dev",
            Profile::Plain => "plain",
            Profile::Release | Profile::Native => "release",
        };
        let folder = target.display().to_string();
        let args = [
            "build",
            "--quiet",
            "--manifest-path",
            "subjects/Cargo.toml",
            "--profile",
            profile,
            "--target-dir",
        ];
        let flags: &[(&str, &str)] =
            if self == Profile::Native { &[("RUSTFLAGS", "-C target-cpu=native")] } else { &[] };
        let mut command = cargo::silent(&[&args[..], &[&folder]].concat(), flags);
        assert!(command.status().is_ok_and(|it| it.success()), "the subjects build");
        target.join(if profile == "dev" { "debug" } else { profile }).join("subjects")
    }
}

/// Runs the program with these words.
pub(super) fn run(program: &PathBuf, words: &[&str], limit: Duration) -> Ran {
    let mut command = Command::new(program);
    command.args(words).current_dir(cargo::root());
    process::run(command, limit)
}

/// Lines of `list`: the words behind a kind.
pub(super) fn list(program: &PathBuf, kind: &str) -> Vec<Vec<String>> {
    let ran = run(program, &["list"], Duration::from_secs(10));
    let rows = ran.stdout.lines().map(|it| it.split('\t').map(str::to_string).collect::<Vec<_>>());
    rows.filter(|it| it[0] == kind).map(|it| it[1..].to_vec()).collect()
}

/// Whether the subjects are what they are meant to be, without any engine.
pub(super) fn table() -> Table {
    let title =
        "subjects without an engine: known inputs fail, 10,000 random cases find none, results repeat";
    let mut table = Table::new(title, &["profile", "subjects", "what is wrong"]);
    for profile in [Profile::Debug, Profile::Release] {
        let program = profile.build();
        let ran = run(&program, &["native"], Duration::from_secs(120));
        let wrong = if ran.code == Some(0) {
            "nothing".to_string()
        } else {
            format!("{}{}", ran.stdout, ran.complaint())
        };
        let cells = vec![profile.name().to_string(), ran.field("subjects").unwrap_or("0").to_string(), wrong];
        table.row(cells, "nothing", Some(ran.code == Some(0)));
    }
    table
}
