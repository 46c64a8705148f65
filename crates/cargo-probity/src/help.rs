//! The texts of `--help` and `--version`.

use crate::args::Command;
use crate::commands::COMMANDS;

/// `probity --version`
pub(crate) fn version() -> String {
    format!("probity {}\n", env!("CARGO_PKG_VERSION"))
}

/// `probity --help`
pub(crate) fn all() -> String {
    let mut res = "\
Inputs for tests: each satisfies a spec, and every pair differs in a way that matters.

Usage: probity COMMAND …

Commands:
"
    .to_string();
    for command in &COMMANDS {
        res.push_str(&format!("  {:<10} {}\n", command.name, command.summary));
    }
    res.push_str(&format!("  {:<10} {}\n", "help", "what a command does, its options and exit codes"));
    res.push_str(
        "
Options:
  -h, --help     this text; after a command, what the command does
  -V, --version  the version

`cargo probity` has the same commands.
",
    );
    res
}

/// `probity help COMMAND`
pub(crate) fn of(command: &Command) -> String {
    let mut res = format!("{}\n\nUsage: probity {} {}\n", command.about, command.name, command.usage);
    let sides: Vec<(String, &str)> = command
        .options
        .iter()
        .map(|it| {
            // An option with a one-letter name has no long form worth showing.
            let long = if it.long.len() > 1 { format!("--{}", it.long) } else { String::new() };
            let short = it.short.map_or("    ".to_string(), |it| format!("-{it}, "));
            let name = if long.is_empty() { short.replace(',', "") } else { format!("{short}{long} ") };
            (format!("{name}{}", it.value.unwrap_or_default()).trim_end().to_string(), it.help)
        })
        .chain([("-h, --help".to_string(), "This text")])
        .collect();
    let width = sides.iter().map(|it| it.0.len()).max().unwrap_or(0);
    res.push_str("\nOptions:\n");
    for (left, right) in sides {
        for (i, line) in right.lines().enumerate() {
            let left = if i == 0 { &*left } else { "" };
            res.push_str(&format!("  {left:<width$}  {line}\n"));
        }
    }
    res.push_str(&format!("\n{}\n", command.ending));
    res
}
