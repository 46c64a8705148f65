//! Tests that are hard to watch, and tests that die: whole runs of an engine, each in a process of its own.

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::panic::catch_unwind;
use std::sync::atomic::{AtomicU64, Ordering};

use probity::{Check, Source};
use probity_coverage::Image;

/// By name: the test, and whether it fails.
const HOSTILE: &[(&str, fn(&mut Source), bool)] = &[
    ("threads", threads, false),
    ("threads fail", threads_fail, true),
    ("allocator", allocator, false),
    ("handler", handler, false),
    ("mask", mask, false),
    ("assembly", assembly, false),
    ("catches", catches, false),
    ("checksum of its code", reads_code, false),
    ("panic in a thread", panic_in_thread, true),
    ("double panic", double_panic, true),
    ("abort", abort, true),
    ("stack overflow", stack_overflow, true),
    ("segfault", segfault, true),
    ("exit", exit, true),
    ("endless loop", endless_loop, true),
    ("endless allocation", endless_allocation, true),
    ("deadlock", deadlock, true),
    ("panic while unwinding", panic_while_unwinding, true),
];

/// The names, each with whether it fails.
pub fn list() {
    for (name, _, fails) in HOSTILE {
        println!("{}={fails}", name.replace(' ', "-"));
    }
}

/// Runs one, under a debugger if `is_traced`, and prints its verdict and whether the code of the process is as before.
pub fn run(name: &str, engine: &str, is_traced: bool) -> Result<(), String> {
    let named = |it: &&(&str, fn(&mut Source), bool)| it.0.replace(' ', "-") == name;
    let &(_, test, _) = HOSTILE.iter().find(named).ok_or_else(|| format!("there is no test `{name}`"))?;
    if is_traced && trace() {
        return Ok(());
    }
    let before = hash_of_code()?;
    let run = || {
        let check = Check::new(name).engine(engine).seed(7).time("10s").hang("1s");
        check.store("off").max_shrink(50).explain(false).run(test);
    };
    let passes = catch_unwind(run).is_ok();
    println!("passes={passes} unchanged={}", before == hash_of_code()?);
    Ok(())
}

fn hash_of_code() -> Result<u64, String> {
    let text = Image::get()?.text();
    // SAFETY: it is the code of this process.
    let text = unsafe { std::slice::from_raw_parts(text.start as *const u8, text.len()) };
    Ok(text
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &it| (hash ^ u64::from(it)).wrapping_mul(0x100_0000_01b3)))
}

/// Splits the process: the copy goes on, and this one traces it, as a debugger does. Whether this is the debugger.
fn trace() -> bool {
    // SAFETY: calls without preconditions; this process has one thread.
    unsafe {
        let pid = libc::fork();
        if pid == 0 {
            libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0);
            libc::raise(libc::SIGSTOP);
            return false;
        }
        let mut status = 0;
        while libc::waitpid(pid, &raw mut status, 0) == pid && libc::WIFSTOPPED(status) {
            let signal = match libc::WSTOPSIG(status) {
                libc::SIGSTOP | libc::SIGTRAP => 0,
                other => other,
            };
            libc::ptrace(libc::PTRACE_CONT, pid, 0, signal);
        }
    }
    true
}

/// Whether the inputs are those that die, some way down.
fn is_met(src: &mut Source) -> bool {
    let bytes: Vec<u8> = src.any();
    is_deadly(&bytes)
}

fn is_deadly(bytes: &[u8]) -> bool {
    let at = |n: usize| black_box(bytes.get(n).copied().unwrap_or(0));
    at(0) == b'd' && at(1) == b'i' && at(2) == b'e'
}

fn threads(src: &mut Source) {
    let n: u8 = src.any();
    let sums = std::thread::scope(|scope| {
        let threads = [(); 8].map(|()| scope.spawn(|| (0..n).map(u32::from).sum::<u32>()));
        threads.map(|it| it.join().expect("it adds"))
    });
    assert!(sums.iter().all(|it| *it == sums[0]));
}

fn threads_fail(src: &mut Source) {
    let bytes: Vec<u8> = src.any();
    let is_met = std::thread::spawn(move || is_deadly(&bytes)).join().expect("it compares");
    assert!(!is_met);
}

/// An allocator that counts.
pub struct Counting;

static ALLOCATED: AtomicU64 = AtomicU64::new(0);

// SAFETY: it does what the system's does.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as the caller says.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as the caller says.
        unsafe { System.dealloc(at, layout) }
    }
}

