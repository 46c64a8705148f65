//! Runs fixtures as processes of their own, and makes what they print comparable.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub(crate) use probity_testkit::Folder;
use probity_testkit::{assert_snapshot, quiet};

/// How a fixture went.
pub(crate) struct Ran {
    pub(crate) passed: bool,
    /// All that a person reads, as it is.
    pub(crate) raw: String,
    /// The same without what differs between two runs.
    pub(crate) text: String,
}

impl Ran {
    /// What follows `start` on the line that begins with it.
    pub(crate) fn field(&self, start: &str) -> &str {
        let line = self.raw.lines().find_map(|it| it.trim_start().strip_prefix(start));
        line.unwrap_or_else(|| panic!("no line starts with `{start}`:\n{}", self.raw)).trim()
    }

    /// The value of `PROBITY_REPLAY` in the command that the report gives.
    pub(crate) fn replay(&self) -> &str {
        let at = self.raw.find("PROBITY_REPLAY=").expect("a command to replay");
        let value = self.raw[at..].split_once('=').unwrap().1;
        match value.strip_prefix('\'') {
            Some(quoted) => quoted.split_once('\'').unwrap().0,
            None => value.split_once(' ').unwrap().0,
        }
    }

    #[track_caller]
    pub(crate) fn passes(self) -> Ran {
        assert!(self.passed, "it should pass:\n{}", self.raw);
        self
    }

    #[track_caller]
    pub(crate) fn fails(self) -> Ran {
        assert!(!self.passed, "it should fail:\n{}", self.raw);
        self
    }

    /// Compares what a person reads with the snapshot of this name.
    #[track_caller]
    pub(crate) fn reads(&self, name: &str) {
        assert_snapshot(snapshot(name), &self.text);
    }

    #[track_caller]
    pub(crate) fn says_nothing(&self) {
        assert_eq!(self.text, "");
    }

    #[track_caller]
    pub(crate) fn says(&self, parts: &[&str]) {
        for part in parts {
            assert!(self.text.contains(part), "`{part}` is missing:\n{}", self.text);
        }
    }
}

/// Where the snapshot of this name is.
pub(crate) fn snapshot(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/harness/snapshots/{name}.txt"))
}

/// A command that runs fixture `name` with nothing of our own environment that would change it, with
/// `store` as its store and with `env`.
pub(crate) fn command(name: &str, store: &Folder, env: &[(&str, &str)]) -> Command {
    let mut res = quiet(std::env::current_exe().unwrap());
    res.args(["--ignored", "--exact", &format!("fixtures::{name}")]);
    res.env("CARGO_PKG_NAME", "probity").env("PROBITY_STORE", store.path()).env("PROBITY_SEED", "7");
    for (name, value) in env {
        if value.is_empty() {
            res.env_remove(name)
        } else {
            res.env(name, value)
        };
    }
    res
}

/// Runs a fixture with a store of its own.
pub(crate) fn run(name: &str) -> Ran {
    run_in(&Folder::new(), name, &[])
}

pub(crate) fn run_in(store: &Folder, name: &str, env: &[(&str, &str)]) -> Ran {
    let Output { status, stdout, stderr } = command(name, store, env).arg("--nocapture").output().unwrap();
    let stdout = String::from_utf8(stdout).unwrap();
    assert!(stdout.contains("running 1 test\n"), "no fixture is called `{name}`:\n{stdout}");
    let raw = String::from_utf8(stderr).unwrap();
    let text = normal(&raw, store);
    Ran { passed: status.success(), raw, text }
}

/// Takes out what differs between two runs or with the place of a line: the store, hashes, seeds,
/// numbers of lines and threads, and counts of cases.
pub(crate) fn normal(text: &str, store: &Folder) -> String {
    let mut res = String::new();
    for line in text.replace(&store.path().display().to_string(), "STORE").lines() {
        let counts = ["found by:", "explained:"].iter().any(|it| line.trim_start().starts_with(it));
        let mut rest = line;
        while let Some(at) = rest.find(|c: char| c.is_ascii_hexdigit()) {
            let (before, word) = rest.split_at(at);
            let end = word.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(word.len());
            let (word, after) = word.split_at(end);
            let inside = before.ends_with(|c: char| c.is_alphanumeric());
            let digits = word.bytes().all(|c| c.is_ascii_digit());
            let place = before.ends_with(".rs:")
                || res.ends_with(".rs:N:") && before.is_empty()
                || before == ":" && res.ends_with(".rs:N");
            let thread = before.ends_with("' (") && after.starts_with(") panicked");
            let hash = word.len() == 16 && word.bytes().all(|c| c.is_ascii_hexdigit());
            res.push_str(before);
            let replace = !inside && (word.starts_with("0x") || digits && (counts || place || thread));
            res.push_str(if replace {
                "N"
            } else if hash {
                "HASH"
            } else {
                word
            });
            rest = after;
        }
        res.push_str(rest);
        res.push('\n');
    }
    res
}
