//! Code that would kill the process, and what a run leaves behind.

use std::arch::asm;
use std::collections::HashMap;
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Function, Task, call, forked, natively, run};
use crate::machine::{AfterCall, CallEnd, Machine, RunLimits};
use crate::path::{Imprecision, Verdict};

fn segfault(x: u64) -> u64 {
    // SAFETY: none, it is run by the machine only; that it faults is what is tested. So for those below.
    unsafe { (black_box(x * 4096) as *const u64).read_volatile() }
}

fn segfault_in_copy(x: u64) -> u64 {
    let mut to = [0u8; 100];
    // SAFETY: none, as in `segfault`.
    unsafe {
        std::ptr::copy_nonoverlapping(black_box(x * 4096) as *const u8, to.as_mut_ptr(), black_box(100))
    };
    to[0].into()
}

fn illegal(_: u64) -> u64 {
    // SAFETY: none, as in `segfault`.
    unsafe { asm!("ud2") };
    0
}

fn trap(_: u64) -> u64 {
    // SAFETY: none, as in `segfault`.
    unsafe { asm!("int3") };
    0
}

fn divides(x: u64) -> u64 {
    // SAFETY: none, as in `segfault`.
    unsafe { asm!("xor edx, edx", "div {0}", in(reg) black_box(x / 2), inout("rax") x => _, out("rdx") _) };
    0
}

#[allow(unconditional_recursion)] // that is what it is for
fn overflows(x: u64) -> u64 {
    let room = black_box([x; 100]);
    overflows(room[5] + 1) + room[7]
}

fn exits(x: u64) -> u64 {
    std::process::exit(x as i32 + 2)
}

fn aborts(_: u64) -> u64 {
    std::process::abort()
}

fn loops(mut x: u64) -> u64 {
    while black_box(x) != u64::MAX {
        x = x.wrapping_add(2) & 0xffff;
    }
    x
}

fn allocates(x: u64) -> u64 {
    let mut all = Vec::new();
    loop {
        all.push(vec![x as u8; 50 << 20]);
        black_box(&all);
    }
}

fn panics_twice(_: u64) -> u64 {
    struct Bad;
    impl Drop for Bad {
        fn drop(&mut self) {
            panic!("again");
        }
    }
    let _bad = Bad;
    panic!("once")
}

#[test]
fn what_would_kill_is_told_in_words() {
    let died = |it: &str| Verdict::Died(it.to_owned());
    let rows: [(&str, Function, Verdict); 12] = [
        ("segfault", segfault, died("segmentation fault at 0x1000")),
        ("segfault in copy", segfault_in_copy, died("segmentation fault at 0x1000")),
        ("illegal", illegal, died("illegal instruction")),
        ("trap", trap, died("trap")),
        ("divides", divides, died("arithmetic exception")),
        ("overflows", overflows, died("stack overflow")),
        ("exits", exits, died("exit with status 3")),
        ("aborts", aborts, died("abort")),
        ("allocates", allocates, died("out of memory")),
        ("loops", loops, Verdict::Cut),
        ("panics twice", panics_twice, died("abort")),
        (
            "forks",
            // SAFETY: the machine refuses it.
            |_| unsafe { libc::fork() } as u64,
            Verdict::Unsupported("it starts a process, by `fork`".to_owned()),
        ),
    ];
    forked(|machine| {
        for (name, function, verdict) in &rows {
            for _ in 0..2 {
                assert_eq!(run(machine, *function, 1), CallEnd::Stopped(verdict.clone()), "{name}");
                machine.rollback();
            }
            // It is fit for more.
            assert_eq!(run(machine, |x| x + 1, 1), CallEnd::Returned(2), "after {name}");
            machine.rollback();
        }
    });
}

static COUNTER: AtomicU64 = AtomicU64::new(7);
static mut PLAIN: [u64; 600] = [3; 600];

fn counts(x: u64) -> u64 {
    // SAFETY: `x` is 5, the bytes are within the array, and one thread has it: the test is in a process of its own.
    unsafe {
        (&raw mut PLAIN).cast::<u64>().add(x as usize).write_volatile(x);
        (&raw mut PLAIN).cast::<[u8; 4800]>().cast::<u8>().add(100).write_bytes(black_box(9), black_box(200));
        COUNTER.fetch_add(x, Ordering::SeqCst) + (&raw const PLAIN).cast::<u64>().add(20).read()
    }
}

