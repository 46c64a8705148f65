//! Runs one row under one engine with one seed, in a process of its own: `probity-suite ROW ENGINE SEED`. Prints whether
//! what is reported is right.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for `cargo xtask quality suite`")]

use std::process::ExitCode;

use probity_suite::{ENGINES, Judgment, judge, rows};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [row, engine, seed] = &words[..] else { return usage("it takes three words") };
    let Some(row) = rows().find(|it| it.name == row) else { return usage("there is no such row") };
    let Some(engine) = ENGINES.iter().find(|it| it.name == engine) else {
        return usage("there is no such engine");
    };
    let Ok(seed) = seed.parse() else { return usage("a seed is a number") };
    match judge(row, &(engine.search)(row, seed)) {
        Judgment::Right => println!("right"),
        Judgment::Miss => println!("miss"),
        Judgment::Wrong(what) => println!("wrong: {what}"),
    }
    ExitCode::SUCCESS
}

fn usage(what: &str) -> ExitCode {
    eprintln!("{what}; usage: probity-suite ROW ENGINE SEED");
    ExitCode::from(2)
}
