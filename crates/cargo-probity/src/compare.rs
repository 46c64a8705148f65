//! `cargo probity compare`: the same tests by every engine there is, ours and those of others, for the same time.

mod chart;
pub(crate) mod measure;

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::args::{Args, millis};
use crate::console::Console;
use crate::exit::{CommandError, Exit};
use crate::fuzz::foreign::{ForeignFuzzer, ForeignKind};
use crate::fuzz::targets::{self, FuzzTarget};
use crate::fuzz::twin;
use crate::rust::find::workspace;
use measure::{EngineRun, Measuring};

/// Our engines, by the names of the setting.
const OURS: [&str; 5] = ["random", "exhaustive", "targeted", "coverage", "concolic"];
/// How long each engine has for each test where nobody says.
const TIME: Duration = Duration::from_secs(10);

/// An engine that takes part.
pub(crate) enum Contestant {
    Ours(String),
    /// Another fuzzer, with the tests of its twin.
    Theirs(ForeignKind, Vec<FuzzTarget>),
}

impl Contestant {
    pub(crate) fn name(&self) -> &str {
        match self {
            Contestant::Ours(name) => name,
            Contestant::Theirs(kind, _) => kind.name(),
        }
    }

    /// Lets it search for failures of a test.
    pub(crate) fn run(&self, measuring: &Measuring, test: &FuzzTarget) -> Result<EngineRun, CommandError> {
        match self {
            Contestant::Ours(engine) => measuring.ours(test, engine),
            Contestant::Theirs(kind, twins) => {
                let is_twin = |it: &&FuzzTarget| it.test == test.test && it.folder == test.folder;
                let twin = twins.iter().find(is_twin).ok_or_else(|| {
                    format!("`{}` is not in the build that {} watches", test.test, kind.name())
                })?;
                measuring.theirs(test, *kind, twin)
            }
        }
    }
}

/// What one engine came to with one test.
pub(crate) struct Line<'a> {
    pub(crate) test: &'a str,
    pub(crate) engine: &'a str,
    pub(crate) measured: EngineRun,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<Exit, CommandError> {
    let console = Console::new();
    let time = args.value("for", millis)?.map_or(TIME, Duration::from_millis);
    let seed = args.value("seed", crate::args::number)?.unwrap_or(0);
    let tests = targets::find(&args.rest, &[])?;
    let (root, target) = workspace(Path::new("."))?;
    let contestants = contestants(args, &target.join("probity-fuzzers"), &console)?;
    let measuring = Measuring::new(time, seed, root)?;
    let mut lines = Vec::new();
    for test in &tests {
        for it in &contestants {
            if console.is_terminal() {
                console.status(&format!("{} under {}", test.test, it.name()));
            }
            let measured = it.run(&measuring, test);
            console.clear();
            let measured = match measured {
                Ok(measured) => measured,
                Err(err) => {
                    console.note(&format!("`{}` under {}: {}", test.test, it.name(), err.text));
                    continue;
                }
            };
            lines.push(Line { test: &test.test, engine: it.name(), measured });
        }
    }
    let text = if args.has("json") { json(&lines) } else { table(&lines) };
    crate::print(&text)?;
    if let Some(path) = args.os("svg") {
        fs::write(path, chart::svg(&lines, time))
            .map_err(|err| format!("cannot write `{}`: {err}", path.to_string_lossy()))?;
    }
    Ok(Exit::Done)
}

/// The engines that were asked for; else all there are. Fuzzers that are missing are named.
pub(crate) fn contestants(
    args: &Args,
    folder: &Path,
    console: &Console,
) -> Result<Vec<Contestant>, CommandError> {
    let asked = args.os("engine").map(|it| it.to_string_lossy().into_owned());
    let is_asked = |name: &str| asked.as_ref().is_none_or(|it| it.split(',').any(|it| it.trim() == name));
    let known: Vec<&str> = OURS.into_iter().chain(ForeignKind::ALL.map(ForeignKind::name)).collect();
    for name in asked.iter().flat_map(|it| it.split(',')).map(str::trim) {
        if !known.contains(&name) {
            return Err(format!("there is no engine `{name}`; there are: {}", known.join(", ")).into());
        }
    }
    let mut res: Vec<Contestant> =
        OURS.into_iter().filter(|it| is_asked(it)).map(|it| Contestant::Ours(it.to_string())).collect();
    for kind in ForeignKind::ALL.into_iter().filter(|it| is_asked(it.name())) {
        match ForeignFuzzer::find(kind) {
            Ok(fuzzer) => {
                let environment = twin::environment(&fuzzer, folder)?;
                res.push(Contestant::Theirs(kind, targets::find(&args.rest, &environment)?));
            }
            Err(err) if asked.is_some() => return Err(err),
            Err(err) => console.note(&format!("without {}: {}", kind.name(), err.text)),
        }
    }
    Ok(res)
}

