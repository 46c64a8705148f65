//! Measures Probity side by side with proptest, quickcheck, bolero, hegel and exhaustive.
//!
//! Run it with `--help` for what it measures. It exits with 1 when a target is missed.

mod bolero;
mod exhaustive;
mod finding;
mod hegel;
mod library;
mod ours;
mod proptest;
mod quickcheck;
mod report;
mod shape;
mod throughput;
mod worker;
mod workload;

use std::process::ExitCode;

const HELP: &str = "\
Compares Probity with its peers, and says which targets are met.

  --throughput  cases per second (what is measured when nothing else is asked for)
  --exhaustive  values of a type visited per second
  --build       the time of a first build (`cargo xtask peers` alone knows it)
  --ports       property suites of three crates and their ports: lines, time, findings (`cargo xtask peers` alone
                knows it, and measures nothing else then)
  --find        how many of 20 seeds find each of seven bugs
  --all         all of the above, or only builds but with the library that builds for minutes
  --repeat N    the best of N runs counts (7 for throughput, 30 for values, 3 for builds)
  --json        JSON lines instead of tables
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == worker::ROLE) {
        worker::serve(&arguments[1..]);
        return ExitCode::SUCCESS;
    }
    match Options::parse(&arguments) {
        Some(options) if options.run() => ExitCode::SUCCESS,
        Some(_) => ExitCode::FAILURE,
        None => {
            print!("{HELP}");
            ExitCode::from(2)
        }
    }
}

#[derive(Default)]
struct Options {
    throughput: bool,
    exhaustive: bool,
    find: bool,
    all: bool,
    json: bool,
    repeat: Option<u64>,
}

impl Options {
    /// What the arguments ask for; `None` if they ask for help, or for something unknown.
    fn parse(arguments: &[String]) -> Option<Options> {
        let mut options = Options::default();
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--throughput" => options.throughput = true,
                "--exhaustive" => options.exhaustive = true,
                "--find" => options.find = true,
                "--all" => options.all = true,
                "--json" => options.json = true,
                "--repeat" => options.repeat = Some(arguments.next()?.parse().ok().filter(|&n| n > 0)?),
                _ => return None,
            }
        }
        if !(options.throughput || options.exhaustive || options.find) {
            options.throughput = true;
            (options.exhaustive, options.find) = (options.all, options.all);
        }
        Some(options)
    }

    /// Measures and prints; true if all targets are met.
    fn run(&self) -> bool {
        let mut met = true;
        if self.throughput {
            met &= throughput::report(self.repeat.unwrap_or(7)).print(self.json);
        }
        if self.exhaustive {
            met &= exhaustive::report(self.repeat.unwrap_or(30)).print(self.json);
        }
        if self.find {
            met &= finding::report().print(self.json);
        }
        met
    }
}
