//! Who runs a test: Rust's test harness, or a program of its own.

use std::process::Command;

use super::harness_name;
use crate::isolate::test_binary;
use crate::program::TestProgram;

/// Who runs a test, and what it is called there.
#[derive(Clone)]
pub(crate) struct Harness {
    test: String,
    program: Option<TestProgram>,
}

/// The language that inputs are shown in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputStyle {
    Rust,
    /// C and C++: names say where an input is drawn.
    C,
}

impl Harness {
    pub(super) fn new(test: &str, program: Option<TestProgram>) -> Harness {
        // Rust's harness knows a test by its path within the crate.
        let of_rust =
            || harness_name().unwrap_or_else(|| test.split_once("::").map_or(test, |it| it.1).to_string());
        let test = if program.is_some() { test.to_string() } else { of_rust() };
        Harness { test, program }
    }

    /// What it calls the test.
    pub(crate) fn test(&self) -> &str {
        &self.test
    }

    pub(crate) fn is_of_rust(&self) -> bool {
        self.program.is_none()
    }

    pub(super) fn language(&self) -> InputStyle {
        if self.is_of_rust() { InputStyle::Rust } else { InputStyle::C }
    }

    /// Runs the test in a new process, where that is possible.
    #[cfg_attr(not(unix), allow(dead_code, reason = "nothing is isolated there"))]
    pub(crate) fn start_anew(&self) -> Option<Command> {
        if let Some(program) = &self.program {
            return Some(program.command(&self.test));
        }
        let mut command = Command::new(test_binary()?);
        command.args([&self.test, "--exact", "--include-ignored"]);
        Some(command)
    }

    /// What it says at the end of a run that came to one.
    #[cfg_attr(not(unix), allow(dead_code, reason = "nothing is isolated there"))]
    pub(crate) fn summary(&self) -> &'static str {
        if self.is_of_rust() { "test result: " } else { TestProgram::SUMMARY }
    }

    /// A command that runs the test with `replay` and nothing else.
    pub(super) fn replay_command(&self, replay: &str) -> String {
        let Harness { test, program } = self;
        match program {
            Some(program) => {
                format!("{} --replay {replay} {} {test}", program.path().display(), TestProgram::TEST)
            }
            None => {
                let package =
                    std::env::var("CARGO_PKG_NAME").map(|it| format!(" -p {it}")).unwrap_or_default();
                format!("PROBITY_REPLAY={replay} cargo test{package} {test} -- --exact")
            }
        }
    }
}
