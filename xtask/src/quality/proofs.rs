//! What is proved, and whether it is true: contracts, programs and random tests, each claim against every input where they are
//! few enough to run. They are in `subjects/proofs`, whose tests are run one by one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use probity_lang::json::{self, Json, JsonKind};

use super::Measure;
use super::concolic::programs;
use super::process::{self, Ran};
use super::table::Table;
use crate::cargo;

pub(super) const TABLES: &[Measure] = &[contracts, known, programs];

/// How long a proof may take where nobody says.
const TIME: &str = "20s";
/// How long one run may take.
const LIMIT: Duration = Duration::from_secs(150);
/// Tests of more inputs than this are not run with all of them, nor for longer than this.
const INPUTS_MAX: &str = "10000000";
const INPUTS_TIME: &str = "100s";
/// How many of the contracts that hold have to be proved.
const PROVED: usize = 15;

/// Thirty contracts: none of the wrong ones is proved, and what is proved holds for all inputs that could be run.
fn contracts() -> Table {
    let title = "contracts: proved, and what every input says of them where there are at most ten million";
    let mut table = Table::new(title, &["contract", "verdict", "seconds", "every input"]);
    let program = build("contracts");
    let (mut proved, mut n) = ([0, 0], [0, 0]);
    for name in list(&program) {
        let is_wrong = name.starts_with("wrong");
        let (verdict, seconds) = prove(&program, &name);
        let is_proved = verdict.starts_with("proved");
        proved[usize::from(is_wrong)] += usize::from(is_proved);
        n[usize::from(is_wrong)] += 1;
        let every = brute(&program, &name);
        let is_true = if is_wrong { verdict == "fails" } else { verdict != "fails" };
        let agrees = every.is_none_or(|passes| passes || !is_proved);
        let cells = vec![short(&name), verdict, format!("{seconds:.1}"), words(every)];
        table.row(cells, if is_wrong { "fails" } else { "does not fail" }, Some(is_true && agrees));
    }
    let cells = vec![
        format!("{} that hold, {} that do not", n[0], n[1]),
        format!("{} and {} proved", proved[0], proved[1]),
        String::new(),
        String::new(),
    ];
    let met = n == [20, 10] && proved[0] >= PROVED && proved[1] == 0;
    table.row(cells, format!(">= {PROVED} of 20 and 0 of 10"), Some(met));
    table
}

/// Programs that have to be proved, to a bound and in a time that stand above each.
fn known() -> Table {
    let mut table = Table::new("programs: proved", &["test", "verdict", "seconds", "every input"]);
    let program = build("programs");
    let source = fs::read_to_string(folder().join("tests/programs.rs")).expect("it is there");
    for (name, expected) in expectations(&source) {
        let (bound, most) = expected.split_once(", ").expect("a bound and a time");
        let most: f64 = most.trim_end_matches(" s").parse().expect("seconds");
        let (verdict, seconds) = prove(&program, &name);
        let every = brute(&program, &name);
        let met = verdict == format!("proved {bound}") && seconds <= most && every != Some(false);
        let cells = vec![name, verdict, format!("{seconds:.2}"), words(every)];
        table.row(cells, format!("{bound}, <= {most} s"), Some(met));
    }
    table
}

/// Runs a test for its proof; what came of it, and how long the proof took.
fn prove(program: &Path, name: &str) -> (String, f64) {
    let (ran, events) = run(program, name, &[("PROBITY_PROVE", "true")]);
    let last = |what: &str| events.iter().rfind(|it| text(it, "event") == what);
    if last("failed").is_some() {
        return ("fails".to_string(), 0.0);
    }
    let Some(explored) = last("passed").and_then(|it| it.get("explored")) else {
        return (format!("nothing: {}", ran.complaint()), ran.seconds);
    };
    let verdict = match text(explored, "proof") {
        "every input" => "proved every input".to_string(),
        "bounded" => format!("proved up to {} choices", number(explored, "proof_choices")),
        _ => format!("not proved: {}", text(explored, "not_proved")),
    };
    (verdict, number(explored, "milliseconds") as f64 / 1e3)
}

