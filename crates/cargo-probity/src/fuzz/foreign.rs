//! Other fuzzers: where they are, how they are started on a test, and how what they found comes home.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::targets::{self, FuzzTarget};
use super::twin;
use crate::console::Console;
use crate::exit::{CommandError, Exit};

/// What ends a process of libFuzzer that found something.
const LIBFUZZER_FOUND: i32 = 77;
/// How many findings are enough: one that ends the process in another way than by a panic is found again and again.
const FINDINGS_MAX: usize = 20;

/// The fuzzers that can run a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ForeignKind {
    LibFuzzer,
    Afl,
}

impl ForeignKind {
    pub(crate) const ALL: [ForeignKind; 2] = [ForeignKind::LibFuzzer, ForeignKind::Afl];

    pub(super) fn named(name: &str) -> Option<ForeignKind> {
        ForeignKind::ALL.into_iter().find(|it| it.name() == name)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            ForeignKind::LibFuzzer => "libfuzzer",
            ForeignKind::Afl => "afl",
        }
    }

    /// How code is compiled that it is to see.
    pub(super) fn watch_flags(self) -> &'static [&'static str] {
        match self {
            ForeignKind::LibFuzzer => &[
                "-Cpasses=sancov-module",
                "-Cllvm-args=-sanitizer-coverage-level=3",
                "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
                "-Cllvm-args=-sanitizer-coverage-pc-table",
                "-Cllvm-args=-sanitizer-coverage-trace-compares",
                // Comparisons of texts stay calls, which it sees.
                "-Cllvm-args=-max-loads-per-memcmp=0",
            ],
            ForeignKind::Afl => &[
                "-Cpasses=sancov-module",
                "-Cllvm-args=-sanitizer-coverage-level=3",
                "-Cllvm-args=-sanitizer-coverage-trace-pc-guard",
            ],
        }
    }

    /// What the linker gets besides the libraries: a test looks for the fuzzer by its name.
    pub(super) fn link_flags(self) -> &'static [&'static str] {
        const DRIVER: &str =
            "-Clink-arg=-Wl,-u,LLVMFuzzerRunDriver,--export-dynamic-symbol=LLVMFuzzerRunDriver";
        match self {
            ForeignKind::LibFuzzer => &[DRIVER, "-Clink-arg=-lstdc++"],
            ForeignKind::Afl => &[DRIVER],
        }
    }

    /// What installs it.
    fn installed_by(self) -> &'static str {
        match self {
            ForeignKind::LibFuzzer => "apt install clang libclang-rt-dev",
            ForeignKind::Afl => "apt install afl++",
        }
    }
}

/// A fuzzer of this machine.
pub(crate) struct ForeignFuzzer {
    pub(super) kind: ForeignKind,
    /// What is linked into the test, in this order.
    pub(super) libraries: Vec<PathBuf>,
}

impl ForeignFuzzer {
    /// Finds it.
    pub(crate) fn find(kind: ForeignKind) -> Result<ForeignFuzzer, CommandError> {
        if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            return Err(format!("`--engine {}` is for x86-64 Linux", kind.name()).into());
        }
        let libraries = match kind {
            ForeignKind::LibFuzzer => find_libfuzzer().map(|it| vec![it]),
            ForeignKind::Afl => find_afl(),
        };
        match libraries {
            Some(libraries) => Ok(ForeignFuzzer { kind, libraries }),
            None => {
                let text = format!("{} is not installed; `{}` installs it", kind.name(), kind.installed_by());
                Err(CommandError { exit: Exit::Unknown, text })
            }
        }
    }
}

/// The library of the newest clang that has one.
fn find_libfuzzer() -> Option<PathBuf> {
    let names = ["libclang_rt.fuzzer_no_main-x86_64.a", "libclang_rt.fuzzer_no_main.a"];
    let mut found: Vec<PathBuf> = Vec::new();
    for version in folders(Path::new("/usr/lib")).filter(|it| is_named(it, "llvm")) {
        for clang in folders(&version.join("lib/clang")) {
            for system in folders(&clang.join("lib")) {
                found.extend(names.map(|it| system.join(it)).into_iter().filter(|it| it.is_file()));
            }
        }
    }
    found.into_iter().max_by_key(|it| number_in(it))
}