/// The tests in the order in which they were run, and the engines.
pub(crate) fn axes<'a>(lines: &[Line<'a>]) -> (Vec<&'a str>, Vec<&'a str>) {
    let (mut tests, mut engines) = (Vec::new(), Vec::new());
    for it in lines {
        if !tests.contains(&it.test) {
            tests.push(it.test);
        }
        if !engines.contains(&it.engine) {
            engines.push(it.engine);
        }
    }
    (tests, engines)
}

/// A line for each test and engine, and what each engine came to.
fn table(lines: &[Line<'_>]) -> String {
    let (tests, engines) = axes(lines);
    let width = tests.iter().map(|it| it.len()).max().unwrap_or(0).max(4);
    let mut res = format!(
        "{:<width$}  {:<10}  {:>9}  {:>12}  {:>6}  {:>9}\n",
        "test", "engine", "found", "cases", "blocks", "processor"
    );
    for Line { test, engine, measured } in lines {
        let EngineRun { found, cases, blocks, processor, .. } = measured;
        let found = found.map_or("-".to_string(), |it| format!("{:.2} s", it.as_secs_f64()));
        let count = |it: Option<u64>| it.map_or("?".to_string(), |it| it.to_string());
        res += &format!(
            "{test:<width$}  {engine:<10}  {found:>9}  {:>12}  {:>6}  {:>7.2} s\n",
            count(*cases),
            count(*blocks),
            processor.as_secs_f64()
        );
    }
    res += "\n";
    for engine in &engines {
        let own = lines.iter().filter(|it| it.engine == *engine);
        let found: Vec<&str> = own.filter(|it| it.measured.found.is_some()).map(|it| it.test).collect();
        let by_others = |test: &str| {
            lines.iter().any(|it| it.test == test && it.engine != *engine && it.measured.found.is_some())
        };
        let alone: Vec<&str> = found.iter().copied().filter(|it| !by_others(it)).collect();
        let alone = if alone.is_empty() { String::new() } else { format!("; alone: {}", alone.join(", ")) };
        res += &format!("{engine}: found {} of {}{alone}\n", found.len(), tests.len());
    }
    res
}

/// One JSON object a line.
fn json(lines: &[Line<'_>]) -> String {
    lines
        .iter()
        .map(|Line { test, engine, measured }| {
            let EngineRun { found, cases, blocks, processor, .. } = measured;
            let seconds = |it: Duration| format!("{:.4}", it.as_secs_f64());
            let or_null = |it: Option<String>| it.unwrap_or("null".to_string());
            format!(
                "{{\"test\":{},\"engine\":{},\"found_after_seconds\":{},\"cases\":{},\"blocks\":{},\
                 \"processor_seconds\":{}}}\n",
                measure::quoted(test),
                measure::quoted(engine),
                or_null(found.map(seconds)),
                or_null(cases.map(|it| it.to_string())),
                or_null(blocks.map(|it| it.to_string())),
                seconds(*processor)
            )
        })
        .collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn line<'a>(test: &'a str, engine: &'a str, found: Option<u64>) -> Line<'a> {
        let measured = EngineRun {
            found: found.map(Duration::from_millis),
            cases: Some(10),
            processor: Duration::from_secs(1),
            ..EngineRun::default()
        };
        Line { test, engine, measured }
    }

    #[test]
    fn what_only_one_found_is_named() {
        let lines = [
            line("a", "random", Some(1500)),
            line("a", "afl", None),
            line("b", "random", None),
            line("b", "afl", Some(20)),
        ];
        let expected = "\
test  engine          found         cases  blocks  processor
a     random         1.50 s            10       ?     1.00 s
a     afl                 -            10       ?     1.00 s
b     random              -            10       ?     1.00 s
b     afl            0.02 s            10       ?     1.00 s

random: found 1 of 2; alone: a
afl: found 1 of 2; alone: b
";
        assert_eq!(table(&lines), expected);
        let first = "{\"test\":\"a\",\"engine\":\"random\",\"found_after_seconds\":1.5000,\"cases\":10,\
                     \"blocks\":null,\"processor_seconds\":1.0000}";
        assert_eq!(json(&lines).lines().next(), Some(first));
    }
}
