//! The tests with known answers under every engine: what is found, what is excluded, and why.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use probity_suite::{ENGINES, Engine, Known, Row, rows};

use super::process::{self, in_parallel};
use super::table::Table;
use crate::cargo;

const SEEDS: u64 = 5;
/// What is not ended by then is: the longest search takes two minutes.
const LIMIT: Duration = Duration::from_secs(180);

pub(crate) fn table() -> Table {
    let title = format!("tests with known answers, {SEEDS} seeds each, release; excluded in brackets");
    let mut columns = vec!["test", "known"];
    columns.extend(ENGINES.iter().map(|it| it.name));
    columns.push("why excluded, and what is wrong");
    let mut table = Table::new(title, &columns);
    let program = build();
    let cells: Vec<(&Row, &'static Engine)> =
        rows().flat_map(|row| ENGINES.iter().map(move |it| (row, it))).collect();
    let found = in_parallel(&cells, |(row, engine)| Cell::new(&program, row, engine));
    for (row, cells) in rows().zip(found.chunks(ENGINES.len())) {
        let mut line = vec![row.name.to_string(), known(row)];
        line.extend(cells.iter().map(|it| it.text.clone()));
        line.push(notes(cells));
        table.row(line, "", Some(cells.iter().all(|it| it.met)));
    }
    let count = |at: usize| {
        let column: Vec<&Cell> = found.iter().skip(at).step_by(ENGINES.len()).collect();
        format!("{} of {}", column.iter().filter(|it| it.found * 2 > SEEDS).count(), column.len())
    };
    let mut line = vec!["together".to_string(), String::new()];
    line.extend((0..ENGINES.len()).map(count));
    line.push(String::new());
    table.row(line, "", None);
    table
}

/// What is known of a row, without an input for which it fails.
fn known(row: &Row) -> String {
    let text = format!("{:?}", row.known);
    text.split([',', ' ']).next().unwrap_or_default().to_string()
}

/// One row under one engine.
struct Cell {
    engine: &'static str,
    text: String,
    notes: Vec<String>,
    found: u64,
    met: bool,
}

/// The notes of all engines, where several say the same with one another.
fn notes(cells: &[Cell]) -> String {
    let mut res: Vec<(String, &str)> = Vec::new();
    for cell in cells {
        for note in &cell.notes {
            match res.iter_mut().find(|it| it.1 == note) {
                Some((engines, _)) => *engines = format!("{engines}, {}", cell.engine),
                None => res.push((cell.engine.to_string(), note)),
            }
        }
    }
    res.iter().map(|(engines, note)| format!("{engines}: {note}")).collect::<Vec<_>>().join("; ")
}

impl Cell {
    fn new(program: &PathBuf, row: &Row, engine: &'static Engine) -> Cell {
        let said: Vec<String> = (1..=SEEDS).map(|seed| run(program, row, engine, seed)).collect();
        let found = said.iter().filter(|it| *it == "right").count() as u64;
        let wrong = said.iter().find(|it| *it != "right" && *it != "miss");
        let excluded = engine.excludes(row);
        let mut notes: Vec<String> = excluded.iter().map(ToString::to_string).collect();
        if excluded.is_some() && found == SEEDS && matches!(row.known, Known::Fails { .. }) {
            notes.push("FOUND, so it need not be excluded".to_string());
        }
        notes.extend(wrong.map(|it| format!("WRONG: {it}")));
        let text = format!("{found}/{SEEDS}");
        Cell {
            engine: engine.name,
            text: if excluded.is_some() { format!("({text})") } else { text },
            notes,
            found,
            met: wrong.is_none() && (excluded.is_some() || found * 2 > SEEDS),
        }
    }
}

/// What the program says of one search.
fn run(program: &PathBuf, row: &Row, engine: &Engine, seed: u64) -> String {
    let mut command = Command::new(program);
    command.args([row.name, engine.name, &seed.to_string()]).current_dir(cargo::root());
    let ran = process::run(command, LIMIT);
    if ran.code == Some(0) { ran.stdout.trim().to_string() } else { ran.complaint() }
}

fn build() -> PathBuf {
    let mut build = cargo::silent(&["build", "--release", "--quiet", "-p", "probity-suite"], &[]);
    assert!(build.status().is_ok_and(|it| it.success()), "the suite builds");
    cargo::root().join("target/release/probity-suite")
}
