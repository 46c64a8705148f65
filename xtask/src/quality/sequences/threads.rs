//! Threads whose interleavings are drawn: faults that need one, and systems without.

mod subjects;

use std::time::Instant;

use probity_core::{
    Budget, Replay, SearchResult, Source, Tail, Value, render_case, run_case, search_random, shrink,
};

use super::super::{silence_cases, table::Table};

const SEEDS: u64 = 20;
/// Cases a seed may take to find a fault, and cases that a correct system passes.
const CASES: u64 = 2_000;
const CASES_CORRECT: u64 = 10_000;
/// How often a failure that was found is run again.
const AGAIN: usize = 20;
/// In how many seeds the fewest calls and the fewest interruptions must be reached.
const AT_OPTIMUM: usize = 19;
/// Parallel cases a second, in the fastest of several chunks: others use the machine, too.
const CHUNK: u64 = 1_000;
const CASES_PER_SECOND: f64 = 4_000.0;

struct ThreadedSystem {
    name: &'static str,
    test: fn() -> subjects::CaseFn,
    /// The fewest calls and the fewest interruptions that show the fault; none of a correct system.
    fewest: Option<(usize, usize)>,
}

const SUBJECTS: &[ThreadedSystem] = &[
    ThreadedSystem { name: "counter, not atomic", test: subjects::lost_update, fewest: Some((2, 1)) },
    ThreadedSystem { name: "stack, ABA", test: subjects::aba_stack, fewest: Some((7, 1)) },
    ThreadedSystem { name: "queue, loses an element", test: subjects::lossy_queue, fewest: Some((4, 1)) },
    ThreadedSystem {
        name: "counter, not atomic, three threads",
        test: subjects::three_threads,
        fewest: Some((2, 1)),
    },
    ThreadedSystem { name: "counter", test: subjects::counter, fewest: None },
    ThreadedSystem { name: "stack", test: subjects::stack, fewest: None },
    ThreadedSystem { name: "queue", test: subjects::queue, fewest: None },
];

pub(crate) fn table() -> Table {
    silence_cases();
    let title = format!("threads, {SEEDS} seeds each");
    let columns = [
        "system",
        "found",
        "cases, median",
        "most",
        "runs to shrink",
        "at optimum",
        "again",
        "minimum",
        "cases/s",
    ];
    let mut table = Table::new(title, &columns);
    for subject in SUBJECTS {
        match subject.fewest {
            Some(fewest) => faulty(&mut table, subject, fewest),
            None => correct(&mut table, subject),
        }
    }
    table
}

fn faulty(table: &mut Table, subject: &ThreadedSystem, fewest: (usize, usize)) {
    let (mut cases, mut runs, mut at_optimum, mut again) = (Vec::new(), Vec::new(), 0, 0);
    let mut minimum = String::new();
    for seed in 0..SEEDS {
        let mut test = (subject.test)();
        let Some(found) = search(&mut test, seed, CASES).failures.into_iter().next() else { continue };
        cases.push(found.index + 1);
        let shrunk = shrink(found.case, &mut test, 10_000, &mut |_| true).expect("subjects use us rightly");
        runs.push(shrunk.evaluations);
        let values = shrunk.case.trace.values();
        let fails = |_: &usize| {
            let case = run_case(&mut replay(&values), &mut test).expect("it failed before");
            case.verdict.failure() == shrunk.case.verdict.failure()
        };
        again += usize::from((0..AGAIN).filter(fails).count() == AGAIN);
        let case = render_case(&mut replay(&values), &mut test).expect("it failed before");
        let inputs: Vec<String> = case.log.inputs.into_iter().map(|it| it.text).collect();
        let is_least = size(&inputs) == fewest;
        at_optimum += usize::from(is_least);
        if !is_least || minimum.is_empty() {
            minimum = inputs.join(" ");
        }
    }
    cases.sort_unstable();
    let mean = runs.iter().sum::<u64>() as f64 / runs.len().max(1) as f64;
    let seeds = SEEDS as usize;
    let met = cases.len() == seeds && at_optimum >= AT_OPTIMUM && again == seeds;
    let cells = vec![
        subject.name.to_string(),
        format!("{}/{SEEDS}", cases.len()),
        cases.get(cases.len() / 2).map_or(String::new(), ToString::to_string),
        cases.last().map_or(String::new(), ToString::to_string),
        format!("{mean:.0}"),
        format!("{at_optimum}/{SEEDS}"),
        format!("{again}/{SEEDS}"),
        minimum,
        String::new(),
    ];
    let (calls, interruptions) = fewest;
    let target = format!(
        "all found, {AT_OPTIMUM} with {calls} calls and {interruptions} interruption, all fail again {AGAIN} times"
    );
    table.row(cells, target, Some(met));
}

fn correct(table: &mut Table, subject: &ThreadedSystem) {
    let mut test = (subject.test)();
    let (mut cases, mut failures, mut per_second) = (0, 0, 0.0_f64);
    for seed in 0..CASES_CORRECT / CHUNK {
        let start = Instant::now();
        let result = search(&mut test, seed, CHUNK);
        cases += result.tally.cases;
        failures += result.failures.len();
        per_second = per_second.max(result.tally.cases as f64 / start.elapsed().as_secs_f64());
    }
    let met = failures == 0 && cases == CASES_CORRECT && per_second >= CASES_PER_SECOND;
    let mut cells = vec![String::new(); 9];
    cells[0] = subject.name.to_string();
    cells[1] = format!("{failures} in {cases}");
    cells[8] = format!("{per_second:.0}");
    table.row(cells, format!("none in {CASES_CORRECT}, {CASES_PER_SECOND} cases/s"), Some(met));
}

fn search(test: &mut subjects::CaseFn, seed: u64, cases: u64) -> SearchResult {
    let budget = Budget { cases, rejects: 0, go_on: &mut |_| true, progress: Default::default() };
    search_random(seed, test, budget).expect("subjects use us rightly")
}

fn replay(values: &[Value]) -> Source {
    Source::new(Box::new(Replay::new(values.to_vec(), Tail::Overrun)))
}

/// How many calls and how many interruptions there are, as the inputs are rendered: calls as `[put(0), take]`, then where
/// they are interrupted, as `[1]`.
fn size(inputs: &[String]) -> (usize, usize) {
    let Some((interruptions, calls)) = inputs.split_last() else { return (0, 0) };
    let words = |text: &String, is_it: fn(char) -> bool| {
        text.split(|it: char| !it.is_alphanumeric()).filter(|it| it.starts_with(is_it)).count()
    };
    let calls = calls.iter().map(|it| words(it, char::is_alphabetic)).sum();
    (calls, words(interruptions, char::is_numeric))
}
