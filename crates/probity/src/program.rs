//! Programs that run tests by themselves, without Rust's test harness: how they are started again, and what reports say.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A program that runs tests by itself, as those in C and C++ do.
///
/// Reports name inputs as C does, and the command that runs an input again is the program's own. The program
/// understands `--probity_test NAME`, runs that test and no other, and ends its output with a line that begins with
/// [`SUMMARY`](TestProgram::SUMMARY).
///
/// ```
/// use probity::prelude::*;
/// let program = probity::TestProgram::new("./list_tests");
/// assert!(program.path().ends_with("list_tests"));
/// let check = probity::Check::new("push_then_pop").program(program).store(false);
/// assert!(check.verdict(|src: &mut Source| assert!(src.draw(1..=6) <= 6)).is_ok());
/// ```
#[derive(Clone, Debug)]
pub struct TestProgram {
    path: PathBuf,
}

impl TestProgram {
    /// What begins the last line that it prints.
    pub const SUMMARY: &str = "probity ran ";
    /// The option that names the one test to run.
    pub const TEST: &str = "--probity_test";

    /// The program at this path.
    pub fn new(path: impl Into<PathBuf>) -> TestProgram {
        TestProgram { path: path.into() }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Runs one test in a new process.
    pub(crate) fn command(&self, test: &str) -> Command {
        let mut command = Command::new(&self.path);
        command.arg(TestProgram::TEST).arg(test);
        command
    }
}
