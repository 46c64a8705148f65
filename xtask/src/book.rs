//! Whether README and the book show what Probity prints: runs their tests and commands, and compares.
//!
//! A block of text that begins with ``probity: `shop::tests::NAME` `` is the report of the test of that name, which is in
//! the nearest block of Rust before it, or anywhere else. One that begins with `probity failure, format` is the file
//! that the test saved. One that begins with `$ ` is a session: `$ cat FILE` shows a file, and what `$ probity ..`
//! prints follows it (`newcomer` compares what other commands print). A comment above a block, as in
//! `<!-- PROBITY_VERBOSE=1 -->`, sets variables for it.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs};

use crate::cargo;

/// The seed of every report.
pub(crate) const SEED: (&str, &str) = ("PROBITY_SEED", "7");
const REPORT: &str = "probity: `shop::tests::";
const STORED: &str = "probity failure, format";
const MANIFEST: &str = r#"[package]
name = "shop"
version = "0.1.0"
edition = "2024"

[dependencies]
probity = { path = "PROBITY", features = ["spec"] }

[profile.dev.package]
probity-concolic.opt-level = 3
iced-x86.opt-level = 3
batsat.opt-level = 3

[workspace]
"#;
/// Lines that a block may leave out of a report.
const OPTIONAL: [&str; 3] = ["  saved: ", "  replay: ", "  keep: "];
/// Lines with these have numbers that no seed fixes.
const UNSTEADY: [&str; 5] = ["engine concolic, case", "ran only", "paths ran in", "times)", "checksum:"];

