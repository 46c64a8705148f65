//! Tests that fail, hang or flake on purpose, and a few that pass where that is what is shown.

mod arms;
mod calls;
mod complete;
#[cfg(unix)]
mod crashes;
#[cfg(target_os = "linux")]
mod deaths;
#[cfg(all(feature = "concolic", target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
mod goals;
#[cfg(all(feature = "concolic", target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
mod magic;
#[cfg(all(feature = "concolic", target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
mod proofs;
#[cfg(all(feature = "concolic", target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
mod puzzles;
mod verdicts;

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use probity::Check;
use probity::prelude::*;

#[probity::test]
#[ignore = "it fails"]
fn reported(limit: u32, v: Vec<u32>, other: u8) {
    assume!(limit > 10);
    note!("the greatest is {:?}, beside {other}", v.iter().max());
    assert!(v.iter().all(|it| *it <= limit), "too large\nfor the limit");
}

#[probity::test(explain = false, cases = 3)]
#[ignore = "it fails"]
#[example(n = 1, word = "one")]
#[example(n = 99, word = "ninety-nine")]
fn fixed_input(n: u32, word: &str) {
    assert!(n < 50, "{word} is too much");
}

#[probity::test]
#[ignore = "it fails"]
fn other_thread(n: u32) {
    let thread = std::thread::Builder::new().name("helper".to_string());
    static SPAWNED: AtomicBool = AtomicBool::new(false);
    if !SPAWNED.swap(true, Ordering::Relaxed) {
        let _ = thread.spawn(|| panic!("of another thread")).unwrap().join();
    }
    assert!(n <= 1000, "{n} is too much");
}

#[test]
#[ignore = "it fails"]
#[allow(clippy::print_stderr, reason = "what a hook does")]
fn hook_of_the_user() {
    std::panic::set_hook(Box::new(|info| eprintln!("the user's hook: {info}")));
    Check::new("probity::fixtures::hook_of_the_user").explain(false).run(|src: &mut Source| {
        assert!(src.draw_as("n", 0..2000) < 1000, "too much");
    });
}

#[probity::test]
#[ignore = "run with a store"]
#[should_panic(expected = "n is too much")]
fn wanted_panic(n: u32) {
    assert!(n < 1000, "n is too much");
}

#[probity::test]
#[ignore = "it fails"]
fn soft(#[from(0..100)] n: i32) {
    check!(n < 50);
    check!(n != 50 || n > 50, "{n} is not what it should be");
}

#[probity::test]
#[ignore = "it fails"]
fn soft_then_hard(#[from(0..100)] n: i32) {
    check!(n < 50);
    assert!(n < 50, "in the end");
}

#[derive(Debug)]
#[allow(dead_code, reason = "shown by Debug")]
enum Trouble {
    Odd(u32),
    Parse(std::num::ParseIntError),
}

impl From<std::num::ParseIntError> for Trouble {
    fn from(err: std::num::ParseIntError) -> Self {
        Trouble::Parse(err)
    }
}

#[probity::test]
#[ignore = "it fails"]
fn errors(#[from(0u32..1000)] n: u32) -> Result<(), Trouble> {
    let text = if n > 500 { format!("{n}?") } else { n.to_string() };
    let read: u32 = text.parse()?;
    if read % 2 == 1 && read > 300 { Err(Trouble::Odd(read)) } else { Ok(()) }
}

fn require_even(n: u32) {
    assume!(n.is_multiple_of(2));
}

#[probity::test]
#[ignore = "it fails"]
fn distinct(#[from(0u32..1000)] n: u32) {
    require_even(n);
    assert!(n < 600, "large");
    assert!(n < 300, "middling");
}

#[probity::test]
#[ignore = "it fails"]
fn nested(#[from(0u32..100)] n: u32) {
    probity::check(move |src: &mut Source| {
        let m = src.draw_as("m", 0u32..100);
        assert!(m + n < 150, "too much together");
    });
}

#[test]
#[ignore = "the first time it fails"]
fn two_checks() {
    probity::check(|src: &mut Source| {
        let n = src.draw_as("n", 0..100);
        assert!(n < 50 || std::env::var_os("FIXED").is_some());
    });
    probity::check(|src: &mut Source| drop(src.draw_as("word", any::<String>())));
}

#[probity::test]
#[ignore = "it fails"]
fn flaky(#[from(0..2)] n: u32) {
    static FAILED: AtomicBool = AtomicBool::new(false);
    assert!(n == 0 || FAILED.swap(true, Ordering::Relaxed), "only once");
}

#[probity::test]
#[ignore = "it fails"]
fn flaky_differently(#[from(0..2)] n: u32) {
    static FAILED: AtomicBool = AtomicBool::new(false);
    if n == 1 {
        assert!(FAILED.swap(true, Ordering::Relaxed), "at first");
        panic!("later");
    }
}

