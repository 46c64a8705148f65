//! What an engine reports of a row, and whether that is right.

use std::panic::{AssertUnwindSafe, catch_unwind};

use probity::engine::{Replay, Tail, Value, Verdict, run_case};
use probity::{Check, Source};
use probity_testkit::Folder;

use crate::row::words;
use crate::{Known, Row};

/// What a run of a test came to.
///
/// ```
/// let row = probity_suite::rows().find(|it| it.name == "remainder").unwrap();
/// let report = probity_suite::check(row, 1, |it| it.engine("exhaustive"));
/// let probity_suite::Report::Fails(failures) = report else { panic!("{report:?}") };
/// assert_eq!(failures[0].inputs, ["23"]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Report {
    /// It fails, in these ways.
    Fails(Vec<Failure>),
    /// It passes.
    Passes {
        /// How many inputs there are, where it is claimed that all were visited.
        inputs: Option<u64>,
        /// How many paths there are, where it is claimed that all were run.
        paths: Option<u64>,
    },
    /// Nearly everything was rejected.
    Rejects,
    /// There was no run at all.
    Error(String),
}

/// An input that is said to fail.
///
/// ```
/// let failure = probity_suite::Failure { inputs: vec!["23".to_string()], answers: "i23".to_string() };
/// assert!(!failure.inputs.is_empty());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// As people read them.
    pub inputs: Vec<String>,
    /// As they are replayed.
    pub answers: String,
}

/// Runs a row as `cargo test` would, with settings of an engine's own.
///
/// ```
/// let row = probity_suite::rows().find(|it| it.name == "bits").unwrap();
/// let report = probity_suite::check(row, 1, |it| it.engine("exhaustive"));
/// assert_eq!(report, probity_suite::Report::Passes { inputs: Some(256), paths: None });
/// ```
pub fn check(row: &Row, seed: u64, set: fn(Check<'_>) -> Check<'_>) -> Report {
    let folder = Folder::new();
    let path = folder.at("events");
    let name = format!("suite::{}", row.name);
    let check = set(Check::new(&name).seed(seed).store(false).explain(false));
    let check = check.events(path.to_str().expect("a temporary folder has a plain name"));
    let ended = catch_unwind(AssertUnwindSafe(|| check.run(row.test)));
    let events = std::fs::read_to_string(&path).unwrap_or_default();
    let ends: Vec<&str> = events.lines().filter(|it| field(it, "event").is_some_and(is_end)).collect();
    let error = || match &ended {
        Err(payload) => payload.downcast_ref::<String>().cloned().unwrap_or_default(),
        Ok(()) => "there is no event of its end".to_string(),
    };
    match ends.first().and_then(|it| field(it, "event")) {
        Some("failed") => Report::Fails(ends.iter().map(|it| failure(it)).collect()),
        Some("passed") => {
            let is = |name| field(ends[0], name) == Some("true");
            let number = |name| field(ends[0], name).and_then(|it| it.parse().ok());
            Report::Passes {
                inputs: number("cases").filter(|_| is("all")),
                paths: number("paths").filter(|_| is("complete") && is("exact")),
            }
        }
        Some("too_many_rejects") => Report::Rejects,
        _ => Report::Error(error()),
    }
}

fn is_end(event: &str) -> bool {
    ["failed", "passed", "too_many_rejects"].contains(&event)
}

/// The text of a field up to the next one, or to the end of the string that it is: texts have no bare quotes inside.
fn field<'a>(event: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = event.split_once(&format!("\"{name}\":"))?;
    let Some(text) = rest.strip_prefix('"') else { return rest.split([',', '}']).next() };
    let mut escaped = false;
    let end = text.find(|c| {
        let is_end = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        is_end
    })?;
    Some(&text[..end])
}

fn failure(event: &str) -> Failure {
    let (_, inputs) = event.split_once("\"inputs\":[").unwrap_or_default();
    let (inputs, _) = inputs.split_once("],\"message\":").unwrap_or_default();
    let values = inputs.split("\"value\":").skip(1).filter_map(|it| {
        let event = format!("\"value\":{it}");
        field(&event, "value").map(unescape)
    });
    let replay = field(event, "replay").unwrap_or_default();
    let (_, value) = replay.split_once("PROBITY_REPLAY=").unwrap_or_default();
    let answers = match value.strip_prefix('\'') {
        Some(quoted) => quoted.split('\'').next(),
        None => value.split(' ').next(),
    };
    Failure { inputs: values.collect(), answers: answers.unwrap_or_default().to_string() }
}

