//! The command `probity`.

use std::process::ExitCode;

fn main() -> ExitCode {
    cargo_probity::main(std::env::args_os().skip(1).collect())
}