#[probity::test(cases = 100)]
#[ignore = "it fails"]
fn never(n: u32) {
    assume!(n.count_ones() > 32);
}

#[probity::test(cases = 100)]
#[ignore = "it fails"]
fn nearly_never(#[from(from(0..1_000_000).filter(|it| *it % 12_345 == 12_344))] n: u32) {
    assert!(n > 0);
}

#[probity::test(time = "1ms")]
#[ignore = "slow"]
fn slow(_n: u32) {
    std::thread::sleep(Duration::from_millis(5));
}

#[probity::test(max_rejects = 0, time = "1ms")]
#[ignore = "slow"]
fn slow_and_strict(_n: u32) {
    std::thread::sleep(Duration::from_millis(5));
}

/// The first case is rejected, the second passes, and all others are rejected after the time is over.
#[probity::test(engine = "random", max_rejects = 0, time = "50ms")]
#[ignore = "it fails"]
fn slow_and_rejected(_n: u32) {
    static CASES: AtomicU32 = AtomicU32::new(0);
    let case = CASES.fetch_add(1, Ordering::SeqCst);
    if case > 1 {
        std::thread::sleep(Duration::from_millis(60));
    }
    assume!(case == 1);
}

#[probity::test(max_rejects = 4_000_000_000, time = "50ms")]
#[ignore = "it fails"]
fn rejected_for_ever(n: u32) {
    assume!(n.count_ones() > 32);
}

#[probity::test]
#[ignore = "it fails"]
fn a_million(#[from(vec(0u8..255, 1_000_000..=1_000_001))] v: Vec<u8>) {
    assert!(!v.is_empty());
}

#[probity::test]
#[ignore = "it fails"]
fn a_hundred_thousand(#[from(|src: &mut Source| (0..100_000).map(|_| src.int(0, 9)).sum())] sum: u32) {
    assert!(sum <= 900_000);
}

#[probity::test]
#[ignore = "run by name"]
fn draws_nothing() {}

#[probity::test]
#[ignore = "it fails"]
fn draws_nothing_and_fails() {
    panic!("always");
}

#[probity::test]
#[ignore = "it is misused"]
#[allow(clippy::reversed_empty_ranges)]
fn misused(#[from(0..100)] n: u32, #[from(9..=1)] m: u32) {
    let _ = (n, m);
}

/// How long a case may take that is watched: so long that no other is ever taken for one that hangs.
const HANG: Duration = Duration::from_secs(1);

/// Waits in the one case where `n` is large.
fn hold_once(n: u32) {
    static HELD: AtomicBool = AtomicBool::new(false);
    if n >= 500 && !HELD.swap(true, Ordering::Relaxed) {
        hold();
    }
}

/// Waits for the end of the standard input, where somebody watches: it ends when the watcher has seen enough.
fn hold() {
    if std::env::var_os("WATCHED").is_some() {
        std::io::copy(&mut std::io::stdin(), &mut std::io::sink()).unwrap();
    }
}

#[probity::test(hang = "1s", cases = 100, engine = "random")]
#[ignore = "it hangs for a while"]
fn hangs(#[from(0..1000)] n: u32, word: bool) {
    let _ = word;
    hold_once(n);
}

#[test]
#[ignore = "it hangs for a while"]
fn hangs_in_a_closure() {
    let hangs = |src: &mut Source| hold_once(src.draw_as("n", 0..1000));
    Check::new("probity::fixtures::hangs_in_a_closure").hang(HANG).cases(100).engine("random").run(hangs);
}

#[probity::test(hang = "1s", cases = 1)]
#[ignore = "it hangs for a while"]
#[example(n = 900)]
fn hangs_in_an_example(#[from(0..1)] n: u32) {
    hold_once(n);
}

#[probity::test(hang = "1s", explain = false, engine = "random")]
#[ignore = "it hangs for a while and fails"]
fn hangs_while_shrinking(#[from(0..1000)] n: u32) {
    hold_once(if n == 500 { n } else { 0 });
    assert!(n < 500, "too large");
}

/// Fails where `FIXED` is not set, and counts its cases in the file that `COUNT` names.
#[probity::test(explain = false)]
#[ignore = "it fails"]
fn counted(#[from(0..10_000)] n: u32) {
    if let Some(path) = std::env::var_os("COUNT") {
        use std::io::Write;
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
        writeln!(file, "{n}").unwrap();
    }
    if std::env::var_os("NARROW").is_some() {
        assume!(n < 10);
    }
    assert!(n < 5000 || std::env::var_os("FIXED").is_some(), "too large");
}

#[probity::test(cases = 20)]
#[ignore = "run with settings"]
fn settings(n: u64) {
    collect!(n % 2);
}

