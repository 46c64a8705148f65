//! Random specs against brute force: with plans, with the built-in solver alone, with an SMT solver.

#[path = "../../../crates/models/tests/it/random.rs"]
mod random;
mod stages;

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use probity_core::{from, sample};
use probity_models::{Generated, Options, SolverChoice, Total, generate};
use probity_spec::{Model, Request};

use super::table::Table;
use random::{Puzzle, Truth};

/// This many specs are compared.
const SPECS: usize = 300;
/// This many of them at most have no model.
const EMPTY_MAX: usize = 50;

pub(crate) const TABLES: &[super::Measure] = &[table, stages::table];

fn table() -> Table {
    let title = format!("{SPECS} random specs: is the generated set the largest that brute force finds?");
    let columns =
        ["solver", "specs", "models", "largest set", "unsatisfiable", "disagree", "not settled", "time"];
    let mut table = Table::new(title, &columns);
    let puzzles = puzzles();
    measure(&mut table, "plans and built-in", &puzzles, &Options::default());
    measure(&mut table, "built-in alone", &puzzles, &Options { plan: false, ..Options::default() });
    match super::tables::solver() {
        Some(program) => {
            let solver = SolverChoice::Smt { program: program.clone(), transcript: None };
            measure(
                &mut table,
                &format!("{program} alone"),
                &puzzles,
                &Options { plan: false, solver, ..Options::default() },
            );
        }
        None => {
            let cells = ["SMT", "none found: set PROBITY_SOLVER", "", "", "", "", "", ""];
            table.row(cells.map(String::from).to_vec(), "0 and 0", None);
        }
    }
    table
}

/// Specs that brute force can settle, from the seeds 0, 1, 2, …
fn puzzles() -> Vec<(Puzzle, Truth)> {
    let mut res = Vec::new();
    let (mut seed, mut empty) = (0, 0);
    while res.len() < SPECS {
        let puzzle = sample(&from(Puzzle::draw), seed);
        seed += 1;
        let Some(truth) = puzzle.truth() else { continue };
        empty += usize::from(truth.models == 0);
        if truth.models > 0 || empty <= EMPTY_MAX {
            res.push((puzzle, truth));
        }
    }
    res
}

fn measure(table: &mut Table, name: &str, puzzles: &[(Puzzle, Truth)], options: &Options) {
    let (mut disagree, mut open) = (0, 0);
    let mut time = Duration::ZERO;
    for (puzzle, truth) in puzzles {
        let request = Request { n: truth.largest + 1, ..puzzle.request.clone() };
        let mut models: Vec<Model> = Vec::new();
        let start = Instant::now();
        let generated = generate(&request, options, &mut |it| {
            models.push(it);
            ControlFlow::Continue(())
        });
        time += start.elapsed();
        match generated {
            Ok(Generated { total: Total::AtLeast(..), .. }) => open += 1,
            Ok(generated) => {
                let largest = generated.total == Total::Exactly(truth.largest.into());
                disagree +=
                    usize::from(!largest || models.len() != truth.largest || !are_good(&request, &models));
            }
            Err(_) => disagree += 1,
        }
    }
    let models: usize = puzzles.iter().map(|it| it.1.models).sum();
    let largest = puzzles.iter().map(|it| it.1.largest).max().unwrap_or(0);
    let empty = puzzles.iter().filter(|it| it.1.largest == 0).count();
    let counts = [puzzles.len(), models, largest, empty, disagree, open].map(|it| it.to_string());
    let mut cells = vec![name.to_string()];
    cells.extend(counts);
    cells.push(format!("{:.1} s", time.as_secs_f64()));
    table.row(cells, "0 disagree, 0 open", Some(disagree == 0 && open == 0));
}

/// Whether all are legal and every pair differs.
fn are_good(request: &Request, models: &[Model]) -> bool {
    models.iter().all(|it| request.admits(it).is_ok())
        && (0..models.len()).all(|at| models[..at].iter().all(|it| request.differ(it, &models[at])))
}