fn folders(within: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(within).into_iter().flatten().flatten();
    entries.map(|it| it.path()).filter(|it| it.is_dir())
}

fn is_named(path: &Path, start: &str) -> bool {
    path.file_name().is_some_and(|it| it.to_string_lossy().starts_with(start))
}

/// The first number in a path: the version.
fn number_in(path: &Path) -> u32 {
    let text = path.to_string_lossy();
    let digits = text.split(|it: char| !it.is_ascii_digit()).find(|it| !it.is_empty());
    digits.and_then(|it| it.parse().ok()).unwrap_or(0)
}

/// The runtime and the driver of AFL++, where its program is there, too.
fn find_afl() -> Option<Vec<PathBuf>> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).find(|it| it.join("afl-fuzz").is_file())?;
    let own = env::var_os("AFL_PATH").map(PathBuf::from);
    let folders = own.into_iter().chain(["/usr/lib/afl", "/usr/local/lib/afl"].map(PathBuf::from));
    let files = |it: PathBuf| ["afl-compiler-rt.o", "libAFLDriver.a"].map(|name| it.join(name));
    folders.map(files).find(|it| it.iter().all(|it| it.is_file())).map(Vec::from)
}

/// What was asked for.
pub(super) struct ForeignRun<'a> {
    pub(super) fuzzer: ForeignFuzzer,
    pub(super) time: Option<Duration>,
    pub(super) jobs: usize,
    /// Where corpora are, where somebody says so.
    pub(super) corpus: Option<OsString>,
    /// Where inputs are kept, each test's in a folder of its own.
    pub(super) folder: PathBuf,
    pub(super) console: &'a Console,
}

/// Builds the twin, runs the fuzzer on the test, and what it finds as cases of the plain build.
pub(super) fn run(
    args: &[OsString],
    asked: &ForeignRun<'_>,
    signal: &AtomicUsize,
) -> Result<Exit, CommandError> {
    let kind = asked.fuzzer.kind;
    let environment = twin::environment(&asked.fuzzer, &asked.folder)?;
    let target = only(targets::find(args, &environment)?)?;
    // The plain build runs what was found.
    let plain = only(targets::find(args, &[])?)?;
    let folder = asked.folder.join(target.test.replace("::", "--"));
    let (inputs, found) = (folder.join("inputs"), folder.join(format!("found-{}", kind.name())));
    for it in [&inputs, &found] {
        fs::create_dir_all(it).map_err(|err| format!("cannot write to `{}`: {err}", it.display()))?;
    }
    let known = folder.join("known");
    let _ = fs::remove_file(&known); // it may not be there
    exchange(&plain, asked, &[("PROBITY_BYTES_TO", &inputs)])?;
    let end = asked.time.map(|it| Instant::now() + it);
    let mut findings = 0;
    while signal.load(Ordering::Relaxed) == 0 && findings < FINDINGS_MAX {
        let left = end.map(|it| it.saturating_duration_since(Instant::now()));
        if left.is_some_and(|it| it < Duration::from_secs(1)) && (findings > 0 || asked.time != left) {
            break;
        }
        let has_found = match kind {
            ForeignKind::LibFuzzer => run_libfuzzer(&target, &inputs, &found, &known, left)?,
            ForeignKind::Afl => run_afl(&target, &inputs, &found, left, asked.jobs)?,
        };
        if !has_found {
            break;
        }
        findings += come_home(&plain, &found, asked)?;
        if kind == ForeignKind::Afl {
            break; // it has gone on by itself
        }
    }
    for folder in kept(kind, &inputs, &found).iter().filter(|it| has_files(it)) {
        let kept = folder.with_file_name("kept");
        exchange(&plain, asked, &[("PROBITY_BYTES", folder), ("PROBITY_BYTES_KEPT", &kept)])?;
    }
    Ok(if findings > 0 { Exit::Violation } else { Exit::Done })
}