#[test]
#[ignore = "run with settings"]
#[allow(clippy::print_stderr, reason = "the table is what is looked at")]
fn settings_table() {
    eprintln!("{}", Check::new("table").cases(20).verbose(true).settings().unwrap());
}

/// Says what JSON has to escape.
#[probity::test(explain = false)]
#[ignore = "it fails"]
fn quotes(n: u8) {
    let odd = "\"\\\n\t\u{1}\u{7f}é𝄞";
    note!("{odd}");
    check!(n < 100, "{odd}");
}

#[test]
#[ignore = "it hangs for a while"]
fn hangs_in_order() {
    let hangs = |src: &mut Source| hold_once(src.draw_as("n", 0..1000) + src.draw_as("m", 0..1000));
    let check = Check::new("probity::fixtures::hangs_in_order").hang(HANG);
    check.engine("exhaustive").size(500).run(hangs);
}

#[probity::test]
#[ignore = "run with settings"]
fn every_pair(a: u8, b: u8) {
    assert_eq!(a.wrapping_add(b), b.wrapping_add(a));
}

#[probity::test(engine = "exhaustive", cases = 3000)]
#[ignore = "run with settings"]
fn far_too_many(v: Vec<u32>) {
    assert!(v.len() < 100);
}

#[derive(Debug, Generate)]
struct List {
    head: Lazy<u8>,
    tail: Lazy<Option<List>>,
}

impl List {
    fn is_sorted(&self) -> bool {
        match &*self.tail {
            None => true,
            Some(tail) => *self.head <= *tail.head && tail.is_sorted(),
        }
    }

    fn third(&self) -> Option<u8> {
        let tail = self.tail.as_ref()?.tail.as_ref()?;
        Some(*tail.head)
    }
}

#[probity::test(engine = "exhaustive")]
#[ignore = "it fails"]
fn lazy_list(list: List, #[from(any::<List>().such_that(List::is_sorted))] sorted: List) {
    let _ = sorted;
    assert!(list.third().is_none_or(|it| it < 2), "the third is large");
}

/// Most lists are long, but not the smallest; most bytes are not small.
#[probity::test(engine = "exhaustive", size = 5)]
#[ignore = "run by name"]
fn covers_in_part(v: Vec<u8>) {
    cover!(50, v.len() > 20);
}

#[probity::test]
#[ignore = "it fails"]
fn covers_too_little(n: u8) {
    cover!(50, n < 100);
}

/// A float that is never visited would be a smaller input that fails.
#[probity::test(engine = "exhaustive")]
#[ignore = "it fails"]
fn few_floats(x: f64, n: u8) {
    assert!(n < 9 && x != 0.3);
}

#[probity::test(engine = "exhaustive")]
#[ignore = "it fails"]
fn nothing_will_do(#[from(from(0..100).filter(|n| *n > 100))] n: u32) {
    let _ = n;
}

#[probity::test(engine = "exhaustive")]
#[ignore = "it fails"]
fn draws_as_it_likes(src: &mut Source) {
    static RUNS: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    src.draw(0..if RUNS.fetch_add(1, Ordering::Relaxed) < 3 { 9 } else { 2 });
}

/// How many bits are as they should be.
fn hits(bits: &[bool]) -> u32 {
    bits.iter().enumerate().filter(|(at, bit)| **bit == at.is_multiple_of(3)).count() as u32
}

/// One list in 2^40 has nothing but hits.
#[probity::test(explain = false)]
#[ignore = "it fails"]
fn climbs(#[from(vec(any::<bool>(), 40..=40))] bits: Vec<bool>) {
    cover!(50, hits(&bits) < 30);
    maximize("hits", hits(&bits).into());
    let most = std::env::var("MOST").map_or(40, |it| it.parse().unwrap());
    assert!(hits(&bits) < most, "too many hits");
}

#[test]
#[ignore = "it hangs for a while"]
fn hangs_on_the_way_up() {
    static HELD: AtomicBool = AtomicBool::new(false);
    let hangs = |src: &mut Source| {
        let bits = src.draw_as("bits", vec(any::<bool>(), 40..=40));
        maximize("hits", hits(&bits).into());
        // Far above what a sample has: 20, give or take 3.
        if hits(&bits) >= 37 && !HELD.swap(true, Ordering::Relaxed) {
            hold();
        }
    };
    let check = Check::new("probity::fixtures::hangs_on_the_way_up").hang(HANG);
    check.cases(2000).run(hangs);
}

#[test]
#[ignore = "run with settings"]
fn finds() {
    let score = std::env::var("SCORE").unwrap_or_default();
    let best = probity::find(|src| {
        let bits = src.draw_as("bits", vec(any::<bool>(), 40..=40));
        match &*score {
            "none" => {}
            "never" => assume!(bits.is_empty()),
            "fails" => assert!(!bits[7], "the eighth is set"),
            _ => maximize("hits", hits(&bits).into()),
        }
        bits
    });
    assert_eq!((best.score, best.scores, hits(&best.value)), (40.0, vec![("hits", 40.0)], 40));
}

