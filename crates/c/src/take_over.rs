//! The rest of a program as a test.
//!
//! The rest of `main` can run once in a process, so each case is a process of its own: a copy that is made where the program
//! asked for it, and goes on from there. What it draws it asks of the process that it is a copy of, where the engine is. That
//! one runs on a stack of its own, since the copy returns into the stack of `main`.

use std::cell::Cell;
use std::ffi::c_int;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::FromRawFd;
use std::ptr;

use probity_core::{
    Callbacks, Domain, Failure, Origin as FailureOrigin, OriginKind, ScalarKind, Site, Source, SourcePlace,
    Value, context, mark_failed, mark_rejected,
};

use crate::input::DrawSite;
use crate::text::kept;
use crate::{case, jump, program};

/// How much room the search has.
const STACK: usize = 16 << 20;

thread_local! {
    /// Where a copy goes on.
    static PLACE: Cell<usize> = const { Cell::new(0) };
    /// What a copy says things to, and hears answers from.
    static PIPES: Cell<Option<&'static (File, File)>> = const { Cell::new(None) };
    static IS_COPY: Cell<bool> = const { Cell::new(false) };
}

// What a copy says. Each is followed by words or texts.
const ASK: u64 = 0;
const ASK_FLOAT: u64 = 1;
const REJECTS: u64 = 2;
const FAILS: u64 = 3;
const FAILS_SOFTLY: u64 = 4;
const ENDS: u64 = 5;
const BEGINS_INPUT: u64 = 6;
const ENDS_INPUT: u64 = 7;

/// Makes the rest of the program the test. In the program itself it does not return: it ends with 0 where no case fails. In
/// each case, a process of its own, it returns 1.
#[unsafe(no_mangle)]
pub extern "C" fn probity_take_over() -> c_int {
    extern "C" fn search() {
        std::process::exit(program::run_rest(run_copy));
    }
    if case::is_running() {
        return 1;
    }
    program::read_own_options();
    // SAFETY: new memory, which nobody else has; it lasts as long as the process.
    let stack = unsafe {
        let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        libc::mmap(ptr::null_mut(), STACK, access, kind, -1, 0)
    };
    if stack == libc::MAP_FAILED {
        return 0;
    }
    jump::enter_on(search, PLACE.with(Cell::as_ptr), stack as usize + STACK);
    1
}

/// Whether this process is a copy that runs the rest of a program.
#[inline]
pub(crate) fn is_on() -> bool {
    IS_COPY.get()
}

/// Runs a case in a copy of this process.
fn run_copy(source: &mut Source) {
    let (Some((from_copy, to_copy)), Some((from_us, to_us))) = (pipe(), pipe()) else {
        probity_core::misuse("no pipe can be made for a case; close some files");
    };
    // SAFETY: the copy has this thread alone, and goes on with the program.
    match unsafe { libc::fork() } {
        -1 => probity_core::misuse("no process can be started for a case; end others"),
        0 => {
            drop((from_copy, to_us));
            begin_copy(to_copy, from_us)
        }
        pid => {
            drop((to_copy, from_us));
            let has_ended = listen(source, from_copy, to_us);
            let mut status = 0;
            // SAFETY: our own child, and a place for how it ended.
            unsafe { libc::waitpid(pid, &mut status, 0) };
            if !has_ended && libc::WIFSIGNALED(status) {
                die_by(libc::WTERMSIG(status));
            }
        }
    }
}

fn pipe() -> Option<(File, File)> {
    let mut ends = [0; 2];
    // SAFETY: there is room for two descriptors, which are new.
    unsafe {
        (libc::pipe(ends.as_mut_ptr()) == 0).then(|| (File::from_raw_fd(ends[0]), File::from_raw_fd(ends[1])))
    }
}

/// Dies as the copy did, so that the case is known by it.
fn die_by(signal: c_int) -> ! {
    // SAFETY: the default action is always valid.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
        libc::_exit(70)
    }
}

/// Goes on with the program.
fn begin_copy(to: File, from: File) -> ! {
    extern "C" fn passes() {
        if is_on() {
            end_copy(&[ENDS]);
        }
    }
    // Leaked: what belongs to a thread is dropped before the handlers of the program's exit run.
    PIPES.set(Some(Box::leak(Box::new((to, from)))));
    IS_COPY.set(true);
    case::set_source(Source::with_callbacks(Callbacks { scalar: ask, other: ask_other }));
    // SAFETY: a function without arguments; `enter_on` stored the place, whose stack this process has to itself.
    unsafe {
        libc::atexit(passes);
        jump::leave(PLACE.get())
    }
}

fn say(words: &[u64], texts: &[&str]) {
    let mut bytes: Vec<u8> = words.iter().flat_map(|it| it.to_le_bytes()).collect();
    for text in texts {
        bytes.extend((text.len() as u64).to_le_bytes());
        bytes.extend(text.as_bytes());
    }
    PIPES.get().iter().for_each(|(to, _)| _ = (&*to).write_all(&bytes));
}

/// Ends a case whose end was said, or is said here.
fn end_copy(words: &[u64]) -> ! {
    say(words, &[]);
    // SAFETY: it writes what C's streams hold, and does not return.
    unsafe {
        libc::fflush(ptr::null_mut());
        libc::_exit(0)
    }
}

