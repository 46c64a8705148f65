//! Other fuzzers. They know one function, which takes bytes; a test takes the answers that the bytes are read as.
//!
//! A build that has a fuzzer in it (`cargo probity fuzz --engine ..` makes one) is run like any test binary, with one test, and
//! where `PROBITY_FUZZER_ARGUMENTS` is set the test hands itself over to the fuzzer. A program of [`fuzz_target!`](crate::fuzz_target) has a
//! fuzzer's `main`, which calls the test from outside. What a fuzzer found comes back as files of bytes,
//! which `PROBITY_BYTES` has an ordinary build run as cases: they fail, shrink and are stored like those of every engine.

mod mutator;
mod target;

use std::cell::Cell;
use std::ffi::{CString, c_char, c_int};
use std::io::Write;
use std::path::PathBuf;
use std::rc::Rc;
use std::{fs, iter, process, ptr, slice};

use probity_core::{ByteMutator, ByteReplay, Case, Choice, Domain, Origin, Source, Test, Verdict, run_case};

use crate::EngineKind;

pub use target::run_target;

/// The arguments of the fuzzer that is to run the test, one a line.
const ARGUMENTS: &str = "PROBITY_FUZZER_ARGUMENTS";
/// What the fuzzer is to take for its own program, which it runs again for some of its tasks.
const PROGRAM: &str = "PROBITY_FUZZER_PROGRAM";
/// A folder of files of bytes, each of which is run as a case; and who made them, where that is known.
const FILES: &str = "PROBITY_BYTES";
/// Who made the files.
const MADE_BY: &str = "PROBITY_BYTES_BY";
/// Set where the cases of these files that pass join the corpus of the test: a file that says which case came of which file.
const KEPT: &str = "PROBITY_BYTES_KEPT";
/// A folder into which the corpus of the test is written as files of bytes.
const WRITTEN: &str = "PROBITY_BYTES_TO";
/// A file of failures that are known already, one a line: the fuzzer looks for others.
const KNOWN: &str = "PROBITY_FUZZER_KNOWN";
/// All of them: no settings of a test, but no mistakes either.
pub(crate) const VARIABLES: [&str; 7] = [ARGUMENTS, PROGRAM, FILES, MADE_BY, KEPT, WRITTEN, KNOWN];
/// A file of more bytes is no input of a fuzzer.
const BYTES_MAX: u64 = 1 << 24;
/// How many choices of a case are looked at to see what inputs are like.
const LOOK_MAX: usize = 64;

/// What a fuzzer calls with each input: zero keeps it if it reached something new, below zero does not.
type OneInput = unsafe extern "C" fn(*const u8, usize) -> c_int;
/// The function of libFuzzer and of those that are like it which fuzzes until it is told to stop.
type Driver = unsafe extern "C" fn(*mut c_int, *mut *mut *mut c_char, OneInput) -> c_int;

/// Whether a fuzzer is to run the tests of this process, or of this thread.
pub(crate) fn is_asked() -> bool {
    std::env::var_os(ARGUMENTS).is_some() || target::is_asked()
}

/// Whether files of bytes are to be read or written instead of a search.
pub(crate) fn has_files() -> bool {
    [FILES, WRITTEN].iter().any(|it| std::env::var_os(it).is_some())
}

/// Where it is written down which case came of which file, if what passes joins the corpus.
pub(crate) fn kept() -> Option<PathBuf> {
    std::env::var_os(KEPT).map(PathBuf::from)
}

/// Where the corpus is to be written as bytes.
pub(crate) fn written_to() -> Option<PathBuf> {
    std::env::var_os(WRITTEN).map(PathBuf::from)
}

/// A test, with what draws its inputs and nothing else, where that is known.
pub(crate) struct HandedTest<'a> {
    pub(crate) name: &'a str,
    pub(crate) test: &'a mut dyn Test,
    pub(crate) inputs: Option<fn(&mut Source)>,
}

/// Lets a fuzzer run the test: the one that has called it, or the one of this build, which ends the process.
pub(crate) fn drive(handed: HandedTest<'_>) -> Result<(), String> {
    let name = handed.name;
    let fuzzed = Fuzzed::new(handed);
    let Some(fuzzed) = target::hand_over(fuzzed) else { return Ok(()) };
    let driver = driver().ok_or_else(|| {
        format!(
            "{ARGUMENTS} is set, but no fuzzer is part of this build; \
             run `cargo probity fuzz --engine libfuzzer {name}`"
        )
    })?;
    let arguments = std::env::var(ARGUMENTS).unwrap_or_default();
    let program = std::env::var(PROGRAM).unwrap_or("probity".to_string());
    let arguments: Result<Vec<CString>, _> =
        [&*program].into_iter().chain(arguments.lines()).map(CString::new).collect();
    let arguments = arguments.map_err(|err| format!("{ARGUMENTS} has a zero byte: {err}"))?;
    let mut pointers: Vec<*mut c_char> =
        arguments.iter().map(|it| it.as_ptr().cast_mut()).chain([ptr::null_mut()]).collect();
    let (mut count, mut vector) = (arguments.len() as c_int, pointers.as_mut_ptr());
    FUZZED.with(|it| it.set(Some(fuzzed)));
    leave_signals();
    mutator::link();
    // SAFETY: the symbol has this type in every fuzzer that has it; the arguments outlive the process.
    let code = unsafe { driver(&raw mut count, &raw mut vector, one_input) };
    process::exit(code)
}

