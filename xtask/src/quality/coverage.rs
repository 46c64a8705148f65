//! Does coverage guide, and what does it cost? The code that is reached is in `peers/coverage`, outside the workspace for its
//! dependencies.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use super::Measure;
use super::process::{self, Ran, in_parallel};
use super::table::{Table, grouped};
use crate::cargo;

pub(super) const PARTS: &[(&str, Measure)] =
    &[("speed", speed), ("reach", reach), ("alone", alone), ("joined", joined), ("hostile", hostile)];

const LIMIT: Duration = Duration::from_secs(300);
/// How much slower a case may be with breakpoints.
const SLOWER: f64 = 1.02;
/// What setting them may take for so much code, in time of the processor.
const ARMING: (f64, f64) = (5_000.0, 3e6);
/// How many seeds, how long each, and how many times the blocks that random search reaches.
const SEEDS: u64 = 10;
const TIME_MS: &str = "3000";
const TARGETS: [(&str, f64); 3] = [("json", 1.3), ("markdown", 2.0), ("regex", 1.8)];
/// Needles: how many seeds, how many cases alone, how long with the interpreter.
const NEEDLE_SEEDS: u64 = 20;
const NEEDLE_CASES: &str = "1000000";
const NEEDLE_MS: &str = "10000";
const NEEDLES: [&str; 9] =
    ["magic", "word", "wide", "sum", "packet", "chunks", "decimal", "ladder", "record"];

fn build(profile: &str) -> PathBuf {
    let args = ["build", "--quiet", "--manifest-path", "peers/coverage/Cargo.toml", "--profile", profile];
    assert!(cargo::silent(&args, &[]).status().is_ok_and(|it| it.success()), "the parsers build");
    let folder = if profile == "dev" { "debug" } else { profile };
    cargo::root().join("peers/coverage/target").join(folder).join("coverage")
}

fn run(program: &PathBuf, words: &[&str]) -> Ran {
    let mut command = Command::new(program);
    command.args(words).env("PROBITY_CORPUS", "off").env("RUST_BACKTRACE", "0");
    process::run(command, LIMIT)
}

/// What it costs to watch.
fn speed() -> Table {
    let mut table = Table::new("breakpoints: what they cost", &["what", "build", "without", "with"]);
    for profile in ["release", "dev"] {
        let program = build(profile);
        for (what, words) in [("JSON parse of 182 bytes", "json"), ("a case of the fast mode", "fast")] {
            let ran = run(&program, &[words]);
            let ratio = ran.number("ratio");
            let nanos = |word| format!("{:.1} ns", ran.number(word));
            let cells = vec![what.into(), profile.into(), nanos("plain"), nanos("armed")];
            let is_met = ratio > 0.0 && ratio <= SLOWER;
            table.row(cells, format!("{ratio:.3} <= {SLOWER} times"), Some(is_met));
        }
        let ran = run(&program, &["arm"]);
        let (took, text) = (ran.number("us"), ran.number("text"));
        let allowed = ARMING.0 * text / ARMING.1;
        let size = format!("{:.1} MB", text / 1e6);
        let cells = vec!["setting them".into(), profile.into(), size, format!("{:.1} ms", took / 1e3)];
        table.row(cells, format!("<= {:.1} ms", allowed / 1e3), Some(took > 0.0 && took <= allowed));
    }
    table
}

/// What is reached of real parsers.
fn reach() -> Table {
    let title = format!("blocks of parsers reached in {TIME_MS} ms of the processor, {SEEDS} seeds");
    let mut table = Table::new(title, &["parser", "random", "guided", "times", "seeds won"]);
    let program = build("release");
    for (target, wanted) in TARGETS {
        let seeds: Vec<u64> = (1..=SEEDS).collect();
        let reached = in_parallel(&seeds, |seed| {
            ["random", "guided"].map(|how| {
                run(&program, &["blocks", target, how, &seed.to_string(), TIME_MS]).number("blocks")
            })
        });
        let sum = |n: usize| reached.iter().map(|it| it[n]).sum::<f64>() / SEEDS as f64;
        let won = reached.iter().filter(|it| it[1] > it[0]).count() as u64;
        let times = sum(1) / sum(0);
        let cells = vec![
            target.into(),
            grouped(sum(0) as u64),
            grouped(sum(1) as u64),
            format!("{times:.2}"),
            format!("{won} of {SEEDS}"),
        ];
        table.row(cells, format!(">= {wanted}, each seed"), Some(times >= wanted && won == SEEDS));
    }
    table
}

