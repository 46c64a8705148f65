//! One stored failure and its text. No other file knows the format.
//!
//! ```text
//! probity failure, format 1
//! # Saved by Probity. Keep this file under version control: it runs before every search.
//! test: my_crate::tests::sorting
//! let v = [1, 999];
//! fails: panicked at src/lib.rs:10:5: not sorted
//!   | left: [999, 1]
//! choices: n2 i1 i999
//! checksum: ff97317703635373
//! ```
//!
//! A text of several lines goes on behind `  |`. A character that an editor would hide or change is
//! written as `<U+000D>`: backslashes are left alone, since `Debug` texts are full of them. Blank lines
//! and lines that start with `#` mean nothing, and lines may end in CRLF; the checksum covers the rest.

use std::fmt::Write;

use probity_core::{Input, Value};

use super::hash;

const HEADER: &str = "probity failure, format ";
const VERSION: &str = "1";
const COMMENT: &str =
    "# Saved by Probity. Keep this file under version control: it runs before every search.";
/// What a further line of a text starts with. Not blanks alone: editors strip those at a line's end.
const MORE: &str = "  |";
/// Where the list of choices is wrapped, so that differences between two files can be read.
const WIDTH: usize = 100;

/// A failure: enough to run it again, and to see what it is without running it.
///
/// ```
/// use probity::store::Entry;
/// use probity_core::Value;
/// let entry = Entry {
///     test: "my_crate::sorting".into(),
///     inputs: vec![(Some("v".into()), "[7]".into())],
///     failure: "panicked at src/lib.rs:3:5: not sorted".into(),
///     choices: vec![Value::Length(1), Value::Int(7)],
/// };
/// assert!(entry.to_text().contains("\nlet v = [7];\n"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// The path of the test that failed.
    pub test: String,
    /// The inputs, in the order they were drawn: a name, where there is one, and the `Debug` text.
    pub inputs: Vec<(Option<String>, String)>,
    /// How it failed.
    pub failure: String,
    /// The answers that lead to the failure again.
    pub choices: Vec<Value>,
}

impl Entry {
    /// What is kept of a failure.
    ///
    /// ```
    /// use probity::store::Entry;
    /// use probity::engine::Value;
    /// use probity::events::Input;
    /// let input = Input::new(Some("n"), "7");
    /// let entry = Entry::new("my_crate::sorting", &[input], "panicked".into(), vec![Value::Int(7)]);
    /// assert_eq!(entry.inputs, [(Some("n".into()), "7".into())]);
    /// ```
    pub fn new(test: &str, inputs: &[Input], failure: String, choices: Vec<Value>) -> Entry {
        let inputs = inputs.iter().map(|it| (it.name.map(ToString::to_string), it.text.clone())).collect();
        Entry { test: test.to_string(), inputs, failure, choices }
    }

    /// Whether both show the same inputs. Within braces the order does not count: that of a hash map
    /// differs from run to run.
    ///
    /// ```
    /// use probity::store::Entry;
    /// use probity::events::Input;
    /// let of = |text: &str| Entry::new("t", &[Input::new(None, text)], "".into(), vec![]);
    /// assert!(of("{1: 2, 3: 4}").shows_same(&of("{3: 4, 1: 2}")) && !of("[1]").shows_same(&of("[2]")));
    /// ```
    pub fn shows_same(&self, other: &Entry) -> bool {
        let bytes = |text: &str| {
            let mut res = [0; 256];
            for byte in text.bytes() {
                res[usize::from(byte)] += 1;
            }
            res
        };
        let same = |((a_name, a), (b_name, b)): (&(_, String), &(_, String))| {
            a_name == b_name && (a == b || a.contains('{') && bytes(a) == bytes(b))
        };
        self.inputs.len() == other.inputs.len() && self.inputs.iter().zip(&other.inputs).all(same)
    }

