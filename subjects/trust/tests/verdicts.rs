//! Tests with the verdict that they must have. The line above each says it: whether it passes or fails, and what the run says.
//! `!` stands before what it must not say.

use std::fmt;
use std::hint::black_box;
use std::panic::{catch_unwind, panic_any};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::Duration;

use probity::prelude::*;

//= fails: let n = 99;
#[probity::test]
fn a_broken_check_outranks_a_rejection(n: u8) {
    check!(n != 99);
    assume!(n != 99);
}

//= fails: let n = 99;
#[probity::test(engine = "concolic")]
fn a_broken_check_outranks_a_rejection_by_concolic(n: u8) {
    check!(n != 99);
    assume!(n != 99);
}

//= fails: let n = 99;
#[probity::test(engine = "random", cases = 20000)]
fn a_broken_check_outranks_a_rejection_by_random(n: u8) {
    check!(n != 99);
    assume!(n != 99);
}

//= fails: let n = 200;
#[probity::test]
fn a_check_in_catch_unwind_counts(n: u8) {
    let _ = catch_unwind(|| {
        check!(n < 200);
    });
}

//= fails: let n = 200;
#[probity::test(engine = "random")]
fn a_check_in_catch_unwind_counts_by_random(n: u8) {
    let _ = catch_unwind(|| {
        check!(n < 200);
    });
}

//= fails: cover!
#[probity::test(engine = "random")]
fn a_cover_in_catch_unwind_counts(n: u32) {
    let _ = catch_unwind(|| {
        cover!(50.0, n == 77);
    });
}

//= passes: % even
#[probity::test(engine = "random", verbose = true)]
fn a_label_in_catch_unwind_counts(n: u32) {
    let _ = catch_unwind(|| {
        classify!(n % 2 == 0, "even");
    });
}

//= fails: tested too little
#[probity::test(engine = "random")]
fn an_assumption_in_catch_unwind_counts(n: u32) {
    let _ = catch_unwind(|| {
        assume!(n == 77);
    });
    let _ = black_box(n);
}

//= passes: !fails
#[probity::test(engine = "random")]
fn an_assertion_in_catch_unwind_is_caught(n: u32) {
    let _ = catch_unwind(|| assert!(n % 2 == 0));
}

struct Guard(u32);

impl Drop for Guard {
    fn drop(&mut self) {
        check!(self.0 != 7, "checked while dropping");
    }
}

//= fails: let n = 7; | checked while dropping
#[probity::test]
fn a_check_in_drop_beside_a_rejection(n: u8) {
    let _guard = Guard(n.into());
    assume!(n != 7);
}

struct Strict(u32);

impl Drop for Strict {
    fn drop(&mut self) {
        assert!(self.0 != 7, "asserted while dropping");
    }
}

//= fails: let n = 7; | asserted while dropping
#[probity::test]
fn an_assertion_in_drop_beside_a_rejection(n: u8) {
    let _guard = Strict(n.into());
    assume!(n != 7);
}

struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("the payload");
    }
}

//= fails: let n = 1000;
#[probity::test]
fn a_payload_that_panics_when_dropped(n: u32) {
    if n >= 1000 {
        panic_any(Bomb);
    }
}

#[derive(probity::Generate)]
struct Rude(u32);

impl fmt::Debug for Rude {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        panic!("not my business")
    }
}

//= fails: its Debug panicked | too much | !flaky
#[probity::test]
fn a_debug_that_panics(n: Rude) {
    assert!(n.0 < 1000, "too much");
}

#[derive(probity::Generate)]
struct Mute(u32);

impl fmt::Debug for Mute {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Err(fmt::Error)
    }
}

//= fails: too much | !flaky
#[probity::test]
fn a_debug_that_errs(n: Mute) {
    assert!(n.0 < 1000, "too much");
}

#[derive(probity::Generate)]
struct Chatty(u32);

impl fmt::Debug for Chatty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (0..2_000_000).try_for_each(|_| f.write_str("all of this must be said, surely; again: "))
    }
}

//= fails: too much | !flaky
#[probity::test]
fn a_debug_of_many_megabytes(n: Chatty) {
    assert!(n.0 < 1000, "too much");
}

//= fails: the true failure | !flaky
#[probity::test]
fn a_poisoned_lock(n: u32) {
    static LOCK: Mutex<u32> = Mutex::new(0);
    let mut guard = LOCK.lock().unwrap();
    *guard = n;
    assert!(n < 1_000_000, "the true failure");
}

//= fails: let n = 1000; | once: in a thread
#[probity::test]
fn a_thread_that_panics(n: u32) {
    let thread = std::thread::spawn(move || assert!(n < 1000, "in a thread"));
    thread.join().expect("it ended well");
}

//= fails: let n = 501; | did not end within
#[probity::test(isolate = true, hang = "1s", concolic = "off")]
fn an_endless_loop(n: u32) {
    while n > 500 {
        std::thread::sleep(Duration::from_millis(1));
    }
}

//= fails: started anew
#[probity::test(isolate = true, setup = trust::WORKER.lock().unwrap().double(1))]
fn a_worker_beside_isolated_cases(#[setup] _two: &u64, n: u32) {
    let threads = std::fs::read_dir("/proc/self/task").unwrap().count();
    assert!(threads > 1 || n < 10, "no worker");
}

#[derive(Debug, probity::Generate)]
struct Rose(Vec<Rose>);

fn depth(it: &Rose) -> usize {
    1 + it.0.iter().map(depth).max().unwrap_or(0)
}

