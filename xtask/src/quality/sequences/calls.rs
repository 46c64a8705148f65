//! Tables of calls: types of other crates run clean, broken laws are named, and what is printed as a test is one.

use std::fs;
use std::path::PathBuf;
use std::process::Output;
use std::time::Instant;

use super::super::table::Table;
use crate::cargo;

/// The package that has the tables, for its dependencies.
const PACKAGE: &str = "peers/written";
const SEEDS: usize = 20;
/// Tables of foreign types.
const FOREIGN: [&str; 5] = ["vec_deque", "btree_map", "small_vec", "index_map", "binary_heap"];
/// Tables of types that break a law, with what a report must say.
const LAWS: [(&str, [&str; 2]); 4] = [
    ("release", ["failure: Ord: ", "\n  release0 = Release {"]),
    ("header", ["failure: Hash: ", "\n  header0 = Header("]),
    ("forgetful", ["failure: Clone: ", "\n  forgetful0 = Forgetful("]),
    ("sparse", ["failure: Iterator: size_hint says ", " items\n"]),
];
/// All tables that fail.
const BROKEN: [&str; 10] =
    ["release", "header", "forgetful", "sparse", "moody", "price", "slots", "names", "deque", "quiet"];
/// The crate that printed tests are pasted into.
const MANIFEST: &str =
    "[package]\nname = \"pasted\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n";
const HEAD: &str = "#![allow(unused)]\nuse std::collections::VecDeque;\n\nuse pasted::*;\n";

/// Tables of foreign types pass: each panic is a documented one.
pub(crate) fn foreign() -> Table {
    let mut table =
        Table::new("tables of calls of foreign types, default run", &["type", "seconds", "passes"]);
    for name in FOREIGN {
        run_tables("tables", &[name, "--list"], "1"); // builds it, so that the time is that of the test
        let start = Instant::now();
        let passes = says(&run_tables("tables", &[name], "1"), &format!("test {name} ... ok"));
        let seconds = format!("{:.1}", start.elapsed().as_secs_f64());
        table.row(vec![name.to_string(), seconds, passes.to_string()], "passes", Some(passes));
    }
    table
}

/// A broken law is named, with the values that break it.
pub(crate) fn laws() -> Table {
    let mut table = Table::new(
        format!("types that break a law, {SEEDS} seeds, default run"),
        &["type", "named with values"],
    );
    let mut named = [0; LAWS.len()];
    for seed in 1..=SEEDS {
        let run = run_tables("broken", &LAWS.map(|it| it.0), &seed.to_string());
        for (count, (name, texts)) in named.iter_mut().zip(LAWS) {
            let report = report(&run, name);
            *count += usize::from(texts.iter().all(|it| report.contains(it)));
        }
    }
    for (count, (name, _)) in named.into_iter().zip(LAWS) {
        let cells = vec![name.to_string(), format!("{count}/{SEEDS}")];
        table.row(cells, format!("{SEEDS} of {SEEDS}"), Some(count == SEEDS));
    }
    table
}

/// The test that a report prints compiles and fails in a crate that has nothing but the type.
pub(crate) fn pasted() -> Table {
    let mut table =
        Table::new("printed tests, pasted into a fresh crate", &["table", "lines", "compiles and fails"]);
    let run = run_tables("broken", &BROKEN, "1");
    let tests = BROKEN.map(|name| printed_test(&report(&run, name)).unwrap_or_default());
    let folder = cargo::root().join("target/pasted");
    let types = cargo::root().join(PACKAGE).join("src/broken.rs");
    let write = |path: &str, text: &str| {
        let path: PathBuf = folder.join(path);
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("`target` can be written to");
        fs::write(path, text).expect("`target` can be written to");
    };
    write("Cargo.toml", MANIFEST);
    write("src/lib.rs", &fs::read_to_string(types).expect("the types are there"));
    write("tests/pasted.rs", &format!("{HEAD}\n{}", tests.join("\n")));
    let args =
        ["test", "--quiet", "--offline", "--manifest-path", "target/pasted/Cargo.toml", "--test", "pasted"];
    let args = [&args[..], &["--", "--format=pretty"]].concat();
    let output = cargo::silent(&args, &[("RUST_BACKTRACE", "0")]).output().expect("cargo can be run");
    if output.stdout.is_empty() {
        eprint!("{}", String::from_utf8_lossy(&output.stderr));
    }
    for (name, test) in BROKEN.iter().zip(&tests) {
        let attribute = if test.contains("#[should_panic]") { " - should panic" } else { "" };
        let fails = says(&output, &format!("test {name}_fails{attribute} ... FAILED"));
        let cells = vec![name.to_string(), test.lines().count().to_string(), fails.to_string()];
        table.row(cells, "compiles and fails", Some(fails));
    }
    table
}

/// Runs tables of the package by their names.
fn run_tables(file: &str, names: &[&str], seed: &str) -> Output {
    let manifest = format!("{PACKAGE}/Cargo.toml");
    let args = ["test", "--quiet", "--locked", "--manifest-path", &manifest, "--test", file, "--"];
    let args = [&args[..], &["--include-ignored", "--exact", "--format=pretty"], names].concat();
    let vars = [("PROBITY_SEED", seed), ("PROBITY_STORE", "false"), ("RUST_BACKTRACE", "0")];
    let output = cargo::silent(&args, &vars).output().expect("cargo can be run");
    if output.stdout.is_empty() {
        eprint!("{}", String::from_utf8_lossy(&output.stderr));
    }
    output
}

fn says(run: &Output, line: &str) -> bool {
    String::from_utf8_lossy(&run.stdout).lines().any(|it| it == line)
}

/// What a test that failed printed.
fn report(run: &Output, name: &str) -> String {
    let output = String::from_utf8_lossy(&run.stdout);
    let from = output.split_once(&format!("---- {name} stdout ----\n")).map_or("", |it| it.1);
    from.split("\n---- ").next().unwrap_or_default().to_string()
}

/// The test in a report.
fn printed_test(report: &str) -> Option<String> {
    let (_, from) = report.split_once("as a test:\n")?;
    let (test, _) = from.split_once("\n}\n")?;
    Some(format!("{test}\n}}\n"))
}
