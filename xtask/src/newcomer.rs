//! Whether the first hour goes as the book says: runs the commands of one chapter in a clone and in a crate outside of the
//! workspace, and compares every line that they print.
//!
//! The chapter is the script. A block of text that begins with `$ ` is a session: each of its commands is run where the last
//! one left off, and what it prints follows it. `...` is any number of lines. The comment `<!-- FILE=path -->` above a block
//! writes it to a file, `<!-- APPEND=path -->` adds it to one.

use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;
use std::{env, fs};

use crate::book::{self, BookPage};
use crate::{cargo, sources};

const CHAPTER: &str = "crates/probity/guide/first-hour.md";
/// What cargo says of its own work. What it says of failures is compared.
const STATUS: [&str; 9] = [
    "Blocking",
    "Compiling",
    "Doc-tests",
    "Downloaded",
    "Downloading",
    "Finished",
    "Locking",
    "Running",
    "Updating",
];
/// Any number of lines.
const ANY: &str = "...";
/// How many tests a newcomer writes.
const TESTS: usize = 10;

/// Compares the chapter with what is printed; `--write` puts what is printed today in its place, `--all` runs Probity's own
/// tests in the clone as well, which builds the whole workspace.
pub(crate) fn run(args: &[&str]) -> Result<ExitCode, String> {
    if let Some(other) = args.iter().find(|it| !["--write", "--all"].contains(*it)) {
        return Err(format!("`newcomer` takes --write and --all and nothing else; leave out `{other}`"));
    }
    let start = Instant::now();
    let mut wrong = without_a_home(&book::pages());
    let mut page = BookPage::read(cargo::root().join(CHAPTER));
    let mut newcomer = Newcomer::new();
    let mut printed = Vec::new();
    for (at, block) in page.blocks.iter().enumerate() {
        let named = |name: &str| block.vars.iter().find(|it| it.0 == name).map(|it| it.1.as_str());
        let text = || block.lines.join("\n") + "\n";
        if let Some(path) = named("FILE") {
            newcomer.write(path, &text());
        } else if let Some(path) = named("APPEND") {
            let old = fs::read_to_string(newcomer.folder.join(path)).unwrap_or_default();
            newcomer.write(path, &(old + "\n" + &text()));
        } else if block.lines.first().is_some_and(|it| it.starts_with("$ ")) {
            let lines = newcomer.session(&block.lines);
            if !agree(&block.lines, &lines) {
                wrong.push(difference(&page, at, &lines));
                printed.push((at, lines));
            }
        }
    }
    if !newcomer.commands.iter().any(|it| is_replay(it)) {
        wrong.push(format!("{CHAPTER}: nothing is replayed"));
    }
    wrong.extend(
        newcomer.broken.iter().map(|it| format!("{CHAPTER}: `{it}` fails, and not because of a test")),
    );
    wrong.extend(newcomer.promised_by_readme(args.contains(&"--all")));
    let is_written = args.contains(&"--write") && !printed.is_empty();
    if is_written {
        // From the end, so that the places of those before stay as they are.
        for (at, lines) in printed.into_iter().rev() {
            page.replace(at, lines);
        }
        fs::write(&page.path, &page.text).expect("our files are writable");
    }
    wrong.iter().for_each(|it| println!("{it}\n"));
    let done = if is_written { ", and the chapter is rewritten" } else { "" };
    let n_commands = newcomer.commands.len();
    println!("{n_commands} commands in {:.0?}: {} differences{done}", start.elapsed(), wrong.len());
    Ok(if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn difference(page: &BookPage, at: usize, printed: &[String]) -> String {
    let block = &page.blocks[at];
    let (shown, printed) = (block.lines.join("\n"), printed.join("\n"));
    format!("{CHAPTER}:{}: shows\n{shown}\nbut what is printed is\n{printed}", block.first)
}

/// The tests of the chapter that no other page has word by word: it promises that there is one.
fn without_a_home(pages: &[BookPage]) -> Vec<String> {
    let (own, others): (Vec<&BookPage>, Vec<&BookPage>) =
        pages.iter().partition(|it| it.path.ends_with(CHAPTER));
    let tests: Vec<String> = own.iter().flat_map(|it| &it.blocks).flat_map(|it| tests(&it.lines)).collect();
    let known: Vec<String> = others
        .iter()
        .flat_map(|it| &it.blocks)
        .filter(|it| it.info.starts_with("rust"))
        .map(|it| it.lines.join("\n"))
        .collect();
    let homeless = tests.iter().filter(|test| !known.iter().any(|it| it.contains(*test)));
    let mut res: Vec<String> =
        homeless.map(|it| format!("{CHAPTER}: no other chapter has this test:\n{it}")).collect();
    if tests.len() != TESTS {
        res.push(format!("{CHAPTER}: has {} tests, and promises {TESTS}", tests.len()));
    }
    res
}

/// The tests in a block, from their attribute to their last brace.
fn tests(lines: &[String]) -> Vec<String> {
    let starts = lines.iter().enumerate().filter(|it| it.1.starts_with("#[probity::test"));
    let test = |(at, _)| {
        let len = lines[at..].iter().position(|it| it == "}").map_or(0, |it| it + 1);
        lines[at..at + len].join("\n")
    };
    starts.map(test).collect()
}

/// Somebody with a shell in an empty folder outside of the workspace.
struct Newcomer {
    home: PathBuf,
    /// Where the shell is.
    folder: PathBuf,
    commands: Vec<String>,
    /// Everything that was printed so far.
    printed: Vec<String>,
    /// Commands that failed for other reasons than a failing test.
    broken: Vec<String>,
}

impl Newcomer {
    fn new() -> Newcomer {
        let home = env::temp_dir().join(format!("probity-newcomer-{}", std::process::id()));
        let _ = fs::remove_dir_all(&home);
        fs::create_dir_all(&home).expect("a temporary folder can be made");
        sources::copy(&home.join("origin"));
        Newcomer { folder: home.clone(), home, commands: Vec::new(), printed: Vec::new(), broken: Vec::new() }
    }

    fn write(&self, path: &str, text: &str) {
        fs::write(self.folder.join(path), text).expect("there is room");
    }

    /// The lines of a session as they are when it is run.
    fn session(&mut self, lines: &[String]) -> Vec<String> {
        let mut res = Vec::new();
        for line in lines {
            if let Some(command) = line.strip_prefix("$ ") {
                let command = self.reported(command);
                res.push(format!("$ {command}"));
                res.extend(self.run(&command));
            }
        }
        res
    }

    /// A command that replays is the one of the last report; others are as they are.
    fn reported(&self, command: &str) -> String {
        let said = self.printed.iter().rev().find_map(|it| it.trim_start().strip_prefix("replay: "));
        said.filter(|_| is_replay(command)).unwrap_or(command).to_string()
    }

    /// Runs a command in a shell; returns what it printed.
    fn run(&mut self, command: &str) -> Vec<String> {
        println!("$ {command}");
        self.commands.push(command.to_string());
        if let Some(folder) = command.strip_prefix("cd ") {
            self.folder = fs::canonicalize(self.folder.join(folder)).expect("the folder is there");
            return Vec::new();
        }
        // A clone of a path is made of links, not as one of an address.
        let origin = format!("--depth=1 file://{}", self.home.join("origin").display());
        let mut shell = Command::new("sh");
        shell.args(["-c", &command.replace("URL", &origin)]).current_dir(&self.folder);
        for (name, _) in env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            // What CI sets for its own builds (no incremental compilation) holds for these too.
            let is_ours = name.starts_with("PROBITY_") || name == "CI" || name.starts_with("CARGO_PKG_");
            if is_ours || name == "CARGO_MANIFEST_DIR" || name == "CARGO_TARGET_DIR" {
                shell.env_remove(name);
            }
        }
        // Where the command itself is, as if it were installed.
        let path = format!(
            "{}:{}",
            cargo::root().join("target/debug").display(),
            env::var("PATH").unwrap_or_default()
        );
        shell.env("PATH", path);
        shell.envs([book::SEED, ("RUST_BACKTRACE", "0"), ("PROBITY_COLOR", "never")]);
        shell.envs([("CARGO_TERM_COLOR", "never"), ("CARGO_NET_OFFLINE", "true")]);
        let output = shell.stdin(Stdio::null()).output().expect("there is a shell");
        if command.starts_with("cargo add") {
            // What the workspace was built with is there without a network.
            fs::copy(cargo::root().join("Cargo.lock"), self.folder.join("Cargo.lock"))
                .expect("there is room");
        }
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let lines = in_order(&out, &err);
        if !output.status.success() && !lines.iter().any(|it| it.starts_with("error: test failed")) {
            println!("{err}");
            self.broken.push(command.to_string());
        }
        self.printed.extend(lines.iter().cloned());
        lines
    }

    /// What is wrong with README's two commands: the first was run in the clone, the second is run by `cargo xtask check` in
    /// this checkout, and in the clone too where `all` is wanted.
    fn promised_by_readme(&mut self, all: bool) -> Vec<String> {
        let page = BookPage::read(cargo::root().join("README.md"));
        let is_command = |it: &&String| it.starts_with("cargo ");
        let blocks = page.blocks.iter().filter(|it| it.info == "text");
        let commands: Vec<String> = blocks
            .flat_map(|it| it.lines.iter().filter(is_command))
            .map(|it| it.split(" #").next().unwrap_or_default().trim().to_string())
            .collect();
        let [main, tests] = &commands[..] else {
            return vec![format!("README.md: shows {} commands, and promises two", commands.len())];
        };
        let mut res = Vec::new();
        if !self.commands.iter().any(|it| it.replace(" --quiet", "") == *main) {
            res.push(format!("README.md: `{main}` is not in {CHAPTER}"));
        }
        if tests != "cargo test" {
            res.push(format!("README.md: `{tests}` is not what `cargo xtask check` runs"));
        } else if all {
            self.folder = self.home.join("probity");
            if !self.run(tests).iter().any(|it| it.starts_with("test result: ok")) {
                res.push(format!("README.md: `{tests}` does not pass in a clone"));
            }
        }
        res
    }
}

impl Drop for Newcomer {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.home);
    }
}

