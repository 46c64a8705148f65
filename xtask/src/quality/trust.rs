//! Is Probity ever wrong? Tests as child processes, each with the verdict that it must have. They are in
//! `subjects/trust`, outside the workspace for their dependencies.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::Measure;
use super::process::{self, Ran};
use super::table::Table;
use crate::cargo;

pub(super) const TABLES: &[Measure] = &[world, verdicts, time, many];

/// How often each correct test is run.
const RUNS: usize = 10;
/// How long one run may take.
const LIMIT: Duration = Duration::from_secs(120);
/// How often the many tests are timed, in turn with and without the engine, and how much longer they may take with it.
const TIMES: usize = 7;
const RATIO: f64 = 1.3;
/// What a search is given where time is measured, how long the slow cases take, and what else a run may take: to start,
/// and the share of the concolic engine.
const TIME: Duration = Duration::from_secs(1);
const SLOW: Duration = Duration::from_millis(200);
const SLACK: Duration = Duration::from_millis(800);
/// Tests that run together in one process, since they share what they touch.
const TOGETHER: &str = "appends_";

/// Correct tests that touch the world: none may fail, and the world must be the same with the engine and without.
fn world() -> Table {
    let title = format!(
        "correct tests that touch the world: {RUNS} default runs each; then what they did, by one seed"
    );
    let mut table = Table::new(title, &["test", "failed", "files", "bytes", "without the engine"]);
    let program = build("world");
    let mut names: Vec<String> = list(&program).into_iter().filter(|it| !it.starts_with(TOGETHER)).collect();
    names.push(TOGETHER.to_string());
    for name in names {
        let failed: Vec<Ran> = (0..RUNS)
            .map(|_| run(&program, &name, &World::new(), &[]))
            .filter(|ran| ran.code != Some(0))
            .collect();
        if let Some(ran) = failed.first() {
            eprintln!("{name}:\n{}{}", ran.stdout, ran.stderr);
        }
        let after = |variables: &[(&str, &str)]| {
            let world = World::new();
            // How far it comes in its time is no part of what is compared.
            let fixed = [&[("PROBITY_SEED", "7"), ("PROBITY_TIME", "60m")], variables].concat();
            run(&program, &name, &world, &fixed);
            world.files()
        };
        let (with, without) = (after(&[]), after(&[("PROBITY_CONCOLIC", "off")]));
        let bytes = |files: &BTreeMap<PathBuf, u64>| files.values().sum::<u64>();
        let cells = vec![
            name,
            failed.len().to_string(),
            with.len().to_string(),
            bytes(&with).to_string(),
            format!("{} files, {} bytes", without.len(), bytes(&without)),
        ];
        table.row(cells, "0 failed, the same world", Some(failed.is_empty() && with == without));
    }
    table
}

/// Tests with known verdicts: what was lost, or claimed falsely, before.
fn verdicts() -> Table {
    let mut table = Table::new(
        "tests with the verdict that they must have",
        &["test", "ended", "seconds", "what is wrong"],
    );
    let program = build("verdicts");
    let source = fs::read_to_string(folder().join("tests/verdicts.rs")).expect("it is there");
    for (name, expected) in expectations(&source) {
        let ran = run(&program, &name, &World::new(), &[]);
        let ended = match ran.code {
            Some(0) => "passes".to_string(),
            Some(101) => "fails".to_string(),
            _ => ran.complaint(),
        };
        if ended != expected.verdict {
            eprintln!("{name}:\n{}{}", ran.stdout, ran.stderr);
        }
        let wrong = expected.mistakes(&ended, &format!("{}{}", ran.stdout, ran.stderr));
        let cells = vec![name, ended, format!("{:.1}", ran.seconds), wrong.join("; ")];
        table.row(cells, expected.verdict, Some(wrong.is_empty()));
    }
    table
}

/// Tests that become slow: each ends at its time, but for the case that runs then.
fn time() -> Table {
    let most = (TIME + SLOW + SLACK).as_secs_f64();
    let title = format!("tests that become slow, with `time = {TIME:?}`; their slow cases take {SLOW:?}");
    let mut table = Table::new(title, &["test", "engine", "ended", "seconds"]);
    let program = build("time");
    for name in list(&program) {
        for engine in ["auto", "random", "exhaustive", "targeted"] {
            let time = format!("{}ms", TIME.as_millis());
            let variables = [("PROBITY_ENGINE", engine), ("PROBITY_TIME", &time)];
            let ran = run(&program, &name, &World::new(), &variables);
            let passes = ran.code == Some(0);
            let (is_met, ended) =
                (passes && ran.seconds <= most, if passes { "passes".into() } else { ran.complaint() });
            let cells = vec![name.clone(), engine.to_string(), ended, format!("{:.2}", ran.seconds)];
            table.row(cells, format!("passes, <= {most:.1} s"), Some(is_met));
        }
    }
    table
}

/// Many tests that wait for one worker thread, which a copy of the process does not have.
fn many() -> Table {
    let title = format!("40 tests on one worker thread, {TIMES} times each in turn");
    let mut table = Table::new(title, &["without", "with", "times"]);
    let program = build("many");
    let mut seconds = [Vec::new(), Vec::new()];
    for _ in 0..TIMES {
        for (with, variables) in [&[("PROBITY_CONCOLIC", "off")][..], &[]].into_iter().enumerate() {
            let ran = run(&program, "", &World::new(), variables);
            assert!(ran.code == Some(0), "they pass:\n{}{}", ran.stdout, ran.stderr);
            seconds[with].push(ran.seconds);
        }
    }
    let [without, with] = seconds.map(super::concolic::median);
    let ratio = with / without;
    let cells = vec![format!("{without:.3} s"), format!("{with:.3} s"), format!("{ratio:.2}")];
    table.row(cells, format!("<= {RATIO}"), Some(ratio <= RATIO));
    table
}

