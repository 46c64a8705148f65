//! The search for paths keeps the laws of engines: the suite of core, through the callbacks by which the interpreter
//! answers.
#![cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]

use std::io::{Read, Write};
use std::os::fd::FromRawFd;
use std::time::{Duration, Instant};

use probity_concolic::machine::{Cache, Guest, RunLimits};
use probity_concolic::path::{Run, Subject, Verdict};
use probity_concolic::search::{ExplorePlan, FIRST_TRY, search};
use probity_core::conformance::{Claims, Extent, check_search, check_search_findable};
use probity_core::{Ended, Test, Value};

/// More than any test here takes, so that the clock decides nothing.
const TIME: Duration = Duration::from_secs(600);
const RUNS_MAX: u64 = 500;

/// A test in the machine whose runs are written down: the answers of those that are not rejected.
struct Written<'t> {
    guest: Guest<'t>,
    pipe: std::fs::File,
}

impl Subject for Written<'_> {
    fn run(&mut self, answers: &[Value], max: u32) -> Run {
        let run = self.guest.run(answers, max);
        if run.verdict != Verdict::Reject {
            let words: Vec<String> = run.path.choices.iter().map(|it| it.value.to_string()).collect();
            writeln!(self.pipe, "ran {}", words.join(" ")).unwrap();
        }
        run
    }
}

/// Searches in a process of its own, as the engine does; hands over what was run, and says how it ended.
fn explore(test: &mut dyn Test, each: &mut dyn FnMut(&[Value]) -> bool) -> Ended {
    let cache = Cache::take().expect("this process can be interpreted");
    let mut ends = [0; 2];
    // SAFETY: the child does nothing but search, write and leave.
    let child = unsafe {
        assert_eq!(libc::pipe(ends.as_mut_ptr()), 0);
        libc::fork()
    };
    if child == 0 {
        // SAFETY: the end of the pipe is ours.
        let pipe = unsafe { std::fs::File::from_raw_fd(ends[1]) };
        let until = Instant::now() + TIME;
        let plan = ExplorePlan {
            until,
            seed: 1,
            given: Vec::new(),
            choices_max: 200,
            runs_max: RUNS_MAX,
            first_try: FIRST_TRY,
            dump: None,
        };
        let limits = RunLimits { instructions: 20_000_000, until: Some(until) };
        let guest = Guest::new(cache, test, limits, None).expect("the test can be interpreted");
        let mut subject = std::mem::ManuallyDrop::new(Written { guest, pipe });
        let explored = search(&mut *subject, &plan, &mut |_| true);
        let ended = match explored.complete && explored.is_exact() {
            true => "complete",
            false if explored.runs >= RUNS_MAX => "budget",
            false => "exhausted",
        };
        writeln!(subject.pipe, "{ended}").unwrap();
        // SAFETY: leaves without running what the parent has to run.
        unsafe { libc::_exit(0) }
    }
    // SAFETY: as above; the parent reads until the child is gone.
    let (mut pipe, mut text, mut status) = unsafe {
        libc::close(ends[1]);
        (std::fs::File::from_raw_fd(ends[0]), String::new(), 0)
    };
    pipe.read_to_string(&mut text).unwrap();
    // SAFETY: waits for the child that was made above.
    unsafe { libc::waitpid(child, &raw mut status, 0) };
    assert_eq!(status, 0, "{text}");
    for line in text.lines() {
        let Some(words) = line.strip_prefix("ran") else { continue };
        let values: Vec<Value> = words.split_whitespace().map(|it| it.parse().unwrap()).collect();
        if !each(&values) {
            return Ended::Budget;
        }
    }
    match text.lines().last() {
        Some("complete") => Ended::Complete,
        Some("budget") => Ended::Budget,
        Some("exhausted") => Ended::Exhausted,
        other => panic!("the child ended with {other:?}"),
    }
}

#[test]
fn paths_are_searched_by_the_laws() {
    check_search(explore, Claims { once: true, complete: Extent::Paths });
}

#[test]
fn every_member_can_be_found() {
    check_search_findable(explore, false);
}
