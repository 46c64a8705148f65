//! The interpreter against the processor: the same functions, the same inputs, the same results.
pub(super) mod functions;
mod hostile;
mod verify;
mod wide;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Cache, CallEnd, Machine, RunLimits};

pub(super) type Function = fn(u64) -> u64;

/// What the machine enters: a function and its input.
#[repr(C)]
pub(super) struct Task {
    pub(super) function: Function,
    pub(super) input: u64,
}

/// What a panic gives.
pub(super) const PANICKED: u64 = 0x0bad_0bad;

extern "C" fn entry(task: *mut u8) -> u64 {
    // SAFETY: `call` and `natively` pass a task.
    let task = unsafe { &*task.cast::<Task>() };
    catch_unwind(AssertUnwindSafe(|| (task.function)(task.input))).unwrap_or(PANICKED)
}

/// Has the machine run a task.
pub(super) fn call(machine: &mut Machine, task: &mut Task, limits: RunLimits) -> CallEnd {
    // SAFETY: `entry` could be called with the task. Some functions could not, and are known to fault: then the run ends.
    unsafe { machine.call(entry as *const () as u64, &raw mut *task as u64, limits) }
}

fn run(machine: &mut Machine, function: Function, input: u64) -> CallEnd {
    call(machine, &mut Task { function, input }, RunLimits::default())
}

pub(super) fn natively(function: Function, input: u64) -> u64 {
    let mut task = Task { function, input };
    entry((&raw mut task).cast())
}

static QUIET: Once = Once::new();
static IN_CHILD: AtomicBool = AtomicBool::new(false);

/// Runs `f` with a machine in a forked child, as searches do: several machines in one process would take back each
/// other's writes. Its panic is ours.
pub(crate) fn forked(f: impl Fn(&mut Machine)) {
    // In the parent: in the child a lock may be held by a thread that is no more.
    QUIET.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !IN_CHILD.load(Ordering::Relaxed) {
                before(info);
            }
        }));
    });
    let cache = Cache::take().unwrap();
    let mut ends = [0; 2];
    // SAFETY: there is room for two ends.
    unsafe { assert_eq!(libc::pipe(ends.as_mut_ptr()), 0) };
    // SAFETY: the child runs the machine, which takes no lock, writes and leaves.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let told = catch_unwind(AssertUnwindSafe(|| {
            IN_CHILD.store(true, Ordering::Relaxed);
            f(&mut Machine::new(cache).unwrap());
        }));
        let text = match told {
            Ok(()) => "fine".to_owned(),
            Err(it) => it.downcast_ref::<String>().cloned().unwrap_or_else(|| {
                it.downcast_ref::<&str>().map_or("it panicked".to_owned(), |it| (*it).to_owned())
            }),
        };
        // SAFETY: the text is there, and the child leaves without running what the parent has to run.
        unsafe {
            libc::write(ends[1], text.as_ptr().cast(), text.len().min(60_000));
            libc::_exit(0);
        }
    }
    let mut text = Vec::new();
    let mut status = 0;
    // SAFETY: the ends and the child were made above; `part` has room for what is read.
    unsafe {
        libc::close(ends[1]);
        let mut part = [0u8; 4096];
        loop {
            let n = libc::read(ends[0], part.as_mut_ptr().cast(), part.len());
            if n <= 0 {
                break;
            }
            text.extend_from_slice(&part[..n as usize]);
        }
        libc::close(ends[0]);
        libc::waitpid(child, &raw mut status, 0);
    }
    drop(cache);
    let text = String::from_utf8_lossy(&text);
    assert!(text == "fine", "status {status:#x}: {text}");
}

/// Plain code does to registers, flags and memory what the processor does.
#[test]
fn plain_code_does_what_the_processor_does() {
    forked(|machine| {
        machine.inner.verify = Some(Vec::new());
        for (_, function) in functions::ALL {
            for x in 0..3 {
                run(machine, *function, x);
                machine.rollback();
            }
        }
        let wrong = machine.inner.verify.take().unwrap();
        assert!(wrong.is_empty(), "{} wrong, among them {:#?}", wrong.len(), &wrong[..wrong.len().min(20)]);
    });
}

#[test]
fn results_are_those_of_the_processor() {
    forked(|machine| {
        let mut wrong = Vec::new();
        for (name, function) in functions::ALL {
            for x in 0..50 {
                let expected = CallEnd::Returned(natively(*function, x));
                for again in 0..2 {
                    let result = run(machine, *function, x);
                    machine.rollback();
                    if result != expected {
                        wrong.push(format!("{name}({x}), run {again}: {result:?}, not {expected:?}"));
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{} wrong, among them {:#?}", wrong.len(), &wrong[..wrong.len().min(20)]);
    });
}

#[test]
fn memory_that_is_not_there_is_not_read() {
    forked(|_| {
        let (there, mut read) = ([1_u8, 2, 3], [0; 3]);
        assert!(super::fault::read(there.as_ptr() as u64, &mut read) && read == there);
        assert!(!super::fault::read(16, &mut read));
    });
}
