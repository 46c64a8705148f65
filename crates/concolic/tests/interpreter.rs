//! The interpreter against the processor: the same functions, the same inputs, the same results.
#![cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]

use std::panic::{AssertUnwindSafe, catch_unwind};

use probity_concolic::machine::{Cache, Ended, Machine, RunLimits};

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

fn add(x: u64) -> u64 {
    x.wrapping_mul(31) ^ 0x5bd1_e995
}

#[test]
fn simple() {
    let mut machine = Machine::new(Cache::take().unwrap()).unwrap();
    for x in 0..10 {
        assert_eq!(run(&mut machine, add, x), Ended::Returned(add(x)));
        machine.rollback();
    }
}