/// What a test must come to.
struct Expected<'a> {
    /// `passes` or `fails`.
    verdict: &'a str,
    /// What it says: behind `!` what it must not, behind `once:` what it must only once.
    says: Vec<&'a str>,
}

impl Expected<'_> {
    fn mistakes(&self, ended: &str, text: &str) -> Vec<String> {
        let mut res = Vec::new();
        if ended != self.verdict {
            res.push(format!("it {ended}"));
        }
        for says in &self.says {
            let (is_right, what) = if let Some(not) = says.strip_prefix('!') {
                (!text.contains(not), format!("says `{not}`"))
            } else if let Some(once) = says.strip_prefix("once: ") {
                let n = text.matches(once).count();
                // The report, and the panic itself.
                ((1..=3).contains(&n), format!("says `{once}` {n} times"))
            } else {
                (text.contains(says), format!("does not say `{says}`"))
            };
            if !is_right {
                res.push(what);
            }
        }
        res
    }
}

/// The tests of a file with what is in the line above each.
fn expectations(source: &str) -> Vec<(String, Expected<'_>)> {
    let mut res = Vec::new();
    let mut expected = None;
    for line in source.lines() {
        if let Some(line) = line.strip_prefix("//= ") {
            let (verdict, says) = line.split_once(": ").unwrap_or((line, ""));
            let says = says.split(" | ").filter(|it| !it.is_empty()).collect();
            expected = Some(Expected { verdict, says });
        } else if let Some(rest) = line.strip_prefix("fn ")
            && let Some(expected) = expected.take()
        {
            let name = rest.split('(').next().unwrap_or_default();
            res.push((name.to_string(), expected));
        }
    }
    res
}

/// A folder that represents the world; removed at the end.
struct World(PathBuf);

impl World {
    fn new() -> World {
        let path = std::env::temp_dir().join(format!("probity-trust-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("there is room");
        World(path)
    }

    /// Every file in it, with its length.
    fn files(&self) -> BTreeMap<PathBuf, u64> {
        let mut res = BTreeMap::new();
        let mut folders = vec![self.0.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                match entry.metadata() {
                    Ok(it) if it.is_dir() => folders.push(entry.path()),
                    Ok(it) => drop(res.insert(entry.path(), it.len())),
                    Err(_) => {}
                }
            }
        }
        res
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(super) fn folder() -> PathBuf {
    cargo::root().join("subjects/trust")
}

/// Builds the tests of a file as a user has them who writes nothing; returns the program.
pub(super) fn build(name: &str) -> PathBuf {
    let target = cargo::root().join("subjects/target/trust").display().to_string();
    let manifest = "subjects/trust/Cargo.toml";
    let args = [
        "test",
        "--no-run",
        "--message-format=short",
        "--manifest-path",
        manifest,
        "--test",
        name,
        "--target-dir",
    ];
    let command = cargo::silent(&[&args[..], &[&target]].concat(), &[]);
    let ran = process::run(command, Duration::from_secs(1200));
    assert!(ran.code == Some(0), "the tests build:\n{}", ran.stderr);
    let path = ran.stderr.lines().rev().find_map(|it| it.trim().strip_prefix("Executable "));
    let path = path.and_then(|it| it.split_once('(')).map(|it| it.1.trim_end_matches(')'));
    let path = Path::new(path.expect("cargo says where it is"));
    if path.is_absolute() { path.to_path_buf() } else { cargo::root().join(path) }
}

/// The tests of a program.
fn list(program: &Path) -> Vec<String> {
    let mut command = Command::new(program);
    command.arg("--list");
    let ran = process::run(command, LIMIT);
    ran.stdout.lines().filter_map(|it| it.strip_suffix(": test")).map(ToString::to_string).collect()
}

/// Runs one test, or all whose names contain the name where no test is called so.
fn run(program: &Path, name: &str, world: &World, variables: &[(&str, &str)]) -> Ran {
    let mut command = Command::new(program);
    command.args([name, "--nocapture"]).args((!name.is_empty() && name != TOGETHER).then_some("--exact"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("PROBITY_") {
            command.env_remove(name);
        }
    }
    for name in ["CI", "RUST_BACKTRACE", "CARGO_MANIFEST_DIR", "CARGO_PKG_NAME", "RUST_TEST_THREADS"] {
        command.env_remove(name);
    }
    command.env("TRUST_WORLD", &world.0).env("PROBITY_STORE", "off").envs(variables.iter().copied());
    command.current_dir(folder());
    process::run(command, LIMIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expectations_are_read_and_judged() {
        let source = "//= fails: let n = 1; | !flaky | once: thread\n#[probity::test]\nfn a(n: u8) {\n//= passes\nfn b() {";
        let all = expectations(source);
        assert_eq!(all.iter().map(|it| it.0.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(all[0].1.mistakes("fails", "let n = 1; thread"), [""; 0]);
        let wrong = ["it passes", "does not say `let n = 1;`", "says `flaky`", "says `thread` 0 times"];
        assert_eq!(all[0].1.mistakes("passes", "flaky"), wrong);
        assert_eq!(all[1].1.mistakes("passes", "anything"), [""; 0]);
    }
}
