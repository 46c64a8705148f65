//! What every generator must keep, and a table of all of them.
//!
//! 1. The fast and the recording mode agree value for value and verdict for verdict.
//! 2. The recorded answers, replayed, give the same value, and so do the bytes that are made of them.
//! 3. The simplest answers give the simplest value.
//! 4. A list span begins with its length, where that is not fixed, and has that many items.
//! 5. Its space, where that is known, is what it draws.
//! 6. What fails shrinks to the simplest value that fails, for the rows of `minima`.
//! 7. What functions answered that were asked, replayed, gives the same value.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell, RefCell};
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::ffi::{CStr, CString, OsStr, OsString};
use std::fmt::Debug;
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::io::{self, Cursor};
use std::marker::{PhantomData, PhantomPinned};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, SocketAddrV4, SocketAddrV6};
use std::num::{FpCategory, NonZero, Saturating, Wrapping};
use std::ops::{Bound, ControlFlow, Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::{self, AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize};
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize};
use std::sync::{Arc, Mutex, OnceLock, RwLock};
use std::task::Poll;
use std::time::{Duration, SystemTime};

use super::*;
use crate::unwind::{BatchEnd, run_batch};
use crate::{
    Budget, ByteReplay, Callbacks, Combine, Domain, Engine, Generator, Random, Replay, Rng, ScalarKind,
    Source, Space, SpanKind, Tail, Trace, Value, Verdict, any, from, one_of, run_case, search_random, shrink,
    steps,
};

/// Which cases are compared: the seed, the first, how many. A run over the first cases, one over the
/// place where mixes begin to come in runs, one from the middle of such a run.
const CASES: &[(u64, u64, u64)] = &[(0, 0, 100), (u64::MAX, 960, 160), (2, (1 << 20) + 7, 60)];
/// Of how many more seeds one case is compared.
const SEEDS: u64 = 1000;
/// How many cases are asked.
const ASKED: u64 = 20;
/// How many inputs of a space are run.
const LISTED: u32 = 20;

/// One row a generator: what it is, and the simplest thing it makes.
macro_rules! table {
    ($($test:ident { $($generator:expr => $simplest:expr,)+ })+) => {$(
        #[test]
        fn $test() {
            $(check(stringify!($generator), &from($generator), $simplest);)+
        }
    )+};
}

