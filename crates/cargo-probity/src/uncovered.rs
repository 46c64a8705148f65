//! `cargo probity uncovered`: lines of the workspace's own code that no case reached.
//!
//! A search by coverage writes down which blocks it reached. A line was reached if one of its instructions, in any function
//! that it was compiled into, is in such a block.

mod lines;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::args::Args;
use crate::corpus::{corpora, folder};
use crate::exit::{CommandError, Exit};
use crate::rust::find::workspace;
use lines::Module;

/// What is known of the lines of a file.
#[derive(Default)]
pub(super) struct FileLines {
    /// Lines with code that ran.
    reached: BTreeSet<u32>,
    /// Lines with code that did not, in functions that were entered.
    missed: BTreeSet<u32>,
    /// First and last lines of functions that were never entered.
    closed: BTreeSet<(u32, u32)>,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<Exit, CommandError> {
    let (root, _) = workspace(Path::new("."))?;
    let dir = folder(args)?;
    let mut reached: BTreeMap<PathBuf, BTreeSet<u64>> = BTreeMap::new();
    for (_, corpus) in corpora(&dir, args.word(0).as_deref())? {
        for (module, addresses) in corpus.reached()?.modules() {
            reached.entry(module.into()).or_default().extend(addresses);
        }
    }
    if reached.is_empty() {
        let why = "nobody knows what was reached: nothing was searched since the last build";
        return Err(format!("{why}; run `cargo probity fuzz --for 10s`").into());
    }
    let mut files: BTreeMap<PathBuf, FileLines> = BTreeMap::new();
    for (path, addresses) in &reached {
        let bytes = fs::read(path).map_err(|err| format!("cannot read `{}`: {err}", path.display()))?;
        let module = Module::read(&bytes).map_err(|why| format!("`{}`: {why}", path.display()))?;
        module.sort_lines(addresses, &root, &mut files)?;
    }
    let mut res = String::new();
    for (path, lines) in &files {
        list(path.strip_prefix(&root).unwrap_or(path), path, lines, &mut res);
    }
    let is_whole = res.is_empty();
    crate::print(&res)?;
    Ok(if is_whole { Exit::Done } else { Exit::Violation })
}

/// How many of the blocks that were reached, by their modules, are of the workspace's own code, but for its tests.
pub(crate) fn count_own_blocks(
    reached: &BTreeMap<PathBuf, BTreeSet<u64>>,
    root: &Path,
) -> Result<u64, String> {
    let mut res = 0;
    for (path, addresses) in reached {
        let bytes = fs::read(path).map_err(|err| format!("cannot read `{}`: {err}", path.display()))?;
        res += Module::read(&bytes)?.own_blocks(addresses, root)?;
    }
    Ok(res)
}

/// Lists what a file has that was not reached: runs of lines by their first, functions that were not entered by theirs.
fn list(shown: &Path, path: &Path, lines: &FileLines, out: &mut String) {
    let Ok(text) = fs::read_to_string(path) else { return }; // of a build elsewhere
    let source: Vec<&str> = text.lines().collect();
    let line = |at: u32| source.get(at as usize - 1).map_or("", |it| it.trim());
    // What one copy of a generic function enters, another need not.
    let is_closed = |&&(first, last): &&(u32, u32)| lines.reached.range(first..=last).next().is_none();
    let closed: BTreeMap<u32, u32> = lines.closed.iter().filter(is_closed).copied().collect();
    let mut all: BTreeMap<u32, Option<u32>> =
        closed.iter().map(|(first, last)| (*first, Some(*last))).collect();
    for it in &lines.missed {
        let is_within = closed.range(..=it).next_back().is_some_and(|(_, last)| it <= last);
        if *it > 0 && !lines.reached.contains(it) && !is_within && line(*it).len() > 1 {
            all.entry(*it).or_insert(None);
        }
    }
    let mut before = None;
    for (&at, &function) in &all {
        let goes_on = function.is_none() && before == Some(at - 1);
        before = function.is_none().then_some(at);
        if goes_on {
            continue;
        }
        let end = if function.is_some() { "  (never entered)" } else { "" };
        out.push_str(&format!("{}:{at}: {}{end}\n", shown.display(), line(at)));
    }
}
