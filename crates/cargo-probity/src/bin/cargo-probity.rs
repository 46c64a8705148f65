//! `cargo probity …`: the same commands, found by cargo.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args: Vec<_> = std::env::args_os().skip(1).collect();
    // Cargo passes its own word for the command on.
    if args.first().is_some_and(|it| it == "probity") {
        args.remove(0);
    }
    cargo_probity::main(args)
}
