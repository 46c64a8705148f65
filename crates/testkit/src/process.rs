//! Programs that tests run.

use std::ffi::OsStr;
use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;

/// What would change how a program of ours behaves or what it prints.
const CHANGE_MUCH: [&str; 5] = ["CI", "RUST_BACKTRACE", "RUST_TEST_NOCAPTURE", "NO_COLOR", "CLICOLOR_FORCE"];

/// A command that knows nothing of the settings of those who run the tests: neither `PROBITY_*` nor what changes colors,
/// seeds and backtraces. Its standard input is empty.
///
/// ```
/// # if cfg!(not(unix)) { return }
/// let output = probity_testkit::quiet("sh").args(["-c", "echo $CI"]).output().unwrap();
/// assert_eq!(output.stdout, b"\n");
/// ```
pub fn quiet(program: impl AsRef<OsStr>) -> Command {
    let mut res = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("PROBITY_") {
            res.env_remove(name);
        }
    }
    for name in CHANGE_MUCH {
        res.env_remove(name);
    }
    res.stdin(Stdio::null());
    res
}

/// How a program ran.
///
/// ```
/// # if cfg!(not(unix)) { return }
/// let run = probity_testkit::run(probity_testkit::quiet("sh").args(["-c", "echo a; exit 3"]), "");
/// assert_eq!((run.code, &*run.out, &*run.err), (Some(3), "a\n", ""));
/// ```
#[derive(Debug)]
pub struct Run {
    /// What it exited with; nothing where a signal ended it.
    pub code: Option<i32>,
    /// What it wrote to its standard output.
    pub out: String,
    /// What it wrote to its standard error.
    pub err: String,
}

/// Runs a command to its end, with `input` as its standard input.
///
/// ```
/// # if cfg!(not(unix)) { return }
/// assert_eq!(probity_testkit::run(&mut probity_testkit::quiet("cat"), "text").out, "text");
/// ```
#[track_caller]
pub fn run(command: &mut Command, input: &str) -> Run {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap_or_else(|err| panic!("cannot run {command:?}: {err}"));
    let mut stdin = child.stdin.take().expect("it is piped");
    let output = thread::scope(|scope| {
        // Beside reading, so that neither waits for the other; and not everybody reads it.
        scope.spawn(move || drop(stdin.write_all(input.as_bytes())));
        child.wait_with_output().expect("its output can be read")
    });
    let text = |bytes| String::from_utf8(bytes).expect("it writes text");
    Run { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}
