//! `cargo probity prove`: every test is run once and asked for its proof; the table says what came of each.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use probity::settings::{Env, Settings};
use probity_lang::json::{self, Json, JsonKind};
use signal_hook::{consts, flag};

use crate::args::{Args, number};
use crate::console::Console;
use crate::exit::{CommandError, Exit};
use crate::fuzz::targets::{self, FuzzTarget, text};

/// How often a process is looked at.
const TICK: Duration = Duration::from_millis(20);

/// What came of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ProofState {
    /// For every input, or up to this many choices.
    Proved(Option<u64>),
    NotProved(String),
    Fails(String),
    /// A failure is what is wanted of it, so there is nothing to prove.
    ShouldPanic,
}

/// A line of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ProofRow {
    test: String,
    state: ProofState,
    paths: u64,
    millis: u64,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<Exit, CommandError> {
    let console = Console::new();
    let some =
        |text: &str| number(text).and_then(|it| (it > 0).then_some(it).ok_or("at least 1".to_string()));
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let jobs = args.value("jobs", some)?.map_or(cores, |it| it as usize);
    let environment = environment(args)?;
    let signal = Arc::new(AtomicUsize::new(0));
    for it in [consts::SIGINT, consts::SIGTERM] {
        let heard = flag::register_usize(it, Arc::clone(&signal), it as usize);
        heard.map_err(|err| format!("cannot listen for signals: {err}"))?;
    }
    let all = targets::find(&args.rest, &[])?;
    let rows = run_all(&all, jobs, &environment, &signal, &console)?;
    match signal.load(Ordering::Relaxed) {
        0 => {}
        it => return Ok(Exit::Signal(it as u8)),
    }
    if rows.is_empty() {
        let text = "none of these tests is one of Probity; write `#[probity::test]` above one".to_string();
        return Err(CommandError { exit: Exit::Misuse, text });
    }
    let _ = io::stdout().write_all(table(&rows).as_bytes()); // whoever reads it may stop reading
    console.plain(&summary(&rows));
    let is = |what: fn(&ProofState) -> bool| rows.iter().any(|it| what(&it.state));
    Ok(if is(|it| matches!(it, ProofState::Fails(_))) {
        Exit::Violation
    } else if is(|it| matches!(it, ProofState::NotProved(_))) {
        Exit::Fewer
    } else {
        Exit::Done
    })
}

/// The settings that all tests get.
fn environment(args: &Args) -> Result<Vec<(&'static str, OsString)>, CommandError> {
    let mut res = vec![("PROBITY_PROVE", OsString::from("true"))];
    for (option, variable) in [("choices", "PROBITY_PROVE"), ("time", "PROBITY_TIME")] {
        let Some(value) = args.os(option) else { continue };
        let env: Env = [(variable, value.clone())].into_iter().collect();
        if let Err(err) = Settings::resolve(Path::new(""), None, &[], &env) {
            return Err(err.to_string().replace(variable, &format!("--{option}")).into());
        }
        res.retain(|it| it.0 != variable);
        res.push((variable, value.clone()));
    }
    Ok(res)
}

/// Runs the tests, several at once, and returns their lines in the order of the tests.
fn run_all(
    all: &[FuzzTarget],
    jobs: usize,
    environment: &[(&'static str, OsString)],
    signal: &AtomicUsize,
    console: &Console,
) -> Result<Vec<ProofRow>, CommandError> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(target) = all.get(at).filter(|_| signal.load(Ordering::Relaxed) == 0) else { return };
            if console.is_terminal() {
                console.status(&format!("{} of {}: {}", at + 1, all.len(), target.test));
            }
            let rows = run_one(target, at, environment, signal);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((at, rows));
        }
    };
    thread::scope(|scope| {
        for _ in 0..jobs.min(all.len()) {
            scope.spawn(work);
        }
    });
    console.clear();
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|it| it.0);
    let mut res = Vec::new();
    for (_, rows) in done {
        res.extend(rows?);
    }
    Ok(res)
}

