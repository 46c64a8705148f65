//! Tests that do what an interpreter and a test harness would rather not see. Each has an input for which it does so,
//! which random answers do not meet.

use std::sync::mpsc;
use std::time::Duration;

use probity::Source;

/// A test, and how a run with the concolic engine has to end.
pub struct Hostile {
    /// Its name.
    pub name: &'static str,
    /// The test.
    pub test: fn(&mut Source),
    /// What the report says, one of them.
    pub says: &'static [&'static str],
    /// Whether the run fails.
    pub fails: bool,
}

/// How long such a test has for its search, in seconds.
pub const TIME: u64 = 5;
/// How long one case may take.
pub const HANG: &str = "1s";

/// All of them.
pub const HOSTILE: &[Hostile] = &[
    hostile("infinite_loop", infinite_loop, &["a run was cut off after"], false),
    hostile("segfault", segfault, &["the process died: segmentation fault"], true),
    hostile("threads", threads, &["threads are not followed"], false),
    hostile("file", file, &["`write` is not followed"], false),
    hostile(
        "huge_allocation",
        huge_allocation,
        &["capacity overflow", "memory allocation", "the process died: abort"],
        true,
    ),
    hostile("exit", exit, &["the process exited with code 3"], true),
    hostile("abort", abort, &["the process died: abort"], true),
    hostile("stack_overflow", stack_overflow, &["the process died: stack overflow"], true),
    hostile("panic_in_drop", panic_in_drop, &["the process died: abort"], true),
    hostile("blocks", blocks, &["the case did not end within 1s"], true),
    hostile("environment", environment, &["the variable is set"], true),
    hostile("process", process, &["cannot run this test: it starts a process"], true),
    hostile("kills_itself", kills_itself, &["it could not go on", "not followed"], false),
];

const fn hostile(
    name: &'static str,
    test: fn(&mut Source),
    says: &'static [&'static str],
    fails: bool,
) -> Hostile {
    Hostile { name, test, says, fails }
}

/// Whether it is time to be hostile.
fn is_met(src: &mut Source) -> bool {
    let x: u32 = src.any();
    x ^ 0x5bd1_e995 == 0xdead_beef
}

fn infinite_loop(src: &mut Source) {
    if is_met(src) {
        let mut n = 0_u64;
        while std::hint::black_box(n) != 1 {
            n = n.wrapping_add(2);
        }
    }
}

fn segfault(src: &mut Source) {
    if is_met(src) {
        let place = std::hint::black_box(8_usize) as *const u64;
        // SAFETY: there is none, on purpose.
        let value = unsafe { place.read_volatile() };
        std::hint::black_box(value);
    }
}

fn threads(src: &mut Source) {
    let x: u32 = src.any();
    let sum: u32 = (0..2).map(|n| std::thread::spawn(move || x.wrapping_mul(n)).join().unwrap_or(0)).sum();
    assert_eq!(sum, x);
}

fn file(src: &mut Source) {
    let x: u32 = src.any();
    let path = std::env::temp_dir().join(format!("probity-subject-{}", std::process::id()));
    std::fs::write(&path, x.to_le_bytes()).expect("there is room");
    let read = std::fs::read(&path).expect("it was written");
    let _ = std::fs::remove_file(&path);
    assert_eq!(read, x.to_le_bytes());
}

fn huge_allocation(src: &mut Source) {
    if is_met(src) {
        let v: Vec<u8> = Vec::with_capacity(std::hint::black_box(1_usize << 62));
        std::hint::black_box(v);
    }
}

fn exit(src: &mut Source) {
    if is_met(src) {
        std::process::exit(3);
    }
}

fn abort(src: &mut Source) {
    if is_met(src) {
        std::process::abort();
    }
}

#[allow(unconditional_recursion)]
fn deeper(n: u64) -> u64 {
    let room = [n; 64];
    std::hint::black_box(&room);
    deeper(n + 1) + room[(n % 64) as usize]
}

fn stack_overflow(src: &mut Source) {
    if is_met(src) {
        std::hint::black_box(deeper(0));
    }
}

fn panic_in_drop(src: &mut Source) {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("the second panic");
        }
    }
    if is_met(src) {
        let _bomb = Bomb;
        panic!("the first panic");
    }
}

fn blocks(src: &mut Source) {
    if is_met(src) {
        let (_sender, receiver) = mpsc::channel::<()>();
        let _ = receiver.recv_timeout(Duration::from_secs(3600));
    }
}

fn environment(src: &mut Source) {
    let is_met = is_met(src);
    if is_met {
        // SAFETY: the programs that run this have one thread.
        unsafe { std::env::set_var("SUBJECT", "set") };
    }
    let is_set = std::env::var_os("SUBJECT").is_some();
    assert!(!(is_set && is_met), "the variable is set");
    assert!(!is_set, "it was set in another run");
}

fn process(src: &mut Source) {
    let x: u32 = src.any();
    let status = std::process::Command::new("true").status();
    assert!(status.is_ok() || x > 0);
}

fn kills_itself(src: &mut Source) {
    if is_met(src) {
        let id = std::process::id().to_string();
        let _ = std::process::Command::new("kill").args(["-9", &id]).status();
        std::thread::sleep(Duration::from_secs(3600));
    }
}
