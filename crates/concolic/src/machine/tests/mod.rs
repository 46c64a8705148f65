//! The interpreter against the processor: the same functions, the same inputs, the same results.
mod functions;
mod verify;

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{Cache, Ended, Machine, RunLimits};

type Function = fn(u64) -> u64;

/// What the machine enters: a function and its input.
#[repr(C)]
struct Task {
    function: Function,
    input: u64,
}

/// What a panic gives.
const PANICKED: u64 = 0x0bad_0bad;

extern "C" fn entry(task: *mut u8) -> u64 {
    let task = unsafe { &*task.cast::<Task>() };
    catch_unwind(AssertUnwindSafe(|| (task.function)(task.input))).unwrap_or(PANICKED)
}

fn run(machine: &mut Machine, function: Function, input: u64) -> Ended {
    let mut task = Task { function, input };
    machine.call(entry as *const () as u64, &raw mut task as u64, RunLimits::default())
}

fn natively(function: Function, input: u64) -> u64 {
    let mut task = Task { function, input };
    entry((&raw mut task).cast())
}

/// Whether plain code does to registers, flags and memory what the processor does.
#[test]
fn plain_code_does_what_the_processor_does() {
    std::panic::set_hook(Box::new(|_| {}));
    let mut machine = Machine::new(Cache::take().unwrap()).unwrap();
    machine.inner.verify = Some(Vec::new());
    for (_, function) in functions::ALL {
        for x in 0..3 {
            run(&mut machine, *function, x);
            machine.rollback();
        }
    }
    drop(std::panic::take_hook());
    let wrong = machine.inner.verify.take().unwrap();
    assert!(wrong.is_empty(), "{} wrong, among them {:#?}", wrong.len(), &wrong[..wrong.len().min(20)]);
}

#[test]
fn results_are_those_of_the_processor() {
    std::panic::set_hook(Box::new(|_| {}));
    let mut machine = Machine::new(Cache::take().unwrap()).unwrap();
    let mut wrong = Vec::new();
    for (name, function) in functions::ALL {
        for x in 0..50 {
            let expected = Ended::Returned(natively(*function, x));
            for again in 0..2 {
                let result = run(&mut machine, *function, x);
                machine.rollback();
                if result != expected {
                    wrong.push(format!("{name}({x}), run {again}: {result:?}, not {expected:?}"));
                }
            }
        }
    }
    drop(std::panic::take_hook());
    assert!(wrong.is_empty(), "{} wrong, among them {:#?}", wrong.len(), &wrong[..wrong.len().min(20)]);
}
