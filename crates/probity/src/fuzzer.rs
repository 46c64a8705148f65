//! Other fuzzers. They know one function, which takes bytes; a test takes the answers that the bytes are read as.
//!
//! A build that has a fuzzer in it (`cargo probity fuzz --engine ..` makes one) is run like any test binary, with one test, and
//! where [`ARGUMENTS`] is set the test hands itself over to the fuzzer. What the fuzzer found comes back as files of bytes,
//! which [`FILES`] has an ordinary build run as cases: they fail, shrink and are stored like those of every engine.

use std::ffi::{CString, c_char, c_int};
use std::io::Write;
use std::path::PathBuf;
use std::{fs, process, ptr, slice};

use probity_core::{ByteReplay, Origin, Source, Test, Verdict, run_case};

use crate::EngineKind;

/// The arguments of the fuzzer that is to run the test, one a line.
const ARGUMENTS: &str = "PROBITY_FUZZER_ARGUMENTS";
/// A folder of files of bytes, each of which is run as a case; and who made them, where that is known.
const FILES: &str = "PROBITY_BYTES";
/// Who made the files.
const MADE_BY: &str = "PROBITY_BYTES_BY";
/// A file of failures that are known already, one a line: the fuzzer looks for others.
const KNOWN: &str = "PROBITY_FUZZER_KNOWN";
/// All of them: no settings of a test, but no mistakes either.
pub(crate) const VARIABLES: [&str; 4] = [ARGUMENTS, FILES, MADE_BY, KNOWN];
/// A file of more bytes is no input of a fuzzer.
const BYTES_MAX: u64 = 1 << 24;

/// What a fuzzer calls with each input: zero keeps it if it reached something new, below zero does not.
type OneInput = unsafe extern "C" fn(*const u8, usize) -> c_int;
/// The function of libFuzzer and of those that are like it which fuzzes until it is told to stop.
type Driver = unsafe extern "C" fn(*mut c_int, *mut *mut *mut c_char, OneInput) -> c_int;

/// Whether a fuzzer is to run the tests of this process.
pub(crate) fn is_asked() -> bool {
    std::env::var_os(ARGUMENTS).is_some()
}

/// Whether files of bytes are to be run instead of a search.
pub(crate) fn has_files() -> bool {
    std::env::var_os(FILES).is_some()
}

