//! The engine end to end: from a test to answers that make it fail, in a process of its own.

use std::arch::asm;
use std::hint::black_box;
use std::io::{Read, Seek, Write};
use std::os::fd::FromRawFd;
use std::sync::Once;
use std::time::{Duration, Instant};

use probity_concolic::search::{ExplorePlan, FIRST_TRY, SearchEvent};
use probity_core::{Replay, Source, Tail, Test, Value, Verdict, context, run_case};

/// What is said of a search that may claim all paths.
const ALL_PATHS: &str = "all paths";

/// Cases panic without a word; the lock of the hook must not be taken when the process is split.
static QUIET: Once = Once::new();

/// What the engine reports of `test`: the answers that fail first, if any, and how the search ended.
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
        let plan = ExplorePlan {
            // The runs end it, however busy the machine is.
            until: Instant::now() + Duration::from_secs(3600),
            seed: 1,
            given: Vec::new(),
            choices_max: 200,
            runs_max: 10_000,
            first_try: FIRST_TRY,
            dump: None,
        };
        let mut tell = |news| match news {
            SearchEvent::Fails(values) => {
                let words: Vec<String> = values.iter().map(Value::to_string).collect();
                writeln!(pipe, "fails {}", words.join(" ")).unwrap();
                false
            }
            _ => true,
        };
        let explored = probity_concolic::explore(&mut prepared, test, &plan, &mut tell, None);
        let claims = if explored.complete && explored.is_exact() { ALL_PATHS } else { "" };
        writeln!(pipe, "{claims}\n{explored:?}").unwrap();
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
pub(crate) fn finds(mut test: impl FnMut(&mut Source)) {
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
fn functions_of_the_math_library() {
    finds(|src| {
        let x: f64 = src.draw(-10.0..10.0);
        assert!(x.sin() < 0.9999 || x < 7.0);
    });
    finds(|src| {
        let y = src.draw(1.0..1e9_f64).ln();
        assert!(!(15.0..15.001).contains(&y));
    });
    finds(|src| {
        let (x, y) = (src.draw(1.0_f32..50.0), src.draw(1.0_f32..3.0));
        assert!(!(5000.0..5000.5).contains(&x.powf(y)) || y < 2.0);
    });
}

/// A C string of this many bytes of a range.
fn c_text(src: &mut Source, bytes: std::ops::RangeInclusive<u8>) -> std::ffi::CString {
    let len = src.draw(0..10);
    let text: Vec<u8> = (0..len).map(|_| src.draw(bytes.clone())).collect();
    std::ffi::CString::new(text).unwrap()
}

#[test]
fn texts_of_the_c_library() {
    // SAFETY: all of these read a text up to its zero byte.
    unsafe {
        finds(|src| assert!(libc::strcmp(c_text(src, b'a'..=b'z').as_ptr(), c"magic".as_ptr()) != 0));
        finds(|src| {
            assert!(libc::strncasecmp(c_text(src, b'A'..=b'z').as_ptr(), c"MaGic".as_ptr(), 5) != 0);
        });
        finds(|src| assert!(libc::strstr(c_text(src, b'a'..=b'z').as_ptr(), c"gic".as_ptr()).is_null()));
        finds(|src| assert!(libc::atoi(c_text(src, b'+'..=b'9').as_ptr()) != -12_345));
        finds(|src| {
            let text = c_text(src, b'0'..=b'z');
            let mut end = std::ptr::null_mut();
            let it = libc::strtoul(text.as_ptr(), &raw mut end, 16);
            assert!(it != 0xbeef || *end != b'z' as i8);
        });
        finds(|src| {
            let text: [u8; 4] = src.any();
            assert!(text.map(|it| libc::toupper(it.into())) != [65, 90, 57, 81] || text[0] < 97);
        });
    }
}

#[test]
fn ranges_that_depend_on_others() {
    finds(|src| {
        let a = src.draw(0..1_000_000_u32);
        let b = src.draw(a..=1_000_000);
        assert!(a != 617_000 || b - a != 923);
    });
    finds(|src| {
        let a = src.draw(-1_000_000..1_000_000_i64);
        let b = src.draw(a - 5..a + 5);
        assert!(a != -617_000 || b != a + 4);
    });
    // What their bounds exclude does not happen; all values within them do.
    let test = |src: &mut Source| {
        let (a, b) = (src.draw(10..200_u8), src.draw(20..250_u8));
        context::assume(a < b, "a < b");
        let c = src.draw(a..b);
        assert!(a <= c && c < b);
    };
    let (found, text) = explore(&mut { test });
    assert!(found.is_none() && text.contains(ALL_PATHS), "{found:?} {text}");
}

#[test]
fn all_paths_of_a_test_that_holds() {
    let (found, text) = explore(&mut |src: &mut Source| {
        let (a, b) = (src.any::<u8>(), src.any::<u8>());
        assert!(if a < b { b - a > 0 } else { a - b < 255 || a == 255 });
    });
    assert_eq!(found, None);
    assert!(text.contains(ALL_PATHS), "{text}");
}

/// Whether all paths of a test are claimed, and none fails.
fn claims(test: fn(&mut Source)) -> (bool, String) {
    let (found, text) = explore(&mut { test });
    (text.contains(ALL_PATHS) && found.is_none(), text)
}

fn divides(low: u32, high: u32, by: u32) -> u32 {
    let mut quotient = low;
    // SAFETY: where it faults, that is what is looked for.
    unsafe { asm!("div {by:e}", by = in(reg) by, inout("eax") quotient, inout("edx") high => _) };
    quotient
}

/// The bytes, by way of a file.
fn through_file(data: &[u8]) -> Vec<u8> {
    // SAFETY: the name is a text, and the new file is ours.
    let mut file = unsafe { std::fs::File::from_raw_fd(libc::memfd_create(c"claims".as_ptr(), 0)) };
    file.write_all(data).unwrap();
    file.rewind().unwrap();
    let mut back = Vec::new();
    file.read_to_end(&mut back).unwrap();
    back
}

extern "C" fn adds(_: *mut libc::dl_phdr_info, _: usize, to: *mut libc::c_void) -> i32 {
    // SAFETY: a number is passed.
    unsafe { *to.cast::<u32>() += 1 };
    1
}

type Named = (&'static str, fn(&mut Source));

#[test]
fn a_claim_needs_a_reason() {
    let hidden: [Named; 8] = [
        ("zero", |src| _ = black_box(divides(9, 0, src.draw(0..=255)))),
        ("overflow", |src| _ = black_box(divides(9, src.draw(0..=255), 70))),
        ("file", |src| {
            let mut data = vec![0; 900];
            data[800] = src.draw(0..=255_u8);
            assert!(through_file(&data)[800] != 77);
        }),
        ("reserve", |src| {
            let n = src.any::<u64>() >> 2;
            assert!(Vec::<u8>::new().try_reserve_exact(n as usize).is_ok());
        }),
        ("callback", |src| {
            let mut x = src.draw(0..=255_u32);
            // SAFETY: the callback gets the number.
            unsafe { libc::dl_iterate_phdr(Some(adds), (&raw mut x).cast()) };
            assert!(x != 77);
        }),
        ("saved registers", |src| {
            #[repr(align(16))]
            struct Area([u8; 512]);
            let mut area = Area([0; 512]);
            let x = src.draw(0..=255_u32);
            // SAFETY: the area is large enough, and aligned.
            unsafe {
                asm!("movd xmm0, {:e}", "fxsave [{}]", in(reg) x, in(reg) &raw mut area, out("xmm0") _)
            };
            assert!(black_box(&area).0[160] != 77);
        }),
        ("beyond an allocation", |src| {
            let (n, at) = (src.draw(1..=9_usize), src.draw(0..=8_usize));
            let (small, other) = (vec![0_u8; n], black_box(vec![7_u8; 64]));
            assert!(small.get(at) != Some(&0) || at != 5 || other[0] == 0);
        }),
        ("difference", |src| {
            let (a, b) = ([src.draw(0..=255_u8)], [100]);
            // SAFETY: both have one byte.
            let it = unsafe { libc::memcmp(a.as_ptr().cast(), b.as_ptr().cast(), black_box(1)) };
            assert!(it != 42);
        }),
    ];
    for (name, test) in hidden {
        let (is_claimed, text) = claims(test);
        assert!(!is_claimed, "{name}: {text}");
    }
    let harmless: [Named; 4] = [
        ("division", |src| assert!(divides(9, 0, src.draw(1..=255)) <= 9)),
        ("file", |src| {
            let text: &[u8] = if src.draw(0..=255_u8) < 9 { b"low" } else { b"high" };
            assert!(through_file(text).len() > 2);
        }),
        ("reserve", |src| {
            assert!(Vec::<u8>::new().try_reserve_exact(src.draw(0..=255_usize)).is_ok());
        }),
        ("caught", |src| {
            let x = src.draw(0..=31_u8);
            assert!(std::panic::catch_unwind(|| assert!(x != 7)).is_err() == (x == 7));
        }),
    ];
    for (name, test) in harmless {
        let (is_claimed, text) = claims(test);
        assert!(is_claimed, "{name}: {text}");
    }
}