/// Four nested bytes, by blocks alone.
fn alone() -> Table {
    let title = format!("a needle by coverage alone, within {NEEDLE_CASES} cases");
    let mut table = Table::new(title, &["needle", "found", "most cases"]);
    let program = build("release");
    let seeds: Vec<u64> = (1..=NEEDLE_SEEDS).collect();
    let ran =
        in_parallel(&seeds, |seed| run(&program, &["needle", "nested", &seed.to_string(), NEEDLE_CASES]));
    let found: Vec<f64> =
        ran.iter().filter(|it| it.field("found").is_some()).map(|it| it.number("found")).collect();
    let most = found.iter().fold(0.0, |a: f64, b| a.max(*b));
    let cells =
        vec!["four nested bytes".into(), format!("{} of {NEEDLE_SEEDS}", found.len()), grouped(most as u64)];
    table.row(cells, "all", Some(found.len() as u64 == NEEDLE_SEEDS));
    table
}

/// Needles with the interpreter joined.
fn joined() -> Table {
    let title = format!("needles by `engine = \"coverage\"`, {NEEDLE_SEEDS} seeds, {NEEDLE_MS} ms each");
    let mut table = Table::new(title, &["needle", "found", "median", "longest"]);
    let program = build("release");
    for needle in NEEDLES {
        let seeds: Vec<u64> = (1..=NEEDLE_SEEDS).collect();
        let ran = in_parallel(&seeds, |seed| {
            run(&program, &["find", needle, "coverage", &seed.to_string(), NEEDLE_MS])
        });
        let mut found: Vec<f64> =
            ran.iter().filter(|it| it.field("found").is_some()).map(|it| it.number("found")).collect();
        found.sort_by(f64::total_cmp);
        let ms = |at: usize| found.get(at).map_or("-".to_string(), |it| format!("{it} ms"));
        let cells = vec![
            needle.into(),
            format!("{} of {NEEDLE_SEEDS}", found.len()),
            ms(found.len() / 2),
            ms(found.len().saturating_sub(1)),
        ];
        table.row(cells, "all", Some(found.len() as u64 == NEEDLE_SEEDS));
    }
    table
}

/// Tests that are hard to watch, and tests that die.
fn hostile() -> Table {
    let title =
        "tests that are hard to watch, and tests that die: verdicts, and whether the process was changed";
    let mut table = Table::new(title, &["test", "build", "how", "verdict", "its code"]);
    for profile in ["release", "dev"] {
        let program = build(profile);
        let listed = run(&program, &["hostile"]).stdout;
        for line in listed.lines() {
            let Some((test, fails)) = line.split_once('=') else { continue };
            for (how, words) in [("plain", &[][..]), ("under a debugger", &["traced"])] {
                // What dies is not debugged.
                if how != "plain" && fails == "true" {
                    continue;
                }
                let ran = run(&program, &[&["hostile", test, "coverage"], words].concat());
                let verdict = match ran.field("passes") {
                    Some("true") => "passes".to_string(),
                    Some(_) => "fails".to_string(),
                    None => ran.complaint(),
                };
                let expected = if fails == "true" { "fails" } else { "passes" };
                let is_unchanged = ran.field("unchanged") == Some("true");
                let is_met = verdict == expected && is_unchanged;
                let code = if is_unchanged { "unchanged" } else { "changed" };
                let cells = vec![test.into(), profile.into(), how.into(), verdict, code.into()];
                table.row(cells, expected, Some(is_met));
            }
        }
    }
    table
}
