//! One process of a campaign: starts it, reads its events as they come, and says how it ended.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use probity_lang::json::{self, Json, JsonKind};

use super::status::Campaign;
use super::targets::{FuzzTarget, text};

/// How long after its time a process may still shrink what it found.
const OVERTIME: Duration = Duration::from_secs(60);

/// A process that runs one test for a while.
pub(super) struct FuzzJob {
    child: Child,
    /// What it says, until it has ended.
    folder: PathBuf,
    /// How much of its events was read.
    read: u64,
    /// The number under which its figures are added up.
    number: u64,
    until: Instant,
    has_started: bool,
    engine: String,
}

/// How a process ended.
pub(super) enum JobEnd {
    /// As it should: it searched, and may have found something.
    Searched,
    /// It is no test of Probity's.
    NoTestOfOurs,
    /// Otherwise, and why.
    Odd(String),
}

impl FuzzJob {
    pub(super) fn start(
        target: &FuzzTarget,
        time: Duration,
        seed: u64,
        engine: &str,
        corpus: &Option<OsString>,
    ) -> Result<FuzzJob, String> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("probity-fuzz-{}-{number}", std::process::id()));
        let failed = |err| format!("cannot write to `{}`: {err}", folder.display());
        fs::create_dir_all(&folder).map_err(failed)?;
        let said = File::create(folder.join("said")).map_err(failed)?;
        let mut command = target.command(engine);
        command.env("PROBITY_TIME", format!("{}ms", time.as_millis().max(1)));
        command.env("PROBITY_CASES", u64::MAX.to_string()).env("PROBITY_SEED", seed.to_string());
        command.env("PROBITY_EVENTS", folder.join("events"));
        if let Some(corpus) = corpus {
            command.env("PROBITY_CORPUS", corpus);
        }
        command.stdout(Stdio::null()).stderr(said);
        let child = command.spawn().map_err(|err| format!("cannot run `{}`: {err}", target.exe.display()))?;
        let until = Instant::now() + time + OVERTIME;
        Ok(FuzzJob { child, folder, read: 0, number, until, has_started: false, engine: engine.to_string() })
    }

    /// Reads what it has said since, and returns how it ended, if it has.
    pub(super) fn look(&mut self, campaign: &mut Campaign<'_>) -> Option<JobEnd> {
        let ended = self.child.try_wait();
        let is_alive = matches!(ended, Ok(None));
        for line in self.new_lines(!is_alive) {
            if let Ok(event) = json::parse(&line) {
                self.hear(&event, campaign);
            }
        }
        if is_alive {
            return None;
        }
        campaign.leave(self.number);
        Some(match ended {
            _ if self.has_started => JobEnd::Searched,
            Ok(Some(status)) if status.success() => JobEnd::NoTestOfOurs,
            Ok(Some(status)) => {
                JobEnd::Odd(format!("it ended with {status} before its search: {}", self.said()))
            }
            Ok(None) | Err(_) => JobEnd::Odd("nobody knows how it ended".to_string()),
        })
    }

    /// Whether it should have ended long ago.
    pub(super) fn is_late(&self) -> bool {
        Instant::now() > self.until
    }

    /// Ends it. What it has written is whole.
    pub(super) fn kill(&mut self) {
        let _ = self.child.kill(); // it may have ended by itself
        let _ = self.child.wait();
    }

    fn hear(&mut self, event: &Json, campaign: &mut Campaign<'_>) {
        let word = |key: &str| event.get(key).and_then(text).unwrap_or_default();
        let number = |key: &str| match event.get(key).map(|it| &it.kind) {
            Some(JsonKind::Number(it)) => it.to_string().parse().unwrap_or(0),
            _ => 0,
        };
        match word("event") {
            "started" => self.has_started |= word("engine") == self.engine,
            "covering" => {
                let figures =
                    ["cases", "milliseconds", "blocks", "functions", "corpus", "milliseconds_since_news"];
                campaign.covering(self.number, word("test"), figures.map(number));
            }
            "failed" => campaign.found(word("test"), word("message"), word("saved"), word("replay")),
            "unusable" => campaign.note(&format!("{}: {}", word("path"), word("reason"))),
            _ => {}
        }
    }

    /// Whole lines that its events have got since; at the end all of them.
    fn new_lines(&mut self, is_last: bool) -> Vec<String> {
        let mut bytes = Vec::new();
        let read = File::open(self.folder.join("events"))
            .and_then(|mut it| it.seek(SeekFrom::Start(self.read)).map(|_| it))
            .and_then(|mut it| it.read_to_end(&mut bytes));
        if read.is_err() {
            return Vec::new();
        }
        let whole = if is_last {
            bytes.len()
        } else {
            bytes.iter().rposition(|it| *it == b'\n').map_or(0, |it| it + 1)
        };
        self.read += whole as u64;
        String::from_utf8_lossy(&bytes[..whole]).lines().map(str::to_string).collect()
    }

    /// The first line that it complained in.
    fn said(&self) -> String {
        let bytes = fs::read(self.folder.join("said")).unwrap_or_default();
        let said = String::from_utf8_lossy(&bytes).into_owned();
        let mut lines = said.lines().map(str::trim).filter(|it| !it.is_empty());
        let line = lines.clone().find(|it| it.starts_with("probity:")).or_else(|| lines.next());
        line.unwrap_or("it does not say why").chars().take(300).collect()
    }
}

impl Drop for FuzzJob {
    fn drop(&mut self) {
        self.kill();
        let _ = fs::remove_dir_all(&self.folder); // what is left is in the system's folder for such things
    }
}
