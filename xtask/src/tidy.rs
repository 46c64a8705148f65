//! Tidiness that fmt and clippy do not see, checked line by line.

mod examples;
mod house;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use crate::cargo;

/// A Rust file may have this many lines.
const LINES_MAX: usize = 700;
/// Words that public names avoid, with ours, so that every thing has one name.
const SYNONYMS: [(&str, &str); 8] = [
    ("strategy", "generator or engine"),
    ("arbitrary", "any or Generate"),
    ("driver", "engine"),
    ("provider", "engine"),
    ("example", "case or input"),
    ("tape", "trace"),
    ("fitness", "score"),
    ("solution", "model"),
];
/// The attribute of this name is one that users know.
const SYNONYM_ALLOWED: &str = "example";
/// Bridges to other crates have to name those crates and what they call things.
const BRIDGES: &str = "crates/probity/src/bridges/";
/// What begins a public name.
const ITEMS: [&str; 10] =
    ["async", "const", "enum", "fn", "macro_rules", "mod", "static", "struct", "trait", "type"];
/// Crates that see nothing of the world: the same seed gives the same run.
const PURE: [&str; 4] = ["core", "regex", "sat", "spec"];
/// Standard modules that would let the world in. `std::time` and `std::net` are not among them: core has generators
/// of their values.
const WORLDLY_MODULES: [&str; 3] = ["env", "fs", "process"];
/// Clocks, sockets, printing and `unsafe`.
const WORLDLY: [&str; 8] =
    [".elapsed(", "::now(", "TcpListener", "TcpStream", "UdpSocket", "print!(", "println!(", "unsafe "];
/// Words that pages for users do not have, with what they say instead.
const RETIRED: [(&str, &str); 13] = [
    ("so many", "that many, or a number"),
    ("tells", "reports, says"),
    ("dear", "expensive"),
    ("one that fails", "a failing input"),
    ("ones that fail", "failing inputs"),
    ("stands for", "is, represents"),
    ("stands in", "is in"),
    ("stand in", "are in"),
    ("stands beside", "is beside"),
    ("put up with", "tolerate"),
    ("whoever", "anyone who"),
    ("all that is", "everything that is"),
    // In comments it may stay.
    ("is told", "reads, learns"),
];
/// How many of the retired words comments do not have either.
const RETIRED_IN_COMMENTS: usize = RETIRED.len() - 1;
/// Stems that America spells otherwise.
const BRITISH: [(&str, &str); 8] = [
    ("behaviour", "behavior"),
    ("colour", "color"),
    ("favour", "favor"),
    ("labelled", "labeled"),
    ("licence", "license"),
    ("neighbour", "neighbor"),
    ("optimis", "optimiz"),
    ("recognis", "recogniz"),
];
/// Pages for those who change Probity, which has words of its own.
const NOT_FOR_USERS: [&str; 1] = ["ARCHITECTURE.md"];
/// Marks of unfinished work.
const UNFINISHED: [&str; 3] = ["todo!", "dbg!", "FIXME"];