/// Lets the fuzzer of this build run the test. It ends the process.
pub(crate) fn drive(name: &str, test: &mut dyn Test) -> Result<(), String> {
    let driver = driver().ok_or_else(|| {
        format!(
            "{ARGUMENTS} is set, but no fuzzer is part of this build; \
             run `cargo probity fuzz --engine libfuzzer {name}`"
        )
    })?;
    let arguments = std::env::var(ARGUMENTS).unwrap_or_default();
    let arguments: Result<Vec<CString>, _> =
        ["probity"].into_iter().chain(arguments.lines()).map(CString::new).collect();
    let arguments = arguments.map_err(|err| format!("{ARGUMENTS} has a zero byte: {err}"))?;
    let mut pointers: Vec<*mut c_char> =
        arguments.iter().map(|it| it.as_ptr().cast_mut()).chain([ptr::null_mut()]).collect();
    let (mut count, mut vector) = (arguments.len() as c_int, pointers.as_mut_ptr());
    let fuzzed: &mut dyn Test = test;
    // SAFETY: only the lifetime is changed, and the process ends before the test does.
    let fuzzed = unsafe { std::mem::transmute::<&mut dyn Test, *mut (dyn Test + 'static)>(fuzzed) };
    FUZZED.with(|it| it.set(Some(Fuzzed { test: fuzzed, name: name.to_string() })));
    leave_signals();
    // SAFETY: the symbol has this type in every fuzzer that has it; the arguments outlive the process.
    let code = unsafe { driver(&raw mut count, &raw mut vector, one_input) };
    process::exit(code)
}

/// The test that is fuzzed.
struct Fuzzed {
    test: *mut (dyn Test + 'static),
    name: String,
}

thread_local! {
    /// Fuzzers call back on the thread that called them.
    static FUZZED: std::cell::Cell<Option<Fuzzed>> = const { std::cell::Cell::new(None) };
}

/// Runs one case. A failure ends the process, which is how a fuzzer knows it.
///
/// # Safety
///
/// `data` has `size` bytes, and a fuzzer that [`drive`] started calls it.
unsafe extern "C" fn one_input(data: *const u8, size: usize) -> c_int {
    let Some(fuzzed) = FUZZED.with(|it| it.take()) else { return -1 };
    // SAFETY: a fuzzer hands over `size` bytes; an empty input may have no address.
    let bytes = if size == 0 { &[] } else { unsafe { slice::from_raw_parts(data, size) } };
    // SAFETY: `drive` is still running, which has the test, and no other call of this function does.
    let res = run_bytes(unsafe { &mut *fuzzed.test }, bytes, &fuzzed.name);
    FUZZED.with(|it| it.set(Some(fuzzed)));
    res
}

/// Runs the test with the answers that `bytes` are read as.
#[allow(clippy::print_stderr, reason = "the process ends here, and says why")]
fn run_bytes(test: &mut dyn Test, bytes: &[u8], name: &str) -> c_int {
    let mut source = Source::new(Box::new(ByteReplay::new(bytes.to_vec())));
    source.begin().ok();
    let message = match run_case(&mut source, test) {
        Ok(case) => match case.verdict {
            Verdict::Pass => return 0,
            Verdict::Reject(_) | Verdict::Overrun | Verdict::Skipped => return -1,
            Verdict::Fail(failure) if is_known(&failure.origin) => return -1,
            Verdict::Fail(failure) => failure.message,
        },
        Err(misuse) => misuse.message,
    };
    eprintln!("probity: `{name}` fails: {message}");
    process::abort()
}

/// Whether a failure of this origin was found before; from now on it was.
fn is_known(origin: &Origin) -> bool {
    let Some(path) = std::env::var_os(KNOWN) else { return false };
    let line = format!("{origin:?}").replace('\n', " ");
    if fs::read_to_string(&path).is_ok_and(|it| it.lines().any(|it| it == line)) {
        return true;
    }
    let file = fs::OpenOptions::new().create(true).append(true).open(path);
    // Where it cannot be written down, the failure is found again.
    let _ = file.and_then(|mut it| writeln!(it, "{line}"));
    false
}

/// Gives up the signals that a fuzzer wants to hear of: one that somebody handles it leaves alone.
#[cfg(unix)]
fn leave_signals() {
    for signal in [libc::SIGABRT, libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE] {
        // SAFETY: nothing runs when one of them arrives.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

#[cfg(not(unix))]
fn leave_signals() {}

/// The driver of the fuzzer that this build has, if it has one.
#[cfg(unix)]
fn driver() -> Option<Driver> {
    // SAFETY: the name ends with a zero byte. A symbol of this name is this function.
    unsafe {
        let found = libc::dlsym(libc::RTLD_DEFAULT, c"LLVMFuzzerRunDriver".as_ptr());
        (!found.is_null()).then(|| std::mem::transmute::<*mut libc::c_void, Driver>(found))
    }
}

#[cfg(not(unix))]
fn driver() -> Option<Driver> {
    None
}

/// The files of bytes that are to be run as cases, and who made them.
pub(crate) fn files() -> Result<(EngineKind, Vec<Vec<u8>>), String> {
    let folder = std::env::var_os(FILES).map(PathBuf::from).unwrap_or_default();
    let failed = |err: std::io::Error| format!("cannot read {FILES}={}: {err}", folder.display());
    let mut paths = Vec::new();
    for entry in fs::read_dir(&folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let is_input = entry.metadata().is_ok_and(|it| it.is_file() && it.len() <= BYTES_MAX);
        // What fuzzers write for people.
        if is_input && entry.file_name() != "README.txt" {
            paths.push(entry.path());
        }
    }
    paths.sort();
    let files: Result<Vec<Vec<u8>>, _> = paths.iter().map(fs::read).collect();
    let made_by = std::env::var(MADE_BY).unwrap_or_default();
    let made_by = ["libfuzzer", "afl", "honggfuzz"].into_iter().find(|it| *it == made_by);
    Ok((EngineKind::Own(made_by.unwrap_or("bytes")), files.map_err(failed)?))
}