#[test]
fn statics_are_restored() {
    forked(|machine| {
        let first = run(machine, counts, 5);
        assert_eq!(COUNTER.load(Ordering::SeqCst), 12);
        machine.rollback();
        assert_eq!(COUNTER.load(Ordering::SeqCst), 7);
        // SAFETY: as in `counts`.
        assert!(unsafe { (&raw const PLAIN).read() }.iter().all(|it| *it == 3));
        assert_eq!(run(machine, counts, 5), first);
        machine.rollback();
        assert_eq!(first, CallEnd::Returned(natively(counts, 5)));
    });
}

fn hash_order(x: u64) -> u64 {
    let map: HashMap<u64, u64> = (0..20).map(|it| (it * x, it)).collect();
    map.into_values().fold(0, |a, b| a * 3 + b)
}

fn addresses(x: u64) -> u64 {
    let mut boxes: Vec<Box<u64>> = (0..x).map(Box::new).collect();
    boxes.remove(3);
    drop(black_box(vec![0u8; 1000]));
    boxes.iter().fold(0, |a, it| a ^ (std::ptr::from_ref(&**it) as u64).wrapping_mul(31))
        ^ boxes.as_ptr() as u64
}

#[test]
fn the_same_run_comes_again() {
    forked(|machine| {
        for function in [hash_order as Function, addresses] {
            let first = run(machine, function, 30);
            let edges = machine.edges();
            assert!(!edges.is_empty());
            let count = machine.instructions();
            machine.rollback();
            assert!(machine.edges().is_empty());
            assert_eq!(run(machine, function, 30), first);
            assert_eq!(machine.edges(), edges);
            assert_eq!(machine.instructions(), count);
            machine.rollback();
        }
    });
}

fn reuses(x: u64) -> u64 {
    let mut sum = 0;
    for n in 0..x {
        let it = black_box(vec![n as u8; 1 << 20]);
        sum += u64::from(it[5]);
    }
    sum
}

#[test]
fn memory_is_used_again() {
    // Twice what a run may allocate.
    forked(|machine| assert_eq!(run(machine, reuses, 2_000), CallEnd::Returned(natively(reuses, 2_000))));
}

#[inline(never)]
extern "C" fn asked(a: u64, b: u64) -> u64 {
    black_box(a) + b
}

fn asks(x: u64) -> u64 {
    asked(x, 1) * 1000 + asked(x, 2)
}

#[test]
fn functions_are_intercepted() {
    fn answer(machine: &mut Machine, context: *mut ()) -> AfterCall {
        // SAFETY: it is passed below, and nobody else has it while the machine runs.
        let times = unsafe { &mut *context.cast::<u64>() };
        *times += 1;
        let [a, b] = [machine.cpu().gpr[7], machine.cpu().gpr[6]];
        match a {
            100 => AfterCall::Stop(Verdict::Reject),
            5 if b == 2 => AfterCall::Enter,
            _ => {
                machine.cpu().gpr[0] = a * b;
                AfterCall::Return
            }
        }
    }
    forked(|machine| {
        let mut times = 0u64;
        machine.intercept(asked as *const () as u64, answer, (&raw mut times).cast());
        assert_eq!(run(machine, asks, 7), CallEnd::Returned(7014));
        assert_eq!(run(machine, asks, 5), CallEnd::Returned(5007));
        assert_eq!(run(machine, asks, 100), CallEnd::Stopped(Verdict::Reject));
        assert_eq!(times, 5);
    });
}

fn starts_threads(x: u64) -> u64 {
    let threads: Vec<_> =
        (0..x).map(|n| std::thread::spawn(move || black_box(vec![n; 10]).iter().sum::<u64>())).collect();
    threads.into_iter().map(|it| it.join().unwrap()).sum()
}

#[test]
fn threads_run_and_are_marked() {
    forked(|machine| {
        for _ in 0..3 {
            assert_eq!(run(machine, starts_threads, 3), CallEnd::Returned(30));
            assert_eq!(machine.path.imprecisions, [Imprecision::Thread]);
            machine.rollback();
        }
    });
}

fn reads_a_file(x: u64) -> u64 {
    let text = std::fs::read_to_string("/proc/self/cmdline").unwrap();
    u64::from(text.contains("probity")) + x
}

#[test]
fn files_are_read() {
    forked(|machine| {
        assert_eq!(run(machine, reads_a_file, 1), CallEnd::Returned(2));
        machine.rollback();
        assert_eq!(run(machine, reads_a_file, 1), CallEnd::Returned(2));
    });
}

#[test]
fn time_is_limited() {
    forked(|machine| {
        let until = Some(std::time::Instant::now() + std::time::Duration::from_millis(20));
        let limits = RunLimits { instructions: u64::MAX, until };
        let ended = call(machine, &mut Task { function: loops, input: 0 }, limits);
        assert_eq!(ended, CallEnd::Stopped(Verdict::Cut));
    });
}