table! {
    numbers {
        any::<bool>() => "false",
        any::<u8>() => "0",
        any::<u16>() => "0",
        any::<u32>() => "0",
        any::<u64>() => "0",
        any::<u128>() => "0",
        any::<usize>() => "0",
        any::<i8>() => "0",
        any::<i16>() => "0",
        any::<i32>() => "0",
        any::<i64>() => "0",
        any::<i128>() => "0",
        any::<isize>() => "0",
        any::<f32>() => "0.0",
        any::<f64>() => "0.0",
        any::<char>() => "'a'",
        any::<NonZero<u8>>() => "1",
        any::<NonZero<u16>>() => "1",
        any::<NonZero<u32>>() => "1",
        any::<NonZero<u64>>() => "1",
        any::<NonZero<u128>>() => "1",
        any::<NonZero<usize>>() => "1",
        any::<NonZero<i8>>() => "1",
        any::<NonZero<i16>>() => "1",
        any::<NonZero<i32>>() => "1",
        any::<NonZero<i64>>() => "1",
        any::<NonZero<i128>>() => "1",
        any::<NonZero<isize>>() => "1",
        any::<Wrapping<u8>>() => "0",
        any::<Saturating<u8>>() => "0",
        3..9 => "3",
        -9..=-3i8 => "-3",
        5u16.. => "5",
        ..9u128 => "0",
        (1u128 << 100).. => "1267650600228229401496703205376",
        ..=9i128 => "0",
        0.25..0.75 => "0.5",
        -1.5f32..=1.5 => "0.0",
        'x'..='z' => "'x'",
        ..'c' => "'a'",
    }
    holders {
        any::<()>() => "()",
        any::<Option<u8>>() => "None",
        any::<Result<u8, char>>() => "Ok(0)",
        any::<Box<u8>>() => "0",
        any::<Rc<u8>>() => "0",
        any::<Arc<u8>>() => "0",
        any::<Box<str>>() => r#""""#,
        any::<Rc<str>>() => r#""""#,
        any::<Arc<str>>() => r#""""#,
        any::<Box<[u8]>>() => "[]",
        any::<Rc<[u8]>>() => "[]",
        any::<Arc<[u8]>>() => "[]",
        any::<Cow<'static, str>>() => r#""""#,
        any::<Cow<'static, [u8]>>() => "[]",
        any::<Cow<'static, Path>>() => r#""""#,
        any::<Cow<'static, CStr>>() => r#""""#,
        any::<Cell<u8>>() => "Cell { value: 0 }",
        any::<RefCell<u8>>() => "RefCell { value: 0 }",
        any::<Mutex<u8>>() => "Mutex { data: 0, poisoned: false, .. }",
        any::<RwLock<u8>>() => "RwLock { data: 0, poisoned: false, .. }",
        any::<PhantomData<str>>() => "PhantomData<str>",
        any::<Reverse<u8>>() => "Reverse(0)",
        any::<Ordering>() => "Equal",
        any::<Range<i8>>() => "0..0",
        any::<RangeInclusive<char>>() => "'a'..='a'",
        any::<RangeFrom<u8>>() => "0..",
        any::<RangeTo<u8>>() => "..0",
        any::<RangeToInclusive<u8>>() => "..=0",
        any::<RangeFull>() => "..",
        any::<Bound<u8>>() => "Unbounded",
        any::<[u16; 3]>() => "[0, 0, 0]",
        any::<(u8, bool, Option<char>)>() => "(0, false, None)",
        (0..9, 'x'..='z') => "(0, 'x')",
        [0..9, 3..4] => "[0, 3]",
        any::<(u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8)>() => "(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)",
    }
    collections {
        any::<String>() => r#""""#,
        any::<Vec<i64>>() => "[]",
        any::<Vec<Vec<u8>>>() => "[]",
        any::<VecDeque<u8>>() => "[]",
        any::<LinkedList<u8>>() => "[]",
        any::<BinaryHeap<u8>>() => "[]",
        any::<BTreeSet<u8>>() => "{}",
        any::<BTreeSet<bool>>() => "{}",
        any::<BTreeMap<u8, bool>>() => "{}",
        any::<HashSet<i16, Fixed>>() => "{}",
        any::<HashMap<char, u8, Fixed>>() => "{}",
        vec(any::<f64>(), 2..=5) => "[0.0, 0.0]",
        vec(any::<u8>(), 3..) => "[0, 0, 0]",
        vec_deque(0..9, 1..9) => "[0]",
        vec(any::<u8>(), ..) => "[]",
        vec(any::<u8>(), ..3) => "[]",
        string('a'..='c', 2..) => r#""aa""#,
        bytes(..=300) => "[]",
        unique(0..9, ..=20) => "[]",
        unique(any::<u8>(), 3..) => "rejected by unique",
        btree_set(0..9, 1..=20) => "{0}",
        btree_map(0..9, any::<char>(), 1..=20) => "{0: 'a'}",
        hash_set(any::<u8>(), 4).map(BTreeSet::from_iter) => "rejected by hash_set",
        hash_map(any::<i8>(), any::<()>(), 1..9).map(BTreeMap::from_iter) => "{0: ()}",
    }
    system {
        any::<Ipv4Addr>() => "0.0.0.0",
        any::<Ipv6Addr>() => "::",
        any::<IpAddr>() => "0.0.0.0",
        any::<SocketAddrV4>() => "0.0.0.0:0",
        any::<SocketAddrV6>() => "[::]:0",
        any::<SocketAddr>() => "0.0.0.0:0",
        any::<Duration>() => "0ns",
        from(any::<SystemTime>()).map(|it| it.duration_since(SystemTime::UNIX_EPOCH)) => "Ok(0ns)",
        any::<CString>() => r#""""#,
        any::<OsString>() => r#""""#,
        any::<PathBuf>() => r#""""#,
    }
    states {
        from(any::<AtomicBool>()).map(AtomicBool::into_inner) => "false",
        any::<AtomicI8>() => "0",
        any::<AtomicI16>() => "0",
        any::<AtomicI32>() => "0",
        any::<AtomicI64>() => "0",
        any::<AtomicIsize>() => "0",
        any::<AtomicU8>() => "0",
        any::<AtomicU16>() => "0",
        any::<AtomicU32>() => "0",
        any::<AtomicU64>() => "0",
        any::<AtomicUsize>() => "0",
        any::<atomic::Ordering>() => "SeqCst",
        any::<OnceCell<u8>>() => "OnceCell(<uninit>)",
        any::<OnceLock<u8>>() => "OnceLock(<uninit>)",
        any::<Poll<u8>>() => "Pending",
        any::<ControlFlow<u8, char>>() => "Continue('a')",
        any::<Pin<Box<u8>>>() => "0",
        any::<Pin<Rc<u8>>>() => "0",
        any::<Pin<Arc<u8>>>() => "0",
        any::<AssertUnwindSafe<u8>>() => "AssertUnwindSafe(0)",
        any::<Cursor<Vec<u8>>>() => "Cursor { inner: [], pos: 0 }",
        any::<PhantomPinned>() => "PhantomPinned",
        any::<io::Error>() => "Kind(Other)",
        any::<io::ErrorKind>() => "Other",
        any::<FpCategory>() => "Zero",
        any::<Shutdown>() => "Both",
        any::<Box<Path>>() => r#""""#,
        any::<Rc<Path>>() => r#""""#,
        any::<Arc<Path>>() => r#""""#,
        any::<Box<OsStr>>() => r#""""#,
        any::<Rc<OsStr>>() => r#""""#,
        any::<Arc<OsStr>>() => r#""""#,
        any::<Box<CStr>>() => r#""""#,
        any::<Rc<CStr>>() => r#""""#,
        any::<Arc<CStr>>() => r#""""#,
    }
    combinators {
        just(7) => "7",
        from(0..9).map(|it| it * 2) => "0",
        from(0..9).filter(|it| it % 4 < 2) => "0",
        from(0..9).filter(|it| it % 4 == 1) => "rejected by filter",
        from(0..9u8).and_then(|it| vec(any::<bool>(), usize::from(it))) => "[]",
        one_of([just(1).boxed(), from(5..9).boxed()]) => "1",
        weighted([(0, 7..9), (2, 0..2), (1, 3..9)]) => "0",
        recursive(from(0..9u8).map(Tree::Leaf), |tree| vec(tree, ..=4).map(Tree::Fork)) => "Leaf(0)",
        |src: &mut Source| one_of!(src, { a => 1, 3 * b => { src.draw(5..9) } c => src.draw(0..2) }) => "1",
        |src: &mut Source| one_of!(src, { a if src.bool() => 1, b if src.bool() => src.draw(5..9), 0 * c => 3 }) => "3",
        |src: &mut Source| one_of!(src, { a if src.bool() => 1 }) => "rejected by an open branch of `one_of!`",
        guarded_steps => "[]",
        nested_steps => "[]",
        |src: &mut Source| src.draw(vec(0..9, ..=4)) => "[]",
        optional(0..9) => "None",
        select(["tea", "milk"]) => r#""tea""#,
        &["tea", "milk"] => r#""tea""#,
        &["tea", "milk"][..] => r#""tea""#,
        subset(1..=9, 2..) => "[1, 2]",
        shuffle(1..=6) => "[1, 2, 3, 4, 5, 6]",
        chance(30) => "false",
        index() => "Index(0)",
        sized(|size| vec(any::<u8>(), ..=size / 10)) => "[]",
        from(any::<u64>()).filter(|it| it % 50 == 0) => "0",
        any::<i32>().neighbor(|it, _, src| it / 2 + src.int(-1, 1)) => "0",
        vec(from(0..9).neighbor(|it, _, src| src.int(0, it + 1)), ..=4) => "[]",
    }
}