//= fails: deep
#[probity::test(engine = "exhaustive", size = 9)]
fn a_chain_of_nine(rose: Rose) {
    assert!(depth(&rose) < 9, "deep");
}

//= passes: that stand for all | !all 13 inputs
#[probity::test(engine = "exhaustive", verbose = true)]
fn floats_are_represented(#[from(0.0..1.0)] x: f64) {
    assert!(x < 1.0);
}

//= fails: but a case may ask for at most 65536
#[probity::test(time = "20s")]
fn a_list_that_is_too_long(#[from(vec(0u8..255, 1_000_000..=1_000_001))] v: Vec<u8>) {
    assert!(!v.is_empty());
}

//= fails: tested too little
#[probity::test(time = "500ms", max_rejects = 4_000_000_000)]
fn nothing_is_accepted(n: u64) {
    assume!(n == 0x1234_5678_9abc_def0 && n == 1);
}

//= fails: tested too little
#[probity::test(time = "1s", concolic = "off")]
fn slow_and_rejected(n: u32) {
    std::thread::sleep(Duration::from_millis(10));
    assume!(n == 1);
}

fn is_prime(n: u32) -> bool {
    n > 1 && (2..).take_while(|k| k * k <= n).all(|k| n % k != 0)
}

//= fails: x * y
#[probity::test]
fn primes_that_multiply(#[from(2..1000)] x: u32, #[from(2..1000)] y: u32) {
    assume!(is_prime(x) && x > 300 && is_prime(y) && y > x && x * y > 100_000);
    assert!(x * y != 1_022_117, "x * y is {}", x * y);
}

//= fails: let b = 0; | !let b = 0;  // _
#[probity::test]
fn a_value_that_matters_once_in_twenty(a: u32, #[from(0..20)] b: u32) {
    assert!(a < 10 || b == 13);
}

//= fails: cannot run this test
#[probity::test(engine = "concolic")]
fn a_process_by_concolic(n: u8) {
    let _ = std::process::Command::new("true").status().unwrap();
    let _ = black_box(n);
}

//= passes: (not all) | !: all
#[probity::test(engine = "concolic")]
fn memory_that_may_not_be_there(n: u32) {
    let mut text = Vec::new();
    let _ = text.try_reserve_exact((n >> 2) as usize);
    text.push(0_u8);
}

//= fails: let n = 0; | died: arithmetic exception
#[probity::test(engine = "concolic", isolate = true)]
fn a_division_without_a_branch(#[from(0..1_000_000)] n: u32) {
    let quotient: u32;
    // SAFETY: it is not safe where `n` is zero, and that is the point.
    unsafe {
        std::arch::asm!("div {0:e}", in(reg) n, inout("eax") 77 => quotient, inout("edx") 0 => _);
    }
    let _ = black_box(quotient);
}

//= passes: (not all) | !: all
#[probity::test(engine = "concolic", time = "2s")]
fn a_file_that_is_written_and_read_back(n: u32) {
    let path = trust::world("read_back").join("file");
    std::fs::write(&path, [n.to_le_bytes(); 300].concat()).unwrap();
    let read = std::fs::read(&path).unwrap();
    assert!(read[1197] as u32 == (n >> 8) & 255 || read.len() != 1200);
}

//= fails: let n = 123456789; | exited with code 0
#[probity::test]
fn an_exit_that_nobody_meets_by_chance(n: u32) {
    if n == 123_456_789 {
        std::process::exit(0);
    }
}

//= fails: let n = 123456789; | died: abort
#[probity::test]
fn an_abort_that_nobody_meets_by_chance(n: u32) {
    if n == 123_456_789 {
        std::process::abort();
    }
}

//= fails: let n = 123456789; | found
#[probity::test]
fn a_number_that_nobody_meets_by_chance(n: u32) {
    assert!(n != 123_456_789, "found");
}

//= passes: !fails
#[probity::test]
fn a_panic_that_the_test_catches(n: u32) {
    let caught = catch_unwind(|| assert!(n != 123_456_789)).is_err();
    assert_eq!(caught, n == 123_456_789);
}

//= fails: let n = 500; | died: stack overflow
#[probity::test(isolate = true, concolic = "off")]
fn a_stack_that_overflows(#[from(0..1000)] n: u32) {
    #[expect(unconditional_recursion, reason = "it overflows the stack on purpose")]
    fn deep(n: u64) -> u64 {
        black_box(deep(black_box(n + 1)) + 1)
    }
    if n >= 500 {
        let _ = deep(0);
    }
}

//= fails: let n = 1000; | too much
#[probity::test]
fn a_failure_beside_a_note_that_panics(n: u32) {
    struct Rude;
    impl fmt::Display for Rude {
        fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
            panic!("not my business")
        }
    }
    note!("{}", Rude);
    assert!(n < 1000, "too much");
}

//= fails: flaky
#[probity::test]
fn a_test_that_fails_once(n: u32) {
    static ONCE: AtomicU32 = AtomicU32::new(0);
    assert!(n < 1000 || ONCE.fetch_add(1, SeqCst) > 0);
}

//= passes: is complete: all 512 inputs pass
#[probity::test(verbose = true)]
fn all_of_few(n: u8, flag: bool) {
    let _ = black_box((n, flag));
}

//= passes: (not all) | !: all
#[probity::test(engine = "concolic", time = "2s")]
fn a_clock_beside_a_branch(n: u32) {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    assert!(now.as_nanos() != u128::from(n));
}
