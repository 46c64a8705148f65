//! Help, the version, `cargo probity`, and what the documentation says.

use std::process::Command;

use crate::support::*;

const DOCS: &str = include_str!("../../../../crates/probity/guide/command.md");

#[test]
fn help_says_what_the_documentation_says() {
    let all = run(&["--help"], "");
    assert_eq!((all.code, &*all.err), (Some(0), ""));
    assert_eq!(run(&["help"], "").out, all.out);
    let commands = "generate check count test prove replay fuzz compare etna corpus uncovered new api write";
    for command in commands.split(' ') {
        assert!(all.out.contains(&format!("\n  {command} ")), "{command}");
        let help = run(&["help", command], "");
        assert_eq!((help.code, &*help.err), (Some(0), ""), "{command}");
        assert_eq!(run(&[command, "--help"], "").out, help.out, "{command}");
        let words = help.out.split([' ', '\n', ',']);
        for option in words.filter(|it| it.starts_with("--") && *it != "--help") {
            assert!(
                DOCS.contains(&format!("{option}`")) || DOCS.contains(&format!("{option} ")),
                "{command} {option}"
            );
        }
        assert!(help.out.lines().all(|it| it.chars().count() <= 100), "{command}");
    }
    assert_eq!(run(&["--version"], "").out, format!("probity {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn cargo_finds_the_same_commands() {
    let of =
        |args: &[&str]| Command::new(env!("CARGO_BIN_EXE_cargo-probity")).args(args).output().unwrap().stdout;
    let expected = run(&["help", "count"], "").out.into_bytes();
    assert_eq!(of(&["probity", "help", "count"]), expected);
    assert_eq!(of(&["help", "count"]), expected);
}

#[cfg(unix)]
#[test]
fn settings_reach_cargo_test() {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    folder.write("cargo", "#!/bin/sh\necho \"$@\"\nenv | grep PROBITY_ | sort\nexit 7\n");
    let cargo = folder.path().join("cargo");
    set_permissions(&cargo, Permissions::from_mode(0o755)).unwrap();
    let test = |args: &[&str]| {
        let output = probity().arg("test").args(args).env("CARGO", &cargo).env("PROBITY_CASES", "1").output();
        let output = output.unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let (code, out, _) = test(&["--cases", "50", "--release", "--max-shrink=9", "name", "--", "--nocapture"]);
    let expected = "test --release name -- --nocapture\nPROBITY_CASES=50\nPROBITY_MAX_SHRINK=9\n";
    assert_eq!((code, &*out), (Some(7), expected));
    let (code, out, err) = test(&["--engine", "magic"]);
    assert_eq!((code, &*out), (Some(2), ""));
    assert!(err.starts_with("error: `--engine` is `magic`: expected one of: "), "{err}");
}
