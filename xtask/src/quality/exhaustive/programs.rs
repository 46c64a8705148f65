//! Random programs of generators: what the engine visits is what there is, and no more is claimed than is true.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::grouped;
use crate::quality::{silence_cases, table::Table};

#[path = "../../../../crates/core/tests/it/programs/mod.rs"]
mod generated;

use generated::Gen;

/// How many programs are tried.
const PROGRAMS: u64 = 2_000;

/// What a program has, by name.
type Kind = (&'static str, fn(&Gen) -> bool);

const KINDS: [Kind; 7] = [
    ("all", |_| true),
    ("contain themselves", |it| matches!(it, Gen::Whole)),
    ("sets and maps", |it| matches!(it, Gen::Set(..) | Gen::Map(..) | Gen::Unique(..))),
    ("lazy parts", |it| matches!(it, Gen::Lazy(..) | Gen::FirstOdd(..) | Gen::Sorted(..))),
    ("filters", |it| matches!(it, Gen::Filter(..))),
    ("neighbours", |it| matches!(it, Gen::Neighbor(_))),
    ("floats", |it| matches!(it, Gen::Float)),
];

pub(super) fn table() -> Table {
    let columns = ["programs that have", "programs", "inputs compared", "sizes counted", "complete", "wrong"];
    let mut table = Table::new("random programs, against all their values listed by hand", &columns);
    silence_cases();
    let mut rows = [[0u64; 5]; KINDS.len()];
    let mut first = None;
    for seed in 0..PROGRAMS {
        let program = generated::program(seed);
        let checked = catch_unwind(AssertUnwindSafe(|| generated::check(&program)));
        for (row, _) in rows.iter_mut().zip(KINDS).filter(|(_, kind)| program.has(&kind.1)) {
            row[0] += 1;
            match &checked {
                Ok(it) => {
                    row[1] += it.inputs;
                    row[2] += it.counted;
                    row[3] += u64::from(it.complete);
                }
                Err(_) => row[4] += 1,
            }
        }
        if checked.is_err() && first.is_none() {
            first = Some(format!("program {seed} is wrong: {program:?}"));
        }
    }
    for (row, (name, _)) in rows.into_iter().zip(KINDS) {
        let cells = [name.to_string()].into_iter().chain(row.map(grouped)).collect();
        table.row(cells, "0 wrong", Some(row[4] == 0));
    }
    if let Some(first) = first {
        table.row([vec![first], vec![String::new(); 5]].concat(), "none", Some(false));
    }
    table
}