    /// The content of the entry's file.
    ///
    /// ```
    /// use probity::store::Entry;
    /// let entry = Entry { failure: "two\nlines".into(), ..Entry::default() };
    /// assert!(entry.to_text().contains("\nfails: two\n  | lines\n"));
    /// ```
    pub fn to_text(&self) -> String {
        let mut res = format!("{HEADER}{VERSION}\n{COMMENT}\n");
        push_field(&mut res, "test:", &escape(&self.test), "");
        for (name, text) in &self.inputs {
            let name = name.as_deref().map_or("_".to_string(), escape_name);
            push_field(&mut res, &format!("let {name} ="), &escape(text), ";");
        }
        push_field(&mut res, "fails:", &escape(&self.failure), "");
        push_field(&mut res, "choices:", &self.choices_text(), "");
        let sum = checksum(lines(&res).map(|(_, line)| line));
        res + &format!("checksum: {sum}\n")
    }

    /// Reads what [`to_text`](Entry::to_text) wrote, or says what is wrong with it.
    ///
    /// ```
    /// use probity::store::Entry;
    /// let text = Entry::default().to_text();
    /// assert_eq!(Entry::from_text(&text), Ok(Entry::default()));
    /// assert!(Entry::from_text(&text.replace("fails:", "fails: no")).unwrap_err().contains("checksum"));
    /// ```
    pub fn from_text(text: &str) -> Result<Entry, String> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut lines: Vec<(usize, &str)> = lines(text).collect();
        match format_of(text) {
            Some(VERSION) => {}
            Some(other) => {
                return Err(format!(
                    "it has format `{other}`, and this Probity reads {VERSION}; update probity"
                ));
            }
            None => return Err(format!("its first line is not `{HEADER}{VERSION}`; {RESTORE}")),
        }
        let Some(sum) = lines.pop().and_then(|(_, line)| line.strip_prefix("checksum: ")) else {
            return Err(format!("it does not end with its checksum, so a part is missing; {RESTORE}"));
        };
        if sum != checksum(lines.iter().map(|(_, line)| *line)) {
            return Err(format!("it was changed after it was saved (its checksum differs); {RESTORE}"));
        }
        fields(&lines[1..])
    }

    /// The choices as words, wrapped. Equal choices have equal texts.
    pub(super) fn choices_text(&self) -> String {
        let (mut res, mut column) = (String::new(), 0);
        for word in self.choices.iter().map(Value::to_string) {
            if column + word.len() >= WIDTH {
                res.push('\n');
                column = 0;
            } else if column > 0 {
                res.push(' ');
                column += 1;
            }
            res.push_str(&word);
            column += word.len();
        }
        res
    }
}

/// Whether the text says that it has another format than ours.
pub(super) fn is_newer(text: &str) -> bool {
    format_of(text).is_some_and(|it| it != VERSION)
}

fn format_of(text: &str) -> Option<&str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    lines(text).next()?.1.strip_prefix(HEADER)
}

/// Reads choices as they are in a stored failure: words with blanks between them.
///
/// ```
/// use probity::store::parse_choices;
/// use probity_core::Value;
/// assert_eq!(parse_choices("n1 i7"), Ok(vec![Value::Length(1), Value::Int(7)]));
/// assert!(parse_choices("seven").is_err());
/// ```
pub fn parse_choices(text: &str) -> Result<Vec<Value>, String> {
    let parse = |(at, word): (usize, &str)| {
        word.parse::<Value>().map_err(|err| format!("choice {} is no choice: {err}", at + 1))
    };
    text.split_ascii_whitespace().enumerate().map(parse).collect()
}

const RESTORE: &str = "restore it from version control, or delete it";

/// The lines that mean something, with their numbers.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
    lines.enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
}

fn checksum<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let bytes = lines.flat_map(|line| line.bytes().chain([b'\n']));
    format!("{:016x}", hash(bytes))
}

