//! Copies of this process that are watched.
#![cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]

use std::hint::black_box;
use std::panic::catch_unwind;
use std::sync::atomic::{AtomicU32, Ordering};

use probity_coverage::{CodeLog, CodeWatch, Image};

/// What `work` returns in a copy that is watched, or the signal that ends the copy.
fn watched(work: impl FnOnce(&mut CodeWatch<'_>) -> u32) -> Result<u32, i32> {
    let image = Image::get().unwrap();
    let log = CodeLog::new(image).unwrap();
    // SAFETY: a new mapping, which both share.
    let result = unsafe {
        let (protection, flags) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
        &*libc::mmap(std::ptr::null_mut(), 4096, protection, flags, -1, 0).cast::<AtomicU32>()
    };
    // SAFETY: the copy has one thread, and leaves without returning; the C library keeps its locks usable in it.
    unsafe {
        let pid = libc::fork();
        if pid == 0 {
            let mut reach = CodeWatch::arm(image, &log).unwrap();
            result.store(work(&mut reach), Ordering::Relaxed);
            libc::_exit(0);
        }
        let mut status = 0;
        libc::waitpid(pid, &raw mut status, 0);
        match libc::WIFEXITED(status) {
            true => {
                assert_eq!(libc::WEXITSTATUS(status), 0);
                Ok(result.load(Ordering::Relaxed))
            }
            false => Err(libc::WTERMSIG(status)),
        }
    }
}

/// How many blocks of `ladder` are met for the first time since then, when it runs.
fn meets(reach: &CodeWatch<'_>, bytes: &[u8], since: usize) -> usize {
    let since = if since == 0 { reach.met() } else { since };
    black_box(run(bytes));
    let start = ladder as *const () as u64;
    reach.log().blocks(since).filter(|at| (start..start + LADDER_MAX).contains(at)).count()
}

/// More than `ladder` is long, and less than what would matter.
const LADDER_MAX: u64 = 600;

#[inline(never)]
fn ladder(bytes: &[u8]) -> u32 {
    let mut depth = 0;
    if bytes.first() == Some(&b'a') {
        depth += black_box(1);
        if bytes.get(1) == Some(&b'b') {
            depth += black_box(10);
            if bytes.get(2) == Some(&b'c') {
                depth += black_box(100);
            }
        }
    }
    depth
}

fn run(bytes: &[u8]) -> u32 {
    black_box(ladder(black_box(bytes)))
}

#[test]
fn each_new_block_is_met_once() {
    let rows: [(&[u8], bool); 7] = [
        (b"", true),
        (b"", false),
        (b"a", true),
        (b"ab", true),
        (b"abc", true),
        (b"abc", false),
        (b"ab", false),
    ];
    let right = watched(|reach| {
        rows.iter().map(|&(it, expected)| u32::from(meets(reach, it, 0) > 0) ^ u32::from(expected)).sum()
    });
    assert_eq!(right, Ok(0));
}

#[test]
fn results_are_those_of_the_process_itself() {
    let there = watched(|_| [&b"ab"[..], b"abc", b"q"].iter().map(|it| run(it)).sum());
    assert_eq!(there, Ok(11 + 111));
}

#[test]
fn what_is_not_met_again_is_forgotten() {
    let right = watched(|reach| {
        meets(reach, b"", 0);
        let since = reach.met();
        let first = meets(reach, b"ab", since);
        reach.again(since);
        let forgotten = reach.log().blocks(since).count();
        // Less is met than before: what is left is forgotten for good.
        let second = meets(reach, b"a", since);
        reach.settle();
        let (third, fourth) = (meets(reach, b"ab", 0), meets(reach, b"abc", 0));
        u32::from(forgotten == 0 && 0 < second && second < first && third == 0 && fourth > 0)
    });
    assert_eq!(right, Ok(1));
}

#[test]
fn threads_meet_the_same_blocks() {
    let right = watched(|reach| {
        let since = reach.met();
        let sum = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for n in 0..8_u8 {
                let sum = &sum;
                scope.spawn(move || {
                    for round in 0..500_u32 {
                        let bytes = [b'a', if n % 2 == 0 { b'b' } else { b'x' }, b'c'];
                        let texts = format!("{}{round}", run(&bytes));
                        sum.fetch_add((texts.len() > 1).into(), Ordering::Relaxed);
                    }
                });
            }
        });
        let places: Vec<u64> = reach.log().blocks(since).collect();
        let mut sorted = places.clone();
        sorted.sort();
        sorted.dedup();
        u32::from(sum.into_inner() == 4000 && sorted.len() == places.len() && places.len() > 10)
    });
    assert_eq!(right, Ok(1));
}

