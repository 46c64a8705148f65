//! What the engine has to solve from nothing: each row stands for all code that looks like it, in two forms.

mod data;
mod numbers;
mod structures;
mod texts;

use probity::{Source, Value};

/// A test that fails for few inputs, one of which is known.
pub struct Puzzle {
    /// Its own name.
    pub name: &'static str,
    /// What it is one of.
    pub row: &'static str,
    /// The test.
    pub test: fn(&mut Source),
    /// Answers for which it fails.
    pub known: fn() -> Vec<Value>,
}

/// All of them, row by row.
pub fn puzzles() -> Vec<Puzzle> {
    let rows = [numbers::PUZZLES, texts::PUZZLES, structures::PUZZLES, data::PUZZLES];
    let mut res = Vec::new();
    for &(row, name, test, known) in rows.iter().flat_map(|it| it.iter()) {
        res.push(Puzzle { name, row, test, known });
    }
    res
}

/// A row, a name, a test and answers for which it fails.
type Entry = (&'static str, &'static str, fn(&mut Source), fn() -> Vec<Value>);
