//! Which stages of the built-in solver settle the queries of the paper's loop. A stage that never has a part goes.

use probity_lang::files;
use probity_models::solve::builtin::{Builtin, Stages};
use probity_models::solve::{Answer, Effort, Solver};
use probity_spec::Request;
use probity_spec::flat::{Bounds, Flat};

use crate::cargo;
use crate::quality::models;
use crate::quality::table::Table;

/// This many models of each request are asked for.
const MODELS: usize = 20;
/// A query is given up after this many questions whether to stop.
const ASKED_MAX: u64 = 1_000_000;

/// Lists and texts of which the parts say little by themselves: what the order of choices and implied requirements
/// are for. Without them these take 7 to 130 times as long.
const LISTS_AND_TEXTS: [(&str, &str); 5] = [
    (
        "sorted and distinct",
        "(declare xs ?(List (Integer 0 15) 15 15)) (require (sorted xs)) (require (distinct xs))",
    ),
    (
        "sorted and distinct, too many",
        "(declare xs ?(List (Integer 0 15) 18 18)) (require (sorted xs)) (require (distinct xs))",
    ),
    (
        "sorted and distinct with a sum",
        "(declare xs ?(List (Integer 0 100) 10 10)) (require (sorted xs)) (require (distinct xs))
         (require (= (sum xs) 300))",
    ),
    (
        "one after the other",
        "(declare a ?String) (declare b ?String) (require (matches a #rx\"[a-z]{1,5}\"))
         (require (matches b #rx\"[0-9]{1,5}\")) (require (matches (string-append a b) #rx\"[a-c]+[0-3]+\"))",
    ),
    (
        "edit distance",
        "(declare a ?String) (declare b ?String) (declare n ?(Integer 0 9)) (require (matches a #rx\"[a-z]{3,8}\"))
         (require (matches b #rx\"[a-z]{3,8}\")) (require (= n (edit-distance a b)))",
    ),
];

/// Whole numbers that fit in few ways or in none: what SAT is for.
const PUZZLES: [(&str, &str); 2] = [
    ("more pigeons than holes", "(declare xs ?(List (Integer 0 7) 9 9)) (require (distinct xs))"),
    (
        "a difference of squares",
        "(declare a ?(Integer 2 100000)) (declare b ?(Integer 2 100000)) (require (< a b))
         (require (= (- (* b b) (* a a)) 99999989))",
    ),
];

pub(super) fn table() -> Table {
    let title = format!("the built-in solver: what settles queries for up to {MODELS} models of each");
    let columns = [
        "requests",
        "queries",
        "propagation",
        "search",
        "SAT",
        "implied",
        "numbers late",
        "wholes first",
        "components",
        "taken back",
        "not settled",
    ];
    let mut table = Table::new(title, &columns);
    let random = super::puzzles().into_iter().map(|it| it.0.request).collect();
    let read = |outlines: &[(&str, &str)]| outlines.iter().map(|it| models::request(it.0, it.1)).collect();
    let mut all = Stages::default();
    let rows: [(&str, Vec<Request>); 5] = [
        ("random specs", random),
        ("programs", programs()),
        ("requirements between fields", read(&models::OUTLINES)),
        ("lists and texts", read(&LISTS_AND_TEXTS)),
        ("puzzles", read(&PUZZLES)),
    ];
    for (name, requests) in rows {
        let (mut stages, mut open) = (Stages::default(), 0);
        requests.iter().for_each(|it| open += u64::from(!solve(it, &mut stages)));
        add(&mut all, &stages);
        row(&mut table, name, &stages, open);
    }
    let Stages { propagation, search, sat, implied, late, wholes_first, components, .. } = all;
    let least = [propagation, search, sat, implied, late, wholes_first, components].into_iter().min();
    let mut cells = vec!["the least of all columns".to_string(), least.unwrap_or(0).to_string()];
    cells.resize(columns.len(), String::new());
    table.row(cells, "no stage is idle", Some(least > Some(0)));
    table
}

fn row(table: &mut Table, name: &str, it: &Stages, open: u64) {
    let queries = it.propagation + it.search + it.sat;
    let counts = [
        queries,
        it.propagation,
        it.search,
        it.sat,
        it.implied,
        it.late,
        it.wholes_first,
        it.components,
        it.rejected,
        open,
    ];
    let cells = [name.to_string()].into_iter().chain(counts.map(|it| it.to_string())).collect();
    table.row(cells, "", None);
}

fn add(all: &mut Stages, it: &Stages) {
    all.propagation += it.propagation;
    all.search += it.search;
    all.sat += it.sat;
    all.implied += it.implied;
    all.late += it.late;
    all.wholes_first += it.wholes_first;
    all.components += it.components;
}

/// What the programs that come with the language ask for.
fn programs() -> Vec<Request> {
    let folder = cargo::root().join("crates/lang/programs");
    let entries = std::fs::read_dir(folder).expect("our folders are readable");
    let mut paths: Vec<_> = entries.map(|it| it.expect("our folders are readable").path()).collect();
    paths.sort();
    let mut requests = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("our files are readable text");
        let name = path.to_string_lossy();
        let read = if name.ends_with(".json") {
            files::read(&name, &text)
        } else {
            probity_lang::read(&name, &text, &|_| Err("no tables here".to_string()))
        };
        let program = read.unwrap_or_else(|it| panic!("{name}: {it:?}"));
        requests.extend(program.outlines.into_iter().map(|it| it.request));
    }
    requests
}

/// Asks for one model after the other, each different from those before; whether every query was settled.
fn solve(request: &Request, stages: &mut Stages) -> bool {
    // What cannot be lowered is for plans alone.
    let Ok(flat) = Flat::of(&request.spec, &request.difference, &Bounds::default()) else { return true };
    let mut solver = Builtin::new(&flat.slots);
    flat.requires.iter().for_each(|it| solver.require(it));
    let mut settled = true;
    for seed in 0..MODELS as u64 {
        let asked = std::cell::Cell::new(0);
        let stop = || {
            asked.set(asked.get() + 1);
            asked.get() > ASKED_MAX
        };
        match solver.solve(&Effort { stop: &stop, millis: 5_000, seed }) {
            Answer::Sat(scalars) => match flat.model(&scalars) {
                Some(model) => solver.require(&flat.differs_from(&model)),
                None => break,
            },
            Answer::Unsat => break,
            Answer::Unknown(_) => {
                settled = false;
                break;
            }
        }
    }
    let it = solver.stages;
    add(stages, &it);
    stages.rejected += it.rejected;
    settled
}
