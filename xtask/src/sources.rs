//! The sources as they are now, as a git repository elsewhere.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::cargo;

/// Makes a git repository of the sources as they are now, committed or not.
pub(crate) fn copy(to: &Path) {
    let git = |folder: &Path, args: &[&str]| {
        finish(Command::new("git").args(args).current_dir(folder), &format!("git {}", args[0]))
    };
    let root = cargo::root();
    let files = git(&root, &["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    for file in files.split('\0').filter(|it| root.join(it).is_file()) {
        let copy = to.join(file);
        fs::create_dir_all(copy.parent().expect("it is below the folder")).expect("folders can be made");
        fs::copy(root.join(file), copy).expect("files can be copied");
    }
    git(to, &["init", "--quiet"]);
    git(to, &["add", "--all"]);
    let (name, email) = ("user.name=nobody", "user.email=nobody@localhost");
    git(to, &["-c", name, "-c", email, "commit", "--quiet", "--message", "sources"]);
}

/// Runs a command to its end and returns what it printed; panics with what it complained of.
pub(crate) fn finish(command: &mut Command, what: &str) -> String {
    let output = command.output().expect("it can be started");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{what} failed:\n{errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}
