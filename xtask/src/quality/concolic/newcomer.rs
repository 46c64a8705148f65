//! A new crate outside of the workspace, and a plain `cargo test` in it: what is found, and what it costs.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use super::median;
use crate::cargo;
use crate::quality::process::{self, Ran};
use crate::quality::table::Table;

/// This many runs with fresh seeds.
const RUNS: usize = 20;
/// This many trivial tests.
const TESTS: usize = 200;
/// So often they are timed, in turn with and without.
const TIMES: usize = 9;
/// How much longer they may take, in time of the processor.
const RATIO: f64 = 1.4;
/// The suite of needles: how many runs, how many needles each has to find, and how much longer it may take.
const NEEDLE_RUNS: usize = 10;
const NEEDLES_FOUND: usize = 17;
const NEEDLES_RATIO: f64 = 1.5;

const MANIFEST: &str = r#"
[package]
name = "newcomer"
edition = "2024"

[dev-dependencies]
probity = { path = "PROBITY" }

[workspace]
"#;

/// What has to be found.
const FINDS: &str = r#"
#[probity::test]
fn number(x: u32) {
    assert!(x != 123_456_789);
}

#[probity::test]
fn four_bytes(bytes: [u8; 4]) {
    assert!(&bytes != b"FUZZ");
}

#[probity::test]
fn double(a: u32, b: u32) {
    assert!(a < 1_000_000 || a.checked_mul(2) != Some(b));
}

#[probity::test]
fn secret(s: String) {
    assert!(s != "secret");
}
"#;

/// Trivial tests, as people write them first; `{n}` is a number that makes one of many.
const TRIVIAL: [&str; 10] = [
    "#[probity::test]\nfn add{n}(a: u32, b: u32) {\n    assert_eq!(a.wrapping_add(b), b.wrapping_add(a));\n}\n",
    "#[probity::test]\nfn reverse{n}(v: Vec<i32>) {\n    let mut w = v.clone();\n    w.reverse();\n    w.reverse();\n    assert_eq!(v, w);\n}\n",
    "#[probity::test]\nfn sort{n}(mut v: Vec<u8>) {\n    v.sort();\n    assert!(v.is_sorted());\n}\n",
    "#[probity::test]\nfn text{n}(s: String) {\n    assert_eq!(s.chars().rev().count(), s.chars().count());\n}\n",
    "#[probity::test]\nfn parse{n}(x: i64) {\n    assert_eq!(x.to_string().parse(), Ok(x));\n}\n",
    "#[probity::test]\nfn option{n}(x: Option<u16>) {\n    assert_eq!(x.map(u32::from).is_some(), x.is_some());\n}\n",
    "#[probity::test]\nfn min{n}(a: i32, b: i32) {\n    assert!(a.min(b) <= a.max(b));\n}\n",
    "#[probity::test]\nfn float{n}(x: f64) {\n    assert!(x.is_nan() || x.abs() >= 0.0);\n}\n",
    "#[probity::test]\nfn pair{n}(p: (u8, bool)) {\n    let (n, flag) = p;\n    assert_eq!(if flag { u16::from(n) + 1 } else { u16::from(n) } > 256, false);\n}\n",
    "#[probity::test]\nfn range{n}(#[from(1..=100)] x: u32) {\n    assert!(x * x >= x);\n}\n",
];

/// The crate, with everything that is built for it; removed at the end.
struct Newcomer(PathBuf);

impl Newcomer {
    fn new() -> Newcomer {
        let root = std::env::temp_dir().join(format!("probity-newcomer-quality-{}", std::process::id()));
        fs::create_dir_all(root.join("src")).expect("there is room");
        fs::create_dir_all(root.join("tests")).expect("there is room");
        let probity = cargo::root().join("crates/probity").display().to_string();
        let mut trivial = String::new();
        for n in 0..TESTS {
            let _ = writeln!(trivial, "{}", TRIVIAL[n % TRIVIAL.len()].replace("{n}", &n.to_string()));
        }
        for (path, text) in [
            ("Cargo.toml", MANIFEST.replace("PROBITY", &probity)),
            ("src/lib.rs", include_str!("newcomer/lib.rs").to_string()),
            ("tests/finds.rs", FINDS.to_string()),
            ("tests/needles.rs", include_str!("newcomer/needles.rs").to_string()),
            ("tests/trivial.rs", trivial),
        ] {
            fs::write(root.join(path), text).expect("there is room");
        }
        fs::copy(cargo::root().join("Cargo.lock"), root.join("Cargo.lock")).expect("it is there");
        let res = Newcomer(root);
        let ran = res.cargo(&["test", "--no-run", "--tests"], &[]);
        assert!(ran.code == Some(0), "the new crate builds:\n{}", ran.stderr);
        res
    }

    /// Runs `cargo` there as a newcomer would.
    fn cargo(&self, args: &[&str], env: &[(&str, &str)]) -> Ran {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.args(args).env("CARGO_TARGET_DIR", self.0.join("target"));
        self.run(command, env)
    }

