//! `probity corpus`: what the coverage engine has kept, shown, made smaller, copied here and there.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use probity::corpus::{CorpusFolder, LoadedCorpus, beside_build};

use crate::args::Args;
use crate::console::Console;
use crate::exit::{CommandError, Exit};
use crate::fuzz::targets::{self, FuzzTarget};
use crate::rust::find::target_folder;

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<Exit, CommandError> {
    let console = Console::new();
    let dir = folder(args)?;
    let mut words = args.words.iter();
    let action = words.next().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
    let rest: Vec<&OsString> = words.collect();
    match (&*action, &rest[..]) {
        ("show", []) => show(&dir, None, &console),
        ("show", [test]) => show(&dir, Some(&test.to_string_lossy()), &console),
        ("minimize", tests) if tests.len() < 2 => minimize(&dir, tests.first().copied(), &console),
        ("import", [test, from]) => import(&dir, &test.to_string_lossy(), from.as_ref(), &console),
        ("export", [test, to]) => export(&dir, &test.to_string_lossy(), to.as_ref(), &console),
        ("show" | "minimize" | "import" | "export", _) => {
            Err("there is a word too many or too few; `probity help corpus` shows what belongs there"
                .to_string()
                .into())
        }
        _ => {
            let known = "minimize, show, import, export";
            Err(format!("unknown action `{action}`; there are: {known}").into())
        }
    }
}

/// Where the corpora are: what was asked for, or beside the build.
pub(crate) fn folder(args: &Args) -> Result<PathBuf, CommandError> {
    match args.os("corpus") {
        Some(it) => Ok(PathBuf::from(it)),
        None => {
            let target = target_folder(Path::new("."))?;
            Ok(beside_build(&target.join("x")).unwrap_or_else(|| target.join("probity-corpus")))
        }
    }
}

/// The folders of tests whose names contain `test`, with those names.
pub(crate) fn corpora(dir: &Path, test: Option<&str>) -> Result<Vec<(String, CorpusFolder)>, CommandError> {
    let mut res = Vec::new();
    for it in fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = it.file_name().to_string_lossy().replace("--", "::");
        if it.path().is_dir() && test.is_none_or(|test| name.contains(&test.to_ascii_lowercase())) {
            res.push((name, CorpusFolder::at(it.path())));
        }
    }
    if res.is_empty() {
        let which = test.map_or(String::new(), |it| format!(" of a test with `{it}` in its name"));
        let hint = "`cargo probity fuzz` makes one, and `--corpus` says where it is";
        return Err(format!("there is no corpus{which} in `{}`; {hint}", dir.display()).into());
    }
    res.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(res)
}

fn show(dir: &Path, test: Option<&str>, console: &Console) -> Result<Exit, CommandError> {
    for (name, mut corpus) in corpora(dir, test)? {
        let loaded = load(&mut corpus, console);
        let lengths: Vec<usize> = loaded.cases.iter().map(Vec::len).collect();
        let reached = corpus.reached().unwrap_or_else(|why| {
            console.note(&why);
            Default::default()
        });
        let (least, most) = (lengths.first().unwrap_or(&0), lengths.last().unwrap_or(&0));
        let blocks =
            if reached.is_empty() { String::new() } else { format!(", {} blocks reached", reached.len()) };
        crate::print(&format!("{name}: {} cases of {least} to {most} choices{blocks}\n", lengths.len()))?;
    }
    Ok(Exit::Done)
}

/// Loads a corpus and says which of its files are of no use.
fn load(corpus: &mut CorpusFolder, console: &Console) -> LoadedCorpus {
    let loaded = corpus.load();
    for (path, reason) in &loaded.unusable {
        console.note(&format!("{}: {reason}", path.display()));
    }
    loaded
}

/// Has each test run its corpus, the smallest case first, and keep only what reaches something.
fn minimize(dir: &Path, test: Option<&OsString>, console: &Console) -> Result<Exit, CommandError> {
    let dir = std::path::absolute(dir).map_err(|err| format!("`{}`: {err}", dir.display()))?;
    let filter: Vec<OsString> = test.cloned().into_iter().collect();
    for target in targets::find(&filter, &[])? {
        let Some(corpus) = corpus_of(&dir, &target) else { continue };
        let count = |corpus: &CorpusFolder| CorpusFolder::at(corpus.folder().into()).load().cases.len();
        let before = count(&corpus);
        let mut command = target.command("coverage");
        command.env("PROBITY_CAMPAIGN", "minimize").env("PROBITY_CORPUS", &dir);
        let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
        let status = status.map_err(|err| format!("cannot run `{}`: {err}", target.exe.display()))?;
        if !status.success() {
            console.note(&format!(
                "`{}` ended with {status}; a stored failure may be among its cases",
                target.test
            ));
        }
        crate::print(&format!("{}: {before} cases, {} kept\n", target.test, count(&corpus)))?;
    }
    Ok(Exit::Done)
}

/// The corpus of a test, if it has one: its folder ends with the test's name, behind that of its crate.
fn corpus_of(dir: &Path, target: &FuzzTarget) -> Option<CorpusFolder> {
    let all = corpora(dir, Some(&target.test)).ok()?;
    all.into_iter().find(|it| it.0.ends_with(&format!("::{}", target.test))).map(|it| it.1)
}

/// The one corpus of a test.
fn only(dir: &Path, test: &str) -> Result<CorpusFolder, CommandError> {
    let mut found = corpora(dir, Some(test))?;
    if let Some(at) = found.iter().position(|it| it.0 == test) {
        return Ok(found.swap_remove(at).1);
    }
    match &found[..] {
        [_] => Ok(found.remove(0).1),
        _ => {
            let names: Vec<&str> = found.iter().map(|it| &*it.0).collect();
            Err(format!("`{test}` is a part of several names: {}", names.join(", ")).into())
        }
    }
}

/// Copies the cases of a folder into the corpus of a test.
fn import(dir: &Path, test: &str, from: &Path, console: &Console) -> Result<Exit, CommandError> {
    if !from.is_dir() {
        return Err(format!("`{}` is no folder", from.display()).into());
    }
    // A corpus that is not there yet has its name in full.
    let to = only(dir, test).unwrap_or_else(|_| CorpusFolder::new(dir.into(), test));
    copy(from, to, console)
}

/// Copies the corpus of a test into a folder.
fn export(dir: &Path, test: &str, to: &Path, console: &Console) -> Result<Exit, CommandError> {
    let from = only(dir, test)?;
    copy(from.folder(), CorpusFolder::at(to.into()), console)
}

fn copy(from: &Path, mut to: CorpusFolder, console: &Console) -> Result<Exit, CommandError> {
    let loaded = load(&mut CorpusFolder::at(from.into()), console);
    for case in &loaded.cases {
        to.save(case).map_err(|err| err.to_string())?;
    }
    crate::print(&format!("{} cases copied to {}\n", loaded.cases.len(), to.folder().display()))?;
    Ok(Exit::Done)
}
