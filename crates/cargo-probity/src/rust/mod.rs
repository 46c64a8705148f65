//! Rust sources, as `probity api` and `probity write` read them: found by `find`, read file by file by `read` and `tokens`, put
//! together by `krate`. `ty` has types, `fill` what takes the place of type parameters, `draw` what can be drawn,
//! `panics` what the documentation says of panics, `page` the file that is written.

mod cfg;
pub(crate) mod draw;
pub(crate) mod fill;
pub(crate) mod find;
pub(crate) mod krate;
pub(crate) mod page;
pub(crate) mod panics;
pub(crate) mod read;
mod tokens;
pub(crate) mod ty;

use std::thread;

use crate::exit::{CommandError, Exit};

/// Parsers are recursive: a type of 4,096 tokens, one within the other, takes 20 MB in a debug build.
const STACK: usize = 128 << 20;

/// Runs `work` where there is room for a recursive parser.
pub(crate) fn with_room<T: Send>(
    work: impl FnOnce() -> Result<T, CommandError> + Send,
) -> Result<T, CommandError> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        let thread = thread.map_err(|err| format!("cannot start a thread: {err}; free some memory"))?;
        let broken =
            || CommandError { exit: Exit::Misuse, text: "an internal error; please report it".to_string() };
        thread.join().unwrap_or_else(|_| Err(broken()))
    })
}