/// Prints what is untidy in the repository; fails when anything is.
pub(crate) fn run() -> ExitCode {
    let files = files(&cargo::root());
    let errors = errors(&files);
    for error in &errors {
        println!("{error}");
    }
    println!("{}", house::counts(&files));
    println!("{}", examples::counts(&files));
    if errors.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Our texts under `root`, by path.
fn files(root: &Path) -> Vec<(String, String)> {
    let mut paths = Vec::new();
    collect(root, "", &mut paths);
    paths.sort();
    let read = |path: String| {
        let text = fs::read_to_string(root.join(&path)).expect("our files are readable text");
        (path, text)
    };
    paths.into_iter().map(read).collect()
}

/// What is untidy in these files, as `path:line: what, what to do`.
fn errors(files: &[(String, String)]) -> Vec<String> {
    let mut res = Vec::new();
    for (path, text) in files {
        let found = check(path, text);
        res.extend(found.into_iter().map(|(line, what)| format!("{path}:{line}: {what}")));
    }
    res.extend(house::check(files));
    res.extend(examples::check(files));
    res
}

/// Adds the paths of our texts in `folder` of `root`, with `/` between their parts.
fn collect(root: &Path, folder: &str, paths: &mut Vec<String>) {
    for entry in fs::read_dir(root.join(folder)).expect("our folders are readable") {
        let entry = entry.expect("our folders are readable");
        let name = entry.file_name().into_string().expect("our files have plain names");
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        if entry.path().is_dir() {
            if name != ".git" && name != "target" {
                collect(root, &path, paths);
            }
        } else if [".rs", ".toml", ".md"].iter().any(|it| name.ends_with(it)) || folder == ".ci" {
            paths.push(path);
        }
    }
}

/// What is untidy in one file, with the numbers of the lines.
fn check(path: &str, text: &str) -> Vec<(usize, String)> {
    let mut res = Vec::new();
    for (i, line) in text.lines().enumerate() {
        if line.ends_with([' ', '\t']) {
            res.push((i + 1, "trailing white space, remove it".to_string()));
        }
    }
    if path.ends_with(".rs") {
        rust(path, text, &mut res);
        comments(text, &mut res);
    }
    if path.ends_with("Cargo.toml") {
        manifest(path, text, &mut res);
    }
    if path.ends_with(".md") && !NOT_FOR_USERS.contains(&path) {
        prose(text, &mut res);
    }
    res
}

/// Words that are retired, in the comments of a Rust file.
fn comments(text: &str, res: &mut Vec<(usize, String)>) {
    for (i, line) in text.lines().enumerate().filter(|it| it.1.trim_start().starts_with("//")) {
        let outside: Vec<&str> = line.split('`').step_by(2).collect();
        let outside = outside.join("`").to_lowercase();
        for (word, ours) in RETIRED.iter().take(RETIRED_IN_COMMENTS) {
            if find(&outside, word).is_some_and(|it| !it[word.len()..].starts_with(char::is_alphabetic)) {
                res.push((i + 1, format!("`{word}` is retired, say {ours}")));
            }
        }
        british(i, &outside, res);
    }
}

/// Words as they are not spelled in America.
fn british(line: usize, text: &str, res: &mut Vec<(usize, String)>) {
    for (stem, ours) in BRITISH.iter().filter(|it| find(text, it.0).is_some()) {
        res.push((line + 1, format!("`{stem}` is British, write {ours}")));
    }
}

/// The text from `word` on, where a word begins so.
fn find<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let mut found = text.match_indices(word);
    found.find(|(at, _)| !text[..*at].ends_with(char::is_alphabetic)).map(|(at, _)| &text[at..])
}

/// Words that are retired, outside of code.
fn prose(text: &str, res: &mut Vec<(usize, String)>) {
    let mut is_code = false;
    for (i, line) in text.lines().enumerate() {
        is_code ^= line.trim_start().starts_with("```");
        if is_code {
            continue;
        }
        // Every second part is between backticks.
        let outside: Vec<&str> = line.split('`').step_by(2).collect();
        let outside = outside.join("`").to_lowercase();
        for (word, ours) in RETIRED {
            if find(&outside, word).is_some_and(|it| !it[word.len()..].starts_with(char::is_alphabetic)) {
                res.push((i + 1, format!("`{word}` is retired, say {ours}")));
            }
        }
        british(i, &outside, res);
    }
}

fn rust(path: &str, text: &str, res: &mut Vec<(usize, String)>) {
    if !text.starts_with("//") {
        res.push((1, "the file does not say what it is for, open it with a `//!` line".to_string()));
    }
    let n_lines = text.lines().count();
    if n_lines > LINES_MAX {
        res.push((n_lines, format!("{n_lines} lines where {LINES_MAX} are allowed, split the file")));
    }
    for (i, line) in text.lines().enumerate() {
        let mut found = |what: String| res.push((i + 1, what));
        // This file has to name the marks.
        for mark in UNFINISHED.iter().filter(|it| path != "xtask/src/tidy.rs" && line.contains(**it)) {
            found(format!("`{mark}` marks unfinished work, finish it"));
        }
        if path.starts_with("crates/")
            && !path.starts_with(BRIDGES)
            && let Some(name) = public_name(line).filter(|it| *it != SYNONYM_ALLOWED)
        {
            let parts = parts(name);
            for (word, ours) in SYNONYMS.iter().filter(|it| parts.iter().any(|part| part == it.0)) {
                found(format!("`{name}` says {word}, say {ours}"));
            }
        }
        if let Some(name) = PURE.iter().find(|it| path.starts_with(&format!("crates/{it}/src/"))) {
            let code = line.split("//").next().unwrap_or_default();
            pure(name, code, &mut found);
        }
    }
}