/// A search inside of a case, which has to go the same way each time.
#[probity::test(cases = 20, engine = "random", explain = false)]
#[ignore = "it fails"]
fn finds_in_a_case(#[from(50u32..100)] n: u32) {
    let best = Check::new("inside").goal(99.0).find(|src| {
        let m = src.draw_as("m", 0u32..100);
        maximize("m", m.into());
        m
    });
    assert!(best.value + n < 160, "too much together");
}

/// They need all their cases, anyone who else runs others.
#[probity::test(cases = 20)]
#[should_panic(expected = "last")]
#[ignore = "run in parts"]
fn fails_as_wanted(#[from(0..10_000u32)] n: u32) {
    assert!(n < 9_000, "last");
}

#[probity::test(cases = 2)]
#[ignore = "run in parts"]
fn runs_another_whole(_: bool) {
    let mut ran = 0;
    Check::new("inner").engine("random").cases(64).run(|src: &mut Source| {
        let _: u64 = src.any();
        ran += 1;
    });
    assert_eq!(ran, 64);
}

/// Writes what a test is run with to the file that `SEEN` names.
fn seen(text: String) {
    use std::io::Write;
    if let Ok(path) = std::env::var("SEEN") {
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
        writeln!(file, "{text}").unwrap();
    }
}

/// One with labels, which are recorded, and one without.
#[probity::test(cases = 1001)]
#[ignore = "run in parts"]
fn written(n: u64, v: Vec<u8>) {
    if std::env::var_os("LABELED").is_some() {
        classify!(n > 9, "large");
    }
    seen(format!("{n} {v:?}"));
    assert!(n % 8 != 5 || std::env::var_os("FAILS").is_none(), "five");
}

#[probity::test]
#[ignore = "run with shards"]
fn shared(#[from(0..=40)] n: u8, flag: bool) {
    classify!(n > 9, "large");
    classify!(flag, "flagged");
    seen(format!("{n} {flag}"));
}

#[probity::test(cases = 12, different = distance(age, 10))]
#[ignore = "run with a store"]
fn ages(#[from(0..=99)] age: u8, name: bool) {
    seen(format!("{age} {name}"));
}

#[probity::test(cases = 150, different = some_of(different_lengths(name), different_lengths(bytes)))]
#[ignore = "run with a store"]
fn lengths(#[from("[a-z]+")] name: &str, bytes: Vec<u8>) {
    seen(format!("{} {}", name.len(), bytes.len()));
}

#[probity::test(cases = 150, different = different_lengths(name))]
#[ignore = "run with a store"]
fn long_names(#[from("[a-z]+")] name: &str) {
    seen(name.len().to_string());
}

#[probity::test(cases = 20, different = relation(n, |x, y| x % 10 != y % 10))]
#[ignore = "run with a store"]
fn last_digits(#[from(0..=99)] n: u8) {
    seen(n.to_string());
}

#[probity::test(cases = 12, different = some_of(cover_regexp(time), not_equal(zone)))]
#[ignore = "run with a store"]
fn times(#[from("([01][0-9]|2[0-3]):[0-5][0-9]( ?(AM|PM))?")] time: &str, #[from("UTC|CET")] zone: String) {
    seen(format!("{time} {zone}"));
    assert!(std::env::var_os("FAILS").is_none() || !time.ends_with("PM"), "in the afternoon");
}

#[derive(Debug, Spec)]
#[spec(require = from < to)]
struct Hours {
    #[spec(range = 0..=23)]
    from: u8,
    #[spec(range = 0..=23)]
    to: u8,
    days: Vec<bool>,
    #[spec(len = 1..=8, require = it.starts_with("a"))]
    name: String,
    note: Option<char>,
}

#[probity::test(cases = 8, different = all_of(different_lengths(open.name), distance(open.from, 2)))]
#[ignore = "run with a store"]
fn hours(open: Hours, #[from(spec! { n: u8 in 1..9, require n % 2 == 1 })] n: u8) {
    assert!(open.from < open.to && open.name.starts_with('a') && n % 2 == 1);
    let Hours { name, from, days, note, .. } = &open;
    seen(format!("{} {from} {}", name.chars().count(), days.len() + usize::from(note.is_some())));
    assert!(std::env::var_os("FAILS").is_none() || open.to < 12, "too late");
}

#[probity::test(cases = 5, different = not_equal)]
#[ignore = "it fails"]
fn no_such_input(#[from(spec! { n: u8 in 1..9, require n * n == 7 })] n: u8) {
    seen(n.to_string());
}

#[probity::test]
#[ignore = "it fails"]
fn bad_pattern(#[from("a(?=b)")] text: &str) {
    seen(text.to_string());
}