#[test]
fn panics_are_caught() {
    std::panic::set_hook(Box::new(|_| ()));
    let caught = watched(|_| {
        let divide = |by: u32| catch_unwind(|| black_box(7) / black_box(by));
        u32::from(divide(0).is_err()) + u32::from(divide(7).unwrap() == 1)
    });
    assert_eq!(caught, Ok(2));
}

std::arch::global_asm!(
    ".globl probity_coverage_test_data",
    "probity_coverage_test_data:",
    ".cfi_startproc",
    "jmp 2f",
    "3: .quad 0x9090c3c3, 0xcc06",
    "2:",
    "lea rax, [rip + 3b]",
    "mov rdx, [rax]",
    "add rdx, [rax + 8]",
    "test rdi, rdi",
    "je 4f",
    "add rdx, 1",
    "4: mov rax, rdx",
    "ret",
    ".cfi_endproc",
);

unsafe extern "C" {
    fn probity_coverage_test_data(n: u64) -> u64;
}

#[test]
fn data_between_code_stays_as_it_is() {
    let twice = || {
        // SAFETY: it reads its own data.
        let read = |n| unsafe { black_box(probity_coverage_test_data)(n) };
        (read(0).wrapping_add(read(1)).wrapping_add(read(1))) as u32
    };
    assert_eq!(watched(|_| twice()), Ok(twice()));
}

#[test]
fn other_traps_end_the_process_as_ever() {
    let end = watched(|_| {
        // SAFETY: it ends the process, and that is the point.
        unsafe { std::arch::asm!("int3") };
        7
    });
    assert_eq!(end, Err(libc::SIGTRAP));
    let end = watched(|_| {
        // SAFETY: as above.
        unsafe { libc::raise(libc::SIGTRAP) };
        7
    });
    assert_eq!(end, Err(libc::SIGTRAP));
}

#[test]
fn the_process_itself_is_never_changed() {
    let image = Image::get().unwrap();
    let log = CodeLog::new(image).unwrap();
    assert!(CodeWatch::arm(image, &log).unwrap_err().contains("never changed"));
    // SAFETY: it is the text of this process.
    let text = || unsafe { std::slice::from_raw_parts(image.text().start as *const u8, image.text().len()) };
    let before = text().to_vec();
    assert_eq!(watched(|_| run(b"abc")), Ok(111));
    assert!(before == text());
}

#[inline(never)]
fn rounds(n: u32) -> u32 {
    let mut sum = 0;
    for round in 0..black_box(n) {
        sum += black_box(round);
    }
    sum
}

#[test]
fn loops_are_counted_while_asked() {
    let right = watched(|reach| {
        black_box(rounds(3));
        let told = |n: u32| {
            let since = reach.met();
            let mut sum = 0;
            // Some of the loops are counted at a time.
            for word in 0..200 {
                reach.begin_counting(word);
                sum = black_box(rounds(n));
                reach.end_counting();
            }
            (reach.log().loops(since), sum)
        };
        let (first, second, third) = (told(3), told(3), told(40));
        let since = reach.met();
        black_box(rounds(100));
        let is_quiet = reach.log().loops(since) == 0;
        u32::from(first.0 > 0 && second.0 == 0 && third.0 > 0 && third.1 == 780 && is_quiet)
    });
    assert_eq!(right, Ok(1));
}
