//! Every reader of this crate behind one door, with the laws that hold for whatever it is given: for tests of ours that
//! give it malformed texts, and for nobody else.

use crate::{Random, Regex, strings};

/// A reader: what it is called, texts that it takes, and itself.
#[derive(Clone, Copy)]
pub struct Reader {
    /// What it is called.
    pub name: &'static str,
    /// Texts that it takes.
    pub samples: &'static [&'static str],
    /// Words that its texts are made of.
    pub words: &'static [&'static str],
    /// Reads; whether it took the text. The error says which law was broken.
    pub read: fn(&[u8]) -> Result<bool, String>,
    /// Makes a changed text look unchanged, so that it is looked into.
    pub mend: Option<fn(Vec<u8>) -> Vec<u8>>,
}

/// All of them.
pub const READERS: [Reader; 1] = [Reader {
    name: "pattern",
    samples: &[
        r"^(1[0-2]|[1-9]):[0-5]\d\b\s?(AM|PM)$",
        r"(?i)[\w&&[^\d_]]{2,9}(?:-\p{Greek}+)*|x??",
        r"(?mx) ^ a{3} # comment
              $ | (?P<name>b*)",
    ],
    words: &[
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "{0,1000}",
        "{4294967295}",
        "*",
        "+",
        "?",
        "|",
        "\\",
        "\\b",
        "\\w",
        "\\pL",
        "(?i)",
        "(?-u)",
        "[^",
        "&&",
        "--",
        "~~",
        ".",
        "^",
        "$",
        "(?=",
        "\\1",
        "\\p{",
    ],
    read: |bytes| utf8(bytes, read_pattern),
    mend: None,
}];

/// Reads what is text.
pub fn utf8(bytes: &[u8], read: impl FnOnce(&str) -> Result<bool, String>) -> Result<bool, String> {
    // Anyone who reads a file refuses others before.
    std::str::from_utf8(bytes).map_or(Ok(false), read)
}

fn read_pattern(text: &str) -> Result<bool, String> {
    let regex = match Regex::new(text) {
        Ok(regex) => regex,
        Err(error)
            if error.message.is_empty() || error.column == 0 || error.column > text.chars().count() + 1 =>
        {
            return Err(format!("refused without a place: {error:?}"));
        }
        Err(_) => return Ok(false),
    };
    // What cannot be drawn says so.
    if let Err(error) = strings(&regex).check() {
        return if error.is_empty() { Err("refused without a word".to_string()) } else { Ok(false) };
    }
    let drawn = regex.sampler().map(|it| it.sample(&mut Random::new(7)));
    match drawn {
        Ok(text) if text.len() > 500 || regex.is_match(&text) => Ok(true),
        Ok(text) => Err(format!("{text:?} was drawn and does not match {regex}")),
        Err(_) => Ok(true),
    }
}