/// Where a fuzzer keeps what reaches something.
fn kept(kind: ForeignKind, inputs: &Path, found: &Path) -> Vec<PathBuf> {
    match kind {
        ForeignKind::LibFuzzer => vec![inputs.to_path_buf()],
        ForeignKind::Afl => folders(found).map(|it| it.join("queue")).collect(),
    }
}

/// A run of the plain build that takes bytes for cases, or cases for bytes.
fn exchange(
    plain: &FuzzTarget,
    asked: &ForeignRun<'_>,
    variables: &[(&str, &Path)],
) -> Result<std::process::ExitStatus, CommandError> {
    let mut run = plain.command("auto");
    run.envs(variables.iter().copied()).env("PROBITY_BYTES_BY", asked.fuzzer.kind.name());
    run.envs(asked.corpus.iter().map(|it| ("PROBITY_CORPUS", it)));
    // What one of them does to its process is not for the others.
    run.env("PROBITY_ISOLATE", "true").env_remove("PROBITY_CAMPAIGN").stdout(Stdio::null());
    run.status().map_err(|err| format!("cannot run `{}`: {err}", plain.exe.display()).into())
}

fn only(mut targets: Vec<FuzzTarget>) -> Result<FuzzTarget, CommandError> {
    if targets.len() > 1 {
        let names: Vec<&str> = targets.iter().take(5).map(|it| &*it.test).collect();
        let text = format!("another fuzzer runs one test; name one of {}", names.join(", "));
        return Err(text.into());
    }
    targets.pop().ok_or_else(|| "there is no test here".to_string().into())
}

/// A process of the twin that hands its test over to the fuzzer.
fn command(target: &FuzzTarget, arguments: &[String]) -> Command {
    let mut res = target.command("random");
    res.arg("--test-threads=1").env("PROBITY_FUZZER_ARGUMENTS", arguments.join("\n"));
    res
}

/// libFuzzer on a test of its twin, until it finds something.
pub(crate) fn libfuzzer(
    target: &FuzzTarget,
    inputs: &Path,
    found: &Path,
    time: Option<Duration>,
    more: &[String],
) -> Command {
    let mut arguments = vec![
        inputs.display().to_string(),
        format!("-artifact_prefix={}/", found.display()),
        // Memory is the test's business.
        "-rss_limit_mb=0".to_string(),
    ];
    arguments.extend(time.map(|it| format!("-max_total_time={}", it.as_secs().max(1))));
    arguments.extend_from_slice(more);
    command(target, &arguments)
}

/// AFL++ on a test of its twin, as a member of the folder `found`: `role` is `-M` or `-S`. It goes on after what it finds.
pub(crate) fn afl(
    target: &FuzzTarget,
    inputs: &Path,
    found: &Path,
    (role, name): (&str, &str),
    time: Option<Duration>,
) -> Result<Command, CommandError> {
    if !has_files(inputs) {
        // It wants something to begin with.
        fs::write(inputs.join("first"), [0; 8])
            .map_err(|err| format!("cannot write to `{}`: {err}", inputs.display()))?;
    }
    let test = command(target, &[]);
    let mut afl = Command::new("afl-fuzz");
    afl.arg("-i").arg(inputs).arg("-o").arg(found).args([role, name]);
    afl.args(time.map(|it| format!("-V{}", it.as_secs().max(1))));
    afl.arg("--").arg(test.get_program()).args(test.get_args());
    afl.envs(test.get_envs().filter_map(|(key, value)| Some((key, value?))));
    afl.current_dir(&target.folder).env("AFL_NO_UI", "1").env("AFL_SKIP_CPUFREQ", "1");
    afl.env("AFL_NO_AFFINITY", "1").env("AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES", "1");
    afl.env("AFL_AUTORESUME", "1").stdin(Stdio::null());
    Ok(afl)
}

