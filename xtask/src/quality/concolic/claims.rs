//! What is said of all paths, against all inputs: of small functions, of tests whose failures are hidden from the engine, and
//! of random programs.

use std::path::PathBuf;
use std::time::Duration;

use super::subjects::{self, Profile};
use crate::quality::process::field;
use crate::quality::table::Table;

/// This many functions there have to be.
const CLAIMS: usize = 20;
const LIMIT: Duration = Duration::from_secs(60);

pub(super) fn table() -> Table {
    let title = "all paths against all inputs: complete, and a failure exactly where brute force has one";
    let columns = ["profile", "functions", "that fail", "paths", "inputs", "agree", "which do not"];
    let mut table = Table::new(title, &columns);
    for profile in [Profile::Debug, Profile::Release] {
        let program = profile.build();
        let names: Vec<String> =
            subjects::list(&program, "claims").into_iter().map(|it| it[0].clone()).collect();
        let ran: Vec<_> = names.iter().map(|it| subjects::run(&program, &["claims", it], LIMIT)).collect();
        let agrees = |text: &str| field(text, "agrees") == Some("true");
        let agree = ran.iter().filter(|it| agrees(&it.stdout)).count();
        let sum = |word: &str| ran.iter().map(|it| it.number(word)).sum::<f64>().to_string();
        let fail = ran.iter().filter(|it| it.number("failing_inputs") > 0.0).count();
        let others = names.iter().zip(&ran).filter(|it| !agrees(&it.1.stdout));
        let others = others.map(|(name, ran)| match ran.field("complete") {
            Some("false") => format!("{name}: not complete"),
            Some(_) => format!("{name}: DISAGREES"),
            None => format!("{name}: {}", ran.complaint()),
        });
        let cells = vec![
            profile.name().to_string(),
            names.len().to_string(),
            fail.to_string(),
            sum("paths"),
            sum("inputs"),
            format!("{agree}/{}", names.len()),
            others.collect::<Vec<_>>().join("; "),
        ];
        table.row(cells, "all", Some(agree == names.len() && agree >= CLAIMS));
    }
    table
}

/// This many random programs there have to be.
const PROGRAMS: usize = 1000;
/// Each process looks at this many.
const AT_ONCE: usize = 50;
/// Of this many of them, at least, all paths have to be claimed: who claims nothing is never wrong.
const CLAIMED: f64 = 250.0;

/// Tests whose failures are hidden from the engine, and their harmless kin.
pub(super) fn families() -> Table {
    let title = "failures behind native calls, divisions, allocations and callbacks: none is claimed away";
    let columns = ["profile", "tests", "found", "not claimed", "claimed, rightly", "which are wrong"];
    let mut table = Table::new(title, &columns);
    for profile in [Profile::Debug, Profile::Release] {
        let program = profile.build();
        let names: Vec<String> =
            subjects::list(&program, "families").into_iter().map(|it| it[0].clone()).collect();
        let ran = subjects::in_parallel(&names, |it| {
            subjects::run(&program, &["families", it, "--time", "10s"], LIMIT)
        });
        let has = |word: &str, value: &str| ran.iter().filter(|it| it.field(word) == Some(value)).count();
        let wrong: Vec<&str> = names
            .iter()
            .zip(&ran)
            .filter(|it| it.1.field("agrees") != Some("true"))
            .map(|it| it.0.as_str())
            .collect();
        let cells = vec![
            profile.name().to_string(),
            names.len().to_string(),
            has("found", "true").to_string(),
            has("claims", "false").to_string(),
            has("claims", "true").to_string(),
            wrong.join(", "),
        ];
        table.row(cells, "none", Some(wrong.is_empty() && names.len() >= CLAIMS));
    }
    table
}

/// Random programs.
pub(in crate::quality) fn programs() -> Table {
    let title = format!("{PROGRAMS} random programs with native calls, all paths against all inputs");
    let columns = ["profile", "programs", "with a failure", "found", "claims", "false claims", "which"];
    let mut table = Table::new(title, &columns);
    for (profile, first) in [(Profile::Debug, 1), (Profile::Release, 1 + PROGRAMS)] {
        let program = profile.build();
        let seeds: Vec<usize> = (0..PROGRAMS / AT_ONCE).map(|it| first + it * AT_ONCE).collect();
        let ran = subjects::in_parallel(&seeds, |seed| some(&program, *seed));
        let sum = |word: &str| ran.iter().map(|it| it.number(word)).sum::<f64>();
        let all: Vec<&str> =
            ran.iter().filter_map(|it| it.field("which")).filter(|it| !it.is_empty()).collect();
        let mut which = all.join(",");
        for (seed, it) in seeds.iter().zip(&ran).filter(|it| it.1.field("programs").is_none()) {
            which.push_str(&format!(" from {seed} on: {}", it.complaint()));
        }
        let words = ["programs", "failing", "found", "claims", "false_claims"];
        let mut cells = vec![profile.name().to_string()];
        cells.extend(words.map(|it| sum(it).to_string()));
        cells.push(which);
        let is_met =
            sum("programs") == PROGRAMS as f64 && sum("false_claims") == 0.0 && sum("claims") >= CLAIMED;
        table.row(cells, "0 false", Some(is_met));
    }
    table
}

fn some(program: &PathBuf, seed: usize) -> crate::quality::process::Ran {
    let (seed, count) = (seed.to_string(), AT_ONCE.to_string());
    let words = ["programs", "--seed", &seed, "--inputs", &count, "--time", "5s"];
    subjects::run(program, &words, 5 * LIMIT)
}
