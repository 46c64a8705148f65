//! Measures solved for instead of counted: Target's loop, which asks an SMT process for one model after the other and refutes
//! what each realised; and random types, by every way there is to their models.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use probity_models::{Encoding, Options, SolverChoice, Total, generate};
use probity_spec::{CountedModels, Difference, Request, Spec, Term, Value};

use super::{MODELS, TREES, shown};
use crate::quality::table::{Table, grouped};

#[path = "../../../../crates/spec/tests/it/random_types.rs"]
mod random_types;

use random_types::{RandomType, RandomTypes};

/// The depths that an SMT process is asked for.
const DEPTHS: [u32; 2] = [3, 4];
/// Milliseconds that it may take for one model.
const MODEL_MILLIS: u64 = 60_000;
/// How many random types are compared.
const TYPES: usize = 500;
/// Types of more models are not solved for: every model takes a solver milliseconds.
const TYPE_MODELS: usize = 200;

/// What came of a loop.
struct SolvedModels {
    found: BTreeSet<Value>,
    handed: usize,
    total: Option<Total>,
    /// Whether the solver's program said that no more exist where there was one.
    is_wrong: bool,
    time: Duration,
}

/// A model of the field `it` at a time, up to `n`.
fn looped(spec: Spec, n: usize, options: &Options) -> SolvedModels {
    let request = Request { spec, difference: Difference::Never, n };
    let (mut found, mut handed) = (BTreeSet::new(), 0);
    let start = Instant::now();
    let made = generate(&request, options, &mut |it| {
        handed += 1;
        found.extend(it.value.field("it").cloned());
        ControlFlow::Continue(())
    });
    let time = start.elapsed();
    let is_wrong = made.as_ref().is_ok_and(|it| it.explanation.iter().any(|it| it.contains("was wrong")));
    SolvedModels { found, handed, total: made.ok().map(|it| it.total), is_wrong, time }
}

/// A spec as the field `it` of an object, with what is required of it.
fn whole(spec: &Spec, more: &[Term], depth: u32) -> Spec {
    let to_field = |it: &Term| (*it == Term::it()).then(|| Term::it().field("it"));
    let whole = Spec::object([("it", spec.clone().within(depth))]);
    more.iter().fold(whole, |spec, it| spec.require(it.rewrite(&to_field)))
}

fn smt(program: &str) -> Options<'static> {
    let solver = SolverChoice::Smt { program: program.to_string(), transcript: None };
    let encoding = Encoding::OneAtATime;
    Options { plan: false, solver, encoding, millis: MODEL_MILLIS, ..Options::default() }
}

/// A row that says so.
fn no_solver(columns: usize) -> Vec<String> {
    let mut cells = vec!["SMT: none found, set PROBITY_SOLVER".to_string()];
    cells.resize(columns, String::new());
    cells
}

/// The same contracts by an SMT process and by counting.
pub(super) fn loops() -> Table {
    let title =
        format!("Target's loop: up to {MODELS} models, each refuted by what it realised; counted beside it");
    let columns =
        ["models", "depth", "total", "found", "by the loop", "counted and drawn", "times", "Target"];
    let mut table = Table::new(title, &columns);
    let Some(program) = crate::quality::tables::solver() else {
        table.row(no_solver(columns.len()), "each once", None);
        return table;
    };
    for (name, make, depths) in TREES {
        for depth in DEPTHS {
            let (spec, more) = make(depth.into());
            let start = Instant::now();
            let counted = CountedModels::new(&spec, &more, depth).unwrap_or_else(|it| panic!("{it}"));
            let wanted = counted.total().min(MODELS.into());
            let drawn = (0..wanted).filter_map(|it| counted.nth(it * (counted.total() / wanted))).count();
            let counting = start.elapsed();
            let asked = if counted.total() < MODELS.into() { wanted + 1 } else { wanted };
            let loops = looped(whole(&spec, &more, depth), asked as usize, &smt(&program));
            let is_whole = asked == wanted || loops.total == Some(Total::Exactly(counted.total().into()));
            let is_right = loops.found.len() as u128 == wanted
                && loops.handed == loops.found.len()
                && drawn as u128 == wanted
                && loops.found.iter().all(|it| super::is_model(&spec, &more, it));
            let times = loops.time.as_secs_f64() / counting.as_secs_f64();
            let target = depths.iter().find(|it| it.0 == depth).and_then(|it| it.2);
            let cells = vec![
                name.to_string(),
                depth.to_string(),
                grouped(counted.total() as u64),
                loops.found.len().to_string(),
                shown(loops.time),
                shown(counting),
                format!("{times:.0}"),
                target.map_or("-".to_string(), |it| format!("{it} s")),
            ];
            table.row(cells, format!("{wanted}, each once"), Some(is_right && is_whole));
        }
    }
    table
}

/// Random recursive types: totals and sets by every way.
pub(super) fn types() -> Table {
    let title = format!(
        "{TYPES} random recursive types with requirements over measures, of at most {TYPE_MODELS} models: beside brute force"
    );
    let columns =
        ["by", "types", "models", "wrong totals", "wrong sets", "illegal", "wrong \"no more\"", "time"];
    let mut table = Table::new(title, &columns);
    let types: Vec<RandomType> =
        RandomTypes::new(21).filter(|it| it.models.len() <= TYPE_MODELS).take(TYPES).collect();
    let mut rows = vec![
        ("plans".to_string(), Options::default()),
        ("the built-in solver".to_string(), Options { plan: false, ..Options::default() }),
    ];
    match crate::quality::tables::solver() {
        Some(program) => rows.push(("an SMT process".to_string(), smt(&program))),
        None => table.row(no_solver(columns.len()), "0, 0, 0, 0", None),
    }
    for (name, options) in rows {
        let (mut totals, mut sets, mut illegal, mut wrong, mut models) = (0, 0, 0, 0, 0);
        let mut time = Duration::ZERO;
        for ty in &types {
            let loops = looped(ty.whole(), ty.models.len() + 1, &options);
            time += loops.time;
            models += loops.handed;
            totals += usize::from(loops.total != Some(Total::Exactly(ty.models.len().into())));
            sets += usize::from(loops.found != ty.models || loops.handed != loops.found.len());
            illegal += loops.found.difference(&ty.models).count();
            // The built-in solver looks after a program, so that a wrong end of its loop is no wrong total.
            wrong += usize::from(loops.is_wrong);
        }
        let mut cells = vec![name];
        cells.extend([types.len(), models, totals, sets, illegal, wrong].map(|it| grouped(it as u64)));
        cells.push(shown(time));
        table.row(cells, "0, 0, 0, 0", Some(totals + sets + illegal + wrong == 0));
    }
    table
}
