//! A test in a process that is started anew: what users would type to see a death again.

use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::report::{self, Harness};

/// How often it is looked after.
const LOOK: Duration = Duration::from_millis(5);
/// For how long what it said is waited for when it has ended: a process that it started may hold its pipes open.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// How much of what it says is kept: what is looked for stands near the beginning and at the end.
const KEPT: usize = 1 << 20;

/// Whether the test dies when it is run with `replay` in a new process, or has not ended after
/// `limit`. `None` where it cannot be run so, and nothing is known.
pub(crate) fn dies_anew(harness: &Harness, replay: &str, limit: Duration) -> Option<bool> {
    run_anew(harness, replay, limit).map(|it| it == FreshOutcome::Died)
}

/// Whether it fails there, in whichever way.
pub(crate) fn fails_anew(harness: &Harness, replay: &str, limit: Duration) -> Option<bool> {
    run_anew(harness, replay, limit).map(|it| it != FreshOutcome::Passed)
}

/// What a run in a new process came to.
#[derive(PartialEq)]
enum FreshOutcome {
    Passed,
    Failed,
    Died,
}

fn run_anew(harness: &Harness, replay: &str, limit: Duration) -> Option<FreshOutcome> {
    let mut child = harness
        .start_anew()?
        .env("PROBITY_REPLAY", replay)
        // Here a death is to be seen as one, and nothing is to be written.
        .env("PROBITY_ISOLATE", "false")
        .env_remove("PROBITY_EVENTS")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    let (out, err) = (OutputReader::of(child.stdout.take()?), OutputReader::of(child.stderr.take()?));
    let until = Instant::now() + limit;
    let status = loop {
        match child.try_wait().ok()? {
            Some(status) => break Some(status),
            None if Instant::now() >= until => break None,
            None => thread::sleep(LOOK),
        }
    };
    if status.is_none() {
        child.kill().ok();
        child.wait().ok();
    }
    if !err.text().contains(report::REPLAYS) {
        return None;
    }
    Some(match status {
        Some(status) if status.signal().is_none() && out.text().contains(harness.summary()) => {
            if status.success() { FreshOutcome::Passed } else { FreshOutcome::Failed }
        }
        _ => FreshOutcome::Died,
    })
}

/// What a process says, read as it comes.
struct OutputReader {
    kept: Arc<Mutex<Vec<u8>>>,
    thread: thread::JoinHandle<()>,
}

impl OutputReader {
    fn of(mut from: impl Read + Send + 'static) -> OutputReader {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let to = Arc::clone(&kept);
        let thread = thread::spawn(move || {
            let mut block = [0; 1 << 12];
            while let Ok(n @ 1..) = from.read(&mut block) {
                let mut kept = to.lock().unwrap_or_else(PoisonError::into_inner);
                if kept.len() > KEPT {
                    kept.drain(KEPT / 4..KEPT / 2);
                }
                kept.extend_from_slice(&block[..n]);
            }
        });
        OutputReader { kept, thread }
    }

    fn text(&self) -> String {
        let until = Instant::now() + LAST_WORDS;
        while !self.thread.is_finished() && Instant::now() < until {
            thread::sleep(LOOK);
        }
        String::from_utf8_lossy(&self.kept.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}
