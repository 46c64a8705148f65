//! `cargo probity fuzz`: tests run for as long as somebody wants, by several processes on one corpus.
//!
//! Each process is a test binary that runs one test for a while, with the coverage engine. What it finds it stores as any
//! run does, and ends; then the next one begins, which knows what is stored and goes on from the corpus. A process that is
//! killed loses nothing that was written before.

mod export;
pub(crate) mod foreign;
mod job;
mod status;
mod sync;
pub(crate) mod targets;
pub(crate) mod twin;
mod zip;

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::{consts, flag};

use crate::args::{Args, millis, number};
use crate::console::Console;
use crate::exit::{CommandError, Exit};
use crate::rust::find::target_folder;
use foreign::{ForeignFuzzer, ForeignKind, ForeignRun};
use job::{FuzzJob, JobEnd};
use status::Campaign;
use sync::SyncMember;
use targets::FuzzTarget;

/// How often processes are looked at.
const TICK: Duration = Duration::from_millis(100);
/// How long one process runs one test before it is the next one's turn, and where there is only one test: starting anew
/// takes the corpus along, which others have filled meanwhile.
const TURN: Duration = Duration::from_secs(10);
const TURN_ALONE: Duration = Duration::from_secs(60);
/// How often a test may end without a word before it is left out.
const SILENT_MAX: u32 = 3;

/// A test of the campaign.
struct FuzzedTest {
    target: FuzzTarget,
    /// How many processes of it ended one after the other without a word.
    silent: u32,
    is_out: bool,
}

/// What was asked for.
struct Asked {
    /// How long; without end where nobody said.
    time: Option<Duration>,
    jobs: usize,
    engine: String,
    corpus: Option<OsString>,
    /// The folder that is shared with other fuzzers.
    sync: Option<SyncMember>,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<Exit, CommandError> {
    let console = Console::new();
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let some =
        |text: &str| number(text).and_then(|it| (it > 0).then_some(it).ok_or("at least 1".to_string()));
    if let Some(kind) = args.os("export") {
        return export::run(kind, &args.rest, args.os("corpus"));
    }
    let asked = Asked {
        time: args.value("for", millis)?.map(Duration::from_millis),
        jobs: args.value("jobs", some)?.map_or(cores, |it| it as usize),
        engine: args.os("engine").map_or("coverage".to_string(), |it| it.to_string_lossy().into_owned()),
        sync: args.os("sync").map(|it| SyncMember::join(it)).transpose()?,
        corpus: args.os("corpus").map(|it| std::path::absolute(it).map_or(it.clone(), Into::into)),
    };
    let signal = Arc::new(AtomicUsize::new(0));
    for it in [consts::SIGINT, consts::SIGTERM] {
        let heard = flag::register_usize(it, Arc::clone(&signal), it as usize);
        heard.map_err(|err| format!("cannot listen for signals: {err}"))?;
    }
    if let Some(kind) = ForeignKind::named(&asked.engine) {
        let fuzzer = ForeignFuzzer::find(kind)?;
        let folder = target_folder(Path::new("."))?.join("probity-fuzzers");
        let Asked { time, jobs, corpus, .. } = asked;
        let asked = ForeignRun { fuzzer, time, jobs, corpus, folder, console: &console };
        return foreign::run(&args.rest, &asked, &signal);
    }
    let targets = targets::find(&args.rest, &[])?;
    if asked.sync.is_some() && (targets.len() > 1 || asked.engine != "coverage") {
        let text = "`--sync` is for one test and the coverage engine; name the test that the others run";
        return Err(text.to_string().into());
    }
    let tests = targets.into_iter().map(|target| FuzzedTest { target, silent: 0, is_out: false });
    let mut fuzzer = Fuzzer {
        turn: Duration::ZERO,
        tests: tests.collect(),
        next: 0,
        seed: std::process::id().into(),
        campaign: Campaign::new(&console),
        asked,
        end: None,
    };
    fuzzer.run(&signal);
    fuzzer.exchange(0);
    fuzzer.campaign.end();
    Ok(match signal.load(Ordering::Relaxed) {
        _ if fuzzer.campaign.findings() > 0 => Exit::Violation,
        0 if fuzzer.tests.iter().all(|it| it.is_out) => {
            let text = "no test of these was searched; see the notes above".to_string();
            return Err(CommandError { exit: Exit::Misuse, text });
        }
        0 => Exit::Done,
        _ if fuzzer.asked.time.is_none() => Exit::Done, // that is how it ends
        it => Exit::Signal(it as u8),
    })
}

struct Fuzzer<'a> {
    tests: Vec<FuzzedTest>,
    /// Whose turn it is.
    next: usize,
    turn: Duration,
    /// Another one for each process.
    seed: u64,
    asked: Asked,
    campaign: Campaign<'a>,
    end: Option<Instant>,
}

