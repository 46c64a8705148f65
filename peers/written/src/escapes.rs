//! Texts within quotes. The mistake: a backslash is read as an escape, but not written as one.

use std::fmt;

/// What could not be read, and where.
#[derive(Debug)]
pub struct EscapeError {
    at: usize,
}

impl fmt::Display for EscapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no escape at {}", self.at)
    }
}

/// The text with quotes and ends of lines written as escapes.
pub fn escape(text: &str) -> String {
    text.replace('"', "\\\"").replace('\n', "\\n")
}

/// The text that [`escape`] was given.
pub fn unescape(text: &str) -> Result<String, EscapeError> {
    let mut res = String::new();
    let mut chars = text.char_indices();
    while let Some((at, it)) = chars.next() {
        res.push(match it {
            '\\' => match chars.next() {
                Some((_, '"')) => '"',
                Some((_, '\\')) => '\\',
                Some((_, 'n')) => '\n',
                _ => return Err(EscapeError { at }),
            },
            it => it,
        });
    }
    Ok(res)
}