/// Steps that open and shut, all of which are shut at some time.
fn guarded_steps(src: &mut Source) -> Vec<u8> {
    let mut res = Vec::new();
    steps!(src, ..=20, {
        push if res.len() < 3 => res.push(src.draw(0..9)),
        2 * pop if !res.is_empty() && res[0] != 5 => { res.pop(); }
        double if res.len() == 1 => { res[0] = u8::wrapping_mul(res[0], 2); continue; }
        stop if res.first() == Some(&3) => break,
        always => if src.bool() { res.push(5) },
    });
    res.push(src.draw(0..3));
    res.retain(|it| *it > 0);
    res
}

/// Steps within steps, and one that is left from within.
fn nested_steps(src: &mut Source) -> Vec<u8> {
    fn inner(src: &mut Source, res: &mut Vec<u8>) -> Option<()> {
        steps!(src, 1..=3, {
            add => res.push(src.draw(1..=3)),
            end if !res.is_empty() => res.pop().filter(|it| *it > 1)?.checked_sub(3)?,
        });
        Some(())
    }
    let mut res = Vec::new();
    steps!(src, ..=4, {
        one => res.push(src.draw(4..6)),
        more => if inner(src, &mut res).is_none() { res.push(src.draw(7..9)) },
    });
    res
}

