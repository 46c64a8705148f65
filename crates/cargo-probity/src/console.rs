//! Messages and progress, on the standard error.

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How wide the bar of the progress is.
const BAR: usize = 30;

/// Writes messages for people. Nothing it cannot write matters.
pub(crate) struct Console {
    is_terminal: bool,
    has_color: bool,
    /// Whether a line of progress is shown.
    shows: Mutex<bool>,
}

impl Console {
    pub(crate) fn new() -> Console {
        let is_terminal = io::stderr().is_terminal();
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|it| !it.is_empty());
        let is_dumb = std::env::var_os("TERM").is_some_and(|it| it == "dumb");
        Console { is_terminal, has_color: is_terminal && !no_color && !is_dumb, shows: Mutex::new(false) }
    }

    /// What went wrong. A diagnostic says `error:` itself.
    pub(crate) fn error(&self, text: &str) {
        self.labelled("error", "31", text.strip_prefix("error: ").unwrap_or(text).trim_end());
    }

    /// What a user should know.
    pub(crate) fn note(&self, text: &str) {
        self.labelled("note", "36", text);
    }

    /// Lines as they are.
    pub(crate) fn plain(&self, text: &str) {
        self.write(text);
    }

    /// Shows how far it has come, where somebody sees it and data does not go to the same place.
    pub(crate) fn progress(&self, done: u64, asked: u64) {
        if !self.is_terminal {
            return;
        }
        let mut shows = self.lock();
        *shows = true;
        let filled = (done.min(asked) as u128 * BAR as u128 / u128::from(asked.max(1))) as usize;
        let bar = format!("{}{}", "#".repeat(filled), ".".repeat(BAR - filled));
        let mut err = io::stderr().lock();
        let _ = write!(err, "\r\x1b[K[{bar}] {done} of {asked} inputs");
        let _ = err.flush();
    }

    /// Whether people see it at once.
    pub(crate) fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// Shows a line in place of the last one, on a terminal.
    pub(crate) fn status(&self, line: &str) {
        *self.lock() = true;
        let mut err = io::stderr().lock();
        let _ = write!(err, "\r\x1b[K{line}");
        let _ = err.flush();
    }

    /// Removes the line of progress.
    pub(crate) fn clear(&self) {
        let mut shows = self.lock();
        if std::mem::take(&mut *shows) {
            let _ = io::stderr().write_all(b"\r\x1b[K");
        }
    }

    fn labelled(&self, label: &str, color: &str, text: &str) {
        if self.has_color {
            self.write(&format!("\x1b[1;{color}m{label}\x1b[0m: {text}"));
        } else {
            self.write(&format!("{label}: {text}"));
        }
    }

    fn write(&self, text: &str) {
        self.clear();
        let mut err = io::stderr().lock();
        let _ = writeln!(err, "{text}");
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        self.shows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
