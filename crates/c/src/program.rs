//! The test program as a whole: what its `main` calls.

use std::ffi::{c_char, c_int};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::{fs, process, ptr};

use probity::settings::Key;
use probity::{Check, TestProgram};
use probity_core::Source;

use crate::options::{HELP, TestOptions, matches};
use crate::registry::{RegisteredTest, all};
use crate::saved::SavedReplay;
use crate::{case, jump, saved, text};

/// What this program is asked to do.
static OPTIONS: Mutex<Option<TestOptions>> = Mutex::new(None);

/// Reads the command line. A mistake in it ends the program.
///
/// # Safety
///
/// There are `n` arguments, which end with zeros; they are those of `main`, which has started no threads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn probity_read_options(n: c_int, arguments: *const *const c_char) {
    // SAFETY: as the caller promises.
    read(&mut (1..n as usize).map(|at| unsafe { case::text(*arguments.add(at)) }));
}

/// Reads the command line of this process, where that has not been done.
pub(crate) fn read_own_options() {
    if OPTIONS.lock().unwrap_or_else(PoisonError::into_inner).is_none() {
        read(&mut std::env::args().skip(1));
    }
}

#[allow(clippy::print_stderr, clippy::print_stdout, reason = "a command line says what is wrong with it")]
fn read(texts: &mut dyn Iterator<Item = String>) {
    let names = Key::ALL.map(Key::name);
    let options = TestOptions::read(texts, &names).unwrap_or_else(|message| {
        eprintln!("probity: {message}");
        process::exit(2)
    });
    if options.help {
        println!("{HELP}");
        process::exit(0);
    }
    for (name, value) in &options.settings {
        let name = if name == "replay" {
            "PROBITY_REPLAY".into()
        } else {
            format!("PROBITY_{}", name.to_uppercase())
        };
        // SAFETY: as the caller promises, no other thread reads the environment.
        unsafe { std::env::set_var(name, value) };
    }
    case::set_unwinds(options.unwinds);
    *OPTIONS.lock().unwrap_or_else(PoisonError::into_inner) = Some(options);
}

/// Runs the tests of this program that the command line asks for. Returns 0 where all pass, and else 1.
///
/// ```
/// assert_eq!(probity_c::probity_run(), 0, "this program has no tests in C");
/// ```
#[unsafe(no_mangle)]
#[allow(clippy::print_stdout, clippy::print_stderr, reason = "the verdicts of the program")]
pub extern "C" fn probity_run() -> c_int {
    let options = options();
    if !jump::IS_SUPPORTED {
        eprintln!("probity: tests in C run on Unix, on x86-64 and ARM64");
        return 2;
    }
    let tests: Vec<RegisteredTest> = all().into_iter().filter(|it| is_wanted(it, &options)).collect();
    if options.lists {
        tests.iter().for_each(|it| println!("{} ({}:{})", it.name, it.file, it.line));
        return 0;
    }
    if tests.is_empty() && options.test.is_some() {
        eprintln!(
            "probity: there is no test `{}`; --list_tests lists them",
            options.test.unwrap_or_default()
        );
        return 2;
    }
    let mut failed = Vec::new();
    for test in &tests {
        // SAFETY: it writes what C's streams hold, so that no child writes it again.
        unsafe { libc::fflush(ptr::null_mut()) };
        match run_test(test, &options) {
            Ok(()) => println!("Passed: {}", test.name),
            Err(message) => {
                println!("Failed: {}: {}", test.name, message.lines().next().unwrap_or_default());
                failed.push(test.name.as_str());
                if options.aborts_on_failure {
                    process::abort();
                }
                if options.exits_on_failure {
                    break;
                }
            }
        }
    }
    let names = if failed.is_empty() { String::new() } else { format!(": {}", failed.join(", ")) };
    println!("{}{} tests, {} failed{names}", TestProgram::SUMMARY, tests.len(), failed.len());
    c_int::from(!failed.is_empty())
}

/// Reads the command line and runs the tests: what the `main` of a test program does.
///
/// # Safety
///
/// As of [`probity_read_options`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn probity_main(n: c_int, arguments: *const *const c_char) -> c_int {
    // SAFETY: as the caller promises.
    unsafe { probity_read_options(n, arguments) };
    probity_run()
}

/// The least level of logs that the command line asks for, or what `default` says.
///
/// ```
/// assert_eq!(probity_c::probity_log_level(3), 3);
/// ```
#[unsafe(no_mangle)]
pub extern "C" fn probity_log_level(default: c_int) -> c_int {
    let options = OPTIONS.lock().unwrap_or_else(PoisonError::into_inner);
    options.as_ref().and_then(|it| it.log_level).unwrap_or(default)
}