/// A hasher without a seed of its own, so that two sets of the same values print alike.
type Fixed = BuildHasherDefault<DefaultHasher>;

#[derive(Debug)]
#[expect(dead_code, reason = "read by its Debug form")]
enum Tree {
    Leaf(u8),
    Fork(Vec<Tree>),
}

#[test]
fn overruns() {
    let many = |src: &mut Source| {
        src.list("many", 0, 1 << 17, |src, _| {
            src.bool();
        })
    };
    compare("many", &many, &[(0, 0, 20)]);
    assert!(fast(&many, 0, 0, 20).contains(&"overrun".to_string()));
}

/// What values that are not good shrink to.
#[test]
fn minima() {
    minimum(any::<NonZero<i8>>(), |it| it.get() >= 0, "-1");
    minimum(any::<Duration>(), |it| it.as_secs() < 100, "100s");
    minimum(any::<Ipv4Addr>(), |it| it.octets()[0] != 200, "200.0.0.0");
    minimum(any::<Range<i8>>(), |it| it.end < it.start.saturating_add(9), "0..9");
    minimum(any::<PathBuf>(), |it| it.iter().count() < 2, "\"/a\"");
    minimum(any::<VecDeque<u8>>(), |it| it.iter().all(|it| *it < 100), "[100]");
    minimum(any::<BTreeSet<u8>>(), |it| it.len() < 3, "{0, 1, 2}");
    minimum(any::<HashMap<u8, u8, Fixed>>(), |it| it.values().all(|it| *it < 9), "{0: 9}");
    minimum(btree_map('a'..='z', any::<bool>(), 1..), |it| !it.contains_key(&'k'), "{'k': false}");
    minimum(unique(0..50, 2..), |it| it.iter().sum::<i32>() < 60, "[11, 49]");
    minimum(string('a'..='z', 2..), |it| !it.contains('k'), "\"ak\"");
    minimum(subset(0..9, ..=9), |it| it.len() < 2, "[0, 1]");
    minimum(shuffle(0..5), |it| it[1] == 1, "[0, 2, 1, 3, 4]");
    minimum(index(), |it| it.of(10) < 3, "Index(1288490189)");
    let calls = |src: &mut Source| {
        let mut stack = Vec::new();
        for _ in 0..src.draw(0..=20) {
            one_of!(src, { push => stack.push(src.draw(0..9)), pop => { stack.pop(); } clear => stack.clear() });
        }
        stack
    };
    minimum(calls, |it| it.len() < 2 || it[0] <= it[1], "[1, 0]");
    minimum(guarded_steps, |it| it.len() < 3 || it[0] != 8, "[8, 5, 1]");
    minimum(nested_steps, |it| it.iter().filter(|it| **it > 3).count() < 2, "[4, 4]");
}

