//! Code for the coverage engine to reach. `cargo xtask quality coverage` runs this program; `coverage help` says how to do the
//! same by hand. Each measurement runs in a copy of the process, for a process that is watched stays so.

mod copies;
mod hostile;
mod needles;
mod reach;
mod speed;
mod targets;

use std::process::ExitCode;

/// One of a user's own.
#[global_allocator]
static ALLOCATOR: hostile::Counting = hostile::Counting;

const HELP: &str = "\
usage: coverage COMMAND

  arm                       processor time to set the breakpoints, and the size of the code
  json                      one parse of 182 bytes, without breakpoints and with them, in nanoseconds, for each of 20 rounds
  fast                      one case of the fast mode, likewise
  blocks TARGET HOW SEED MS blocks of TARGET that HOW (`random` or `guided`) reaches in so much time of the processor
  find NEEDLE ENGINE SEED MS
                            how long a run of ENGINE takes to find the failure of NEEDLE
  needle TARGET SEED CASES  how many cases it takes to find the failure of TARGET

  hostile                   tests that are hard to watch or die, each with whether it fails
  hostile TEST ENGINE [traced]
                            the verdict of one, under a debugger if it is traced, and whether the process is unchanged

TARGET: json, markdown, regex; needles: nested
Lines of `word=value` are for programs.
";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if !matches!(words.first(), Some(&("find" | "hostile"))) {
        std::panic::set_hook(Box::new(|_| ()));
    }
    let number = |text: &str| text.parse::<u64>().map_err(|_| format!("`{text}` is not a number"));
    let done = match words[..] {
        ["arm"] => speed::arm(),
        ["json"] => speed::json(),
        ["fast"] => speed::fast(),
        ["blocks", target, how, seed, ms] => number(seed)
            .and_then(|seed| Ok((seed, number(ms)?)))
            .and_then(|(seed, ms)| reach::blocks(target, how, seed, ms)),
        ["find", needle, engine, seed, ms] => number(seed)
            .and_then(|seed| Ok((seed, number(ms)?)))
            .and_then(|(seed, ms)| needles::find(needle, engine, seed, ms)),
        ["hostile"] => {
            hostile::list();
            Ok(())
        }
        ["hostile", test, engine] => hostile::run(test, engine, false),
        ["hostile", test, engine, "traced"] => hostile::run(test, engine, true),
        ["needle", target, seed, cases] => number(seed)
            .and_then(|seed| Ok((seed, number(cases)?)))
            .and_then(|(seed, cases)| reach::needle(target, seed, cases)),
        _ => Err(HELP.to_string()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}
