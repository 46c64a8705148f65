//! Files that are read: programs, spec files, inputs, tables.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use probity_lang::{Diagnostic, Outline, Program, files};

use crate::suggest::nearest;

/// A file may have this many bytes: a device that never ends is no program, and what is made of a text takes many times
/// its size.
const BYTES_MAX: u64 = 64 << 20;
/// The name of the standard input.
const STDIN: &str = "-";

/// A text with the name to show for it.
pub(crate) struct SourceText {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// Reads a file, or the standard input for `-`.
pub(crate) fn read(path: &OsStr) -> Result<SourceText, String> {
    let is_stdin = path == STDIN;
    let name = if is_stdin { "standard input".to_string() } else { Path::new(path).display().to_string() };
    let mut bytes = Vec::new();
    let read = if is_stdin {
        io::stdin().lock().take(BYTES_MAX + 1).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|it| it.take(BYTES_MAX + 1).read_to_end(&mut bytes))
    };
    read.map_err(|err| match err.kind() {
        io::ErrorKind::NotFound => format!("there is no file `{name}`; check its path"),
        io::ErrorKind::IsADirectory => format!("`{name}` is a folder; name a file in it"),
        _ => format!("cannot read `{name}`: {err}; make it a readable file"),
    })?;
    if bytes.len() as u64 > BYTES_MAX {
        return Err(format!("`{name}` has more than {} MB; split it", BYTES_MAX >> 20));
    }
    let text = String::from_utf8(bytes).map_err(|err| {
        let at = err.utf8_error().valid_up_to();
        let line = err.as_bytes()[..at].iter().filter(|it| **it == b'\n').count() + 1;
        format!("`{name}` is not UTF-8: byte {at}, on line {line}; save it as UTF-8")
    })?;
    let text = text.strip_prefix('\u{feff}').map(str::to_string).unwrap_or(text);
    Ok(SourceText { name, text })
}

impl SourceText {
    /// Everything that is wrong with it, as one text.
    pub(crate) fn render(&self, diagnostics: &[Diagnostic]) -> String {
        probity_lang::render_all(&self.name, &self.text, diagnostics)
    }
}

/// Reads a program of the language, or a spec file.
pub(crate) fn program(path: &OsStr) -> Result<Program, String> {
    let text = read(path)?;
    // Tables are found beside the program that names them.
    let folder = Path::new(path).parent().filter(|_| path != STDIN).unwrap_or(Path::new(""));
    let load = |name: &str| table(&folder.join(name));
    let is_spec_file = Path::new(path).extension().is_some_and(|it| it.eq_ignore_ascii_case("json"))
        || text.text.trim_start().starts_with(['{', '"']);
    let res = if is_spec_file {
        files::read(&text.name, &text.text)
    } else {
        probity_lang::read(&text.name, &text.text, &load)
    };
    res.map_err(|it| text.render(&it))
}

/// The text of a table. A program names it, not the user, so that it has to be a regular file: to open a pipe may wait
/// for ever.
fn table(path: &Path) -> Result<String, String> {
    if path.metadata().is_ok_and(|it| !it.is_file() && !it.is_dir()) {
        return Err(format!("`{}` is no regular file; name one", path.display()));
    }
    read(path.as_os_str()).map(|it| it.text)
}

/// The outlines of a program that were asked for: the one of that name, or all.
pub(crate) fn outlines(program: &Program, name: Option<&str>) -> Result<Vec<Outline>, String> {
    let wanted = program.outlines.iter().filter(|it| name.is_none_or(|name| *it.name == *name));
    let wanted: Vec<Outline> = wanted.cloned().collect();
    if !wanted.is_empty() {
        return Ok(wanted);
    }
    let known: Vec<&str> = program.outlines.iter().map(|it| &*it.name).collect();
    let Some(name) = name else {
        return Err(format!("`{}` asks for no inputs; add an outline: (generate NAME 100 …)", program.name));
    };
    let hint = nearest(name, &known)
        .map_or_else(|| format!("there are: {}", known.join(", ")), |it| format!("did you mean `{it}`?"));
    Err(format!("`{}` has no outline `{name}`; {hint}", program.name))
}
