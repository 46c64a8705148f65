//! Which tests there are: cargo builds the binaries, and each lists its own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use probity_lang::json::{self, Json, JsonKind};

use crate::exit::{CommandError, Exit};

/// A test in its binary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FuzzTarget {
    pub(crate) exe: PathBuf,
    /// Where cargo would run it: the folder of its package.
    pub(crate) folder: PathBuf,
    /// Its name in the binary.
    pub(crate) test: String,
    /// Whether somebody named it: then it runs even if it is ignored.
    is_named: bool,
}

impl FuzzTarget {
    /// A process that runs it with this engine, as a part of a campaign.
    pub(crate) fn command(&self, engine: &str) -> Command {
        let mut res = Command::new(&self.exe);
        res.args([&self.test, "--exact", "--nocapture"]).args(self.is_named.then_some("--include-ignored"));
        res.current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder).stdin(Stdio::null());
        res.env("PROBITY_CAMPAIGN", "1").env("PROBITY_ENGINE", engine).env_remove("PROBITY_REPLAY");
        res
    }
}

/// Options of cargo with a value in the next argument.
const WITH_VALUE: [&str; 16] = [
    "-p",
    "--package",
    "--exclude",
    "-F",
    "--features",
    "--test",
    "--bin",
    "--example",
    "--bench",
    "--target",
    "--profile",
    "--manifest-path",
    "--target-dir",
    "-j",
    "--config",
    "-Z",
];

/// The tests whose names contain the word among the arguments, if there is one: a name that is the word alone counts
/// alone. The other arguments are cargo's, which builds in this environment.
pub(crate) fn find(
    args: &[OsString],
    environment: &[(&'static str, OsString)],
) -> Result<Vec<FuzzTarget>, CommandError> {
    let (filter, cargo) = split(args);
    let binaries = build(&cargo, environment)?;
    let mut all = Vec::new();
    for (exe, folder) in binaries {
        for test in list(&exe, &folder)? {
            all.push(FuzzTarget {
                exe: exe.clone(),
                folder: folder.clone(),
                test,
                is_named: filter.is_some(),
            });
        }
    }
    let Some(filter) = filter else { return some(all, "there is no test here") };
    let is_same = |it: &FuzzTarget| it.test == filter || it.test.ends_with(&format!("::{filter}"));
    let is_alone = all.iter().any(is_same);
    all.retain(|it| if is_alone { is_same(it) } else { it.test.contains(&filter) });
    some(all, &format!("no test has `{filter}` in its name"))
}

fn some(targets: Vec<FuzzTarget>, otherwise: &str) -> Result<Vec<FuzzTarget>, CommandError> {
    let hint = "`cargo test -- --list` lists those there are";
    if targets.is_empty() { Err(format!("{otherwise}; {hint}").into()) } else { Ok(targets) }
}

/// The word that is no option and no option's value, and the rest.
fn split(args: &[OsString]) -> (Option<String>, Vec<&OsString>) {
    let (mut word, mut rest, mut is_value) = (None, Vec::new(), false);
    for arg in args {
        let text = arg.to_string_lossy();
        if is_value || text.starts_with('-') || word.is_some() {
            rest.push(arg);
        } else {
            word = Some(text.to_string());
        }
        is_value = !is_value && WITH_VALUE.contains(&&*text);
    }
    (word, rest)
}

/// Has cargo build the tests, and returns their binaries with the folders of their packages.
pub(crate) fn build(
    args: &[&OsString],
    environment: &[(&'static str, OsString)],
) -> Result<Vec<(PathBuf, PathBuf)>, CommandError> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.args(["test", "--no-run", "--message-format=json-render-diagnostics"]).args(args);
    cargo.envs(environment.iter().cloned());
    let output = cargo.stderr(Stdio::inherit()).output().map_err(|err| {
        let text = format!("cannot run cargo: {err}; install Rust, or set CARGO to its path");
        CommandError { exit: Exit::Unknown, text }
    })?;
    if !output.status.success() {
        let text = "`cargo test --no-run` failed".to_string();
        return Err(CommandError { exit: Exit::Unknown, text });
    }
    let said = String::from_utf8_lossy(&output.stdout);
    Ok(said.lines().filter_map(|line| binary(&json::parse(line).ok()?)).collect())
}

/// The test binary that a message of cargo is about.
fn binary(message: &Json) -> Option<(PathBuf, PathBuf)> {
    let is_test = matches!(message.get("profile")?.get("test")?.kind, JsonKind::Bool(true));
    let exe = text(message.get("executable").filter(|_| is_test)?)?;
    let folder = Path::new(text(message.get("manifest_path")?)?).parent()?;
    Some((exe.into(), folder.into()))
}

pub(crate) fn text(json: &Json) -> Option<&str> {
    match &json.kind {
        JsonKind::Text(it) => Some(it),
        _ => None,
    }
}

/// The names of a binary's tests.
fn list(exe: &Path, folder: &Path) -> Result<Vec<String>, CommandError> {
    let output = Command::new(exe).args(["--list", "--format", "terse"]).current_dir(folder).output();
    let output = output.map_err(|err| format!("cannot run `{}`: {err}", exe.display()))?;
    let said = String::from_utf8_lossy(&output.stdout);
    Ok(said.lines().filter_map(|it| it.strip_suffix(": test")).map(str::to_string).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_is_told_from_options() {
        let rows: [(&str, Option<&str>, &str); 5] = [
            ("", None, ""),
            ("parses", Some("parses"), ""),
            ("--release -p app parses", Some("parses"), "--release -p app"),
            ("parses -p app", Some("parses"), "-p app"),
            ("--features=a -F b", None, "--features=a -F b"),
        ];
        for (line, word, rest) in rows {
            let args: Vec<OsString> = line.split_whitespace().map(Into::into).collect();
            let (found, left) = split(&args);
            let left: Vec<_> = left.iter().map(|it| it.to_string_lossy()).collect();
            assert_eq!((found.as_deref(), &*left.join(" ")), (word, rest), "{line}");
        }
    }
}
