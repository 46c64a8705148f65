//! `probity fuzz`, `probity corpus` and `probity uncovered`.
#![cfg(unix)]

use std::fs::{self, Permissions, set_permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use probity::corpus::{CorpusFolder, Reached};
use probity::engine::Value;

use crate::support::*;

/// A program of a few lines.
fn script(folder: &Folder, name: &str, lines: &str) -> PathBuf {
    folder.write(name, format!("#!/bin/sh\n{lines}\n"));
    let path = folder.path().join(name);
    set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    path
}

/// A cargo that builds one test binary, whose tests do what is asked here in place of a search. They say what they were asked
/// for in a file.
fn command(folder: &Folder, args: &[&str]) -> Command {
    let binary = r#"
        echo "$1 $PROBITY_ENGINE $PROBITY_CAMPAIGN $PROBITY_CORPUS $CARGO_MANIFEST_DIR" >> asked
        say() { printf '%s\n' "{\"event\":\"$1\",\"test\":\"app::$2\"$3}" >> "$PROBITY_EVENTS"; }
        covering() { say covering "$1" ",\"cases\":1000,\"blocks\":$2,\"functions\":3,\"corpus\":4"; }
        case $1 in
        --list) printf 'finds: test\ndies: test\nplain: test\nslow: test\nwrites: test\nbench: benchmark\n' ;;
        writes)
            mkdir -p "$PROBITY_BYTES_TO"
            printf one > "$PROBITY_BYTES_TO/1"
            printf two > "$PROBITY_BYTES_TO/2" ;;
        finds)
            say started finds ',"engine":"coverage"'
            covering finds 50
            say failed finds ',"message":"too high\nby far","saved":"/no/such/file","replay":"do it again"'
            exit 101 ;;
        dies) echo 'probity: no such engine' >&2; exit 1 ;;
        slow)
            say started slow ',"engine":"coverage"'
            covering slow 7
            echo $$ > pid
            exec sleep 600 ;;
        *) ;;
        esac"#;
    let binary = script(folder, "binary", binary);
    let message = format!(
        r#"{{"reason":"compiler-artifact","package_id":"path+file:///a/app#0.1.0","target":{{"kind":["test"],"name":"binary"}},"profile":{{"test":true}},"executable":"{}","manifest_path":"{}/Cargo.toml"}}"#,
        binary.display(),
        folder.path().display()
    );
    folder.write("message", format!("{{\"reason\":\"other\"}}\n{message}\n"));
    let cargo = script(
        folder,
        "cargo",
        &format!("echo \"$@\" >> '{0}/built'\ncat '{0}/message'", folder.path().display()),
    );
    let mut res = probity();
    res.arg("fuzz").args(args).env("CARGO", cargo);
    res
}

