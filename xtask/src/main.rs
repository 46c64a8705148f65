//! The project's own chores; `cargo xtask` lists them.

mod book;
mod build_time;
mod cargo;
mod check;
mod newcomer;
mod package;
mod peers;
mod platforms;
mod ports;
mod quality;
mod solver;
mod sources;
mod tidy;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  check                   everything that CI checks; stops at the first failure
  tidy                    what fmt and clippy do not see: long files, stray marks, crate boundaries
  quality NAME [--json]   figures beside their targets; NAME is backends, campaign, command, concolic, contracts, coverage,
                          default, exhaustive, explain, find, models, patterns, proofs, readers, sequences,
                          shrink, specs, suite, tables, targeted, trust or write;
                          campaign, concolic, contracts, coverage and default take --only PART,PART too
  book [--write]          run the tests and commands that README and the book show, and compare what they
                          print; --write puts what they print today in its place
  newcomer [--write] [--all]
                          run the chapter \"The first hour\" in a clone and in a new crate, and compare every
                          line that it shows; --all runs Probity's own tests in the clone, too
  package                 pack every crate, unpack it elsewhere, build it there and run the doc tests
  peers [ARGS]            compare with other libraries, in release and in debug; --help lists ARGS
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        [] | ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        ["check"] => Ok(check::run()),
        ["tidy"] => Ok(tidy::run()),
        ["quality", rest @ ..] => quality::run(rest),
        ["package"] => Ok(package::run()),
        ["book", rest @ ..] => book::run(rest),
        ["newcomer", rest @ ..] => newcomer::run(rest),
        ["peers", rest @ ..] => Ok(peers::run(rest)),
        ["check" | "tidy" | "package", other, ..] => {
            Err(format!("`{}` takes no arguments; leave out `{other}`", words[0]))
        }
        [other, ..] => Err(format!(
            "there is no command `{other}`; choose one of: check, tidy, book, newcomer, package, quality, peers"
        )),
    };
    done.unwrap_or_else(|message| {
        eprintln!("error: {message}");
        ExitCode::from(2)
    })
}
