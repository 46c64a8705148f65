//! What is wrong with files and command lines.

use std::process::{Command, Stdio};

use crate::support::*;

#[test]
fn files_that_cannot_be_used_are_named() {
    let folder = Folder::new();
    folder.write("bytes.spec", b"(program \xff)");
    folder.write("lines.spec", b"(program a\n\n  \xc3)");
    folder.write("empty.spec", "");
    folder.write("folder.json", "{");
    let rows = [
        ("no.spec", "error: there is no file `no.spec`; check its path\n"),
        (".", "error: `.` is a folder; name a file in it\n"),
        ("bytes.spec", "error: `bytes.spec` is not UTF-8: byte 9, on line 1; save it as UTF-8\n"),
        ("lines.spec", "error: `lines.spec` is not UTF-8: byte 14, on line 3; save it as UTF-8\n"),
    ];
    for command in ["generate", "count", "check"] {
        for (file, expected) in rows {
            let mut args = vec![command, file];
            args.extend(["-"].iter().filter(|_| command == "check"));
            let run = run_in(folder.path(), &args, "[]");
            assert_eq!((run.code, &*run.out, &*run.err), (Some(2), "", expected), "{command} {file}");
        }
        for file in ["empty.spec", "folder.json"] {
            let mut args = vec![command, file];
            args.extend(["-"].iter().filter(|_| command == "check"));
            let run = run_in(folder.path(), &args, "[]");
            assert_eq!((run.code, &*run.out), (Some(2), ""), "{command} {file} {run:?}");
            assert!(run.err.starts_with("error: ") && run.err.contains(file), "{}", run.err);
        }
    }
}

#[test]
fn all_that_is_wrong_with_a_program_is_shown() {
    let program = "(program p\n  (generate g 5\n    (declare a ?Intger)\n    (declare b ?Strin)))";
    let run = run(&["generate", "-", "-o", "never-written"], program);
    assert_eq!((run.code, &*run.out), (Some(2), ""));
    for expected in
        ["standard input:3:", "`Integer`", "standard input:4:", "`String`", "2 errors in standard input\n"]
    {
        assert!(run.err.contains(expected), "{expected}: {}", run.err);
    }
    assert!(!std::path::Path::new("never-written").exists());
}

#[test]
fn broken_programs_show_every_error_that_their_snapshot_has() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../lang/tests/broken");
    let mut n = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Some(file) = name.strip_suffix(".txt") else { continue };
        let snapshot = std::fs::read_to_string(format!("{folder}/{name}")).unwrap();
        let errors = |text: &str| text.lines().filter(|it| it.starts_with("error: ")).count();
        let run = run_in(folder.as_ref(), &["generate", file], "");
        assert_eq!((run.code, &*run.out), (Some(2), ""), "{file}");
        assert_eq!(errors(&run.err), errors(&snapshot), "{file}: {}", run.err);
        n += 1;
    }
    assert!(n > 20, "{n}");
}

#[test]
fn command_lines_that_cannot_be_used_are_explained() {
    let rows: &[(&[&str], &str)] = &[
        (&["genrate", "-"], "error: unknown command `genrate`; did you mean `generate`?\n"),
        (
            &["picture"],
            "error: unknown command `picture`; there are: generate, check, count, test, prove, replay, fuzz, compare, \
             etna, corpus, uncovered, new, api, write, c\n",
        ),
        (
            &["help", "picture"],
            "error: unknown command `picture`; there are: generate, check, count, test, prove, replay, fuzz, compare, \
             etna, corpus, uncovered, new, api, write, c\n",
        ),
        (&["generate"], "error: something is missing; write `probity generate FILE [OUTLINE] [OPTIONS]`\n"),
        (&["check", "-"], "error: something is missing; write `probity check FILE INPUTS [OUTLINE]`\n"),
        (
            &["count", "-", "a", "b"],
            "error: there is a word too many; write `probity count FILE [OUTLINE] [OPTIONS]`\n",
        ),
        (&["generate", "-", "--formt", "csv"], "error: unknown option `--formt`; did you mean `--format`?\n"),
        (
            &["check", "-", "-", "--seed=1"],
            "error: unknown option `--seed`; `probity help check` lists those there are\n",
        ),
        (
            &["generate", "-", "--format", "jsn"],
            "error: `--format` is `jsn`; expected one of json, ndjson, csv, rust, junit-json, randoop, did you mean \
             json?\n",
        ),
        (
            &["generate", "-", "-n", "-5"],
            "error: `-n` is `-5`; expected a whole number below 2^64, such as 100\n",
        ),
        (
            &["generate", "-", "--timeout", "5"],
            "error: `--timeout` is `5`; expected a duration such as 500ms, 5s or 2m\n",
        ),
        (
            &["count", "-", "--encoding", "all"],
            "error: `--encoding` is `all`; expected one of auto, one-at-a-time, distinct, all-at-once\n",
        ),
        (
            &["generate", "-", "--transcript", "x"],
            "error: `--transcript` writes down what is said to a solver's program; add `--solver z3`\n",
        ),
        (&["generate", "-", "grownups"], "error: `ages` has no outline `grownups`; there are: adults\n"),
        (&["generate", "-", "aduls"], "error: `ages` has no outline `aduls`; did you mean `adults`?\n"),
    ];
    for (args, expected) in rows {
        let run = run(args, AGES);
        assert_eq!((run.code, &*run.out, &*run.err), (Some(2), "", *expected), "{args:?}");
    }
}

#[test]
fn solvers_that_are_missing_or_wrong_are_explained() {
    let missing = run(&["generate", "-", "--solver", "no-such-solver"], AGES);
    assert_eq!((missing.code, &*missing.out), (Some(4), ""));
    assert!(missing.err.starts_with("error: there is no solver `no-such-solver`, asked for by `--solver`; "));
    let by_variable = probity()
        .args(["count", "-"])
        .env("PROBITY_SOLVER", "no-such-solver")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(by_variable.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&by_variable.stderr).contains("`PROBITY_SOLVER`"));
    // The option is nearer to the keyboard than the variable.
    let by_option = probity()
        .args(["count", "no.spec", "--solver", "builtin"])
        .env("PROBITY_SOLVER", "no-such-solver")
        .output()
        .unwrap();
    assert_eq!(by_option.status.code(), Some(2));
    if Command::new("false").status().is_ok() {
        let wrong = run(&["generate", "-", "--no-plan", "--solver", "false"], AGES);
        assert_eq!(wrong.code, Some(4), "{wrong:?}");
        assert!(wrong.err.contains("`adults`: "), "{}", wrong.err);
    }
}