/// Compares all blocks; `--write` puts what is printed today in the place of those that differ.
pub(crate) fn run(args: &[&str]) -> Result<ExitCode, String> {
    let write = match args {
        [] => false,
        ["--write"] => true,
        [other, ..] => return Err(format!("`book` takes --write and nothing else; leave out `{other}`")),
    };
    let shop = Shop::new();
    let mut pages = pages();
    let (mut n_wrong, mut n_without) = (0, 0);
    for at in 0..pages.len() {
        for block in (0..pages[at].blocks.len()).rev() {
            let Some(printed) = shop.printed(&pages, at, block) else { continue };
            let page = &mut pages[at];
            let shown = &page.blocks[block].lines;
            let place = format!("{}:{}", page.path.display(), page.blocks[block].first);
            match printed {
                Ok(printed) if steady(shown) == steady(&printed) => {}
                Ok(printed) => {
                    n_wrong += 1;
                    println!("{place}: shows\n{}", shown.join("\n"));
                    println!("but what is printed is\n{}\n", printed.join("\n"));
                    page.replace(block, printed);
                }
                Err(why) => {
                    n_without += 1;
                    println!("{place}: {why}\n");
                }
            }
        }
        if write {
            fs::write(&pages[at].path, &pages[at].text).expect("our files are writable");
        }
    }
    let done = if write { " and are rewritten" } else { "" };
    println!("{n_wrong} blocks differ{done}, {n_without} have no report");
    Ok(if n_without == 0 && (n_wrong == 0 || write) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// README and the chapters.
pub(crate) fn pages() -> Vec<BookPage> {
    paths().into_iter().map(BookPage::read).collect()
}

fn paths() -> Vec<PathBuf> {
    let root = cargo::root();
    let chapters = fs::read_dir(root.join("crates/probity/guide")).expect("the guide is there");
    let mut res: Vec<PathBuf> = chapters.map(|it| it.expect("it is readable").path()).collect();
    res.sort();
    res.insert(0, root.join("README.md"));
    res
}

/// A file with its blocks of code.
pub(crate) struct BookPage {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    pub(crate) blocks: Vec<CodeBlock>,
}

pub(crate) struct CodeBlock {
    /// What follows the opening fence.
    pub(crate) info: String,
    /// The number of its first line, from 1.
    pub(crate) first: usize,
    pub(crate) lines: Vec<String>,
    /// Variables from the comment above it.
    pub(crate) vars: Vec<(String, String)>,
}

impl BookPage {
    pub(crate) fn read(path: PathBuf) -> BookPage {
        let text = fs::read_to_string(&path).expect("our pages are readable");
        let mut blocks: Vec<CodeBlock> = Vec::new();
        let (mut is_open, mut vars) = (false, Vec::new());
        for (i, line) in text.lines().enumerate() {
            if let Some(info) = line.trim_start().strip_prefix("```") {
                if !is_open {
                    let info = info.to_string();
                    blocks.push(CodeBlock {
                        info,
                        first: i + 2,
                        lines: Vec::new(),
                        vars: std::mem::take(&mut vars),
                    });
                }
                is_open = !is_open;
            } else if let Some(block) = blocks.last_mut().filter(|_| is_open) {
                block.lines.push(line.to_string());
            } else if let Some(comment) = line.strip_prefix("<!-- ").and_then(|it| it.strip_suffix(" -->")) {
                let words = comment.split(' ').filter_map(|it| it.split_once('='));
                vars = words.map(|(name, value)| (name.to_string(), value.to_string())).collect();
            }
        }
        BookPage { path, text, blocks }
    }

    /// Puts other lines in the place of a block. The blocks after it are not to be replaced any more.
    pub(crate) fn replace(&mut self, block: usize, lines: Vec<String>) {
        let block = &mut self.blocks[block];
        let mut all: Vec<String> = self.text.lines().map(str::to_string).collect();
        let start = block.first - 1;
        all.splice(start..start + block.lines.len(), lines.iter().cloned());
        self.text = all.join("\n") + "\n";
        block.lines = lines;
    }
}

/// The tests of `name` nearest before a block, or the first anywhere.
fn tests_of(pages: &[BookPage], at: usize, block: usize, name: &str) -> Option<String> {
    let has = |it: &&CodeBlock| {
        let is_tests = it.info.starts_with("rust") && it.info.contains("test_harness");
        is_tests && it.lines.iter().any(|line| line.contains(&format!("fn {name}(")))
    };
    let before = pages[at].blocks[..block].iter().rev().find(has);
    let found = before.or_else(|| pages.iter().flat_map(|it| &it.blocks).find(has))?;
    let shown = found.lines.iter().map(|it| it.strip_prefix("# ").unwrap_or(it));
    Some(shown.map(|it| format!("{it}\n")).collect())
}

/// A crate outside of the workspace, and a folder for sessions.
struct Shop {
    root: PathBuf,
    probity: PathBuf,
}

impl Shop {
    fn new() -> Shop {
        let repository = cargo::root();
        let root = repository.join("target/book-reports");
        fs::create_dir_all(root.join("src")).expect("there is room");
        let probity = repository.join("crates/probity").display().to_string().replace('\\', "/");
        fs::write(root.join("Cargo.toml"), MANIFEST.replace("PROBITY", &probity)).expect("there is room");
        fs::copy(repository.join("Cargo.lock"), root.join("Cargo.lock")).expect("there is room");
        fs::write(root.join("src/lib.rs"), "#[cfg(test)]\nmod tests;\n").expect("there is room");
        let status = cargo::announce(&["build", "--package", "cargo-probity"], &[]).status();
        assert!(status.expect("cargo can be run").success(), "the command is built");
        Shop { root, probity: repository.join("target/debug/probity") }
    }

    /// What is printed where a block says what is printed, or why nothing is.
    fn printed(&self, pages: &[BookPage], at: usize, block: usize) -> Option<Result<Vec<String>, String>> {
        let it = &pages[at].blocks[block];
        let first = it.lines.first().filter(|_| it.info == "text")?;
        if first.starts_with("$ ") {
            return Some(Ok(self.session(&it.lines)));
        }
        let is_stored = first.starts_with(STORED);
        let named = it.lines.iter().find_map(|line| match is_stored {
            true => line.strip_prefix("test: shop::tests::"),
            false => line.strip_prefix(REPORT)?.split('`').next(),
        });
        let name = named.filter(|_| is_stored || first.starts_with(REPORT))?;
        let Some(tests) = tests_of(pages, at, block, name) else {
            return Some(Err(format!("there is no test `{name}` on any page")));
        };
        let output = self.test(&tests, name, &it.vars);
        if is_stored {
            let stored = stored(&self.root.join("probity-failures"));
            return Some(stored.ok_or_else(|| format!("`{name}` saves nothing:\n{output}")));
        }
        let reported = reported(&output, &it.lines, name);
        Some(if reported.is_empty() {
            Err(format!("`{name}` reports nothing:\n{output}"))
        } else {
            Ok(reported)
        })
    }

    /// Runs one test; returns all that it printed.
    fn test(&self, tests: &str, name: &str, vars: &[(String, String)]) -> String {
        fs::write(self.root.join("src/tests.rs"), tests).expect("there is room");
        for folder in ["probity-failures", "probity-inputs"] {
            let _ = fs::remove_dir_all(self.root.join(folder));
        }
        let path = format!("tests::{name}");
        let args = ["test", "--quiet", "--offline", "--lib", "--", "--exact", &path, "--nocapture"];
        let mut command = cargo::silent(&args, &[]);
        for (name, _) in env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            if name.starts_with("PROBITY_") || name.starts_with("CARGO_") || name == "CI" {
                command.env_remove(name);
            }
        }
        command.envs([SEED, ("RUST_BACKTRACE", "0"), ("PROBITY_COLOR", "never")]);
        command.envs(vars.iter().map(|(name, value)| (name, value)));
        let output = command.current_dir(&self.root).output().expect("cargo can be run");
        [output.stderr, output.stdout].map(|it| String::from_utf8_lossy(&it).into_owned()).concat()
    }

    /// The lines of a session as they are when it is run.
    fn session(&self, lines: &[String]) -> Vec<String> {
        let mut res = Vec::new();
        let mut lines = lines.iter().peekable();
        while let Some(line) = lines.next() {
            let mut below = Vec::new();
            while let Some(line) = lines.next_if(|it| !it.starts_with("$ ")) {
                below.push(line.clone());
            }
            let words: Vec<&str> = line[2..].split(' ').collect();
            match *words {
                ["cat", file] => {
                    fs::write(self.root.join(file), below.join("\n") + "\n").expect("there is room");
                }
                ["probity", ref args @ ..] => below = self.command(args),
                _ => {}
            }
            res.push(line.clone());
            res.extend(below);
        }
        res
    }

    /// What the command prints, or nothing where it goes to a file.
    fn command(&self, args: &[&str]) -> Vec<String> {
        let (args, file) = match args {
            [args @ .., ">", file] => (args, Some(file)),
            _ => (args, None),
        };
        let output = Command::new(&self.probity).args(args).current_dir(&self.root).output();
        let output = output.expect("the command was built");
        let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
        if let Some(file) = file {
            fs::write(self.root.join(file), std::mem::take(&mut text)).expect("there is room");
        }
        text += &String::from_utf8_lossy(&output.stderr);
        text.lines().map(str::to_string).collect()
    }
}

/// The one stored failure.
fn stored(folder: &Path) -> Option<Vec<String>> {
    let first = |folder: &Path| Some(fs::read_dir(folder).ok()?.next()?.ok()?.path());
    let text = fs::read_to_string(first(&first(folder)?)?).ok()?;
    Some(text.lines().map(str::to_string).collect())
}

/// The messages of a test that a block shows, without the lines that it leaves out.
fn reported(output: &str, shown: &[String], name: &str) -> Vec<String> {
    let head = format!("{REPORT}{name}`");
    let mut messages: Vec<Vec<String>> = Vec::new();
    let mut is_inside = false;
    for line in output.lines() {
        if line.starts_with(&head) {
            messages.push(Vec::new());
        }
        is_inside = line.starts_with(&head) || is_inside && line.starts_with(' ');
        let left_out =
            OPTIONAL.iter().any(|it| line.starts_with(it) && !shown.iter().any(|line| line.starts_with(it)));
        if let Some(message) = messages.last_mut().filter(|_| is_inside && !left_out) {
            message.push(line.to_string());
        }
    }
    let heads: Vec<String> =
        shown.iter().filter(|it| it.starts_with(&head)).map(|it| masked(it, true)).collect();
    let is_shown = |it: &Vec<String>| heads.contains(&masked(&it[0], true));
    if messages.iter().any(is_shown) {
        messages.retain(is_shown);
    }
    messages.concat()
}

/// Lines without what differs from run to run.
pub(crate) fn steady(lines: &[String]) -> Vec<String> {
    lines.iter().map(|it| masked(it, UNSTEADY.iter().any(|word| it.contains(word)))).collect()
}

/// A line with `T` for every span of time, and `N` for every number if `all`.
fn masked(line: &str, all: bool) -> String {
    let mut res = String::new();
    let mut rest = line;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let digits = &rest[start..];
        let end =
            digits.find(|c: char| !c.is_ascii_hexdigit() && !"._,x".contains(c)).unwrap_or(digits.len());
        let (number, after) = digits.split_at(end);
        let unit = ["ns", "µs", "ms", "s", "m"].iter().find(|unit| {
            let behind = after.strip_prefix(**unit);
            behind.is_some_and(|it| !it.starts_with(|c: char| c.is_alphanumeric()))
        });
        res += &rest[..start];
        match unit {
            Some(_) => res += "T",
            None if all => res += "N",
            None => res += number,
        }
        rest = &after[unit.map_or(0, |it| it.len())..];
    }
    res + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_masked_and_numbers_where_they_vary() {
        let rows = [
            ("passes, in 51.2ms", "passes, in T", "passes, in T"),
            ("in 9.1s, 3 of 8", "in T, 3 of 8", "in T, N of N"),
            (
                "case 7 of seed 0x7 (86 cases run)",
                "case 7 of seed 0x7 (86 cases run)",
                "case N of seed N (N cases run)",
            ),
            ("1,000 cases and 3 steps", "1,000 cases and 3 steps", "N cases and N steps"),
            ("no number", "no number", "no number"),
        ];
        for (line, times, all) in rows {
            assert_eq!((&*masked(line, false), &*masked(line, true)), (times, all));
        }
    }
}
