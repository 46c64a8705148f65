//! Quality tables: figures with their targets beside them.

mod shrink;
mod table;

use std::process::ExitCode;

/// Prints the table called `name`; fails when a target is missed.
pub(crate) fn run(name: &str, options: &[&str]) -> ExitCode {
    let table = match name {
        "shrink" => shrink::table(),
        _ => {
            eprintln!("there is no quality table `{name}`; choose one of: shrink");
            return ExitCode::from(2);
        }
    };
    let json = match options {
        [] => false,
        ["--json"] => true,
        [other, ..] => {
            eprintln!("`{other}` is not an option of `quality`; it takes only --json");
            return ExitCode::from(2);
        }
    };
    print!("{}", if json { table.json() } else { table.text() });
    if table.missed() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs `act` with panics silenced, as a search does.
pub(super) fn silently<T>(act: impl FnOnce() -> T) -> T {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|info| {
        if let Some(location) = info.location() {
            probity_core::context::panicked_at(location.to_string());
        }
    }));
    let res = act();
    std::panic::set_hook(hook);
    res
}