/// The text with the checksum that it should have: see `readers`.
#[cfg(feature = "spec")]
pub(crate) fn mended(text: &str) -> String {
    let body = text.rfind("checksum: ").map_or(text, |it| &text[..it]);
    format!("{body}checksum: {}\n", checksum(lines(body).map(|(_, line)| line)))
}

/// Reads the lines between header and checksum.
fn fields(mut lines: &[(usize, &str)]) -> Result<Entry, String> {
    let mut entry = Entry::default();
    while let Some((&(index, head), after)) = lines.split_first() {
        let (more, rest) = after.split_at(after.iter().take_while(|it| it.1.starts_with(MORE)).count());
        let more = more.iter().map(|it| &it.1[MORE.len()..]);
        field(&mut entry, head, more).map_err(|what| format!("line {}: {what}; {RESTORE}", index + 1))?;
        lines = rest;
    }
    Ok(entry)
}

fn field<'a>(entry: &mut Entry, head: &'a str, more: impl Iterator<Item = &'a str>) -> Result<(), String> {
    let text = |first: &'a str| {
        let lines = [first].into_iter().chain(more).map(|line| line.strip_prefix(' ').unwrap_or(line));
        lines.collect::<Vec<_>>().join("\n")
    };
    if let Some(first) = head.strip_prefix("test:") {
        entry.test = unescape(&text(first))?;
    } else if let Some(first) = head.strip_prefix("fails:") {
        entry.failure = unescape(&text(first))?;
    } else if let Some(first) = head.strip_prefix("choices:") {
        entry.choices = parse_choices(&text(first))?;
    } else if let Some((name, first)) = head.strip_prefix("let ").and_then(|it| it.split_once(" =")) {
        let name = if name == "_" { None } else { Some(unescape(name)?) };
        let text = text(first);
        let text = text.strip_suffix(';').ok_or("an input does not end with `;`")?;
        entry.inputs.push((name, unescape(text)?));
    } else {
        return Err(format!("unknown line `{head}`"));
    }
    Ok(())
}

fn push_field(out: &mut String, head: &str, text: &str, end: &str) {
    out.push_str(head);
    for (i, line) in text.split('\n').enumerate() {
        if i > 0 {
            out.push('\n');
            out.push_str(MORE);
        }
        if !line.is_empty() {
            out.push(' ');
        }
        out.push_str(line);
    }
    out.push_str(end);
    out.push('\n');
}

/// Writes what an editor would hide, change or strip as `<U+000D>`.
fn escape(text: &str) -> String {
    let mut res = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let after = &text[at + c.len_utf8()..];
        let ends_line = after.is_empty() || after.starts_with('\n');
        let hidden = match c {
            '\n' => false,
            '<' => after.starts_with("U+"),
            '\t' | ' ' => ends_line,
            // Marks of direction, line separators and the byte order mark.
            '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' => true,
            _ => c.is_control() || ends_line && c.is_whitespace(),
        };
        if hidden {
            push_hidden(&mut res, c);
        } else {
            res.push(c);
        }
    }
    res
}

/// As [`escape`], for a name: it stands on one line before a `=`, and `_` represents no name.
fn escape_name(name: &str) -> String {
    let mut res = String::new();
    for c in escape(name).chars() {
        if matches!(c, '=' | '\n') || name == "_" {
            push_hidden(&mut res, c);
        } else {
            res.push(c);
        }
    }
    res
}

fn push_hidden(out: &mut String, c: char) {
    let _ = write!(out, "<U+{:04X}>", c as u32); // writing to a string cannot fail
}

fn unescape(text: &str) -> Result<String, String> {
    let mut parts = text.split("<U+");
    let mut res = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let char = |hex| char::from_u32(u32::from_str_radix(hex, 16).ok()?);
        let (c, rest) = part
            .split_once('>')
            .and_then(|(hex, rest)| Some((char(hex)?, rest)))
            .ok_or("`<U+` begins no character")?;
        res.push(c);
        res.push_str(rest);
    }
    Ok(res)
}
