//! Programs, folders and runs of the binary.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use probity_lang::json::{self, Json, JsonKind};

/// One outline, 103 inputs in all.
pub(crate) const AGES: &str = "(program ages
  (generate adults 5
    (declare age ?Integer)
    (specify age (gte 18))
    (specify age (lte 120))))";

/// Two outlines: one with 37 inputs, and one with pairs that are 10 apart.
pub(crate) const TWO: &str = "(program two
  (generate few 3
    (declare n ?Integer)
    (specify n (gte 0))
    (specify n (lte 36)))
  (generate apart 4
    (declare m ?Integer)
    (specify m (gte 0))
    (specify m (lte 100))
    (constrain-solutions m (numeric-distance 10))))";

/// Nothing is at least 5 and at most 4.
pub(crate) const NONE: &str = "(program none
  (generate nothing 5
    (declare n ?Integer)
    (specify n (gte 5))
    (specify n (lte 4))))";

/// More inputs than anybody waits for.
pub(crate) const MANY: &str = "(program many
  (generate all 1000000000
    (declare n ?Integer)
    (specify n (gte 0))
    (declare name ?String)
    (specify name (matches #rx\"[a-z]{12}\"))))";

/// How a run went.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// The binary with a quiet environment.
pub(crate) fn probity() -> Command {
    let mut res = Command::new(env!("CARGO_BIN_EXE_probity"));
    res.env_remove("PROBITY_SOLVER").env_remove("NO_COLOR");
    res
}

/// Runs a command line with a text on the standard input.
pub(crate) fn run(args: &[&str], input: &str) -> Run {
    run_in(Path::new("."), args, input)
}

/// Runs a command line in a folder.
pub(crate) fn run_in(folder: &Path, args: &[&str], input: &str) -> Run {
    let mut child = probity()
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Not everybody reads it.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    Run {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A fresh folder that is removed at the end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Folder {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("probity-command-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.0.join(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap()
    }

    /// What is in it.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut res: Vec<String> = entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
        res.sort();
        res
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The items of a JSON array.
pub(crate) fn items(text: &str) -> Vec<Json> {
    match json::parse(text).map(|it| it.kind) {
        Ok(JsonKind::List(items)) => items,
        other => panic!("no array: {other:?}\n{text}"),
    }
}