pub(crate) fn minimum<T: Debug>(generator: impl Generator<Value = T>, good: fn(&T) -> bool, simplest: &str) {
    let mut test = |src: &mut Source| {
        if !good(&generator.generate(src)) {
            crate::fail_with_error(&"not good");
        }
    };
    for seed in 0..5 {
        let budget = Budget { cases: 5000, rejects: 10, go_on: &mut |_| true, progress: Arc::default() };
        let found = search_random(seed, &mut test, budget).unwrap().failures.remove(0);
        let shrunk = shrink(found.case, &mut test, 5_000, &mut |_| true).unwrap();
        let replay = Replay::new(shrunk.case.trace.values(), Tail::Overrun);
        assert_eq!(recorded(&generator, Box::new(replay)).0, simplest, "seed {seed}");
    }
}

pub(crate) fn check<G: Generator<Value: Debug>>(name: &str, generator: &G, simplest: &str) {
    compare(name, generator, CASES);
    compare(name, generator, &(0..SEEDS).map(|seed| (seed, seed % 64 * 31, 1)).collect::<Vec<_>>());
    let (text, ..) = recorded(generator, Box::new(Replay::new(Vec::new(), Tail::Simplest)));
    assert_eq!(text, simplest, "{name}: simplest");
    assert_eq!(fast(generator, 5, 0, 1), [text], "{name}: the first random case is the simplest");
    for seed in 0..ASKED {
        let (text, values) = asked(generator, seed);
        if !text.starts_with("rejected") {
            let (again, ..) = recorded(generator, Box::new(Replay::new(values, Tail::Overrun)));
            assert_eq!(again, text, "{name}: asked, then replayed, seed {seed}");
        }
    }
    if let Ok(space) = Space::of(generator) {
        let mut source = Source::new(Box::new(space.replay(0, 11, None)));
        for _ in 0..LISTED {
            if source.begin().is_ok() {
                let case = run_case(&mut source, &mut |src: &mut Source| _ = generator.generate(src));
                source.end(&case.unwrap_or_else(|err| panic!("{name}: {}", err.message)));
            }
        }
    }
}

thread_local! {
    /// What is answered at random, and what was answered.
    static ANSWERS: RefCell<(Rng, Vec<Value>)> = RefCell::new((Rng::new(0), Vec::new()));
}

extern "C" fn any_word(kind: ScalarKind, min: u64, max: u64) -> u64 {
    ANSWERS.with_borrow_mut(|(rng, values)| {
        let span = match kind {
            ScalarKind::Length => max.wrapping_sub(min).min(3),
            ScalarKind::Open => max,
            _ => max.wrapping_sub(min).min(u64::MAX - 1),
        };
        let domain = kind.domain(min, max);
        let word = domain.at(rng.below(span + 1).into()).unwrap_or(domain.simplest());
        values.push(word);
        word.scalar().expect("it is not a float")
    })
}

/// The simplest member stays; what represents it in the list is of another kind, which replays as the simplest.
extern "C" fn simplest_member(_: &Domain, _: &mut Value) {
    ANSWERS.with_borrow_mut(|(_, values)| values.push(Value::Length(0)));
}

/// What one case makes whose questions functions answer, as text, with the answers.
fn asked<G: Generator<Value: Debug>>(generator: &G, seed: u64) -> (String, Vec<Value>) {
    ANSWERS.set((Rng::new(seed), Vec::new()));
    let mut source = Source::with_callbacks(Callbacks { scalar: any_word, other: simplest_member });
    let mut text = String::new();
    let mut test = |src: &mut Source| text = format!("{:?}", generator.generate(src));
    match run_case(&mut source, &mut test).expect("no misuse").verdict {
        Verdict::Pass => {}
        other => text = format!("rejected: {other:?}"),
    }
    (text, ANSWERS.replace((Rng::new(0), Vec::new())).1)
}