/// Whether a test passes with every input, where they are few enough to run them all.
fn brute(program: &Path, name: &str) -> Option<bool> {
    let settings = [
        ("PROBITY_ENGINE", "exhaustive"),
        ("PROBITY_PROVE", "false"),
        ("PROBITY_CASES", INPUTS_MAX),
        ("PROBITY_TIME", INPUTS_TIME),
    ];
    let (_, events) = run(program, name, &settings);
    if events.iter().any(|it| text(it, "event") == "failed") {
        return Some(false);
    }
    let passed = events.iter().find(|it| text(it, "event") == "passed")?;
    matches!(passed.get("all")?.kind, JsonKind::Bool(true)).then_some(true)
}

fn words(every: Option<bool>) -> String {
    match every {
        Some(true) => "passes",
        Some(false) => "fails",
        None => "too many",
    }
    .to_string()
}

/// A contract without the name that its test has.
fn short(name: &str) -> String {
    name.replace("_keeps_its_contract", "")
}

/// The tests of a file with what is in the line above each.
fn expectations(source: &str) -> Vec<(String, String)> {
    let (mut res, mut expected) = (Vec::new(), None);
    for line in source.lines() {
        if let Some(line) = line.strip_prefix("//= ") {
            expected = Some(line.to_string());
        } else if let Some(rest) = line.strip_prefix("fn ")
            && let Some(expected) = expected.take()
        {
            res.push((rest.split('(').next().unwrap_or_default().to_string(), expected));
        }
    }
    res
}

fn folder() -> PathBuf {
    cargo::root().join("subjects/proofs")
}

/// Builds the tests of a file, for release; returns the program.
fn build(name: &str) -> PathBuf {
    let target = cargo::root().join("subjects/target").display().to_string();
    let manifest = "subjects/proofs/Cargo.toml";
    let args = [
        "test",
        "--no-run",
        "--release",
        "--message-format=json-render-diagnostics",
        "--manifest-path",
        manifest,
    ];
    let command = cargo::silent(&[&args[..], &["--test", name, "--target-dir", &target]].concat(), &[]);
    let ran = process::run(command, Duration::from_secs(1200));
    assert!(ran.code == Some(0), "the tests build:\n{}", ran.stderr);
    let messages = ran.stdout.lines().filter_map(|it| json::parse(it).ok());
    let exes: Vec<String> = messages.map(|it| text(&it, "executable").to_string()).collect();
    exes.iter().rfind(|it| !it.is_empty()).expect("cargo says where it is").into()
}

/// The tests of a program.
fn list(program: &Path) -> Vec<String> {
    let mut command = Command::new(program);
    command.arg("--list");
    let ran = process::run(command, LIMIT);
    ran.stdout.lines().filter_map(|it| it.strip_suffix(": test")).map(ToString::to_string).collect()
}

/// Runs one test, and returns its events.
fn run(program: &Path, name: &str, variables: &[(&str, &str)]) -> (Ran, Vec<Json>) {
    let events = std::env::temp_dir().join(format!("probity-proofs-{}", std::process::id()));
    let _ = fs::remove_file(&events);
    let mut command = Command::new(program);
    command.args([name, "--exact"]).current_dir(folder());
    for (name, _) in std::env::vars_os().filter(|it| it.0.to_string_lossy().starts_with("PROBITY_")) {
        command.env_remove(name);
    }
    command.env_remove("CI").env("PROBITY_STORE", "off").env("PROBITY_EVENTS", &events);
    command.env("PROBITY_TIME", TIME).env("PROBITY_SEED", "7").envs(variables.iter().copied());
    let ran = process::run(command, LIMIT);
    let said = fs::read_to_string(&events).unwrap_or_default();
    let _ = fs::remove_file(&events);
    (ran, said.lines().filter_map(|it| json::parse(it).ok()).collect())
}

fn text<'a>(json: &'a Json, key: &str) -> &'a str {
    match json.get(key).map(|it| &it.kind) {
        Some(JsonKind::Text(it)) => it,
        _ => "",
    }
}

fn number(json: &Json, key: &str) -> u64 {
    match json.get(key).map(|it| &it.kind) {
        Some(JsonKind::Number(it)) => it.to_string().parse().unwrap_or(0),
        _ => 0,
    }
}