fn answer() -> u64 {
    let mut bytes = [0; 8];
    let is_there = PIPES.get().is_some_and(|(_, from)| (&*from).read_exact(&mut bytes).is_ok());
    if !is_there {
        // SAFETY: it does not return. Nobody waits for this case any more.
        unsafe { libc::_exit(0) }
    }
    u64::from_le_bytes(bytes)
}

extern "C" fn ask(kind: ScalarKind, min: u64, max: u64) -> u64 {
    say(&[ASK, kind as u64, min, max], &[]);
    answer()
}

extern "C" fn ask_other(domain: &Domain, value: &mut Value) {
    if let Domain::Float { min, max, nan, single } = *domain {
        say(&[ASK_FLOAT, min.to_bits(), max.to_bits(), nan.into(), single.into()], &[]);
        *value = Value::Float(f64::from_bits(answer()));
    }
}

/// Draws one input in a copy.
pub(crate) fn input<T>(
    at: DrawSite,
    draw: impl FnOnce(&mut Source) -> T,
    show: impl FnOnce(&T) -> String,
) -> T {
    say(&[BEGINS_INPUT], &[]);
    let it = case::ask(draw);
    say(&[ENDS_INPUT, at.file as u64, at.line.into()], &[&show(&it)]);
    it
}

/// Says that the case is rejected, and ends it, where this is a copy.
pub(crate) fn reject(site: Site) {
    if is_on() {
        say(&[REJECTS, site.location.line().into()], &[site.what, file_of(site.location)]);
        end_copy(&[]);
    }
}

fn file_of(place: SourcePlace) -> &'static str {
    match place {
        SourcePlace::Foreign { file, .. } => file,
        SourcePlace::Rust(it) => it.file(),
    }
}

/// Says that the case fails, and ends it, where this is a copy.
pub(crate) fn fail(failure: &Failure) {
    if is_on() {
        say(&[FAILS], &[&failure.message, &failure.origin.place]);
        end_copy(&[]);
    }
}

/// Says that the case fails, where this is a copy.
pub(crate) fn soft_fail(message: &str, at: DrawSite) {
    if is_on() {
        say(&[FAILS_SOFTLY, at.line.into()], &[message, file_of(at.place())]);
    }
}

/// Answers a copy until it ends. Returns whether it said how.
fn listen(source: &mut Source, mut from: File, mut to: File) -> bool {
    let mut reply = |it: u64| _ = to.write_all(&it.to_le_bytes());
    loop {
        let Some(said) = word(&mut from) else { return false };
        let heard = match said {
            ASK => (|| {
                let (kind, min, max) = (word(&mut from)?, word(&mut from)?, word(&mut from)?);
                let value = source.choose(ScalarKind::from_code(kind as u32)?.domain(min, max));
                reply(value.scalar()?);
                Some(())
            })(),
            ASK_FLOAT => (|| {
                let (min, max) = (f64::from_bits(word(&mut from)?), f64::from_bits(word(&mut from)?));
                let (nan, single) = (word(&mut from)? == 1, word(&mut from)? == 1);
                if let Value::Float(it) = source.choose(Domain::Float { min, max, nan, single }) {
                    reply(it.to_bits());
                }
                Some(())
            })(),
            BEGINS_INPUT => {
                source.open_input();
                Some(())
            }
            ENDS_INPUT => (|| {
                let (file, line) = (word(&mut from)?, word(&mut from)? as u32);
                let shown = text(&mut from)?;
                // The name of a file is in the program, which both are.
                source.close_input(|| (DrawSite { file: file as *const _, line }.name(), shown));
                Some(())
            })(),
            REJECTS => {
                let site = (|| {
                    let line = word(&mut from)? as u32;
                    let (what, file) = (text(&mut from)?, text(&mut from)?);
                    Some(Site {
                        what: kept(&what),
                        location: SourcePlace::Foreign { file: kept(&file), line },
                    })
                })();
                site.into_iter().for_each(mark_rejected);
                return true;
            }
            FAILS => {
                if let (Some(message), Some(place)) = (text(&mut from), text(&mut from)) {
                    mark_failed(Failure {
                        message,
                        origin: FailureOrigin { kind: OriginKind::Foreign, place },
                    });
                }
                return true;
            }
            FAILS_SOFTLY => (|| {
                let line = word(&mut from)? as u32;
                let (message, file) = (text(&mut from)?, text(&mut from)?);
                context::broken_at(
                    format_args!("{message}"),
                    SourcePlace::Foreign { file: kept(&file), line },
                );
                Some(())
            })(),
            _ => return true,
        };
        if heard.is_none() {
            return false;
        }
    }
}

fn word(from: &mut File) -> Option<u64> {
    let mut bytes = [0; 8];
    from.read_exact(&mut bytes).ok()?;
    Some(u64::from_le_bytes(bytes))
}

fn text(from: &mut File) -> Option<String> {
    let mut bytes = vec![0; word(from)? as usize];
    from.read_exact(&mut bytes).ok()?;
    String::from_utf8(bytes).ok()
}
