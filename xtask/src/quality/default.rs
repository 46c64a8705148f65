//! What a plain `cargo test` finds of what the engines find by name: data structures with planted faults, and tests that
//! fail at one depth or length only. The tests are those of `suite/tests/mutants`.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use super::concolic;
use super::process::{self, in_parallel};
use super::table::Table;
use crate::cargo;

const SEEDS: u64 = 5;
const MUTANTS: u32 = 15;
/// How often a depth or length is to be met.
const SIZE_SEEDS: u64 = 20;
const LIMIT: Duration = Duration::from_secs(60);
/// The part of what is found by name that a default run has to find.
const SHARE: f64 = 0.9;

/// The engines by name, with what they get. Without a score, the targeted engine is the random one.
const ENGINES: [(&str, &[(&str, &str)]); 3] = [
    ("random", &[("PROBITY_ENGINE", "random"), ("PROBITY_CASES", "20000"), ("PROBITY_TIME", "2s")]),
    ("exhaustive", &[("PROBITY_ENGINE", "exhaustive"), ("PROBITY_CASES", "20000"), ("PROBITY_TIME", "2s")]),
    ("concolic", &[("PROBITY_ENGINE", "concolic"), ("PROBITY_CASES", "500"), ("PROBITY_TIME", "2s")]),
];

/// The parts that `--only` can choose.
pub(crate) const SECTIONS: &[(&str, super::Measure)] = &[
    ("sizes", sizes),
    ("heap", || mutants("heap")),
    ("ring", || mutants("ring")),
    ("radix", || mutants("radix")),
    ("needles", concolic::newcomer::needles),
];

/// One test with one fault.
struct Task {
    test: String,
    mutant: u32,
}

/// How a task went.
struct Solved {
    /// The first engine by name that solves it.
    by: Option<usize>,
    /// With how many seeds a default run does.
    by_default: u64,
}

fn mutants(structure: &str) -> Table {
    let title = format!(
        "faults in a {structure} found by a default run, of those that an engine finds by name; {SEEDS} seeds"
    );
    let columns = ["task", "first by", "by default"];
    let mut table = Table::new(title, &columns);
    let program = build();
    let tests = tests_of(&program, structure);
    let tasks: Vec<Task> = tests
        .iter()
        .flat_map(|test| (1..=MUTANTS).map(|mutant| Task { test: test.clone(), mutant }))
        .collect();
    let solved = in_parallel(&tasks, |it| solve(&program, it));
    for (task, it) in tasks.iter().zip(&solved) {
        if let Some(engine) = it.by {
            let what = format!("{}, fault {}", task.test, task.mutant);
            table.row(
                vec![what, ENGINES[engine].0.to_string(), format!("{}/{SEEDS}", it.by_default)],
                "",
                None,
            );
        }
    }
    let by_name: Vec<&Solved> = solved.iter().filter(|it| it.by.is_some()).collect();
    let first =
        |n: usize| format!("{} {}", ENGINES[n].0, by_name.iter().filter(|it| it.by == Some(n)).count());
    let by_default = by_name.iter().filter(|it| it.by_default * 2 > SEEDS).count();
    let runs: u64 = by_name.iter().map(|it| it.by_default).sum();
    let cells = vec![
        format!("{} of {} tasks by name", by_name.len(), tasks.len()),
        (0..ENGINES.len()).map(first).collect::<Vec<_>>().join(", "),
        format!("{by_default}, in {runs} of {} runs", by_name.len() as u64 * SEEDS),
    ];
    let met = by_default as f64 >= SHARE * by_name.len() as f64;
    table.row(cells, format!("{:.0} % of those by name", 100.0 * SHARE), Some(met));
    table
}

fn sizes() -> Table {
    let title =
        format!("default runs of tests that fail at depth 12 or at 256 items only, {SIZE_SEEDS} seeds each");
    let mut table = Table::new(title, &["test", "found"]);
    let program = build();
    let tests = tests_of(&program, "sizes");
    let found = in_parallel(&tests, |test| {
        let task = Task { test: test.clone(), mutant: 1 };
        (1..=SIZE_SEEDS).filter(|seed| fails(&program, &task, *seed, &[])).count() as u64
    });
    for (test, found) in tests.into_iter().zip(found) {
        table.row(
            vec![test, format!("{found}/{SIZE_SEEDS}")],
            format!("{SIZE_SEEDS}/{SIZE_SEEDS}"),
            Some(found == SIZE_SEEDS),
        );
    }
    table
}

fn solve(program: &PathBuf, task: &Task) -> Solved {
    let by = ENGINES.iter().position(|(_, settings)| fails(program, task, 1, settings));
    let seeds = if by.is_some() { SEEDS } else { 0 };
    Solved { by, by_default: (1..=seeds).filter(|seed| fails(program, task, *seed, &[])).count() as u64 }
}

/// Whether an input is found that fails. Too few accepted inputs are a failure of the test, too, and not one that counts.
fn fails(program: &PathBuf, task: &Task, seed: u64, settings: &[(&str, &str)]) -> bool {
    let mut command = Command::new(program);
    command.args([&task.test, "--exact"]).current_dir(cargo::root());
    command.env("MUTANT", task.mutant.to_string()).env("PROBITY_SEED", seed.to_string());
    // What comes after a failure is not measured.
    command.envs([("PROBITY_STORE", "false"), ("PROBITY_EXPLAIN", "false"), ("PROBITY_MAX_SHRINK", "0")]);
    command.envs(settings.iter().copied());
    let ran = process::run(command, LIMIT);
    ran.code == Some(101) && ran.stdout.contains("found by: engine")
}

/// The tests of one structure.
fn tests_of(program: &PathBuf, structure: &str) -> Vec<String> {
    let mut command = Command::new(program);
    command.args(["--list", structure]);
    let listed = process::run(command, LIMIT).stdout;
    let tests: Vec<String> =
        listed.lines().filter_map(|it| it.strip_suffix(": test")).map(String::from).collect();
    assert!(!tests.is_empty(), "there are tests of {structure}");
    tests
}

/// The program with the tests, which Cargo names.
fn build() -> PathBuf {
    let words = ["test", "--release", "--no-run", "-p", "probity-suite", "--test", "mutants"];
    let output = cargo::silent(&words, &[]).output();
    let said = output.map(|it| String::from_utf8_lossy(&it.stderr).into_owned()).expect("Cargo runs");
    let path = said.rsplit_once('(').and_then(|it| it.1.split_once(')')).expect("the tests build").0;
    cargo::root().join(path)
}
