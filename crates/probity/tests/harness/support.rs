//! Runs fixtures as processes of their own, and makes what they print comparable.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

/// A folder for one test, removed at its end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Folder {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!("probity-harness-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// The files below it, sorted.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let mut res = Vec::new();
        let mut folders = vec![self.0.clone()];
        while let Some(folder) = folders.pop() {
            for it in fs::read_dir(folder).unwrap() {
                let path = it.unwrap().path();
                if path.is_dir() { folders.push(path) } else { res.push(path) }
            }
        }
        res.sort();
        res
    }

    /// The only file below it, and its text.
    pub(crate) fn only_file(&self) -> (PathBuf, String) {
        let files = self.files();
        let [path] = &files[..] else { panic!("one file is expected: {files:?}") };
        (path.clone(), fs::read_to_string(path).unwrap())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

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

    /// Compares what a person reads with `expected`, line by line.
    #[track_caller]
    pub(crate) fn reads(&self, expected: &str) {
        assert_same(&self.text, expected);
    }

    #[track_caller]
    pub(crate) fn says(&self, parts: &[&str]) {
        for part in parts {
            assert!(self.text.contains(part), "`{part}` is missing:\n{}", self.text);
        }
    }
}

#[track_caller]
pub(crate) fn assert_same(found: &str, expected: &str) {
    let (found, expected) = (found.trim_end(), expected.trim_end());
    if found != expected {
        let same = found.lines().zip(expected.lines()).take_while(|(a, b)| a == b).count();
        panic!("they differ from line {}; found:\n{found}\n\nexpected:\n{expected}", same + 1);
    }
}

/// A command that runs fixture `name` with nothing of our own environment that would change it, with
/// `store` as its store and with `env`.
pub(crate) fn command(name: &str, store: &Folder, env: &[(&str, &str)]) -> Command {
    let mut res = Command::new(std::env::current_exe().unwrap());
    res.args(["--ignored", "--exact", &format!("fixtures::{name}")]);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("PROBITY_") {
            res.env_remove(name);
        }
    }
    for name in ["CI", "RUST_BACKTRACE", "RUST_TEST_NOCAPTURE", "NO_COLOR", "CLICOLOR_FORCE"] {
        res.env_remove(name);
    }
    res.env("CARGO_PKG_NAME", "probity").env("PROBITY_STORE", store.path()).env("PROBITY_SEED", "7");
    for (name, value) in env {
        if value.is_empty() {
            res.env_remove(name)
        } else {
            res.env(name, value)
        };
    }
    res.stdin(Stdio::null());
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