/// The text of a JSON string.
fn unescape(text: &str) -> String {
    let mut res = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('u') => {
                    let hex: String = chars.by_ref().take(4).collect();
                    res.extend(u32::from_str_radix(&hex, 16).ok().and_then(char::from_u32));
                }
                Some('n') => res.push('\n'),
                other => res.extend(other),
            },
            c => res.push(c),
        }
    }
    res
}

/// Whether a report is right.
///
/// ```
/// use probity_suite::{Judgment, Report, judge};
/// let row = probity_suite::rows().find(|it| it.name == "remainder").unwrap();
/// assert_eq!(judge(row, &Report::Passes { inputs: None, paths: None }), Judgment::Miss);
/// assert!(matches!(judge(row, &Report::Passes { inputs: Some(256), paths: None }), Judgment::Wrong(_)));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Judgment {
    /// What is known was found.
    Right,
    /// Nothing was found, and nothing is claimed.
    Miss,
    /// What is reported is not so.
    Wrong(String),
}

/// Holds a report against what is known.
///
/// ```
/// use probity_suite::{Judgment, Report, judge};
/// let row = probity_suite::rows().find(|it| it.name == "bits").unwrap();
/// assert_eq!(judge(row, &Report::Passes { inputs: Some(256), paths: None }), Judgment::Right);
/// assert!(matches!(judge(row, &Report::Passes { inputs: Some(255), paths: None }), Judgment::Wrong(_)));
/// assert!(matches!(judge(row, &Report::Fails(Vec::new())), Judgment::Wrong(_)));
/// ```
pub fn judge(row: &Row, report: &Report) -> Judgment {
    let wrong = |what: &str| Judgment::Wrong(format!("{what}: {report:?}, but it {:?}", row.known));
    match (row.known, report) {
        (_, Report::Error(_)) => wrong("it did not run"),
        (Known::Fails { input, only }, Report::Fails(failures)) => {
            if failures.is_empty() || !failures.iter().all(|it| fails(row, &it.answers)) {
                wrong("what is said to fail does not")
            } else if only && failures[0].answers != words(&input()) {
                wrong("only one input fails")
            } else {
                Judgment::Right
            }
        }
        (Known::Fails { .. }, Report::Passes { inputs: None, paths: None }) => Judgment::Miss,
        (Known::Fails { .. }, Report::Passes { .. }) => wrong("a claim is false"),
        (Known::Passes { .. } | Known::Rejects, Report::Fails(_)) => wrong("a failure is false"),
        (Known::Passes { inputs: Some(n) }, Report::Passes { inputs: Some(found), .. }) if *found != n => {
            wrong("the count is wrong")
        }
        (Known::Passes { inputs: None }, Report::Passes { inputs: Some(_), .. }) => wrong("a claim is false"),
        (Known::Passes { .. }, Report::Passes { .. }) | (Known::Rejects, Report::Rejects) => Judgment::Right,
        (Known::Fails { .. } | Known::Passes { .. }, Report::Rejects) => wrong("inputs are accepted"),
        (Known::Rejects, Report::Passes { .. }) => wrong("nothing is accepted"),
    }
}

/// Whether an ordinary case with these answers fails, in their text form.
///
/// ```
/// let row = probity_suite::rows().find(|it| it.name == "remainder").unwrap();
/// assert!(probity_suite::fails(row, "i23") && !probity_suite::fails(row, "i24") && !probity_suite::fails(row, "nonsense"));
/// ```
pub fn fails(row: &Row, answers: &str) -> bool {
    let Ok(values) = answers.split_whitespace().map(str::parse).collect::<Result<Vec<Value>, _>>() else {
        return false;
    };
    let mut source = Source::new(Box::new(Replay::new(values, Tail::Simplest)));
    run_case(&mut source, &mut { row.test }).is_ok_and(|it| matches!(it.verdict, Verdict::Fail(_)))
}
