//! Code for the concolic engine to run. `cargo xtask quality concolic` runs this program once for each row, so that a
//! crash is that row's miss; `subjects help` says how to do the same by hand.

mod commands;
mod differential;
mod engine;
mod families;
mod hostile;
mod native;
mod programs;

use std::process::ExitCode;
use std::time::Duration;

use commands::Options;

const HELP: &str = "\
usage: subjects COMMAND

  list                  every subject: its kind, name and row
  native [NAME]         what needs no engine: do known inputs fail, are random ones no help, do results repeat?
  solve NAME            search for a failing input           [--seed N] [--time 20s] [--dump FOLDER]
  compare NAME          interpreted against native           [--seed N] [--inputs 1000]
  claims [NAME]         all paths against brute force        [--seed N] [--time 20s]
  families [NAME]       hidden failures: is nothing false claimed, and what is true still?
  programs              random programs, all paths against brute force   [--seed N] [--inputs 1000] [--time 20s]
  hostile NAME          a run as `cargo test` would run it   [--seed N]

Lines of `word=value` on the standard output are for programs. Exits with 1 when something is not as it should be.
";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let done = match words.split_first() {
        Some((command, rest)) => parse(rest).and_then(|(name, options)| run(command, name, &options)),
        None => Err(HELP.to_string()),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

/// Whether all is as it should be.
fn run(command: &str, name: Option<&str>, options: &Options) -> Result<bool, String> {
    let named = || name.ok_or_else(|| format!("`{command}` needs a NAME; see `subjects list`"));
    match command {
        "list" => commands::list(),
        "native" => native::check(name),
        "solve" => commands::solve(named()?, options),
        "compare" => commands::compare(named()?, options),
        "claims" => commands::claims(name, options),
        "families" => commands::families(name, options),
        "programs" => commands::programs(options),
        "hostile" => commands::hostile(named()?, options),
        _ => Err(HELP.to_string()),
    }
}

fn parse(words: &[String]) -> Result<(Option<&str>, Options), String> {
    let mut name = None;
    let mut options = Options::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("`{word}` needs a value"));
        match word.as_str() {
            "--seed" => options.seed = number(value()?)?,
            "--inputs" => options.inputs = number(value()?)?,
            "--time" => {
                let text = value()?;
                let (digits, unit) = text.split_at(text.find(char::is_alphabetic).unwrap_or(text.len()));
                let millis = if unit == "ms" { 1 } else { 1000 };
                options.time = Duration::from_millis(number(digits)? * millis);
            }
            "--dump" => options.dump = Some(value()?.into()),
            other if other.starts_with("--") => return Err(format!("there is no option `{other}`\n{HELP}")),
            other => name = Some(other),
        }
    }
    Ok((name, options))
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number"))
}