/// What core and its like must not do, in a line of the crate `name`.
fn pure(name: &str, code: &str, found: &mut impl FnMut(String)) {
    let group = code.trim_start().strip_prefix("use std::{").unwrap_or_default();
    for module in WORLDLY_MODULES {
        if code.contains(&format!("std::{module}")) || words(group).any(|it| it == module) {
            found(format!("{name} uses `std::{module}`, pass in a value or move this to the crate probity"));
        }
    }
    for text in WORLDLY.iter().filter(|it| code.contains(**it)) {
        found(format!("{name} says `{text}`, pass in a value or move this to the crate probity"));
    }
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|it| !it.is_empty())
}

/// The name that a line makes public: of an item, a field or a macro.
fn public_name(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let public = line.strip_prefix("pub ").or(line.starts_with("macro_rules!").then_some(line))?;
    let mut words = words(public);
    let first = words.next()?;
    if ITEMS.contains(&first) {
        return words.find(|it| !ITEMS.contains(it));
    }
    public[first.len()..].starts_with(':').then_some(first)
}

/// The words that a name is made of, in lower case.
fn parts(name: &str) -> Vec<String> {
    let mut res = vec![String::new()];
    for c in name.chars() {
        if c == '_' || c.is_uppercase() {
            res.push(String::new());
        }
        if let Some(part) = res.last_mut().filter(|_| c != '_') {
            part.extend(c.to_lowercase());
        }
    }
    res
}

/// Every dependency says why it is there, and core has none that a feature does not ask for. What crates need of each other for their tests alone is named
/// by path alone: with a version it would have to be published first, which a cycle makes impossible.
fn manifest(path: &str, text: &str, res: &mut Vec<(usize, String)>) {
    let mut section = "";
    let mut above = "";
    for (i, line) in text.lines().enumerate() {
        let reason = above.starts_with('#') || line.contains(" # ");
        above = line;
        let name = if let Some(header) = line.strip_prefix('[') {
            section = header.split(']').next().unwrap_or_default();
            // A table of its own, as in `[dependencies.syn]`.
            section.split_once("dependencies.").map(|it| it.1)
        } else {
            // What the whole workspace may use is explained where it is used.
            let explained = section.ends_with("dependencies") && section != "workspace.dependencies";
            let key = line.split_once('=').and_then(|it| it.0.split(['.', ' ']).next());
            key.filter(|it| explained && !it.is_empty() && !it.starts_with('#'))
        };
        let Some(name) = name else { continue };
        if !reason {
            let what = format!("`{name}` is there for no reason, say why in a comment above it or beside it");
            res.push((i + 1, what));
        }
        let is_published = line.contains("workspace") || line.contains("version");
        if path.starts_with("crates/")
            && section.ends_with("dev-dependencies")
            && is_published
            && is_ours(name)
        {
            res.push((i + 1, format!("`{name}` would have to be published first, write its path alone")));
        }
        // Types of other crates are drawn in core, behind features: nobody else may implement its trait for them.
        let is_optional = line.contains("optional = true");
        if path == "crates/core/Cargo.toml" && !section.starts_with("dev-") && !is_optional {
            res.push((i + 1, format!("core depends on `{name}`, use it in a crate above core")));
        }
    }
}