fn is_replay(command: &str) -> bool {
    command.contains("PROBITY_REPLAY") || command.contains("probity replay")
}

/// What a command printed, as one text: what was said past the capture of the test harness, then the harness, then what
/// cargo makes of it. Which of them comes first on a terminal is up to chance.
fn in_order(out: &str, err: &str) -> Vec<String> {
    let is_status = |line: &&str| {
        let first = line.trim_start().split(' ').next().unwrap_or_default();
        line.starts_with(' ') && STATUS.contains(&first)
    };
    let (cargo, past): (Vec<&str>, Vec<&str>) =
        err.lines().filter(|it| !is_status(it)).partition(|it| it.starts_with("error: "));
    let all = past.into_iter().chain(out.lines()).chain(cargo);
    let mut res: Vec<String> = all.map(str::to_string).collect();
    res.dedup_by(|a, b| a.is_empty() && b.is_empty());
    while res.first().is_some_and(String::is_empty) {
        res.remove(0);
    }
    while res.last().is_some_and(String::is_empty) {
        res.pop();
    }
    res
}

/// Whether the chapter shows what is printed.
fn agree(shown: &[String], printed: &[String]) -> bool {
    let (shown, printed) = (steady(shown), steady(printed));
    let parts: Vec<&[String]> = shown.split(|it| it == ANY).collect();
    let [first, middle @ .., last] = &parts[..] else { return shown == printed };
    let Some(mut rest) = printed.strip_prefix(*first) else { return false };
    for part in middle {
        let Some(at) = rest.windows(part.len().max(1)).position(|it| it.starts_with(part)) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// Lines without what differs from run to run: times, numbers of threads, and the order of tests.
fn steady(lines: &[String]) -> Vec<String> {
    let mut res: Vec<String> = book::steady(lines).iter().map(|it| without_thread(it)).collect();
    for run in res.chunk_by_mut(|a, b| is_test(a) && is_test(b)) {
        run.sort();
    }
    res
}

fn is_test(line: &str) -> bool {
    line.starts_with("test ") && line.contains(" ... ")
}

/// The head of a panic, `thread 'name' (1234) panicked at`, without the number.
fn without_thread(line: &str) -> String {
    match line.split_once("' (") {
        Some((name, rest)) if name.starts_with("thread '") => {
            format!("{name}'{}", rest.split_once(')').unwrap_or_default().1)
        }
        _ => line.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_string).collect()
    }

    #[test]
    fn what_differs_from_run_to_run_agrees_and_nothing_else() {
        let rows = [
            ("$ a\nx", "$ a\nx", true),
            ("$ a\nx", "$ a\ny", false),
            ("$ a\nx", "$ a", false),
            ("$ a", "$ a\nx", false),
            ("$ a\n...", "$ a\nx\ny", true),
            ("$ a\n...\ny", "$ a\nx\ny", true),
            ("$ a\n...\nx", "$ a\nx\ny", false),
            ("$ a\n...\nx\n...\nz", "$ a\nw\nx\ny\nz", true),
            ("$ a\n...\ny\n...\nx\n...", "$ a\nx\ny\nz", false),
            ("test a ... ok\ntest b ... ok", "test b ... ok\ntest a ... ok", true),
            ("test a ... ok\ntest b ... ok", "test b ... ok\ntest a ... FAILED", false),
            ("thread 'a' (1) panicked at b:3:4:", "thread 'a' (22) panicked at b:3:4:", true),
            ("thread 'a' (1) panicked at b:3:4:", "thread 'a' (1) panicked at b:3:5:", false),
            ("passed in 3ms", "passed in 4.5s", true),
        ];
        for (shown, printed, expected) in rows {
            assert_eq!(agree(&lines(shown), &lines(printed)), expected, "{shown:?} and {printed:?}");
        }
    }

    #[test]
    fn a_status_of_cargo_is_no_output() {
        let err = "   Compiling a v0.1.0\nprobity: `a` is\n  more\nerror: test failed\n     Running x\n";
        assert_eq!(
            in_order("\nrunning 1 test\n\n\n", err),
            lines("probity: `a` is\n  more\n\nrunning 1 test\n\nerror: test failed")
        );
    }

    #[test]
    fn every_test_of_the_chapter_is_in_another() {
        assert_eq!(without_a_home(&book::pages()), [""; 0]);
    }
}