fn compare<G: Generator<Value: Debug>>(name: &str, generator: &G, cases: &[(u64, u64, u64)]) {
    for &(seed, first, cases) in cases {
        let fast = fast(generator, seed, first, cases);
        let mut engine: Box<dyn Engine> = Box::new(Random::at(seed, first));
        for (index, fast) in fast.iter().enumerate() {
            engine.begin().expect("the random engine always has a next case");
            let (text, trace, back) = recorded(generator, engine);
            engine = back;
            assert_eq!(*fast, text, "{name}: fast and recorded, seed {seed}, case {index}");
            if index < 50 {
                let engines: [Box<dyn Engine>; 2] = [
                    Box::new(Replay::new(trace.values(), Tail::Overrun)),
                    Box::new(ByteReplay::new(trace.to_bytes())),
                ];
                for engine in engines {
                    let (again, trace_again, _) = recorded(generator, engine);
                    assert_eq!(again, text, "{name}: replayed, seed {seed}, case {index}");
                    // The weights of a random case are its own.
                    let values = trace_again.values();
                    assert_eq!(values, trace.values(), "{name}: replayed, seed {seed}, case {index}");
                    assert_eq!(trace_again.spans, trace.spans, "{name}: replayed, seed {seed}, case {index}");
                }
            }
            if !text.starts_with("rejected") && text != "overrun" {
                check_lists(name, &trace);
            }
        }
    }
}

/// What the `cases` fast cases of `seed` from number `first` on make, as text.
fn fast<G: Generator<Value: Debug>>(generator: &G, seed: u64, first: u64, cases: u64) -> Vec<String> {
    let mut source = Source::fast(seed, first, Arc::default());
    let mut texts = Vec::new();
    while source.next_index() < first + cases {
        source.allow(first + cases);
        let mut test = |src: &mut Source| texts.push(format!("{:?}", generator.generate(src)));
        match run_batch(&mut source, &mut test) {
            BatchEnd::Done => {}
            BatchEnd::Reject(site) => texts.push(format!("rejected by {}", site.what)),
            BatchEnd::Overrun => texts.push("overrun".into()),
            other => panic!("{other:?}"),
        }
    }
    texts
}

/// What one case of `engine` makes, as text, with its trace.
fn recorded<G: Generator<Value: Debug>>(
    generator: &G,
    engine: Box<dyn Engine>,
) -> (String, Trace, Box<dyn Engine>) {
    let mut source = Source::new(engine);
    let mut text = String::new();
    let mut test = |src: &mut Source| text = format!("{:?}", generator.generate(src));
    let case = run_case(&mut source, &mut test).expect("no misuse");
    match case.verdict {
        Verdict::Pass => {}
        Verdict::Reject(site) => text = format!("rejected by {}", site.what),
        Verdict::Overrun => text = "overrun".into(),
        Verdict::Skipped => unreachable!("nothing is preferred"),
        Verdict::Fail(failure) => panic!("{failure:?}"),
    }
    (text, case.trace, source.into_engine())
}

fn check_lists(name: &str, trace: &Trace) {
    for (at, span) in trace.spans.iter().enumerate().filter(|(_, it)| it.kind == SpanKind::List) {
        let items = trace.children(at).filter(|&it| trace.spans[it].kind == SpanKind::Item).count();
        // A length that is fixed need not be asked for: then the first choice is an item's.
        let own = trace.children(at).next().is_none_or(|it| trace.spans[it].start > span.start);
        if own && let Some(first) = trace.choices[span.range()].first() {
            assert_eq!(first.value, Value::Length(items as u32), "{name}: a list and its items");
        }
    }
}
