//! Prepared inputs of one test and their file. No other file knows the format.
//!
//! ```text
//! probity inputs, format 1
//! # Prepared by Probity, and used while the test declares the same inputs. It may be deleted at any time.
//! test: my_crate::tests::times
//! fingerprint: 0c6d8a7b1f2e3d4c
//! total: exactly 2 inputs that differ exist
//! inputs: 2
//! p1 c'a'
//! p0 i7
//! checksum: ff97317703635373
//! ```
//!
//! Each line below `inputs` has the answers that lead to one input; `-` where nothing is asked.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use probity_core::Value;

use super::{failed, folder, hash, parse_choices};
use crate::files;

const HEADER: &str = "probity inputs, format 1";
const COMMENT: &str =
    "# Prepared by Probity, and used while the test declares the same inputs. It may be deleted at any time.";
/// The folder beside that of stored failures, or in it where that is one of the user's own.
const FOLDER: &str = "probity-inputs";

/// The inputs that were prepared for a test.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PreparedFile {
    /// The path of the test.
    pub(crate) test: String,
    /// What they were prepared for: see [`fingerprint`].
    pub(crate) fingerprint: String,
    /// Where there are fewer than wanted: how many exist, in words.
    pub(crate) total: Option<String>,
    /// The answers that lead to each.
    pub(crate) inputs: Vec<Vec<Value>>,
}

/// A short text that differs where any of the texts does.
pub(crate) fn fingerprint(texts: &[&str]) -> String {
    let bytes = texts.iter().flat_map(|it| (it.len() as u64).to_le_bytes().into_iter().chain(it.bytes()));
    format!("{:016x}", hash(bytes))
}

impl PreparedFile {
    /// Where the inputs of a test are kept, when failures are stored in `store`.
    pub(crate) fn path(store: &Path, test: &str) -> PathBuf {
        let is_ours = store.ends_with(crate::settings::STORE);
        let folder = if is_ours { store.with_file_name(FOLDER) } else { store.join(FOLDER) };
        folder.join(format!("{}.txt", folder::folder_name(test)))
    }

    /// Reads a file; none where there is none, and what is wrong with one that is of no use.
    pub(crate) fn load(path: &Path) -> Result<Option<PreparedFile>, String> {
        files::remove_left_over(path.parent().unwrap_or(Path::new("")), |it| writer(path, it));
        let text = match files::read(path) {
            Ok(bytes) => String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_string())?,
            Err(err) if matches!(err.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            Err(err) => return Err(format!("it cannot be read ({err})")),
        };
        Self::from_text(&text).map(Some)
    }

    /// Writes the file whole: others see the old one or the new one.
    pub(crate) fn save(&self, path: &Path) -> io::Result<()> {
        let folder = path.parent().unwrap_or(Path::new(""));
        files::create_folder(folder).map_err(|err| failed("create", folder, err))?;
        let temp = path.with_extension(format!("{}.tmp", std::process::id()));
        let _ = fs::remove_file(&temp); // left by an earlier process of that number
        files::write_new(&temp, &self.to_text()).and_then(|()| files::rename(&temp, path)).map_err(|err| {
            let _ = fs::remove_file(&temp); // the error to report is the first one
            failed("write", path, err)
        })
    }

    pub(crate) fn to_text(&self) -> String {
        let mut res =
            format!("{HEADER}\n{COMMENT}\ntest: {}\nfingerprint: {}\n", self.test, self.fingerprint);
        if let Some(total) = &self.total {
            res += &format!("total: {}\n", total.replace('\n', " "));
        }
        res += &format!("inputs: {}\n", self.inputs.len());
        for choices in &self.inputs {
            let words: Vec<String> = choices.iter().map(Value::to_string).collect();
            res += &if words.is_empty() { "-\n".to_string() } else { words.join(" ") + "\n" };
        }
        let sum = hash(res.bytes());
        res + &format!("checksum: {sum:016x}\n")
    }

    pub(crate) fn from_text(text: &str) -> Result<PreparedFile, String> {
        let text = text.replace("\r\n", "\n");
        if text.lines().next() != Some(HEADER) {
            return Err(format!("its first line is not `{HEADER}`"));
        }
        let Some((body, sum)) = text.rsplit_once("\nchecksum: ") else {
            return Err("it does not end with its checksum".to_string());
        };
        let body = format!("{body}\n");
        if sum.trim_end() != format!("{:016x}", hash(body.bytes())) {
            return Err("it was changed (its checksum differs)".to_string());
        }
        let mut lines = body.lines().filter(|it| !it.starts_with('#')).skip(1).peekable();
        let mut field =
            |name: &str| lines.next_if(|it| it.starts_with(name)).map(|it| it[name.len()..].to_string());
        let (test, fingerprint, total) = (field("test: "), field("fingerprint: "), field("total: "));
        let n = field("inputs: ").and_then(|it| it.parse::<usize>().ok());
        let inputs = lines.map(|it| if it == "-" { Ok(Vec::new()) } else { parse_choices(it) });
        let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
        match (test, fingerprint, n) {
            (Some(test), Some(fingerprint), Some(n)) if n == inputs.len() => {
                Ok(PreparedFile { test, fingerprint, total, inputs })
            }
            _ => Err("a line is missing".to_string()),
        }
    }
}

/// The text with the checksum that it should have: see `readers`.
pub(crate) fn mended(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let body = text.rfind("\nchecksum: ").map_or(&*text, |it| &text[..it + 1]);
    format!("{body}checksum: {:016x}\n", hash(body.bytes()))
}

/// The process that writes a temporary file of that name in place of `path`.
fn writer(path: &Path, name: &str) -> Option<u32> {
    let stem = path.file_stem()?.to_str()?;
    name.strip_prefix(stem)?.strip_prefix('.')?.strip_suffix(".tmp")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(total: Option<&str>, inputs: Vec<Vec<Value>>) -> PreparedFile {
        let total = total.map(ToString::to_string);
        PreparedFile { test: "a::b".to_string(), fingerprint: fingerprint(&["x"]), total, inputs }
    }

    #[test]
    fn files_round_trip() {
        for it in [
            file(None, vec![]),
            file(
                Some("exactly 2 inputs that differ exist"),
                vec![vec![], vec![Value::Int(-7), Value::Char('\n')]],
            ),
            file(None, vec![vec![Value::Pick(3), Value::Bool(true), Value::Length(0)]; 3]),
        ] {
            assert_eq!(PreparedFile::from_text(&it.to_text()), Ok(it.clone()));
            assert_eq!(PreparedFile::from_text(&it.to_text().replace('\n', "\r\n")), Ok(it));
        }
    }

    #[test]
    fn no_change_goes_unseen() {
        let text = file(None, vec![vec![Value::Int(12)], vec![]]).to_text();
        for at in 0..text.len() {
            let mut changed = text.clone().into_bytes();
            changed[at] ^= 1;
            // The last line may end otherwise.
            if let Ok(changed) = String::from_utf8(changed)
                && at + 1 < text.len()
            {
                assert!(PreparedFile::from_text(&changed).is_err(), "{changed}");
            }
            assert!(PreparedFile::from_text(&text[..at]).is_err() || at + 1 == text.len());
        }
    }

    #[test]
    fn fingerprints_tell_texts_apart() {
        let all =
            [&["ab", "c"][..], &["a", "bc"], &["abc"], &["abc", ""], &["", "abc"], &[]].map(fingerprint);
        assert!((0..all.len()).all(|at| !all[..at].contains(&all[at])), "{all:?}");
    }
}
