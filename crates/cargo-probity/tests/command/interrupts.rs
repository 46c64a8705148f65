//! Ctrl-C, readers that go away, time that runs out.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::thread;

use crate::support::*;

/// A run that would take for ever.
fn start(folder: &Folder, args: &[&str]) -> Child {
    folder.write("it.spec", MANY);
    let mut line = vec!["generate", "it.spec"];
    line.extend(args);
    probity()
        .args(line)
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Twice, as `timeout` does: to the process and to its group.
fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    let status = Command::new("kill").args([name, &id, &id]).status().unwrap();
    assert!(status.success());
}

#[test]
fn an_interrupt_leaves_a_complete_document() {
    for (format, signal_name, code) in
        [("json", "-INT", 130), ("junit-json", "-INT", 130), ("ndjson", "-TERM", 143)]
    {
        let folder = Folder::new();
        let mut child = start(&folder, &["--format", format]);
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut text = String::new();
        for _ in 0..20 {
            out.read_line(&mut text).unwrap();
        }
        signal(&child, signal_name);
        out.read_to_string(&mut text).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{format}");
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(err.contains("interrupted after "), "{format}: {err}");
        if format == "json" {
            assert!(items(&text).len() >= 10);
        }
        // Pairs of this many take long; a few of them will do, as the document is known to be complete.
        assert!(text.ends_with('\n'), "{format}");
        let lines = if format == "ndjson" { text.lines().map(str::to_string).collect() } else { vec![text] };
        for line in lines {
            assert!(probity_lang::json::parse(&line).is_ok(), "{format}");
        }
    }
}

#[test]
fn an_interrupt_leaves_a_complete_file() {
    let folder = Folder::new();
    let mut child = start(&folder, &["-o", "out.json"]);
    let is_written = || {
        let partial = folder.names().into_iter().find(|it| it.ends_with(".partial"));
        partial.is_some_and(|it| !folder.read(&it).is_empty())
    };
    while !is_written() {
        assert_eq!(child.try_wait().unwrap(), None, "it goes on for ever");
        thread::yield_now();
    }
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert_eq!(folder.names(), ["it.spec", "out.json"]);
    assert!(!items(&folder.read("out.json")).is_empty());
}

#[test]
fn a_reader_may_go_away() {
    let folder = Folder::new();
    let mut child = start(&folder, &["--format", "ndjson"]);
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]));
    assert!(line.starts_with('{'), "{line}");
}