fn fuzz(folder: &Folder, args: &[&str]) -> Run {
    let output = command(folder, args).output().unwrap();
    let text = |it| String::from_utf8(it).unwrap();
    Run { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

#[test]
fn a_campaign_goes_on_after_a_finding() {
    let folder = Folder::new();
    let run = fuzz(
        &folder,
        &["finds", "--for", "700ms", "--jobs", "2", "--corpus", "/kept", "--release", "-p", "app"],
    );
    assert_eq!((run.code, &*run.out), (Some(1), ""), "{}", run.err);
    let found = "found: `app::finds`: too high\n  saved: /no/such/file\n  again: do it again\n";
    assert!(run.err.starts_with(found) && run.err.matches("found:").count() == 1, "{}", run.err);
    let last = run.err.lines().last().unwrap();
    assert!(last.contains("50 blocks, 3 functions, 4 in the corpus") && last.ends_with("1 found"), "{last}");
    let asked = folder.read("asked");
    let line = format!("finds coverage 1 /kept {}", folder.path().display());
    assert!(asked.lines().filter(|it| **it == line).count() > 1, "{asked}");
    let built = "test --no-run --message-format=json-render-diagnostics --release -p app\n";
    assert_eq!(folder.read("built"), built);
}

#[test]
fn tests_that_cannot_be_searched_are_left_out() {
    let folder = Folder::new();
    let run = fuzz(&folder, &["dies", "--for", "60s", "--jobs", "1"]);
    let err =
        "note: `dies` is left out: it ended with exit status: 1 before its search: probity: no such engine\n";
    assert!(run.err.starts_with(err) && run.err.contains("no test of these was searched"), "{}", run.err);
    assert_eq!(run.code, Some(2));
    let run = fuzz(&folder, &["plain", "--for", "60s"]);
    assert!(run.err.contains("no test of these was searched") && run.code == Some(2), "{}", run.err);
    let run = fuzz(&folder, &["nothing"]);
    assert_eq!(
        (run.code, &*run.err),
        (Some(2), "error: no test has `nothing` in its name; `cargo test -- --list` lists those there are\n")
    );
}

/// What is written for OSS-Fuzz has the shape that it asks for.
#[test]
fn an_export_has_its_shape() {
    let folder = Folder::new();
    let to = folder.path().join("oss");
    // The script in place of a test binary writes a corpus of two cases.
    let run = fuzz(&folder, &["--export", "oss-fuzz", to.to_str().unwrap(), "writes"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert_eq!(run.out, format!("1 fuzz targets in {}: app_test_binary_writes\n", to.display()));
    let read = |name: &str| fs::read_to_string(to.join(name)).unwrap();
    let yaml = read("project.yaml");
    for key in
        ["homepage", "main_repo", "language: rust", "primary_contact", "fuzzing_engines:\n  - libfuzzer"]
    {
        assert!(yaml.contains(key), "{key}: {yaml}");
    }
    assert!(yaml.contains("sanitizers:\n  - address"), "{yaml}");
    let docker = read("Dockerfile");
    assert!(docker.contains("\nFROM gcr.io/oss-fuzz-base/base-builder-rust\n"), "{docker}");
    for line in ["WORKDIR $SRC/", "COPY build.sh $SRC/", "COPY corpus $SRC/corpus"] {
        assert!(docker.contains(line), "{docker}");
    }
    let build = read("build.sh");
    assert!(build.starts_with("#!/bin/bash -eu\n") && build.contains("$OUT/$name"), "{build}");
    assert!(build.ends_with("build app_test_binary_writes 'writes' -p app --test binary\n"), "{build}");
    let mode = fs::metadata(to.join("build.sh")).unwrap().permissions().mode();
    assert_eq!(mode & 0o111, 0o111, "it can be run");
    // Where there is a bash, it can read it.
    if let Ok(status) = Command::new("bash").arg("-n").arg(to.join("build.sh")).status() {
        assert!(status.success());
    }
    let zip = fs::read(to.join("corpus/app_test_binary_writes.zip")).unwrap();
    assert!(zip.starts_with(b"PK\x03\x04") && zip[zip.len() - 22..].starts_with(b"PK\x05\x06"));
    assert_eq!(zip[zip.len() - 12], 2, "two files");
    let run = fuzz(&folder, &["--export", "docker", "x"]);
    assert_eq!((run.code, &*run.err), (Some(2), "error: `--export` is `docker`; expected oss-fuzz\n"));
}

/// A fuzzer that is not here is explained.
#[test]
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn a_missing_fuzzer_is_named_with_what_installs_it() {
    let folder = Folder::new();
    let output = command(&folder, &["finds", "--engine", "afl"]).env("PATH", folder.path()).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("afl is not installed; `apt install afl++` installs it"), "{said}");
    assert_eq!(output.status.code(), Some(4));
}

/// A process that does not end is ended.
#[test]
fn an_interrupt_ends_a_campaign() {
    let folder = Folder::new();
    for (option, code) in [(&["--for", "1h"][..], 130), (&[], 0)] {
        let mut child = command(&folder, &[&["slow", "--jobs", "1"], option].concat())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let pid = loop {
            match fs::read_to_string(folder.path().join("pid")) {
                Ok(it) if it.ends_with('\n') => break it.trim().to_string(),
                _ => thread::sleep(Duration::from_millis(5)),
            }
        };
        let is_alive =
            || Command::new("kill").args(["-0", &pid]).stderr(Stdio::null()).status().unwrap().success();
        assert!(is_alive());
        assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(code));
        assert!(!is_alive());
        fs::remove_file(folder.path().join("pid")).unwrap();
    }
    let run = fuzz(&folder, &["slow", "--for", "x"]);
    let expected = "error: `--for` is `x`; expected a duration such as 500ms, 5s or 2m\n";
    assert_eq!((run.code, &*run.err), (Some(2), expected));
    let run = fuzz(&folder, &["slow", "--jobs", "0"]);
    assert_eq!((run.code, &*run.err), (Some(2), "error: `--jobs` is `0`; expected at least 1\n"));
}

fn kept(folder: &Folder, test: &str, n: i128) -> CorpusFolder {
    let mut res = CorpusFolder::new(folder.path().into(), test);
    (0..n).for_each(|it| _ = res.save(&[Value::Int(it), Value::Int(n)]).unwrap());
    res
}

#[test]
fn corpora_are_shown_and_copied() {
    let folder = Folder::new();
    let dir = folder.path().to_str().unwrap().to_string();
    kept(&folder, "app::first", 3);
    let second = kept(&folder, "app::second", 2);
    let corpus = |args: &[&str]| run(&[&["corpus", "--corpus", &dir], args].concat(), "");
    let show = "app::first: 3 cases of 2 to 2 choices\napp::second: 2 cases of 2 to 2 choices\n";
    assert_eq!(corpus(&["show"]).out, show);
    let away = format!("{dir}-away");
    assert_eq!(corpus(&["export", "first", &away]).out, format!("3 cases copied to {away}\n"));
    // Merging is copying, by hand or by import; what is there already is there once.
    for it in fs::read_dir(&away).unwrap().flatten() {
        fs::copy(it.path(), second.folder().join(it.file_name())).unwrap();
    }
    assert_eq!(corpus(&["import", "app::second", &away]).code, Some(0));
    assert_eq!(corpus(&["show", "second"]).out, "app::second: 5 cases of 2 to 2 choices\n");
    fs::write(second.folder().join("half.txt"), "probity corpus, format 1\nchoi").unwrap();
    let damaged = corpus(&["show", "second"]);
    assert!(
        damaged.out.contains("5 cases") && damaged.err.contains("half.txt.stale: it does not end"),
        "{}",
        damaged.err
    );
    fs::remove_dir_all(away).unwrap();
    for (args, expected) in [
        (&["show", "third"][..], "there is no corpus of a test with `third` in its name"),
        (&["export", "app", "x"], "`app` is a part of several names: app::first, app::second"),
        (&["export", "app"], "a word too many or too few"),
        (&["import", "app", "/no/such/folder"], "is no folder"),
        (&["shrink"], "unknown action `shrink`; there are: minimize, show, import, export"),
    ] {
        let run = corpus(args);
        assert!(run.code == Some(2) && run.err.contains(expected), "{args:?}: {}", run.err);
    }
}

#[inline(never)]
fn half_reached(n: u32) -> u32 {
    if n > 1 {
        return n * 2; // the second block
    }
    n + 1
}

/// The lines of a function of this very file, of which only the first block is said to be reached.
#[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
#[test]
fn lines_that_were_not_reached_are_listed() {
    assert_eq!(std::hint::black_box(half_reached)(1), 2);
    let exe = std::env::current_exe().unwrap();
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let own = maps.lines().find(|it| it.ends_with(exe.to_str().unwrap())).unwrap();
    let base = u64::from_str_radix(own.split('-').next().unwrap(), 16).unwrap();
    let folder = Folder::new();
    let dir = folder.path().to_str().unwrap().to_string();
    let uncovered = || run(&["uncovered", "--corpus", &dir], "");
    assert!(uncovered().err.contains("there is no corpus"));
    let corpus = kept(&folder, "app::first", 1);
    let none = uncovered();
    assert!(
        none.code == Some(2) && none.err.contains("nothing was searched since the last build"),
        "{}",
        none.err
    );
    let mut reached = Reached::default();
    reached.add(exe.to_str().unwrap(), half_reached as *const () as u64 - base);
    corpus.save_reached(&reached).unwrap();
    let run = uncovered();
    assert_eq!(run.code, Some(1), "{}", run.err);
    let lines: Vec<&str> = run.out.lines().filter(|it| it.contains("tests/command/coverage.rs:")).collect();
    let [first, second] = lines[..] else { panic!("{lines:?}") };
    assert!(
        first.ends_with(": return n * 2; // the second block") && second.ends_with(": n + 1"),
        "{lines:?}"
    );
}
