//! The command from a cold start: the calendar program, 100 inputs, built for release.

use std::process::{Command, Stdio};
use std::time::Instant;

use super::table::Table;
use crate::cargo;

/// This many starts; the median counts.
const STARTS: usize = 21;
/// Seconds that a start may take.
const TARGET: f64 = 0.2;

pub(crate) fn table() -> Table {
    let build = Command::new("cargo")
        .args(["build", "--release", "--quiet", "-p", "cargo-probity"])
        .current_dir(cargo::root())
        .status();
    assert!(build.is_ok_and(|it| it.success()), "the command builds");
    let mut table =
        Table::new("the command from a cold start, release", &["program", "inputs", "median", "worst"]);
    for (program, inputs) in [("calendar.spec", 100), ("calendar.json", 100)] {
        let mut seconds: Vec<f64> = (0..STARTS).map(|_| start(program, inputs)).collect();
        seconds.sort_by(f64::total_cmp);
        let (median, worst) = (seconds[STARTS / 2], seconds[STARTS - 1]);
        let cells =
            [program.to_string(), inputs.to_string(), format!("{median:.3} s"), format!("{worst:.3} s")];
        table.row(cells.to_vec(), format!("< {TARGET} s"), Some(median < TARGET));
    }
    table
}

fn start(program: &str, inputs: usize) -> f64 {
    let program = cargo::root().join("crates/lang/programs").join(program);
    let mut command = Command::new(cargo::root().join("target/release/probity"));
    command.arg("generate").arg(program).args(["-n", &inputs.to_string(), "--format", "ndjson"]);
    let start = Instant::now();
    let output = command.stderr(Stdio::null()).output().expect("the command was built");
    let seconds = start.elapsed().as_secs_f64();
    assert_eq!(output.stdout.iter().filter(|it| **it == b'\n').count(), inputs, "all inputs come");
    seconds
}
