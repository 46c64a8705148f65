//! The commands `probity` and `cargo probity`: inputs from a program of the language or from a spec file.
//!
//! `commands` is the table that parsing and help go by. `watch` runs a command on a thread of its own, so that
//! Ctrl-C is heard and what was written is completed, whatever the command is at. `format` writes inputs down,
//! `output` puts them where they belong.

mod api;
mod args;
mod c;
mod check;
mod commands;
mod compare;
mod console;
mod corpus;
mod count;
mod etna;
mod exit;
mod format;
mod fuzz;
mod generate;
mod help;
mod input;
mod new;
mod output;
mod prove;
mod replay;
mod rust;
mod solver;
mod suggest;
mod test;
mod uncovered;
mod watch;
mod write;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use args::Args;
use commands::COMMANDS;
use console::Console;
use exit::{CommandError, Exit};

/// Runs a command line, without the name of the program.
pub fn main(args: Vec<OsString>) -> ExitCode {
    if let Some(code) = fuzz::twin::run_as_rustc() {
        return code;
    }
    match dispatch(args) {
        Ok(exit) => exit.into(),
        Err(why) => {
            Console::new().error(&why);
            Exit::Misuse.into()
        }
    }
}

fn dispatch(args: Vec<OsString>) -> Result<Exit, String> {
    let mut args = args.into_iter();
    let first = args.next().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
    let second = args.as_slice().first().map(|it| it.to_string_lossy());
    match (&*first, second) {
        ("", _) => return Err(format!("no command\n\n{}", help::all())),
        ("-h" | "--help", _) | ("help", None) => return print(&help::all()),
        ("-V" | "--version", _) => return print(&help::version()),
        ("help", Some(name)) => return print(&help::of(command(&name)?)),
        _ => {}
    }
    let command = command(&first)?;
    let args = Args::parse(command, args)?;
    if args.help {
        return print(&help::of(command));
    }
    Ok(match command.name {
        "generate" => watch::run(move |watch| generate::run(&args, watch)),
        "check" => watch::run(move |watch| check::run(&args, watch)),
        "count" => watch::run(move |watch| count::run(&args, watch)),
        "api" => conclude(api::run(&args)),
        "write" => conclude(write::run(&args)),
        "prove" => conclude(prove::run(&args)),
        "fuzz" => conclude(fuzz::run(&args)),
        "compare" => conclude(compare::run(&args)),
        "etna" => conclude(etna::run(&args)),
        "corpus" => conclude(corpus::run(&args)),
        "uncovered" => conclude(uncovered::run(&args)),
        "replay" => conclude(replay::run(&args)),
        "new" => conclude(new::run(&args)),
        "c" => conclude(c::run(&args)),
        _ => test::run(&args, &Console::new()),
    })
}

/// The command of this name.
fn command(name: &str) -> Result<&'static args::Command, String> {
    let names: Vec<&str> = COMMANDS.iter().map(|it| it.name).collect();
    COMMANDS.iter().find(|it| it.name == name).ok_or_else(|| {
        let hint = suggest::nearest(name, &names)
            .map_or_else(|| format!("there are: {}", names.join(", ")), |it| format!("did you mean `{it}`?"));
        format!("unknown command `{name}`; {hint}")
    })
}

/// Says what went wrong, where nobody watches the command.
fn conclude(res: Result<Exit, CommandError>) -> Exit {
    res.unwrap_or_else(|err| {
        Console::new().error(&err.text);
        err.exit
    })
}

fn print(text: &str) -> Result<Exit, String> {
    // Anyone who reads it may stop reading.
    let _ = io::stdout().write_all(text.as_bytes());
    Ok(Exit::Done)
}