/// The test that is fuzzed, with what lives from case to case.
struct Fuzzed {
    test: *mut (dyn Test + 'static),
    inputs: Option<fn(&mut Source)>,
    name: String,
    /// Where the bytes of the next case are put for `source`.
    bytes: Rc<Cell<Option<Vec<u8>>>>,
    source: Source,
    mutator: ByteMutator,
    /// Whether the inputs have lists, as far as that was seen.
    has_lists: bool,
}

impl Fuzzed {
    fn new(handed: HandedTest<'_>) -> Box<Fuzzed> {
        let HandedTest { name, test, inputs } = handed;
        // SAFETY: only the lifetime is changed, and anyone who hands a test over waits until the process ends.
        let test = unsafe { std::mem::transmute::<&mut dyn Test, *mut (dyn Test + 'static)>(test) };
        let bytes = Rc::<Cell<Option<Vec<u8>>>>::default();
        let next = Rc::clone(&bytes);
        let source = Source::new(Box::new(ByteReplay::each(iter::from_fn(move || next.take()))));
        let mutator = ByteMutator::default();
        Box::new(Fuzzed { test, inputs, name: name.to_string(), bytes, source, mutator, has_lists: false })
    }

    /// Runs the test with the answers that `bytes` are read as.
    #[allow(clippy::print_stderr, reason = "the process ends here, and says why")]
    fn run(&mut self, bytes: &[u8]) -> c_int {
        self.bytes.set(Some(bytes.to_vec()));
        self.source.begin().ok();
        // SAFETY: anyone who handed the test over waits, and no other call of this function is running.
        let test = unsafe { &mut *self.test };
        let message = match run_case(&mut self.source, test) {
            Ok(case) => match self.see(case) {
                Verdict::Pass => return 0,
                Verdict::Reject(_) | Verdict::Overrun | Verdict::Skipped => return -1,
                Verdict::Fail(failure) if is_known(&failure.origin) => return -1,
                Verdict::Fail(failure) => failure.message,
            },
            Err(misuse) => misuse.message,
        };
        eprintln!("probity: `{}` fails: {message}", self.name);
        process::abort()
    }

    /// Notes what the input of a case is like, and returns how it went.
    fn see(&mut self, case: Case) -> Verdict {
        let is_list = |it: &Choice| matches!(it.domain, Domain::Length { .. });
        self.has_lists = self.has_lists || case.trace.choices.iter().take(LOOK_MAX).any(is_list);
        case.verdict
    }
}

thread_local! {
    /// Fuzzers call back on the thread that called them.
    static FUZZED: Cell<Option<Box<Fuzzed>>> = const { std::cell::Cell::new(None) };
}

/// Runs one case. A failure ends the process, which is how a fuzzer knows it.
///
/// # Safety
///
/// `data` has `size` bytes, and a fuzzer that [`drive`] started calls it.
unsafe extern "C" fn one_input(data: *const u8, size: usize) -> c_int {
    let Some(mut fuzzed) = FUZZED.with(|it| it.take()) else { return -1 };
    // SAFETY: a fuzzer hands over `size` bytes.
    let res = fuzzed.run(unsafe { slice_of(data, size) });
    FUZZED.with(|it| it.set(Some(fuzzed)));
    res
}

/// # Safety
///
/// `data` has `size` bytes. An empty input may have no address.
unsafe fn slice_of<'a>(data: *const u8, size: usize) -> &'a [u8] {
    if size == 0 {
        return &[];
    }
    // SAFETY: as said above.
    unsafe { slice::from_raw_parts(data, size) }
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

/// Signals that a fuzzer wants to hear of: one that somebody handles it leaves alone.
#[cfg(unix)]
const SIGNALS: [std::ffi::c_int; 5] =
    [libc::SIGABRT, libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE];

/// Gives them up.
#[cfg(unix)]
fn leave_signals() {
    for signal in SIGNALS {
        // SAFETY: nothing runs when one of them arrives.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

#[cfg(not(unix))]
fn leave_signals() {}

/// Does `work` and leaves signals to anyone who handled them before.
#[cfg(unix)]
fn with_same_signals<T>(work: impl FnOnce() -> T) -> T {
    let actions = SIGNALS.map(|signal| {
        // SAFETY: all zero is an action, and it is only written to.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: the pointer is of an action.
        unsafe { libc::sigaction(signal, std::ptr::null(), &raw mut action) };
        action
    });
    let res = work();
    for (signal, action) in SIGNALS.into_iter().zip(&actions) {
        // SAFETY: it was the action of this signal before.
        unsafe { libc::sigaction(signal, action, std::ptr::null_mut()) };
    }
    res
}

#[cfg(not(unix))]
fn with_same_signals<T>(work: impl FnOnce() -> T) -> T {
    work()
}

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

/// A file of bytes with its name.
pub(crate) type ByteFile = (String, Vec<u8>);

/// The files of bytes that are to be run as cases, and who made them.
pub(crate) fn files() -> Result<(EngineKind, Vec<ByteFile>), String> {
    let Some(folder) = std::env::var_os(FILES).map(PathBuf::from) else {
        return Ok((EngineKind::Own("bytes"), Vec::new()));
    };
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
    paths.sort_unstable();
    let name = |it: &PathBuf| it.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let files: Result<Vec<ByteFile>, _> = paths.iter().map(|it| Ok((name(it), fs::read(it)?))).collect();
    let made_by = std::env::var(MADE_BY).unwrap_or_default();
    let made_by = ["libfuzzer", "afl", "honggfuzz"].into_iter().find(|it| *it == made_by);
    Ok((EngineKind::Own(made_by.unwrap_or("bytes")), files.map_err(failed)?))
}
