//! One test under one engine, measured from outside: when it failed, how many cases that took, which code was reached.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use probity_lang::json::{self, Json, JsonKind};

use crate::corpus::corpora;
use crate::exit::CommandError;
use crate::fuzz::foreign::{self, ForeignKind};
use crate::fuzz::targets::{FuzzTarget, text};
use crate::uncovered::count_own_blocks;

/// How often a process is looked at.
const LOOK: Duration = Duration::from_millis(2);
/// How long after its time a process may still shrink what it found.
const OVERTIME: Duration = Duration::from_secs(60);

/// How everything is measured.
pub(crate) struct Measuring {
    time: Duration,
    seed: u64,
    /// The root of the workspace, whose own code is counted.
    root: PathBuf,
    /// Where processes keep what they keep. Nothing is left of it.
    scratch: PathBuf,
    /// What a command line begins with so that all have one processor; empty where that is not possible.
    pinned: Vec<OsString>,
}

/// What a run came to.
#[derive(Debug, Default)]
pub(crate) struct EngineRun {
    /// After which time a failure was found.
    pub(crate) found: Option<Duration>,
    pub(crate) cases: Option<u64>,
    pub(crate) rejected: u64,
    /// Whether too much was rejected.
    pub(crate) gave_up: bool,
    /// How many blocks of the workspace's own code were reached.
    pub(crate) blocks: Option<u64>,
    pub(crate) processor: Duration,
    /// How long the search took.
    pub(crate) time: Duration,
    pub(crate) message: String,
    /// The inputs that fail, as the report has them.
    pub(crate) counterexample: String,
}

impl Measuring {
    pub(crate) fn new(time: Duration, seed: u64, root: PathBuf) -> Result<Measuring, CommandError> {
        let scratch = std::env::temp_dir().join(format!("probity-compare-{}", std::process::id()));
        let last = thread::available_parallelism().map_or(1, usize::from) - 1;
        let pinned = ["taskset".to_string(), "-c".to_string(), last.to_string()];
        let test = Command::new(&pinned[0]).args(&pinned[1..]).arg("true").stderr(Stdio::null()).status();
        let pinned =
            if test.is_ok_and(|it| it.success()) { pinned.map(OsString::from).to_vec() } else { Vec::new() };
        Ok(Measuring { time, seed, root, scratch, pinned })
    }

    /// Runs a test of the plain build under one of our engines.
    pub(crate) fn ours(&self, test: &FuzzTarget, engine: &str) -> Result<EngineRun, CommandError> {
        let folder = self.folder()?;
        let mut command = self.plain(test, engine, &folder);
        command.env("PROBITY_TIME", format!("{}ms", self.time.as_millis().max(1)));
        command.env("PROBITY_CASES", u64::MAX.to_string()).env("PROBITY_SEED", self.seed.to_string());
        let mut res = EngineRun::default();
        let processor = processor_time();
        let mut run = MeasuredProcess::start(self.pinned(&command), &folder.join("said"))?;
        let mut heard = 0;
        while !run.has_ended(self.time + OVERTIME) {
            heard = hear(&folder, heard, run.start, &mut res);
            thread::sleep(LOOK);
        }
        hear(&folder, heard, run.start, &mut res);
        if res.time.is_zero() {
            return Err(run.complaint());
        }
        res.processor = processor_time().saturating_sub(processor);
        res.blocks = self.blocks(&folder);
        Ok(res)
    }