fn allocator(src: &mut Source) {
    let n: u8 = src.any();
    let before = ALLOCATED.load(Ordering::Relaxed);
    let boxes: Vec<Box<u8>> = (0..n).map(Box::new).collect();
    let made = ALLOCATED.load(Ordering::Relaxed) - before;
    assert!(made >= u64::from(n) && boxes.len() == usize::from(n));
}

fn handler(src: &mut Source) {
    static MET: AtomicU64 = AtomicU64::new(0);
    extern "C" fn on_trap(_: i32) {
        MET.fetch_add(1, Ordering::Relaxed);
    }
    let n: u8 = src.any();
    let before = MET.load(Ordering::Relaxed);
    // SAFETY: the handler only counts.
    unsafe {
        libc::signal(libc::SIGTRAP, on_trap as *const () as usize);
        libc::raise(libc::SIGTRAP);
    }
    assert!(MET.load(Ordering::Relaxed) == before + 1 || n > 250);
}

fn mask(src: &mut Source) {
    // SAFETY: a mask is set, and set back.
    unsafe {
        let (mut all, mut old): (libc::sigset_t, libc::sigset_t) = (std::mem::zeroed(), std::mem::zeroed());
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut old);
        black_box(is_met(src));
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const old, std::ptr::null_mut());
    }
}

fn assembly(src: &mut Source) {
    let n: u64 = src.any();
    let sum: u64;
    // SAFETY: it reads its own data.
    unsafe {
        std::arch::asm!(
            "jmp 2f", "3: .quad 0x9090c3c3, 0xcc06", "2:", "lea {at}, [rip + 3b]", "mov {sum}, [{at}]",
            "add {sum}, [{at} + 8]", "add {sum}, {n}", at = out(reg) _, sum = out(reg) sum, n = in(reg) n,
        );
    }
    assert_eq!(sum, n.wrapping_add(0x9090_c3c3 + 0xcc06));
}

fn catches(src: &mut Source) {
    let n: u8 = src.any();
    let half = catch_unwind(|| 100 / black_box(n % 4));
    assert_eq!(half.is_err(), n % 4 == 0);
}

fn reads_code(src: &mut Source) {
    let n: u8 = src.any();
    static FIRST: AtomicU64 = AtomicU64::new(0);
    let hash = hash_of_code().unwrap_or(1).max(1);
    let before =
        FIRST.compare_exchange(0, hash, Ordering::Relaxed, Ordering::Relaxed).unwrap_or_else(|it| it);
    assert!(before == 0 || before == hash || n > 250);
}

fn panic_in_thread(src: &mut Source) {
    if is_met(src) {
        std::thread::spawn(|| panic!("in a thread")).join().expect("it does not panic");
    }
}

fn double_panic(src: &mut Source) {
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

fn abort(src: &mut Source) {
    if is_met(src) {
        std::process::abort();
    }
}

#[allow(unconditional_recursion)]
fn deeper(n: u64) -> u64 {
    let room = [n; 64];
    black_box(&room);
    deeper(n + 1) + room[(n % 64) as usize]
}

fn stack_overflow(src: &mut Source) {
    if is_met(src) {
        black_box(deeper(0));
    }
}

fn segfault(src: &mut Source) {
    if is_met(src) {
        // SAFETY: it is not safe, and that is the point.
        unsafe { std::ptr::null_mut::<u32>().write_volatile(1) };
    }
}

fn exit(src: &mut Source) {
    if is_met(src) {
        std::process::exit(0);
    }
}

fn endless_loop(src: &mut Source) {
    if is_met(src) {
        loop {
            black_box(());
        }
    }
}

fn endless_allocation(src: &mut Source) {
    if is_met(src) {
        let limit = libc::rlimit { rlim_cur: 1 << 30, rlim_max: 1 << 30 };
        // SAFETY: it limits this process, which is to end.
        unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const limit) };
        let mut all = Vec::new();
        loop {
            all.push(black_box(vec![1_u8; 1 << 24]));
        }
    }
}

fn deadlock(src: &mut Source) {
    if is_met(src) {
        let lock = std::sync::Mutex::new(());
        let _first = lock.lock();
        let _second = lock.lock();
    }
}

fn panic_while_unwinding(src: &mut Source) {
    struct Deep;
    impl Drop for Deep {
        fn drop(&mut self) {
            // It is caught, but the process may not begin it.
            let _ = catch_unwind(|| panic!("while unwinding"));
        }
    }
    if is_met(src) {
        let _deep = Deep;
        panic!("the first panic");
    }
}