/// Runs one test, and reads its events.
fn run_one(
    target: &FuzzTarget,
    at: usize,
    environment: &[(&'static str, OsString)],
    signal: &AtomicUsize,
) -> Result<Vec<ProofRow>, CommandError> {
    let folder = EventFolder(std::env::temp_dir().join(format!("probity-prove-{}-{at}", std::process::id())));
    let failed = |err| format!("cannot write to `{}`: {err}", folder.0.display());
    fs::create_dir_all(&folder.0).map_err(failed)?;
    let events = folder.0.join("events");
    let mut command = Command::new(&target.exe);
    command.args([&target.test, "--exact"]).args(target.is_named.then_some("--include-ignored"));
    command.current_dir(&target.folder).env("CARGO_MANIFEST_DIR", &target.folder);
    command.envs(environment.iter().cloned()).env("PROBITY_EVENTS", &events).env_remove("PROBITY_REPLAY");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|err| format!("cannot run `{}`: {err}", target.exe.display()))?;
    let status = loop {
        match child.try_wait().map_err(|err| format!("cannot wait for `{}`: {err}", target.exe.display()))? {
            Some(status) => break status,
            None if signal.load(Ordering::Relaxed) != 0 => {
                let _ = child.kill(); // it may have ended by itself
                let _ = child.wait();
                return Ok(Vec::new());
            }
            None => thread::sleep(TICK),
        }
    };
    let said = fs::read_to_string(&events).unwrap_or_default();
    let ended = (!status.success()).then(|| status.to_string());
    Ok(rows(&said, ended.as_deref()))
}

/// Where a test writes its events.
struct EventFolder(PathBuf);

impl Drop for EventFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0); // what is left is in the system's folder for such things
    }
}

/// The lines of a test that wrote these events, one for each run in it. `ended`: how its process did, if not well.
fn rows(events: &str, ended: Option<&str>) -> Vec<ProofRow> {
    let mut res: Vec<ProofRow> = Vec::new();
    for event in events.lines().filter_map(|it| json::parse(it).ok()) {
        let word = |key: &str| event.get(key).and_then(text).unwrap_or_default();
        let test = word("test").to_string();
        let at = res.iter().position(|it| it.test == test);
        let state = match word("event") {
            "started" if at.is_none() => {
                let state = ProofState::NotProved("it was not asked to search".to_string());
                res.push(ProofRow { test, state, paths: 0, millis: 0 });
                continue;
            }
            "passed" => passed(&event),
            "failed" if ended.is_none() => ProofState::ShouldPanic,
            "failed" => ProofState::Fails(first_line(word("message"))),
            "hangs" => ProofState::Fails("a case goes on for too long".to_string()),
            "too_many_rejects" => ProofState::Fails("too many of its cases are rejected".to_string()),
            "not_covered" => ProofState::Fails(format!("`cover!` is not met, at {}", word("place"))),
            _ => continue,
        };
        let Some(row) = at.map(|at| &mut res[at]) else { continue };
        let explored = event.get("explored");
        row.paths = explored.map_or(0, |it| whole(it, "paths"));
        row.millis = explored.map_or(0, |it| whole(it, "milliseconds"));
        row.state = state;
    }
    // It ended without a word.
    if let Some(ended) = ended
        && !res.iter().any(|it| matches!(it.state, ProofState::Fails(_)))
        && let Some(last) = res.last_mut()
    {
        last.state = ProofState::Fails(format!("its process ended with {ended}"));
    }
    res
}

/// What a test came to that did not fail.
fn passed(event: &Json) -> ProofState {
    let Some(it) = event.get("explored") else {
        return ProofState::NotProved("the concolic engine did not run".to_string());
    };
    match it.get("proof").and_then(text) {
        Some("every input") => ProofState::Proved(None),
        Some("bounded") => {
            let (most, wanted) = (whole(it, "proof_choices"), whole(it, "bound"));
            if most >= wanted {
                return ProofState::Proved(Some(most));
            }
            ProofState::NotProved(format!("up to {most} choices only; raise `--time`"))
        }
        _ => ProofState::NotProved(
            it.get("not_proved").and_then(text).unwrap_or("it does not say").to_string(),
        ),
    }
}

