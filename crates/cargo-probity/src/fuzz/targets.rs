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
    /// What of cargo's arguments picks the binary: `-p app --test parsing`.
    pub(crate) picked_by: Vec<String>,
    /// Its name in the binary.
    pub(crate) test: String,
    /// Whether somebody named it: then it runs even if it is ignored.
    pub(crate) is_named: bool,
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

/// The tests whose names contain one of the words among the arguments, if there are any: a name that is a word alone counts
/// alone for it. The other arguments are cargo's, which builds in this environment.
pub(crate) fn find(
    args: &[OsString],
    environment: &[(&'static str, OsString)],
) -> Result<Vec<FuzzTarget>, CommandError> {
    let (filters, cargo) = split(args);
    let binaries = build(&cargo, environment)?;
    let mut all = Vec::new();
    for TestBinary { exe, folder, picked_by } in binaries {
        for test in list(&exe, &folder)? {
            all.push(FuzzTarget {
                exe: exe.clone(),
                folder: folder.clone(),
                picked_by: picked_by.clone(),
                test,
                is_named: !filters.is_empty(),
            });
        }
    }
    if filters.is_empty() {
        return some(all, "there is no test here");
    }
    let mut res: Vec<FuzzTarget> = Vec::new();
    for filter in filters {
        let is_same = |it: &&FuzzTarget| it.test == filter || it.test.ends_with(&format!("::{filter}"));
        let is_alone = all.iter().any(|it| is_same(&it));
        let is_meant = |it: &&FuzzTarget| if is_alone { is_same(it) } else { it.test.contains(&filter) };
        let meant: Vec<FuzzTarget> = all.iter().filter(is_meant).cloned().collect();
        let meant = some(meant, &format!("no test has `{filter}` in its name"))?;
        let new: Vec<FuzzTarget> = meant.into_iter().filter(|it| !res.contains(it)).collect();
        res.extend(new);
    }
    Ok(res)
}

fn some(targets: Vec<FuzzTarget>, otherwise: &str) -> Result<Vec<FuzzTarget>, CommandError> {
    let hint = "`cargo test -- --list` lists those there are";
    if targets.is_empty() { Err(format!("{otherwise}; {hint}").into()) } else { Ok(targets) }
}

/// The words that are no options and no options' values, and the rest.
pub(crate) fn split(args: &[OsString]) -> (Vec<String>, Vec<&OsString>) {
    let (mut words, mut rest, mut is_value) = (Vec::new(), Vec::new(), false);
    for arg in args {
        let text = arg.to_string_lossy();
        if is_value || text.starts_with('-') {
            rest.push(arg);
        } else {
            words.push(text.to_string());
        }
        is_value = !is_value && WITH_VALUE.contains(&&*text);
    }
    (words, rest)
}

/// A binary with tests.
pub(crate) struct TestBinary {
    pub(crate) exe: PathBuf,
    /// The folder of its package.
    pub(crate) folder: PathBuf,
    /// What of cargo's arguments picks it.
    picked_by: Vec<String>,
}

/// Has cargo build the tests, and returns their binaries.
pub(crate) fn build(
    args: &[&OsString],
    environment: &[(&'static str, OsString)],
) -> Result<Vec<TestBinary>, CommandError> {
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
fn binary(message: &Json) -> Option<TestBinary> {
    let is_test = matches!(message.get("profile")?.get("test")?.kind, JsonKind::Bool(true));
    let exe = text(message.get("executable").filter(|_| is_test)?)?;
    let folder = Path::new(text(message.get("manifest_path")?)?).parent()?;
    let picked_by = picked_by(message).unwrap_or_default();
    Some(TestBinary { exe: exe.into(), folder: folder.into(), picked_by })
}

/// What of cargo's arguments picks the binary of a message.
fn picked_by(message: &Json) -> Option<Vec<String>> {
    // `path+file:///a/app#0.1.0`, or `path+file:///a/b#app@0.1.0` where the folder has another name.
    let (path, name) = text(message.get("package_id")?)?.rsplit_once('#')?;
    let package = match name.split_once('@') {
        Some((package, _)) => package,
        None => path.rsplit_once('/')?.1,
    };
    let target = message.get("target")?;
    let name = text(target.get("name")?)?.to_string();
    let kind = match &target.get("kind")?.kind {
        JsonKind::List(kinds) => text(kinds.first()?)?,
        _ => return None,
    };
    let mut res = vec!["-p".to_string(), package.to_string()];
    match kind {
        "test" | "bin" | "example" | "bench" => res.extend([format!("--{kind}"), name]),
        _ => res.push("--lib".to_string()),
    }
    Some(res)
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
        let rows: [(&str, &[&str], &str); 5] = [
            ("", &[], ""),
            ("parses", &["parses"], ""),
            ("--release -p app parses", &["parses"], "--release -p app"),
            ("parses -p app writes", &["parses", "writes"], "-p app"),
            ("--features=a -F b", &[], "--features=a -F b"),
        ];
        for (line, words, rest) in rows {
            let args: Vec<OsString> = line.split_whitespace().map(Into::into).collect();
            let (found, left) = split(&args);
            let left: Vec<_> = left.iter().map(|it| it.to_string_lossy()).collect();
            assert_eq!((&*found.join(" "), &*left.join(" ")), (&*words.join(" "), rest), "{line}");
        }
    }

    #[test]
    fn a_binary_is_picked_by_its_package_and_name() {
        let message = |id: &str, kind: &str| {
            let text = format!(r#"{{"package_id":"{id}","target":{{"kind":["{kind}"],"name":"t"}}}}"#);
            picked_by(&json::parse(&text).unwrap()).unwrap().join(" ")
        };
        assert_eq!(message("path+file:///a/app#0.1.0", "test"), "-p app --test t");
        assert_eq!(message("path+file:///a/b#app@0.1.0", "proc-macro"), "-p app --lib");
    }
}
