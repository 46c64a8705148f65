//! Exit codes, as `--help` documents them.

use std::process::ExitCode;

/// How a command ended; of several outlines the worst counts, which is the greatest here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// All is as asked.
    Done,
    /// Fewer inputs exist than were asked for, and all of them were written; or fewer tests are proved.
    Fewer,
    /// Inputs that do not satisfy their spec or do not differ, a spec that no input satisfies, or sources that no test can
    /// be written for.
    Violation,
    /// A solver, cargo or rustc is missing or failed, or it could not be told in time.
    Unknown,
    /// The command line, a file or the output cannot be used.
    Misuse,
    /// Somebody else's code: of `cargo test`, say.
    Foreign(u8),
    /// Ended by this signal.
    Signal(u8),
}

/// Why a command ended before it could say anything else.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CommandError {
    pub(crate) exit: Exit,
    /// For the user.
    pub(crate) text: String,
}

impl From<String> for CommandError {
    fn from(text: String) -> CommandError {
        CommandError { exit: Exit::Misuse, text }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Done => 0,
            Exit::Violation => 1,
            Exit::Misuse => 2,
            Exit::Fewer => 3,
            Exit::Unknown => 4,
            Exit::Foreign(code) => code,
            Exit::Signal(signal) => 128 + signal,
        })
    }
}
