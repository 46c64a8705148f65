//! `probity.toml`: where it is, and the part of TOML that it needs.
//!
//! Keys with a number, `true`, `false` or a text in quotes on one line; sections `[profile.NAME]`;
//! comments. What goes beyond that is an error at its line.

use std::collections::BTreeSet;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::key::shortened;
use super::{Key, SettingsError};
use crate::files;

const NAME: &str = "probity.toml";

/// What one `probity.toml` says.
///
/// ```
/// use probity::settings::File;
/// let file = File::parse("probity.toml".into(), "cases = 100\n[profile.ci]\ncases = 10_000\n")?;
/// assert_eq!(file.profiles(), ["ci"]);
/// let err = File::parse("probity.toml".into(), "case = 100").unwrap_err();
/// assert_eq!(err.to_string(), "probity.toml:1: unknown key `case`; did you mean `cases`?");
/// # Ok::<(), probity::settings::SettingsError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub(super) path: PathBuf,
    pub(super) assignments: Vec<Assignment>,
    profiles: Vec<String>,
}

/// One `key = value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Assignment {
    pub(super) line: usize,
    pub(super) profile: Option<String>,
    pub(super) key: Key,
    pub(super) text: String,
}

impl File {
    /// The file that holds for a package: the nearest one, in the package's folder or above it up to the
    /// root of its workspace.
    ///
    /// ```
    /// use probity::settings::File;
    /// assert_eq!(File::find("/no/such/package".as_ref()), Ok(None));
    /// ```
    pub fn find(package: &Path) -> Result<Option<File>, SettingsError> {
        // Beyond the workspace a file belongs to something else: somebody's home, another project.
        let above = package.ancestors().position(is_workspace_root).unwrap_or(0);
        for dir in package.ancestors().take(above + 1) {
            let path = dir.join(NAME);
            let text = files::read(&path).and_then(|it| {
                String::from_utf8(it).map_err(|err| {
                    let line =
                        err.as_bytes()[..err.utf8_error().valid_up_to()].split(|it| *it == b'\n').count();
                    io::Error::new(ErrorKind::InvalidData, format!("line {line} is not UTF-8"))
                })
            });
            match text {
                Ok(text) => return File::parse(path, &text).map(Some),
                Err(err) if matches!(err.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
                Err(err) => {
                    return Err(SettingsError(format!(
                        "cannot read `{}`: {err}; make it a readable file in UTF-8",
                        path.display()
                    )));
                }
            }
        }
        Ok(None)
    }

    /// Reads the content of a file. `path` is for errors, and paths in the file are relative to it.
    pub fn parse(path: PathBuf, text: &str) -> Result<File, SettingsError> {
        let mut file = File { path, assignments: Vec::new(), profiles: Vec::new() };
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut known = BTreeSet::new();
        for (index, line) in text.lines().enumerate() {
            file.parse_line(index + 1, line.trim(), &mut known).map_err(|what| {
                SettingsError(format!("{}:{}: {}", file.path.display(), index + 1, shortened(&what)))
            })?;
        }
        Ok(file)
    }

    /// The names of its profiles.
    pub fn profiles(&self) -> &[String] {
        &self.profiles
    }

    /// Reads one line; `known` are the profiles above it.
    fn parse_line<'t>(
        &mut self,
        line: usize,
        text: &'t str,
        known: &mut BTreeSet<&'t str>,
    ) -> Result<(), String> {
        if is_blank(text) {
            return Ok(());
        }
        if text.starts_with('[') {
            let name = profile(text).ok_or_else(|| {
                format!("unknown section `{text}`; write [profile.NAME], with letters, digits, - and _")
            })?;
            if !known.insert(name) {
                return Err(format!("profile `{name}` has a section above; join the two"));
            }
            self.profiles.push(name.to_string());
            return Ok(());
        }
        let (name, value) = text.split_once('=').ok_or("expected `key = value` or `[profile.NAME]`")?;
        let name = name.trim();
        let key = Key::from_name(name).map_err(|hint| format!("unknown key `{name}`; {hint}"))?;
        let profile = self.profiles.last().cloned();
        let section = self.assignments.iter().rev().take_while(|it| it.profile == profile);
        if let Some(first) = section.into_iter().find(|it| it.key == key) {
            return Err(format!("`{name}` is set on line {} already; remove one", first.line));
        }
        let text = value_text(value.trim())?;
        self.assignments.push(Assignment { line, profile, key, text });
        Ok(())
    }
}

fn is_workspace_root(dir: &Path) -> bool {
    let is_section = |line: &str| line.starts_with("[workspace]") || line.starts_with("[workspace.");
    let text = files::read(&dir.join("Cargo.toml"));
    text.is_ok_and(|it| String::from_utf8_lossy(&it).lines().any(|it| is_section(it.trim())))
}

fn is_blank(text: &str) -> bool {
    text.is_empty() || text.starts_with('#')
}

/// The name in `[profile.NAME]`.
fn profile(text: &str) -> Option<&str> {
    let (head, rest) = text.strip_prefix('[')?.split_once(']')?;
    let name = head.trim().strip_prefix("profile.")?;
    let is_bare = name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-' || c == b'_');
    (is_bare && !name.is_empty() && is_blank(rest.trim())).then_some(name)
}

/// The text of a value: what is between its quotes, or a number, `true` or `false` as it stands.
fn value_text(value: &str) -> Result<String, String> {
    let (text, rest) = match value.chars().next() {
        Some('"') => quoted(&value[1..])?,
        Some('\'') => {
            let (text, rest) = value[1..].split_once('\'').ok_or("the closing ' is missing")?;
            (text.to_string(), rest)
        }
        _ => {
            let bare = value.split('#').next().unwrap_or_default().trim_end();
            let is_number = bare.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+')
                && bare.bytes().all(|c| c.is_ascii_hexdigit() || b"x_+-.".contains(&c));
            if !is_number && bare != "true" && bare != "false" {
                return Err(format!(
                    "`{bare}` is no number, true or false; put a text in quotes: \"{bare}\""
                ));
            }
            (bare.to_string(), "")
        }
    };
    if is_blank(rest.trim()) { Ok(text) } else { Err(format!("`{}` stands behind the value", rest.trim())) }
}

/// A text up to its closing `"`, and what follows.
fn quoted(value: &str) -> Result<(String, &str), String> {
    let mut text = String::new();
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => return Ok((text, chars.as_str())),
            '\\' => text.push(match chars.next() {
                Some(c @ ('"' | '\\')) => c,
                Some('n') => '\n',
                Some('t') => '\t',
                _ => return Err("unknown \\; write \\\\ for one, or put the text in '...'".into()),
            }),
            c => text.push(c),
        }
    }
    Err("the closing \" is missing".into())
}
