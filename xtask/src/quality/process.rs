//! Runs a program for a limited time, with its output in files: what it leaves behind cannot hold us up.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex};
use std::time::{Duration, Instant};

/// How often it is looked whether a program has ended.
const LOOK: Duration = Duration::from_millis(2);

/// How a program went.
pub(crate) struct Ran {
    /// Its exit code; none where a signal ended it or we did.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) seconds: f64,
    /// Whether it was ended by us.
    pub(crate) timed_out: bool,
}

impl Ran {
    /// The value of `word=value` on its standard output.
    pub(crate) fn field(&self, word: &str) -> Option<&str> {
        field(&self.stdout, word)
    }

    /// The same as a number; 0 where there is none.
    pub(crate) fn number(&self, word: &str) -> f64 {
        self.field(word).and_then(|it| it.parse().ok()).unwrap_or(0.0)
    }

    /// What is worth telling of a run that went wrong.
    pub(crate) fn complaint(&self) -> String {
        let last = self.stderr.lines().rev().find(|it| !it.trim().is_empty()).unwrap_or("nothing said");
        match self.code {
            _ if self.timed_out => "did not end".to_string(),
            None => format!("killed by a signal: {last}"),
            Some(code) => format!("exit {code}: {last}"),
        }
    }
}

/// The value of `word=value` in `text`.
pub(crate) fn field<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    text.split_whitespace().find_map(|it| it.strip_prefix(word)?.strip_prefix('='))
}

/// Runs `command`, for no longer than `limit`.
pub(crate) fn run(mut command: Command, limit: Duration) -> Ran {
    let files = [TempOutput::new(), TempOutput::new()];
    let [stdout, stderr] = [&files[0], &files[1]].map(|it| File::create(&it.0).expect("there is room"));
    let start = Instant::now();
    let mut child =
        command.stdin(Stdio::null()).stdout(stdout).stderr(stderr).spawn().expect("the program was built");
    let status = loop {
        match child.try_wait().expect("it is our child") {
            Some(status) => break Some(status),
            None if start.elapsed() > limit => break None,
            None => std::thread::sleep(LOOK),
        }
    };
    let seconds = start.elapsed().as_secs_f64();
    if status.is_none() {
        let _ = child.kill();
        let _ = child.wait();
    }
    let [stdout, stderr] =
        files.map(|it| String::from_utf8_lossy(&fs::read(&it.0).unwrap_or_default()).into_owned());
    Ran { code: status.and_then(|it| it.code()), stdout, stderr, seconds, timed_out: status.is_none() }
}

/// The time of the processor that the programs took which were run so far, with all that they started, in seconds. Where
/// there is no such count, the time by the clock.
pub(crate) fn processor_seconds() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    // The fields behind the name, which may have anything in it: numbers 16 and 17, in hundredths.
    let counted = fs::read_to_string("/proc/self/stat").ok().and_then(|it| {
        let fields: Vec<&str> = it.rsplit_once(')')?.1.split_whitespace().collect();
        Some(fields.get(13)?.parse::<f64>().ok()? + fields.get(14)?.parse::<f64>().ok()?)
    });
    counted.map_or_else(|| START.elapsed().as_secs_f64(), |it| it / 100.0)
}

/// Calls `f` for every item, on as many threads as there are processors; results in order.
pub(crate) fn in_parallel<T: Sync, R: Send>(items: &[T], f: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = Mutex::new(0);
    let done = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let at = {
                        let mut next = next.lock().expect("nobody panics with it");
                        *next += 1;
                        *next - 1
                    };
                    let Some(item) = items.get(at) else { break };
                    let result = f(item);
                    done.lock().expect("nobody panics with it").push((at, result));
                }
            });
        }
    });
    let mut done = done.into_inner().expect("nobody panicked");
    done.sort_by_key(|it| it.0);
    done.into_iter().map(|it| it.1).collect()
}

/// A file that is removed at the end.
struct TempOutput(PathBuf);

impl TempOutput {
    fn new() -> TempOutput {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!("probity-output-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        TempOutput(std::env::temp_dir().join(name))
    }
}

impl Drop for TempOutput {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}
