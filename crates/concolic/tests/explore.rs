//! The engine end to end: from a test to answers that make it fail, in a process of its own.
#![cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]

use std::io::{Read, Write};
use std::os::fd::FromRawFd;
use std::sync::Once;
use std::time::{Duration, Instant};

use probity_concolic::search::{News, Plan};
use probity_core::{Replay, Source, Tail, Test, Value, Verdict, context, run_case};

/// Cases panic without a word; the lock of the hook must not be taken when the process is split.
static QUIET: Once = Once::new();

/// What the engine tells of `test`: the answers that fail first, if any, and how the search ended.
fn explore(test: &mut dyn Test) -> (Option<Vec<Value>>, String) {
    QUIET.call_once(|| {
        let outer = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !context::in_case() {
                outer(info)
            }
        }));
    });
    let mut prepared = probity_concolic::prepare().expect("this process can be interpreted");
    let mut ends = [0; 2];
    // SAFETY: the child does nothing but search, write and leave.
    let child = unsafe {
        assert_eq!(libc::pipe(ends.as_mut_ptr()), 0);
        libc::fork()
    };
    if child == 0 {
        // SAFETY: the end of the pipe is ours.
        let mut pipe = unsafe { std::fs::File::from_raw_fd(ends[1]) };
        let plan = Plan {
            until: Instant::now() + Duration::from_secs(20),
            seed: 1,
            given: Vec::new(),
            choices_max: 200,
            runs_max: 10_000,
            patience: None,
            dump: None,
        };
        let mut tell = |news| match news {
            News::Fails(values) => {
                let words: Vec<String> = values.iter().map(Value::to_string).collect();
                writeln!(pipe, "fails {}", words.join(" ")).unwrap();
                false
            }
            _ => true,
        };
        let explored = probity_concolic::explore(&mut prepared, test, &plan, &mut tell, None);
        writeln!(pipe, "{explored:?}").unwrap();
        // SAFETY: leaves without running what the parent has to run.
        unsafe { libc::_exit(0) }
    }
    // SAFETY: as above; the parent reads until the child is gone.
    let (mut pipe, mut text, mut status) = unsafe {
        libc::close(ends[1]);
        (std::fs::File::from_raw_fd(ends[0]), String::new(), 0)
    };
    pipe.read_to_string(&mut text).unwrap();
    // SAFETY: waits for the child that was made above.
    unsafe { libc::waitpid(child, &raw mut status, 0) };
    let fails = text.lines().find_map(|it| it.strip_prefix("fails"));
    let values = fails.map(|it| it.split_whitespace().map(|it| it.parse().unwrap()).collect());
    (values, format!("{text} status {status}"))
}

/// The engine finds what makes the test fail, and an ordinary run says the same.
#[track_caller]
fn finds(mut test: impl FnMut(&mut Source)) {
    let (values, text) = explore(&mut test);
    let values = values.unwrap_or_else(|| panic!("nothing found: {text}"));
    let mut source = Source::new(Box::new(Replay::new(values.clone(), Tail::Simplest)));
    let case = run_case(&mut source, &mut test).unwrap();
    assert!(matches!(case.verdict, Verdict::Fail(_)), "{values:?} {text}");
}

#[test]
fn a_number() {
    finds(|src| assert!(src.draw(0..=u32::MAX) != 123_456_789));
}

#[test]
fn arithmetic() {
    finds(|src| assert!(src.any::<u32>().wrapping_mul(31) ^ 0x5bd1_e995 != 0xdead_beef));
}

#[test]
fn a_text() {
    finds(|src| assert!(src.any::<String>() != "secret"));
}

#[test]
fn a_text_of_several_bytes_a_character() {
    finds(|src| assert!(src.any::<String>() != "naïve café"));
}

#[test]
fn parts_of_a_text() {
    finds(|src| {
        let text: String = src.any();
        let parts: Vec<&str> = text.split(',').collect();
        assert!(parts != ["a", "bc", "def"]);
    });
}

#[test]
fn bytes() {
    finds(|src| assert!(src.any::<Vec<u8>>() != b"FUZZ"));
}

#[test]
fn a_relation() {
    finds(|src| {
        let (a, b) = (src.any::<u64>(), src.any::<u64>());
        assert!(a < 1 << 40 || b != a.wrapping_mul(2));
    });
}

#[test]
fn parsing() {
    finds(|src| assert!(src.any::<String>().parse::<u32>() != Ok(31337)));
}

#[test]
fn all_paths_of_a_test_that_holds() {
    let (found, text) = explore(&mut |src: &mut Source| {
        let (a, b) = (src.any::<u8>(), src.any::<u8>());
        assert!(if a < b { b - a > 0 } else { a - b < 255 || a == 255 });
    });
    assert_eq!(found, None);
    assert!(text.contains("complete: true"), "{text}");
}