    /// Lets another fuzzer run a test of its twin. What it keeps is run in the plain build, to see which code that reaches.
    pub(crate) fn theirs(
        &self,
        plain: &FuzzTarget,
        kind: ForeignKind,
        twin: &FuzzTarget,
    ) -> Result<EngineRun, CommandError> {
        let folder = self.folder()?;
        let (inputs, found) = (folder.join("inputs"), folder.join("found"));
        for it in [&inputs, &found] {
            fs::create_dir_all(it).map_err(|err| format!("cannot write to `{}`: {err}", it.display()))?;
        }
        let command = match kind {
            ForeignKind::LibFuzzer => {
                let more = ["-print_final_stats=1".to_string(), format!("-seed={}", self.seed as u32 | 1)];
                foreign::libfuzzer(twin, &inputs, &found, Some(self.time), &more)
            }
            ForeignKind::Afl => {
                let mut afl = foreign::afl(twin, &inputs, &found, ("-M", "only"), Some(self.time))?;
                afl.env("AFL_BENCH_UNTIL_CRASH", "1");
                afl
            }
        };
        let processor = processor_time();
        let said = folder.join("said");
        let mut run = MeasuredProcess::start(self.pinned(&command), &said)?;
        while !run.has_ended(self.time + OVERTIME) {
            thread::sleep(LOOK);
        }
        let mut res = EngineRun { time: run.start.elapsed(), ..EngineRun::default() };
        res.processor = processor_time().saturating_sub(processor);
        let (kept, crashes) = match kind {
            ForeignKind::LibFuzzer => (inputs, vec![found]),
            ForeignKind::Afl => {
                let own = found.join("only");
                (own.join("queue"), vec![own.join("crashes"), own.join("hangs")])
            }
        };
        res.found = crashes.iter().any(|it| foreign::has_files(it)).then_some(res.time);
        res.cases = match kind {
            ForeignKind::LibFuzzer => number_behind(&said, "stat::number_of_executed_units:"),
            ForeignKind::Afl => {
                number_behind(&crashes[0].with_file_name("fuzzer_stats"), "execs_done        :")
            }
        };
        if res.cases.is_none() && res.found.is_none() {
            return Err(run.complaint());
        }
        let mut replay = self.plain(plain, "auto", &folder);
        replay
            .env("PROBITY_BYTES", &kept)
            .env("PROBITY_TIME", "60s")
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        replay.status().map_err(|err| format!("cannot run `{}`: {err}", plain.exe.display()))?;
        res.blocks = self.blocks(&folder);
        Ok(res)
    }

    /// A process of the plain build that keeps all it keeps in the folder, and counts blocks.
    fn plain(&self, test: &FuzzTarget, engine: &str, folder: &Path) -> Command {
        let mut res = test.command(engine);
        res.env("PROBITY_STORE", folder.join("store")).env("PROBITY_CORPUS", folder.join("corpus"));
        res.env("PROBITY_EVENTS", folder.join("events")).env("PROBITY_COUNT_BLOCKS", "1");
        res.env("PROBITY_ISOLATE", "true").env("PROBITY_EXPLAIN", "false").env_remove("PROBITY_CAMPAIGN");
        res
    }

    /// The same, bound to one processor.
    fn pinned(&self, command: &Command) -> Command {
        let mut line = self.pinned.iter().cloned().chain([command.get_program().to_owned()]);
        let mut res = Command::new(line.next().unwrap_or_default());
        res.args(line).args(command.get_args());
        for (key, value) in command.get_envs() {
            match value {
                Some(value) => res.env(key, value),
                None => res.env_remove(key),
            };
        }
        command.get_current_dir().iter().for_each(|it| _ = res.current_dir(it));
        res
    }

    /// A folder with nothing in it.
    fn folder(&self) -> Result<PathBuf, CommandError> {
        let _ = fs::remove_dir_all(&self.scratch); // it may not be there
        fs::create_dir_all(&self.scratch)
            .map_err(|err| format!("cannot write to `{}`: {err}", self.scratch.display()))?;
        Ok(self.scratch.clone())
    }

    /// How many blocks of own code were reached, where that was written down.
    fn blocks(&self, folder: &Path) -> Option<u64> {
        let mut reached = BTreeMap::new();
        for (_, corpus) in corpora(&folder.join("corpus"), None).ok()? {
            for (module, addresses) in corpus.reached().ok()?.modules() {
                reached.entry(PathBuf::from(module)).or_insert_with(BTreeSet::new).extend(addresses);
            }
        }
        count_own_blocks(&reached, &self.root).ok().filter(|_| !reached.is_empty())
    }
}

impl Drop for Measuring {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.scratch); // what is left is in the system's folder for such things
    }
}

/// A process that runs, with what it says in a file.
struct MeasuredProcess {
    child: Child,
    start: Instant,
    said: PathBuf,
}

impl MeasuredProcess {
    fn start(mut command: Command, said: &Path) -> Result<MeasuredProcess, CommandError> {
        let failed =
            |err: std::io::Error| CommandError::from(format!("cannot write to `{}`: {err}", said.display()));
        let file = File::create(said).map_err(failed)?;
        command.stdin(Stdio::null()).stdout(file.try_clone().map_err(failed)?).stderr(file);
        let start = Instant::now();
        let child = command.spawn().map_err(|err| {
            CommandError::from(format!("cannot run `{}`: {err}", command.get_program().to_string_lossy()))
        })?;
        Ok(MeasuredProcess { child, start, said: said.to_path_buf() })
    }

