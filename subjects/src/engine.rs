//! The engine as this crate uses it: in a process split from this one, which reports by lines of text.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::FromRawFd;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use probity::engine::{Test, Value};
use probity::events::{Explored, Proof};
use probity_concolic::machine::{Cache, Guest, RunLimits};
use probity_concolic::path::{Imprecision, Subject, Verdict};
use probity_concolic::search::{ExplorePlan, FIRST_TRY, SearchEvent};

/// What a search is allowed.
pub struct Limits {
    /// Of random decisions.
    pub seed: u64,
    /// How long.
    pub time: Duration,
    /// Where to write the questions to the solver.
    pub dump: Option<PathBuf>,
    /// Whether the first failure ends it.
    pub one: bool,
}

/// What a search told.
pub struct Told {
    /// Answers that fail, and after how long they were found.
    pub fails: Vec<(Vec<Value>, Duration)>,
    /// Figures, as `word=value`; empty where the process died before it came to that.
    pub figures: String,
    /// Whether all paths were run, and nothing was lost.
    pub complete: bool,
    /// What was lost, or how the process died.
    pub losses: Vec<String>,
}

/// Searches the paths of `test`.
pub fn explore(test: &mut dyn Test, limits: &Limits) -> Result<Told, String> {
    let mut prepared = probity_concolic::prepare()?;
    let start = Instant::now();
    let (text, status) = split(|pipe| {
        let plan = ExplorePlan {
            until: start + limits.time,
            seed: limits.seed,
            given: Vec::new(),
            choices_max: 1000,
            runs_max: u64::MAX,
            first_try: FIRST_TRY,
            dump: limits.dump.clone(),
        };
        let mut tell = |news| {
            let SearchEvent::Fails(answers) = news else { return true };
            let _ = writeln!(pipe, "fails {} {}", start.elapsed().as_micros(), words(&answers));
            !limits.one
        };
        let it = probity_concolic::explore(&mut prepared, test, &plan, &mut tell, None);
        let _ = writeln!(
            pipe,
            "figures runs={} paths={} queries={} unknown={} failing={} divergences={} instructions={}",
            it.runs, it.paths, it.queries, it.unknown, it.failing, it.divergences, it.instructions
        );
        // What fails is told apart from what is claimed of the paths.
        let all = Explored { failing: 0, accepted: Some(0), ..it.clone() };
        let _ = writeln!(pipe, "complete {}", all.proof() == Proof::EveryInput);
        for (what, n) in &it.losses {
            let _ = writeln!(pipe, "lost {what}, {n} times");
        }
        if let Some(what) = it.unsupported {
            let _ = writeln!(pipe, "lost everything: {what}");
        }
    });
    let lines = |word| lines(&text, word);
    let fails = lines("fails").filter_map(|it| {
        let mut words = it.split_whitespace();
        let time = Duration::from_micros(words.next()?.parse().ok()?);
        Some((words.map(str::parse).collect::<Result<_, _>>().ok()?, time))
    });
    let mut losses: Vec<String> = lines("lost").collect();
    if status != 0 {
        losses.push(format!("the process died with status {status:#x}"));
    }
    Ok(Told {
        fails: fails.collect(),
        figures: lines("figures").next().unwrap_or_default(),
        complete: status == 0 && lines("complete").next().is_some_and(|it| it == "true"),
        losses,
    })
}

/// What interpreted runs came to.
pub struct Compared {
    /// How many ran.
    pub runs: u64,
    /// Those that did not pass: what they came to, and their number.
    pub others: Vec<String>,
    /// Expressions that disagreed with the processor.
    pub disagreements: u64,
    /// What was lost, each once.
    pub losses: Vec<String>,
    /// Instructions that were interpreted.
    pub instructions: u64,
}

/// One run may take this many instructions.
const INSTRUCTIONS_MAX: u64 = 200_000_000;

/// Runs `test` once for each of these answers.
pub fn compare(test: &mut dyn Test, inputs: &[Vec<Value>]) -> Result<Compared, String> {
    let cache = Cache::take()?;
    let (text, status) = split(|pipe| {
        let limits = RunLimits { instructions: INSTRUCTIONS_MAX, until: None };
        let mut guest = match Guest::new(cache, test, limits, None) {
            Ok(guest) => guest,
            Err(why) => return drop(writeln!(pipe, "other {why}")),
        };
        let mut losses: Vec<Imprecision> = Vec::new();
        for (number, input) in inputs.iter().enumerate() {
            let run = guest.run(input, 1000);
            if run.verdict != Verdict::Pass {
                let _ = writeln!(pipe, "other {:?} with input {number}", run.verdict);
            }
            let _ = writeln!(pipe, "ran {}", run.instructions);
            for loss in run.path.imprecisions {
                if matches!(loss, Imprecision::Disagreement(_)) {
                    let _ = writeln!(pipe, "disagreement");
                }
                if !losses.contains(&loss) {
                    let _ = writeln!(pipe, "lost {loss}");
                    losses.push(loss);
                }
            }
        }
    });
    let lines = |word| lines(&text, word);
    let mut others: Vec<String> = lines("other").collect();
    if status != 0 {
        others.push(format!("the process died with status {status:#x}"));
    }
    Ok(Compared {
        runs: lines("ran").count() as u64,
        others,
        disagreements: lines("disagreement").count() as u64,
        losses: lines("lost").collect(),
        instructions: lines("ran").filter_map(|it| it.parse::<u64>().ok()).sum(),
    })
}

/// What follows `word` on the lines that begin with it.
fn lines<'a>(text: &'a str, word: &'static str) -> impl Iterator<Item = String> + 'a {
    text.lines().filter_map(move |it| it.strip_prefix(word)).map(|it| it.trim().to_string())
}

/// Answers as one line.
pub fn words(answers: &[Value]) -> String {
    answers.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// Calls `f` in a process split from this one; returns what it wrote, and the status it ended with.
pub fn split(f: impl FnOnce(&mut File)) -> (String, i32) {
    let mut ends = [0; 2];
    // SAFETY: there is one thread, and the child does nothing but `f` before it leaves.
    let child = unsafe {
        assert_eq!(libc::pipe(ends.as_mut_ptr()), 0, "there is a pipe");
        libc::fork()
    };
    if child == 0 {
        // SAFETY: the end of the pipe is ours; we leave without running what the parent has to run.
        unsafe {
            f(&mut File::from_raw_fd(ends[1]));
            libc::_exit(0)
        }
    }
    // SAFETY: these ends are ours, and so is the child.
    let (mut pipe, mut status) = unsafe {
        libc::close(ends[1]);
        (File::from_raw_fd(ends[0]), 0)
    };
    let mut bytes = Vec::new();
    let _ = pipe.read_to_end(&mut bytes);
    // SAFETY: as above.
    unsafe { libc::waitpid(child, &raw mut status, 0) };
    (String::from_utf8_lossy(&bytes).into_owned(), status)
}
