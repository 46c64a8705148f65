//! Runs each measurement in a process of its own.
//!
//! Libraries leave panic hooks, caches and output behind, and read their settings from the environment; a
//! fresh process with an empty environment keeps them from each other and from the tables printed here.

use crate::library::Library;
use crate::shape::Shape;
use crate::workload::{Measured, Workload, measure_for};
use std::process::Command;

/// The first argument of a process started here.
pub const ROLE: &str = "worker";

/// The seeds of a search, and the cases each may spend.
pub const SEEDS: u64 = 20;
pub const CASES: u64 = 100;

/// The least time a run is measured over, in seconds.
const LEAST_SECONDS: f64 = 0.3;

/// Measures one run of `library`.
pub fn throughput(library: Library, workload: Workload, mean_len: f64, seed: u64) -> Measured {
    let answer =
        ask(&["throughput", library.name(), workload.name(), &mean_len.to_string(), &seed.to_string()]);
    let mut numbers =
        answer.split_whitespace().map(|word| word.parse().expect("a worker answers in numbers"));
    let mut next = || numbers.next().expect("a worker gives all three numbers");
    Measured { cases: next() as u64, seconds: next(), mean_len: next() }
}

/// How many seeds reveal each of [`Shape::ALL`].
pub fn find(library: Library) -> Vec<u64> {
    let answer = ask(&["find", library.name()]);
    answer.split_whitespace().map(|word| word.parse().expect("a worker answers in numbers")).collect()
}

/// What a worker process does, given the arguments after [`ROLE`].
pub fn serve(arguments: &[String]) {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["throughput", library, workload, mean_len, seed] => {
            let workload = Workload::named(workload).expect("a known workload");
            let mean_len = mean_len.parse().expect("a mean length");
            let seed = seed.parse().expect("a seed");
            let run = library_named(library).runner(workload, mean_len, seed);
            let Measured { cases, seconds, mean_len } = measure_for(LEAST_SECONDS, &run);
            println!("{cases} {seconds} {mean_len}");
        }
        ["find", library] => {
            let library = library_named(library);
            // The bugs are sought on purpose; their panics are no news.
            std::panic::set_hook(Box::new(|_| {}));
            if library.find(Shape::Nothing, 0, CASES) {
                eprintln!("{} finds a bug where there is none; it is set up wrongly", library.name());
                std::process::exit(1);
            }
            for shape in Shape::ALL {
                println!("{}", (0..SEEDS).filter(|&seed| library.find(shape, seed, CASES)).count());
            }
        }
        _ => panic!("a worker cannot do {arguments:?}"),
    }
}

fn library_named(name: &str) -> Library {
    Library::named(name).expect("a known library")
}

fn ask(arguments: &[&str]) -> String {
    let program = std::env::current_exe().expect("the program knows its own path");
    let output = Command::new(program)
        .arg(ROLE)
        .args(arguments)
        .env_clear()
        .output()
        .expect("the program can start itself");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the worker for {arguments:?} failed:\n{errors}");
    String::from_utf8(output.stdout).expect("a worker answers in text")
}
