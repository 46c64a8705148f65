//! What `probity write` and `probity api` write for crates from the registry: does it compile, does it run, does it find a
//! planted mistake between an encoder and its decoder?

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use super::Measure;
use super::table::Table;
use crate::cargo;

pub(crate) const TABLES: &[Measure] = &[tests, planted, calls];

/// The package that depends on what tests are written for.
const PACKAGE: &str = "peers/written";
/// Modules of crates from the registry, by lines of the table.
const MODULES: [&str; 6] =
    ["hex", "humantime", "miniz_oxide::deflate", "semver", "urlencoding", "percent_encoding"];
/// Modules of the package with a planted mistake, and the test that finds it.
const PLANTED: [(&str, &str); 3] = [
    ("src/escapes.rs", "unescape_undoes_escape"),
    ("src/runs.rs", "decompress_undoes_compress"),
    ("src/varints.rs", "decode_undoes_encode"),
];
/// Types whose calls are written, with what their parameters are.
const TYPES: [(&str, &str); 5] = [
    ("semver::Version", ""),
    ("smallvec::SmallVec", "A=[u8; 4]"),
    ("indexmap::IndexMap", ""),
    ("indexmap::IndexSet", ""),
    ("humantime::Duration", ""),
];
/// Seeds of the runs that look for planted mistakes.
const SEEDS: usize = 20;

/// Tests of modules from the registry compile, run, and find nothing.
fn tests() -> Table {
    let command = build();
    let mut table = Table::new(
        "what `probity write` writes for crates from the registry",
        &["module", "tests", "round trips", "passed", "failed"],
    );
    for module in MODULES {
        let Some(text) = write(&command, "write", &[module]) else {
            table.row(cells(module, &["-", "-", "-", "-"]), "written", Some(false));
            continue;
        };
        let file = OutsideTests::put(module, &text);
        let run = file.run("7");
        let (passed, failed) = (count(&run, "... ok"), count(&run, "... FAILED"));
        let tests = text.matches("#[probity::test]").count();
        let trips = text.matches("_undoes_").count()
            + text.matches("_as_written(").count()
            + text.matches("_is_back_from_").count();
        let figures = [tests, trips, passed, failed].map(|it| it.to_string());
        let figures: Vec<&str> = figures.iter().map(String::as_str).collect();
        table.row(cells(module, &figures), "all compile and pass", Some(tests > 0 && passed == tests));
    }
    table
}

/// Tests of pairs with a planted mistake find it.
fn planted() -> Table {
    let command = build();
    let title = format!("planted mistakes between encoder and decoder, {SEEDS} seeds, default run");
    let mut table = Table::new(title, &["module", "found", "false alarms"]);
    for (module, test) in PLANTED {
        let text = write(&command, "write", &[module]).unwrap_or_default();
        let file = OutsideTests::put(module, &text);
        let (mut found, mut others) = (0, 0);
        for seed in 1..=SEEDS {
            let run = file.run(&seed.to_string());
            let output = String::from_utf8_lossy(&run.stdout).into_owned();
            let is_found = output.contains(&format!("test {test} ... FAILED"));
            found += usize::from(is_found);
            others += count(&run, "... FAILED") - usize::from(is_found);
        }
        let figures = [found.to_string(), others.to_string()];
        let target = format!("{SEEDS} of {SEEDS}, no other");
        let met = found == SEEDS && others == 0;
        table.row(cells(module, &[&figures[0], &figures[1]]), target, Some(met));
    }
    table
}

/// Tables of calls compile: every call has the types that the table says.
fn calls() -> Table {
    let command = build();
    let mut table = Table::new(
        "what `probity api` writes for types from the registry",
        &["type", "calls", "left out", "panics if"],
    );
    for (ty, parameter) in TYPES {
        let args = if parameter.is_empty() { vec![ty] } else { vec![ty, "--type", parameter] };
        let text = write(&command, "api", &args).unwrap_or_default();
        let (table_text, rest) = text.split_once("// Left out:\n").unwrap_or((&text, ""));
        let n = table_text.matches("        fn ").count();
        let built = OutsideTests::put(&format!("api_{ty}"), &text).build();
        let figures =
            [n, rest.lines().count(), text.matches(", panics if ").count()].map(|it| it.to_string());
        let figures: Vec<&str> = figures.iter().map(String::as_str).collect();
        table.row(cells(ty, &figures), "all calls compile", Some(n > 0 && built.status.success()));
    }
    table
}

fn cells(name: &str, figures: &[&str]) -> Vec<String> {
    [name].iter().chain(figures).map(ToString::to_string).collect()
}

/// The command, and all that the package depends on.
fn build() -> PathBuf {
    let status = cargo::silent(&["build", "--release", "--quiet", "-p", "cargo-probity"], &[]).status();
    assert!(status.is_ok_and(|it| it.success()), "the command builds");
    let manifest = format!("{PACKAGE}/Cargo.toml");
    let fetch = cargo::silent(&["fetch", "--quiet", "--locked", "--manifest-path", &manifest], &[]).status();
    assert!(fetch.is_ok_and(|it| it.success()), "the crates can be had");
    cargo::root().join("target/release/probity")
}

/// What the command writes.
fn write(command: &PathBuf, name: &str, args: &[&str]) -> Option<String> {
    let output = Command::new(command).arg(name).args(args).current_dir(cargo::root().join(PACKAGE)).output();
    let output = output.expect("the command was built");
    if !output.status.success() {
        eprint!("{}", String::from_utf8_lossy(&output.stderr));
    }
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// How many tests ended so.
fn count(run: &Output, how: &str) -> usize {
    String::from_utf8_lossy(&run.stdout)
        .lines()
        .filter(|it| it.starts_with("test ") && it.ends_with(how))
        .count()
}

/// A file of tests in the package, removed at the end.
struct OutsideTests {
    name: String,
}

impl OutsideTests {
    fn put(name: &str, text: &str) -> OutsideTests {
        let name = format!("of_{}", name.replace(|it: char| !it.is_alphanumeric(), "_").to_lowercase());
        let res = OutsideTests { name };
        fs::create_dir_all(res.path().parent().expect("it is in a folder"))
            .expect("the package can be written to");
        fs::write(res.path(), text).expect("the package can be written to");
        res
    }

    fn path(&self) -> PathBuf {
        cargo::root().join(PACKAGE).join("tests").join(format!("{}.rs", self.name))
    }

    /// Compiles and runs it.
    fn run(&self, seed: &str) -> Output {
        self.cargo_test(&["--", "--format=pretty"], seed)
    }

    /// Compiles it.
    fn build(&self) -> Output {
        self.cargo_test(&["--no-run"], "")
    }

    fn cargo_test(&self, more: &[&str], seed: &str) -> Output {
        let manifest = format!("{PACKAGE}/Cargo.toml");
        let args = ["test", "--quiet", "--locked", "--manifest-path", &manifest, "--test", &self.name];
        let vars = [("PROBITY_SEED", seed), ("PROBITY_STORE", "false"), ("RUST_BACKTRACE", "0")];
        let args = [&args, more].concat();
        let output = cargo::silent(&args, &vars).output().expect("cargo can be run");
        if output.stdout.is_empty() {
            eprint!("{}", String::from_utf8_lossy(&output.stderr));
        }
        output
    }
}

impl Drop for OutsideTests {
    fn drop(&mut self) {
        let _ = fs::remove_file(self.path());
    }
}