fn whole(json: &Json, key: &str) -> u64 {
    match json.get(key).map(|it| &it.kind) {
        Some(JsonKind::Number(it)) => it.to_string().parse().unwrap_or(0),
        _ => 0,
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_string()
}

/// All lines, in columns.
fn table(rows: &[ProofRow]) -> String {
    let cells: Vec<[String; 4]> = rows.iter().map(cells).collect();
    let width = |at: usize| cells.iter().map(|it| it[at].chars().count()).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2)];
    let mut res = String::new();
    for [test, verdict, paths, time] in &cells {
        let [a, b, c] = widths;
        let line = format!("{test:a$}  {verdict:b$}  {paths:>c$}  {time}");
        let _ = writeln!(res, "{}", line.trim_end());
    }
    res
}

fn cells(row: &ProofRow) -> [String; 4] {
    let verdict = match &row.state {
        ProofState::Proved(None) => "proved for every input".to_string(),
        ProofState::Proved(Some(1)) => "proved for every input of one choice".to_string(),
        ProofState::Proved(Some(most)) => format!("proved for every input of up to {most} choices"),
        ProofState::NotProved(why) => format!("not proved: {why}"),
        ProofState::Fails(how) => format!("fails: {how}"),
        ProofState::ShouldPanic => "should panic, and does".to_string(),
    };
    let was_explored = row.paths > 0;
    let paths = if row.paths == 1 { "1 path".to_string() } else { format!("{} paths", row.paths) };
    let time = format!("{:.1} s", row.millis as f64 / 1000.0);
    let shown = |it: String| if was_explored { it } else { String::new() };
    [row.test.clone(), verdict, shown(paths), shown(time)]
}

/// How many of each there are.
fn summary(rows: &[ProofRow]) -> String {
    let count = |what: fn(&ProofState) -> bool| rows.iter().filter(|it| what(&it.state)).count();
    let whole = count(|it| matches!(it, ProofState::Proved(None)));
    let bounded = count(|it| matches!(it, ProofState::Proved(Some(_))));
    let not = count(|it| matches!(it, ProofState::NotProved(_)));
    let fail = count(|it| matches!(it, ProofState::Fails(_)));
    format!(
        "{} tests: {whole} proved for every input, {bounded} up to a number of choices, {not} not proved, {fail} failed",
        rows.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table for these events.
    fn read(events: &[&str], ended: Option<&str>) -> String {
        let started = r#"{"event":"started","test":"t"}"#;
        let events = [started, &events.join("\n")].join("\n");
        table(&rows(&events, ended))
    }

    #[test]
    fn every_end_has_its_words() {
        let passed = |explored: &str| format!(r#"{{"event":"passed","test":"t","explored":{{{explored}}}}}"#);
        let every = passed(r#""proof":"every input","paths":31,"milliseconds":150"#);
        let bounded =
            |most| passed(&format!(r#""proof":"bounded","proof_choices":{most},"bound":6,"paths":1"#));
        let none = passed(r#""proof":"none","not_proved":"the test opens files","paths":0"#);
        let failed = r#"{"event":"failed","test":"t","message":"too high\nby far"}"#.to_string();
        let started = String::new();
        for (events, ended, expected) in [
            (&every, None, "t  proved for every input  31 paths  0.1 s"),
            (&bounded(6), None, "t  proved for every input of up to 6 choices  1 path  0.0 s"),
            (&bounded(4), None, "t  not proved: up to 4 choices only; raise `--time`  1 path  0.0 s"),
            (&none, None, "t  not proved: the test opens files"),
            (&failed, Some("exit status: 101"), "t  fails: too high"),
            (&failed, None, "t  should panic, and does"),
            (&started, Some("signal: 6"), "t  fails: its process ended with signal: 6"),
            (&started, None, "t  not proved: it was not asked to search"),
        ] {
            assert_eq!(read(&[events], ended), format!("{expected}\n"));
        }
        assert_eq!(table(&rows("", None)), "", "it is no test of Probity");
    }
}
