//! Property suites of three crates, written with other libraries and ported to Probity: lines, time, findings.

use std::fs;
use std::process::ExitCode;
use std::time::Instant;

use crate::cargo;
use crate::quality::table::Table;

const MANIFEST: &str = "peers/ports/Cargo.toml";
const CRATES: [(&str, &str); 3] =
    [("humantime", "quickcheck"), ("semver", "proptest"), ("smallvec", "proptest")];
/// The same number for all, so that times compare.
const CASES: &str = "1000";
const VARS: [(&str, &str); 7] = [
    ("PROBITY_CASES", CASES),
    ("PROBITY_SEED", "7"),
    ("PROBITY_STORE", "false"),
    ("PROPTEST_CASES", CASES),
    // Its default, 1024 for all cases, is as many as a test with 1000 cases rejects that assumes what half of them have.
    ("PROPTEST_MAX_GLOBAL_REJECTS", "100000"),
    ("PROPTEST_FAILURE_PERSISTENCE", "off"),
    ("QUICKCHECK_TESTS", CASES),
];

/// One test file, and how its run went.
struct Suite {
    lines: usize,
    seconds: f64,
    tests: Vec<String>,
    failing: Vec<String>,
}

/// Runs all suites in debug builds. A port misses its target where it tests less or finds less.
/// Lines and times have no target: they are what a reader wants to compare.
pub(crate) fn run(json: bool) -> ExitCode {
    let build = ["test", "--manifest-path", MANIFEST, "--no-run"];
    let status = cargo::announce(&build, &[]).status().expect("cargo can be run");
    if !status.success() {
        return cargo::code(status);
    }
    let title = format!("property suites of three crates, {CASES} cases for each test, debug, one thread");
    let columns = ["crate", "written with", "tests", "lines", "seconds", "findings"];
    let mut table = Table::new(title, &columns);
    for (name, library) in CRATES {
        let original = suite(&format!("{name}_original"));
        let port = suite(&format!("{name}_port"));
        table.row(cells(name, library, &original), "", None);
        let met = port.tests == original.tests && original.failing.iter().all(|it| port.failing.contains(it));
        table.row(cells(name, "probity", &port), "same tests, no finding less", Some(met));
    }
    print!("{}", if json { table.json() } else { table.text() });
    if table.missed() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn cells(name: &str, library: &str, it: &Suite) -> Vec<String> {
    let findings = if it.failing.is_empty() { "none".to_string() } else { it.failing.join(", ") };
    let figures = [it.tests.len().to_string(), it.lines.to_string(), format!("{:.2}", it.seconds)];
    [vec![name.to_string(), library.to_string()], figures.to_vec(), vec![findings]].concat()
}

fn suite(name: &str) -> Suite {
    let path = cargo::root().join(format!("peers/ports/tests/{name}.rs"));
    let lines = code_lines(&fs::read_to_string(path).expect("every suite has its file"));
    let args = [
        "test",
        "--quiet",
        "--manifest-path",
        MANIFEST,
        "--test",
        name,
        "--",
        "--test-threads=1",
        "--format=pretty",
    ];
    let start = Instant::now();
    let output = cargo::silent(&args, &VARS).output().expect("cargo can be run");
    let seconds = start.elapsed().as_secs_f64();
    let text = String::from_utf8_lossy(&output.stdout);
    let (tests, failing) = results(&text);
    assert!(!tests.is_empty(), "{name} ran nothing:\n{text}{}", String::from_utf8_lossy(&output.stderr));
    Suite { lines, seconds, tests, failing }
}

/// Lines that are neither empty nor comments.
fn code_lines(text: &str) -> usize {
    text.lines().map(str::trim).filter(|it| !it.is_empty() && !it.starts_with("//")).count()
}

/// The names of all tests that a harness ran, and of those that failed, sorted.
fn results(text: &str) -> (Vec<String>, Vec<String>) {
    let (mut all, mut failing) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let Some((name, how)) = line.strip_prefix("test ").and_then(|it| it.split_once(" ... ")) else {
            continue;
        };
        all.push(name.to_string());
        if how.contains("FAILED") {
            failing.push(name.to_string());
        }
    }
    all.sort();
    failing.sort();
    (all, failing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_results_are_counted() {
        assert_eq!(code_lines("//! a\n\nuse b;\n    // c\nfn d() {}\n"), 2);
        let (all, failing) =
            results("running 2 tests\ntest b ... FAILED\ntest a ... ok\n\ntest result: FAILED.\n");
        assert_eq!((all, failing), (vec!["a".to_string(), "b".to_string()], vec!["b".to_string()]));
    }
}
