//! `cargo probity test`: runs `cargo test` with settings in the environment, where they win.

use std::env;
use std::path::Path;
use std::process::Command;

use probity::settings::{Env, Key, Settings};

use crate::args::Args;
use crate::commands::TEST;
use crate::console::Console;
use crate::exit::Exit;

/// Runs the command.
pub(crate) fn run(args: &Args, console: &Console) -> Exit {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.arg("test").args(&args.rest);
    for (option, value) in TEST.options.iter().filter_map(|it| Some((it.long, args.os(it.long)?))) {
        let Ok(key) = Key::from_name(&option.replace('-', "_")) else { continue };
        // Every test would say the same of a malformed value.
        let env: Env = [(key.variable(), value.clone())].into_iter().collect();
        if let Err(err) = Settings::resolve(Path::new(""), None, &[], &env) {
            console.error(&err.to_string().replace(&key.variable(), &format!("--{option}")));
            return Exit::Misuse;
        }
        cargo.env(key.variable(), value);
    }
    match cargo.status() {
        Ok(status) => status.code().map_or(Exit::Foreign(1), |it| Exit::Foreign(it as u8)),
        Err(err) => {
            console.error(&format!("cannot run cargo: {err}; install Rust, or set CARGO to its path"));
            Exit::Misuse
        }
    }
}