    /// Whether it is over. One that goes on for longer than this is ended.
    fn has_ended(&mut self, limit: Duration) -> bool {
        if self.start.elapsed() > limit {
            let _ = self.child.kill(); // it may have ended by itself
            let _ = self.child.wait();
            return true;
        }
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Why there is no result.
    fn complaint(&self) -> CommandError {
        let said = fs::read(&self.said).unwrap_or_default();
        let said = String::from_utf8_lossy(&said).into_owned();
        let mut lines = said.lines().map(str::trim).filter(|it| !it.is_empty());
        let ours = lines.clone().find(|it| it.starts_with("probity:") || it.contains("[-]"));
        let line = ours.or_else(|| lines.next_back()).unwrap_or("it does not say why");
        line.chars().take(300).collect::<String>().into()
    }
}

/// Reads what a process of ours has said since, as far as its lines are whole. Returns how much that is by now.
fn hear(folder: &Path, heard: usize, start: Instant, res: &mut EngineRun) -> usize {
    let events = fs::read(folder.join("events")).unwrap_or_default();
    let Some(new) = events.get(heard..).and_then(|it| it.iter().rposition(|it| *it == b'\n')) else {
        return heard;
    };
    let until = heard + new + 1;
    for line in String::from_utf8_lossy(&events[heard..until]).lines() {
        let Ok(event) = json::parse(line) else { continue };
        let number = |key: &str| number_of(event.get(key)?);
        match event.get("event").and_then(text).unwrap_or_default() {
            "found" if res.found.is_none() => {
                (res.found, res.time) = (Some(start.elapsed()), start.elapsed());
                res.cases = number("case").map(|it| it + 1);
                res.message = event.get("message").and_then(text).unwrap_or_default().to_string();
            }
            "failed" => {
                res.counterexample = inputs(&event);
                res.rejected = number("rejected").unwrap_or(0);
            }
            "passed" => {
                res.time = start.elapsed();
                // What the interpreter ran counts, too.
                let runs = event.get("explored").and_then(|it| number_of(it.get("runs")?)).unwrap_or(0);
                res.cases = number("cases").map(|it| it.max(runs));
                res.rejected = number("rejected").unwrap_or(0);
            }
            "too_many_rejects" => {
                (res.time, res.gave_up) = (start.elapsed(), true);
                (res.cases, res.rejected) = (number("cases"), number("rejected").unwrap_or(0));
            }
            _ => {}
        }
    }
    until
}

/// The inputs of a failure, as one text.
fn inputs(event: &Json) -> String {
    let Some(JsonKind::List(inputs)) = event.get("inputs").map(|it| &it.kind) else { return String::new() };
    let one = |it: &Json| {
        let value = it.get("value").and_then(text).unwrap_or_default();
        match it.get("name").and_then(text) {
            Some(name) => format!("{name} = {value}"),
            None => value.to_string(),
        }
    };
    inputs.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn number_of(json: &Json) -> Option<u64> {
    match &json.kind {
        JsonKind::Number(it) => it.to_string().parse().ok(),
        _ => None,
    }
}

/// The number behind a word in a file.
fn number_behind(file: &Path, word: &str) -> Option<u64> {
    let bytes = fs::read(file).ok()?;
    let said = String::from_utf8_lossy(&bytes).into_owned();
    said.lines().rev().find_map(|it| it.trim().strip_prefix(word)?.trim().parse().ok())
}

/// The time of the processor that ended processes took which this one started, with all that those started.
fn processor_time() -> Duration {
    // The fields behind the name, which may have anything in it: numbers 16 and 17, in hundredths.
    let counted = fs::read_to_string("/proc/self/stat").ok().and_then(|it| {
        let fields: Vec<&str> = it.rsplit_once(')')?.1.split_whitespace().collect();
        Some(fields.get(13)?.parse::<u64>().ok()? + fields.get(14)?.parse::<u64>().ok()?)
    });
    Duration::from_millis(10 * counted.unwrap_or(0))
}

/// A text in JSON.
pub(crate) fn quoted(text: &str) -> String {
    let mut res = String::new();
    json::quote(text, &mut res);
    res
}