fn is_wanted(test: &RegisteredTest, options: &TestOptions) -> bool {
    if let Some(name) = &options.test {
        return *name == test.name;
    }
    let is_disabled = test.name.contains("Disabled") || test.name.contains("DISABLED");
    let is_boring = test.name.contains("Boring");
    options.filter.as_ref().is_none_or(|it| matches(it, &test.name))
        && (options.runs_disabled || options.lists || !is_disabled)
        && (!options.boring_only || is_boring)
}

/// What the command line asks for.
fn options() -> TestOptions {
    OPTIONS.lock().unwrap_or_else(PoisonError::into_inner).clone().unwrap_or_default()
}

/// Runs the rest of the program as a test, each case by `body`, and says what came of it. Returns what to exit with.
#[allow(clippy::print_stdout, reason = "the verdict of the program")]
pub(crate) fn run_rest(body: impl FnMut(&mut Source)) -> c_int {
    let options = options();
    let unused = RegisteredTest { name: "TakeOver".into(), file: "TakeOver".into(), line: 0, run: nothing };
    let verdict = check(&unused, &options).concolic("off").verdict(body);
    match &verdict {
        Ok(()) => println!("Passed: {}", unused.name),
        Err(message) => println!("Failed: {}: {}", unused.name, message.lines().next().unwrap_or_default()),
    }
    println!("{}1 tests, {} failed", TestProgram::SUMMARY, u8::from(verdict.is_err()));
    c_int::from(verdict.is_err())
}

extern "C" fn nothing() {}

/// Runs one test: a search, or the inputs that were given.
fn run_test(test: &RegisteredTest, options: &TestOptions) -> Result<(), String> {
    let run = test.run;
    let body = move |source: &mut Source| case::run(source, run);
    let inputs = inputs(test, options)?;
    if inputs.is_empty() && options.inputs.is_empty() && !options.input_is_stdin {
        if let Some(folder) = &options.output {
            saved::write_to(folder)?;
        }
        let verdict = check(test, options).verdict(body);
        return save(test, options, verdict);
    }
    let mut verdict = Ok(());
    for bytes in inputs {
        let engine = move |_| -> Box<dyn probity_core::Engine> { Box::new(SavedReplay::new(bytes.clone())) };
        let it = check(test, options).answered_by("file", engine).max_rejects(u32::MAX).verdict(body);
        // An input that the test is not about has not failed.
        let it = it.or_else(|err| if err.starts_with("too many rejected") { Ok(()) } else { Err(err) });
        verdict = verdict.and(it);
    }
    verdict
}

fn check(test: &RegisteredTest, options: &TestOptions) -> Check<'static> {
    let path = std::env::args_os().next().map(PathBuf::from).unwrap_or_default();
    let is_found = path.components().count() > 1;
    let path = if is_found { path } else { std::env::current_exe().unwrap_or(path) };
    Check::new(&test.name).program(TestProgram::new(path)).manifest_dir(".").isolate(!options.no_fork)
}

/// Saves the input of a failure, where that is asked for.
#[allow(clippy::print_stdout, reason = "as DeepState says it")]
fn save(test: &RegisteredTest, options: &TestOptions, verdict: Result<(), String>) -> Result<(), String> {
    let Some(folder) = &options.output else { return verdict };
    let Err(message) = &verdict else {
        saved::forget();
        return verdict;
    };
    let ending = if message.starts_with("the process died") { "crash" } else { "fail" };
    let path = saved::save(folder, text::base(&test.file), &test.name, ending)?;
    println!("Saved test case in file `{}`", path.display());
    verdict
}

/// The inputs that the command line gives this test.
fn inputs(test: &RegisteredTest, options: &TestOptions) -> Result<Vec<Vec<u8>>, String> {
    let mut res = Vec::new();
    for path in &options.inputs {
        collect(path, test, &mut res).map_err(|err| format!("cannot read {}: {err}", path.display()))?;
    }
    if options.input_is_stdin {
        let mut bytes = Vec::new();
        let read = std::io::Read::read_to_end(&mut std::io::stdin(), &mut bytes);
        read.map_err(|err| format!("cannot read the standard input: {err}"))?;
        res.push(bytes);
    }
    Ok(res)
}

/// Adds the file at `path`, or the files of that folder: of one that DeepState wrote, those of the test.
fn collect(path: &Path, test: &RegisteredTest, res: &mut Vec<Vec<u8>>) -> std::io::Result<()> {
    if !path.is_dir() {
        res.push(fs::read(path)?);
        return Ok(());
    }
    let own = path.join(text::base(&test.file)).join(&test.name);
    let folder = if own.is_dir() { &own } else { path };
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder)?.filter_map(|it| it.ok().map(|it| it.path())).collect();
    files.sort();
    for file in files.iter().filter(|it| it.is_file()) {
        res.push(fs::read(file)?);
    }
    Ok(())
}
