//! The project's own chores: `cargo xtask check | quality NAME | peers | tidy`.

mod quality;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask COMMAND
  quality NAME [--json]   print a quality table with its targets; NAME is one of: shrink";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["quality", name, rest @ ..] => quality::run(name, rest),
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}
