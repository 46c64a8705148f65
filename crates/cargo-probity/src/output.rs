//! Where inputs go: the standard output or a file that is complete whenever it is there.

use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use probity_lang::json::Spacing;
use probity_spec::{Spec, Value};

use crate::format::Format;

/// A document that is being written. It can be finished at any time and is well-formed then.
pub(crate) struct Document {
    target: Target,
    format: Box<dyn Format>,
    /// Whether an outline has begun and not ended.
    is_within: bool,
    /// Whether something was written.
    is_begun: bool,
    text: String,
}

impl Document {
    pub(crate) fn new(target: Target, format: Box<dyn Format>) -> Document {
        Document { target, format, is_within: false, is_begun: false, text: String::new() }
    }

    /// Begins an outline. Nothing is written before there is an input, or it is known that there is none.
    pub(crate) fn begin(&mut self, outline: &str, spec: &Spec) {
        self.format.begin(outline, spec, &mut self.text);
        self.is_within = true;
    }

    /// Writes an input.
    pub(crate) fn input(&mut self, value: &Value, spacing: Spacing) -> io::Result<()> {
        self.format.input(value, spacing, &mut self.text);
        self.write()
    }

    /// Ends an outline.
    pub(crate) fn end(&mut self) -> io::Result<()> {
        self.format.end(&mut self.text);
        self.is_within = false;
        self.write()
    }

    /// Ends everything, wherever it stands.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        if self.is_within {
            self.end()?;
        }
        self.format.finish(&mut self.text);
        self.write()?;
        self.target.finish()
    }

    /// Ends it where it makes no sense to go on: what somebody may have read is completed, and nothing else stays.
    pub(crate) fn give_up(self) -> io::Result<()> {
        if self.is_begun && self.target.replaces.is_none() { self.finish() } else { Ok(()) }
    }

    /// Hands on what is waiting, so that a reader sees inputs that come slowly.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.target.writer.flush()
    }

    /// Whether somebody sees it being written.
    pub(crate) fn is_on_terminal(&self) -> bool {
        self.target.is_terminal
    }

    fn write(&mut self) -> io::Result<()> {
        self.is_begun = true;
        let res = self.target.writer.write_all(self.text.as_bytes());
        self.text.clear();
        res
    }
}

/// Where a document is written.
pub(crate) struct Target {
    writer: BufWriter<Box<dyn Write + Send>>,
    /// A file that takes the place of another when it is complete.
    replaces: Option<Replacement>,
    is_terminal: bool,
}

/// Removes the file unless it took its place.
struct Replacement {
    partial: PathBuf,
    path: PathBuf,
}

impl Drop for Replacement {
    fn drop(&mut self) {
        // Gone already when it took its place.
        let _ = fs::remove_file(&self.partial);
    }
}

impl Target {
    /// The standard output.
    pub(crate) fn stdout() -> Target {
        let is_terminal = io::stdout().is_terminal();
        Target { writer: BufWriter::new(Box::new(io::stdout())), replaces: None, is_terminal }
    }

    /// A file. Its old content stays until the new one is complete.
    pub(crate) fn file(path: &Path) -> io::Result<Target> {
        // Behind a link, the file that it leads to is replaced, not the link.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let old = fs::metadata(&path).ok();
        if old.as_ref().is_some_and(|it| it.permissions().readonly()) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        if old.as_ref().is_none_or(fs::Metadata::is_file)
            && let Some(name) = path.file_name()
        {
            let mut partial = name.to_os_string();
            partial.push(format!(".{}.partial", std::process::id()));
            let partial = path.with_file_name(partial);
            if let Ok(file) = File::create_new(&partial) {
                if let Some(old) = &old {
                    file.set_permissions(old.permissions())?;
                }
                return Ok(Target::to(file, Some(Replacement { partial, path })));
            }
        }
        // A device, a pipe, or a file in a folder that takes no other: as it comes.
        Ok(Target::to(File::create(&path)?, None))
    }

    /// Somebody who reads what is written.
    #[cfg(test)]
    pub(crate) fn reader(reader: Box<dyn Write + Send>) -> Target {
        Target { writer: BufWriter::new(reader), replaces: None, is_terminal: false }
    }

    fn to(file: File, replaces: Option<Replacement>) -> Target {
        let is_terminal = file.is_terminal();
        Target { writer: BufWriter::new(Box::new(file)), replaces, is_terminal }
    }

    fn finish(mut self) -> io::Result<()> {
        self.writer.flush()?;
        match &self.replaces {
            Some(it) => fs::rename(&it.partial, &it.path),
            None => Ok(()),
        }
    }
}