    fn run(&self, mut command: Command, env: &[(&str, &str)]) -> Ran {
        command.current_dir(&self.0);
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("PROBITY_") {
                command.env_remove(name);
            }
        }
        for name in
            ["CI", "RUST_BACKTRACE", "CARGO_MANIFEST_DIR", "CARGO_PKG_NAME", "RUST_TEST_THREADS", "RUSTFLAGS"]
        {
            command.env_remove(name);
        }
        // What was found before must not be found again in the store.
        command.env("PROBITY_STORE", "off").envs(env.iter().copied());
        process::run(command, Duration::from_secs(600))
    }

    /// The program of a file of `tests`.
    fn program(&self, name: &str) -> Command {
        let folder = self.0.join("target/debug/deps");
        let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|it| it.path());
        let is_it = |it: &PathBuf| {
            it.extension().is_none()
                && it.file_name().is_some_and(|it| it.to_string_lossy().starts_with(&format!("{name}-")))
        };
        Command::new(files.into_iter().find(is_it).expect("it was built"))
    }
}

impl Drop for Newcomer {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What a plain `cargo test` finds within its default budget.
pub(super) fn finds() -> Table {
    let title = format!("a new crate, plain `cargo test`, {RUNS} runs with fresh seeds, nothing optimised");
    let mut table = Table::new(title, &["test", "found", "found without"]);
    let new = Newcomer::new();
    let args = ["test", "--quiet", "--test", "finds"];
    let runs: Vec<Ran> = (0..RUNS).map(|_| new.cargo(&args, &[])).collect();
    let without: Vec<Ran> = (0..RUNS).map(|_| new.cargo(&args, &[("PROBITY_CONCOLIC", "off")])).collect();
    for name in ["number", "four_bytes", "double", "secret"] {
        let found = |runs: &[Ran]| {
            let line = format!("probity: `finds::{name}` fails");
            runs.iter().filter(|it| it.stdout.contains(&line) || it.stderr.contains(&line)).count()
        };
        let (n, others) = (found(&runs), found(&without));
        let cells = vec![name.to_string(), format!("{n}/{RUNS}"), format!("{others}/{RUNS}")];
        table.row(cells, format!("{RUNS}/{RUNS}"), Some(n == RUNS));
    }
    let seconds = |runs: &[Ran]| format!("{:.2} s", median(runs.iter().map(|it| it.seconds).collect()));
    table.row(vec!["time of a run, median".to_string(), seconds(&runs), seconds(&without)], "", None);
    table
}

/// A way to run the tests, with these variables.
type Way<'a> = dyn Fn(&[(&str, &str)]) -> Ran + 'a;

/// What the share of the concolic engine costs where there is nothing to find.
pub(super) fn overhead() -> Table {
    let title = format!("{TESTS} trivial tests, {TIMES} times each in turn: what the concolic share costs");
    let mut table = Table::new(title, &["what", "without", "with", "times"]);
    let new = Newcomer::new();
    let off = [("PROBITY_CONCOLIC", "off")];
    let cargo = |env: &[(&str, &str)]| new.cargo(&["test", "--quiet", "--test", "trivial"], env);
    let alone = |env: &[(&str, &str)]| new.run(new.program("trivial"), env);
    let ways: [(&str, &Way<'_>); 2] = [("cargo test", &cargo), ("the program alone", &alone)];
    for (what, run) in ways {
        let mut seconds = [Vec::new(), Vec::new()];
        for _ in 0..TIMES {
            for (with, env) in [&off[..], &[]].into_iter().enumerate() {
                let before = process::processor_seconds();
                let ran = run(env);
                assert!(ran.code == Some(0), "trivial tests pass:\n{}{}", ran.stdout, ran.stderr);
                seconds[with].push(process::processor_seconds() - before);
            }
        }
        let [without, with] = seconds.map(median);
        let ratio = with / without;
        let cells =
            vec![what.to_string(), format!("{without:.3} s"), format!("{with:.3} s"), format!("{ratio:.2}")];
        table.row(cells, format!("<= {RATIO}"), Some(ratio <= RATIO));
    }
    table
}

/// What a suite finds of twenty needles, and what that costs. What comes after a failure is not measured: shrinking and explaining
/// are not of this engine.
pub(in crate::quality) fn needles() -> Table {
    let title =
        format!("twenty needles of five kinds among forty tests, nothing optimised, {NEEDLE_RUNS} runs");
    let mut table = Table::new(title, &["run", "found", "found without", "without", "with", "times"]);
    let new = Newcomer::new();
    let ways: [&[(&str, &str)]; 2] = [&[("PROBITY_CONCOLIC", "off")], &[]];
    let mut ratios = Vec::new();
    for n in 1..=NEEDLE_RUNS {
        let [(without, seconds_without), (with, seconds)] = ways.map(|way| {
            let env = [way, &[("PROBITY_EXPLAIN", "off"), ("PROBITY_MAX_SHRINK", "0")]].concat();
            let before = process::processor_seconds();
            let ran = new.run(new.program("needles"), &env);
            let is_found =
                |it: &&str| it.starts_with("test ") && it.contains("::needle_") && it.ends_with("FAILED");
            (ran.stdout.lines().filter(is_found).count(), process::processor_seconds() - before)
        });
        let ratio = seconds / seconds_without;
        ratios.push(ratio);
        let times = [seconds_without, seconds].map(|it| format!("{it:.2} s"));
        let cells = vec![n.to_string(), format!("{with}/20"), format!("{without}/20")];
        let cells = [cells, times.to_vec(), vec![format!("{ratio:.2}")]].concat();
        table.row(cells, format!("{NEEDLES_FOUND} found"), Some(with >= NEEDLES_FOUND));
    }
    let ratio = median(ratios);
    let mut cells = vec!["times, median".to_string()];
    cells.resize(5, String::new());
    cells.push(format!("{ratio:.2}"));
    table.row(cells, format!("<= {NEEDLES_RATIO}"), Some(ratio <= NEEDLES_RATIO));
    table
}
