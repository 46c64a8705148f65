//! `probity new` and `probity replay`.

use probity::engine::Value;
use probity::store::Entry;

use crate::support::*;

fn new(folder: &Folder, name: &str) -> Run {
    run_in(folder.path(), &["new", name], "")
}

#[test]
fn a_first_file_is_written_once() {
    let folder = Folder::new();
    let Run { code, err, .. } = new(&folder, "first");
    assert!(code == Some(2) && err.contains("make one with `cargo new`"), "{err}");
    folder.write("Cargo.toml", "[package]\nname = \"shop\"\n");
    for name in ["../first", "1st", "a b", ""] {
        let Run { code, err, .. } = new(&folder, name);
        assert!(code == Some(2) && err.contains("is no name for a test file"), "{name}: {err}");
    }
    let Run { code, out, .. } = new(&folder, "first");
    assert!(out.contains("cargo test --test first") && out.contains("add it to [dev-dependencies]"), "{out}");
    assert_eq!(code, Some(0));
    let written = std::fs::read_to_string(folder.path().join("tests/first.rs")).unwrap();
    assert_eq!(written, include_str!("../../src/new/first.rs"));
    let Run { code, err, .. } = new(&folder, "first");
    assert!(code == Some(2) && err.contains("stays as it is"), "{err}");
}

#[cfg(unix)]
#[test]
fn a_stored_failure_is_replayed() {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    folder.write("cargo", "#!/bin/sh\necho \"$@\"\necho \"$PROBITY_REPLAY\"\nexit 7\n");
    let cargo = folder.path().join("cargo");
    set_permissions(&cargo, Permissions::from_mode(0o755)).unwrap();
    folder.write("Cargo.toml", "[package]\nname = \"shop\"\n");
    let entry =
        Entry { test: "shop::tests::prices".into(), choices: vec![Value::Int(1)], ..Entry::default() };
    folder.write("a.txt", entry.to_text());
    let replay = |file: &str| {
        let output =
            probity().args(["replay", file]).env("CARGO", &cargo).current_dir(folder.path()).output();
        let output = output.unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let (code, out, _) = replay("a.txt");
    let root = std::fs::canonicalize(folder.path()).unwrap();
    let (manifest, file) = (root.join("Cargo.toml"), root.join("a.txt"));
    let expected = format!(
        "test --manifest-path {} tests::prices -- --exact --include-ignored\n{}\n",
        manifest.display(),
        file.display()
    );
    assert_eq!((code, out), (Some(7), expected));
    for (file, why) in [("b.txt", "cannot read `b.txt`"), ("Cargo.toml", "is no stored failure")] {
        let (code, _, err) = replay(file);
        assert!(code == Some(2) && err.contains(why), "{err}");
    }
}