impl Fuzzer<'_> {
    fn run(&mut self, signal: &AtomicUsize) {
        self.end = self.asked.time.map(|it| Instant::now() + it);
        let mut jobs: Vec<(usize, FuzzJob)> = Vec::new();
        loop {
            let is_over = signal.load(Ordering::Relaxed) != 0 || self.left() == Some(Duration::ZERO);
            while !is_over && jobs.len() < self.asked.jobs {
                let Some(job) = self.start() else { break };
                jobs.push(job);
            }
            if jobs.is_empty() {
                return;
            }
            thread::sleep(TICK);
            let mut at = 0;
            while at < jobs.len() {
                let (test, job) = &mut jobs[at];
                match job.look(&mut self.campaign) {
                    // What is in time is waited for: it may be shrinking what it found.
                    None if is_over && (signal.load(Ordering::Relaxed) != 0 || job.is_late()) => {
                        job.kill();
                        jobs.swap_remove(at);
                    }
                    None => at += 1,
                    Some(end) => {
                        let test = *test;
                        jobs.swap_remove(at);
                        self.ended(test, end);
                    }
                }
            }
            self.campaign.show();
        }
    }

    /// How long is left, where that is limited.
    fn left(&self) -> Option<Duration> {
        self.end.map(|it| it.saturating_duration_since(Instant::now()))
    }

    /// Starts a process for the test whose turn it is.
    fn start(&mut self) -> Option<(usize, FuzzJob)> {
        let n = self.tests.iter().filter(|it| !it.is_out).count();
        self.turn = if n > 1 || self.asked.sync.is_some() { TURN } else { TURN_ALONE };
        let turn = self.left().map_or(self.turn, |it| it.min(self.turn));
        for _ in 0..self.tests.len() {
            let at = self.next % self.tests.len();
            self.next += 1;
            if self.tests[at].is_out {
                continue;
            }
            self.seed = self.seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            self.exchange(at);
            let job = FuzzJob::start(
                &self.tests[at].target,
                turn,
                self.seed,
                &self.asked.engine,
                &self.asked.corpus,
            );
            match job {
                Ok(job) => return Some((at, job)),
                Err(why) => self.leave_out(at, &why),
            }
        }
        None
    }

    /// Takes what other fuzzers have found and gives what we have, where a folder is shared.
    fn exchange(&mut self, at: usize) {
        let Some(sync) = &self.asked.sync else { return };
        if let Err(why) = sync.exchange(&self.tests[at].target, self.asked.corpus.as_ref()) {
            self.campaign.note(&why);
        }
    }

    fn ended(&mut self, at: usize, end: JobEnd) {
        let test = &mut self.tests[at];
        match end {
            JobEnd::Searched => test.silent = 0,
            JobEnd::NoTestOfOurs => test.is_out = true,
            JobEnd::Odd(why) => {
                test.silent += 1;
                if test.silent >= SILENT_MAX {
                    self.leave_out(at, &why);
                }
            }
        }
    }

    fn leave_out(&mut self, at: usize, why: &str) {
        self.tests[at].is_out = true;
        let name = &self.tests[at].target.test;
        self.campaign.note(&format!("`{name}` is left out: {why}"));
    }
}
