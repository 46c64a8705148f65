//! Quality tables: figures with their targets beside them.

mod command;
mod exhaustive;
mod find;
mod models;
mod patterns;
mod shrink;
mod specs;
mod table;
mod tables;
// It is made of examples, whose tests run with their crate; once is enough.
#[cfg(not(test))]
mod targeted;

use std::process::ExitCode;
use std::sync::Once;

use probity_core::context;

use table::Table;

pub(crate) type Measure = fn() -> Table;

/// The tables by name.
const TABLES: &[(&str, &[Measure])] = &[
    ("command", &[command::table]),
    ("exhaustive", exhaustive::TABLES),
    ("find", &[find::table]),
    ("models", &[models::table]),
    ("patterns", patterns::TABLES),
    ("shrink", &[shrink::table]),
    ("specs", &[specs::table]),
    ("tables", tables::TABLES),
    #[cfg(not(test))]
    ("targeted", targeted::TABLES),
];

/// Prints the tables that the first of `words` names; fails when a target is missed.
pub(crate) fn run(words: &[&str]) -> Result<ExitCode, String> {
    let names: Vec<&str> = TABLES.iter().map(|it| it.0).collect();
    let names = names.join(", ");
    let Some((name, options)) = words.split_first() else {
        return Err(format!("`quality` needs the name of a table; choose one of: {names}"));
    };
    let Some((_, measures)) = TABLES.iter().find(|it| it.0 == *name) else {
        return Err(format!("there is no quality table `{name}`; choose one of: {names}"));
    };
    let json = match options {
        [] => false,
        ["--json"] => true,
        [other, ..] => return Err(format!("`quality {name}` has no option `{other}`; it takes only --json")),
    };
    let mut missed = 0;
    for measure in *measures {
        let table = measure();
        print!("{}", if json { table.json() } else { table.text() });
        missed += table.missed();
    }
    Ok(if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Silences the panics of cases from here on, as a search does. Other panics are our own mistakes and are
/// shown.
fn silence_cases() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let shown = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !context::in_case() {
                return shown(info);
            }
            if let Some(place) = info.location() {
                context::panicked_at(place.to_string());
            }
        }));
    });
}
