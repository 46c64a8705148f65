//! Quality tables: figures with their targets beside them.

mod backends;
mod campaign;
mod command;
mod concolic;
// It has an example, whose tests run with their crate; once is enough.
#[cfg(not(test))]
mod contracts;
mod coverage;
mod default;
mod exhaustive;
mod explain;
mod find;
mod models;
mod patterns;
mod process;
mod proofs;
mod readers;
mod sequences;
mod shrink;
mod specs;
mod suite;
pub(crate) mod table;
mod tables;
// It is made of examples, whose tests run with their crate; once is enough.
#[cfg(not(test))]
mod targeted;
mod trust;
mod write;

use std::process::ExitCode;
use std::sync::Once;

use probity_core::context;

use table::Table;

pub(crate) type Measure = fn() -> Table;

/// The tables whose parts can be chosen, with them by name; several tables may be one part.
const IN_PARTS: &[(&str, &[(&str, Measure)])] = &[
    ("campaign", campaign::PARTS),
    (CONCOLIC, concolic::SECTIONS),
    ("default", default::SECTIONS),
    #[cfg(not(test))]
    ("contracts", contracts::PARTS),
    ("coverage", coverage::PARTS),
];
const CONCOLIC: &str = "concolic";

/// The tables by name.
const TABLES: &[(&str, &[Measure])] = &[
    ("backends", backends::TABLES),
    ("campaign", &[]),
    ("command", &[command::table]),
    (CONCOLIC, &[]),
    #[cfg(not(test))]
    ("contracts", &[]),
    ("coverage", &[]),
    ("default", &[]),
    ("exhaustive", exhaustive::TABLES),
    ("explain", explain::TABLES),
    ("find", &[find::table]),
    ("models", &[models::table]),
    ("patterns", patterns::TABLES),
    ("proofs", proofs::TABLES),
    ("readers", &[readers::table]),
    ("sequences", sequences::TABLES),
    ("shrink", &[shrink::table]),
    ("specs", specs::TABLES),
    ("suite", &[suite::table]),
    ("tables", tables::TABLES),
    #[cfg(not(test))]
    ("targeted", targeted::TABLES),
    ("trust", trust::TABLES),
    ("write", write::TABLES),
];

/// Prints the tables that the first of `words` names; fails when a target is missed.
pub(crate) fn run(words: &[&str]) -> Result<ExitCode, String> {
    let names: Vec<&str> = TABLES.iter().map(|it| it.0).collect();
    let names = names.join(", ");
    let Some((name, options)) = words.split_first() else {
        return Err(format!("`quality` needs the name of a table; choose one of: {names}"));
    };
    let (measures, json) = if let Some((_, parts)) = IN_PARTS.iter().find(|it| it.0 == *name) {
        sections(name, parts, options)?
    } else {
        let Some((_, measures)) = TABLES.iter().find(|it| it.0 == *name) else {
            return Err(format!("there is no quality table `{name}`; choose one of: {names}"));
        };
        let json = match options {
            [] => false,
            ["--json"] => true,
            [other, ..] => {
                return Err(format!("`quality {name}` has no option `{other}`; it takes only --json"));
            }
        };
        (measures.to_vec(), json)
    };
    let mut missed = 0;
    for measure in measures {
        let table = measure();
        print!("{}", if json { table.json() } else { table.text() });
        missed += table.missed();
    }
    Ok(if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The parts of a table that are asked for, and whether as JSON.
fn sections(name: &str, parts: &[(&str, Measure)], options: &[&str]) -> Result<(Vec<Measure>, bool), String> {
    let mut known: Vec<&str> = parts.iter().map(|it| it.0).collect();
    known.dedup();
    let (mut wanted, mut json) = (known.clone(), false);
    let mut options = options.iter();
    while let Some(option) = options.next() {
        match *option {
            "--json" => json = true,
            "--only" => wanted = options.next().map(|it| it.split(',').collect()).unwrap_or_default(),
            other => {
                return Err(format!("`quality {name}` has no option `{other}`; it takes --json and --only"));
            }
        }
    }
    let mut res = Vec::new();
    for name in wanted {
        if !known.contains(&name) {
            let known = known.join(", ");
            return Err(format!("`--only` needs parts, with commas between them: {known}; not `{name}`"));
        }
        res.extend(parts.iter().filter(|it| it.0 == name).map(|it| it.1));
    }
    Ok((res, json))
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