fn is_ours(name: &str) -> bool {
    name == "probity" || name.starts_with("probity-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_tidy() {
        assert_eq!(errors(&files(&cargo::root())), [""; 0]);
    }

    #[test]
    fn untidy_lines_are_found() {
        // Path, text after the first line of a Rust file, and what the errors begin with.
        let rows: &[(&str, &str, &[&str])] = &[
            ("crates/a.rs", "fn f() {}", &[]),
            ("crates/a.rs", "fn f() {} \n\t\nfn g() {}", &["2 trailing", "3 trailing"]),
            ("README.md", "a ", &["1 trailing"]),
            ("README.md", "It tells.\nNeedles so Many", &["1 `tells` is retired", "2 `so many` is retired"]),
            ("README.md", "`tells` retells\n```\nit tells\n```\nendear", &[]),
            ("docs/a.md", "an optimised colour", &["1 `colour`", "1 `optimis`"]),
            ("ARCHITECTURE.md", "It tells.", &[]),
            (
                "crates/core/src/a.rs",
                "/// So many.\nlet it = \"so many\"; // so",
                &["2 `so many` is retired"],
            ),
            ("xtask/src/a.rs", "    // It tells.", &["2 `tells` is retired"]),
            (
                "crates/a/src/x.rs",
                "// Whoever asks.\n// A neighbour.",
                &["2 `whoever` is retired", "3 `neighbour` is British"],
            ),
            ("crates/a.rs", "todo!()\n// FIXME: soon\ndbg!(1)", &["2 `todo!`", "3 `FIXME`", "4 `dbg!`"]),
            ("crates/a.rs", "pub struct TapeReader;", &["2 `TapeReader` says tape, say trace"]),
            ("crates/a.rs", "    pub const fn best_fitness(&self) {}", &["2 `best_fitness` says fitness"]),
            ("crates/a.rs", "    pub driver: u8,", &["2 `driver` says driver"]),
            ("crates/a.rs", "macro_rules! strategy {", &["2 `strategy` says strategy"]),
            ("crates/a.rs", "pub fn example() {}\npub struct Tapestry;", &[]),
            ("crates/probity/src/bridges/a.rs", "pub fn from_arbitrary() {}", &[]),
            ("crates/a.rs", "pub(crate) fn tape() {}\nlet driver = 1;\npub use peer::Strategy;", &[]),
            (
                "crates/core/src/a.rs",
                "use std::fs;\nstd::time::now()",
                &["2 core uses `std::fs`", "3 core says `::now(`"],
            ),
            ("crates/core/src/a.rs", "use std::{env, fmt};", &["2 core uses `std::env`"]),
            (
                "crates/core/src/a.rs",
                "println!(\"\")\nunsafe {}",
                &["2 core says `println!(`", "3 core says `unsafe `"],
            ),
            (
                "crates/core/src/a.rs",
                "#![forbid(unsafe_code)]\n/// println!(\"\")\nuse std::time::Duration;\nlet fs = env;",
                &[],
            ),
            ("crates/probity/src/a.rs", "use std::fs;\nprintln!(\"\")", &[]),
            ("a/Cargo.toml", "[package]\nname = \"a\"\n[dependencies]\nb = \"1\"", &["4 `b` is there"]),
            ("a/Cargo.toml", "[dependencies]\n# For c.\nb = \"1\"\nc.path = \"c\" # For d.", &[]),
            ("a/Cargo.toml", "[dependencies]\n# For c.\nb = [\n    \"x\",\n]\n\n[features]\nd = []", &[]),
            ("a/Cargo.toml", "[target.'cfg(unix)'.dependencies]\nb = \"1\"", &["2 `b` is there"]),
            ("a/Cargo.toml", "[dependencies.b]\nversion = \"1\"", &["1 `b` is there"]),
            ("Cargo.toml", "[workspace.dependencies]\nb = \"1\"", &[]),
            ("crates/core/Cargo.toml", "[dependencies]\n# Why.\nb = \"1\"", &["3 core depends on `b`"]),
            ("crates/core/Cargo.toml", "[dev-dependencies]\n# Why.\nb = \"1\"", &[]),
            ("crates/core/Cargo.toml", "[dependencies]\nb = { optional = true } # Why.", &[]),
            (
                "crates/a/Cargo.toml",
                "[dev-dependencies]\n# Why.\nprobity = { workspace = true }",
                &["3 `probity` would have to be published first"],
            ),
            ("crates/a/Cargo.toml", "[dev-dependencies]\n# Why.\nprobity-b = { path = \"../b\" }", &[]),
            ("crates/a/Cargo.toml", "[dependencies]\n# Why.\nprobity-b = { workspace = true }", &[]),
        ];
        for (path, text, expected) in rows {
            let text = if path.ends_with(".rs") { format!("//! A file.\n{text}") } else { text.to_string() };
            let found = check(path, &text).into_iter().map(|(line, what)| format!("{line} {what}"));
            let found: Vec<String> = found.collect();
            let alike = found.len() == expected.len()
                && found.iter().zip(*expected).all(|(found, expected)| found.starts_with(expected));
            assert!(alike, "{path}: {text:?}\nfound {found:?}\nexpected {expected:?}");
        }
    }

    #[test]
    fn files_open_with_their_purpose_and_end_in_time() {
        let lines = |n: usize| "// A line.\n".repeat(n);
        assert!(check("a.rs", &lines(LINES_MAX)).is_empty());
        assert_eq!(check("a.rs", &lines(LINES_MAX + 1))[0].0, LINES_MAX + 1);
        assert_eq!(check("a.rs", "mod b;\n").len(), 1);
    }
}