/// Runs libFuzzer until it has found something, or the time is over. `true` where it has.
fn run_libfuzzer(
    target: &FuzzTarget,
    inputs: &Path,
    found: &Path,
    known: &Path,
    time: Option<Duration>,
) -> Result<bool, CommandError> {
    let mut command = libfuzzer(target, inputs, found, time, &[]);
    command.env("PROBITY_FUZZER_KNOWN", known).stdout(Stdio::null());
    let status = command.status();
    let status = status.map_err(|err| format!("cannot run `{}`: {err}", target.exe.display()))?;
    match status.code() {
        Some(0) => Ok(false),
        // It ends with one of several codes for crashes, time-outs and the like.
        Some(LIBFUZZER_FOUND) => Ok(true),
        _ if has_files(found) => Ok(true),
        _ => Err(failed(format!("libFuzzer ended with {status}; see what it says above"))),
    }
}

/// Runs members of AFL++, which go on after what they find. `true` where they have found something.
fn run_afl(
    target: &FuzzTarget,
    inputs: &Path,
    found: &Path,
    time: Option<Duration>,
    jobs: usize,
) -> Result<bool, CommandError> {
    let mut members = Vec::new();
    for number in 0..jobs.max(1) {
        let role = if number == 0 { "-M" } else { "-S" };
        let mut afl = afl(target, inputs, found, (role, &format!("probity{number}")), time)?;
        afl.stdout(if number == 0 { Stdio::inherit() } else { Stdio::null() });
        members.push(afl.spawn().map_err(|err| failed(format!("cannot run afl-fuzz: {err}")))?);
    }
    for member in &mut members {
        let status = member.wait().map_err(|err| failed(format!("afl-fuzz is lost: {err}")))?;
        if !status.success() {
            return Err(failed(format!("afl-fuzz ended with {status}; see what it says above")));
        }
    }
    Ok(folders(found).any(|it| has_files(&it.join("crashes")) || has_files(&it.join("hangs"))))
}

fn failed(text: String) -> CommandError {
    CommandError { exit: Exit::Unknown, text }
}

pub(crate) fn has_files(folder: &Path) -> bool {
    fs::read_dir(folder)
        .is_ok_and(|it| it.flatten().any(|it| it.path().is_file() && it.file_name() != "README.txt"))
}

/// Runs what was found in the plain build, where it fails, shrinks and is stored like any failure; then puts it aside.
/// Returns how much it was.
fn come_home(plain: &FuzzTarget, found: &Path, asked: &ForeignRun<'_>) -> Result<usize, CommandError> {
    let folders: Vec<PathBuf> = match asked.fuzzer.kind {
        ForeignKind::LibFuzzer => vec![found.to_path_buf()],
        ForeignKind::Afl => folders(found).flat_map(|it| [it.join("crashes"), it.join("hangs")]).collect(),
    };
    let mut count = 0;
    for folder in folders.iter().filter(|it| has_files(it)) {
        let status = exchange(plain, asked, &[("PROBITY_BYTES", folder)])?;
        let files: Vec<PathBuf> = fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|it| it.path())
            .filter(|it| it.is_file() && !is_named(it, "README"))
            .collect();
        count += files.len();
        if status.success() {
            let text = format!(
                "{} inputs that ended {} do not fail in the plain build; they are in `{}`",
                files.len(),
                asked.fuzzer.kind.name(),
                folder.display()
            );
            asked.console.note(&text);
        }
        if asked.fuzzer.kind == ForeignKind::LibFuzzer {
            let aside = folder.join("seen");
            let failed = |err| format!("cannot write to `{}`: {err}", aside.display());
            fs::create_dir_all(&aside).map_err(failed)?;
            for file in files {
                let name = file.file_name().unwrap_or_default().to_owned();
                fs::rename(&file, aside.join(name)).map_err(failed)?;
            }
        }
    }
    Ok(count)
}
