//! Counts, indices and samples against what the exhaustive engine meets, and against numbers known from
//! elsewhere.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::OsString;
use std::net::{IpAddr, SocketAddr};
use std::num::NonZero;
use std::ops::Bound;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, SystemTime};

use super::*;
use crate::{
    Bounds, Combine, Ended, Engine, Exhaustive, Generate, Replay, Source, Tail, Trace, Verdict, any, bytes,
    chance, from, index, just, one_of, optional, recursive, run_case, select, shuffle, sized, string, subset,
    unique, vec, vec_deque, weighted,
};

/// The traces of all cases of `engine`, and why it ended.
fn run(engine: impl Engine + 'static, generator: &dyn Fn(&mut Source)) -> (Vec<Trace>, Ended) {
    let mut source = Source::new(Box::new(engine));
    let mut traces = Vec::new();
    loop {
        if let Err(ended) = source.begin() {
            return (traces, ended);
        }
        let case = run_case(&mut source, &mut |src: &mut Source| generator(src)).unwrap();
        assert_eq!(case.verdict, Verdict::Pass);
        source.end(&case);
        traces.push(case.trace);
    }
}

fn check<G: Generator>(name: &str, size_max: u64, generator: &G) {
    let draw = |src: &mut Source| _ = generator.generate(src);
    let mut space = Space::of(generator).unwrap();
    let n: u128 = (0..=size_max).map(|size| space.count(size).unwrap()).sum();
    assert!(n < 200_000, "{name} has {n}, too many for this test");
    let (met, _) = run(Exhaustive::new(Bounds { size: Some(size_max), inputs: None }), &draw);
    let mut by_size = HashMap::new();
    met.iter().for_each(|it| *by_size.entry(it.size()).or_insert(0) += 1);
    for size in 0..=size_max {
        let expected = by_size.get(&size).copied().unwrap_or(0);
        assert_eq!(space.count(size), Some(expected), "{name} of size {size}");
    }

    let (listed, ended) = run(Space::of(generator).unwrap().replay(0, 1, Some(size_max)), &draw);
    let is_whole = space.is_whole_up_to(Some(size_max));
    assert_eq!(ended == Ended::Complete, is_whole, "{name}");
    assert!(listed.is_sorted_by_key(Trace::size), "{name}: smaller inputs first");
    assert_eq!(listed.len(), met.len(), "{name}");
    let values = |it: &[Trace]| it.iter().map(Trace::values).collect::<HashSet<_>>();
    assert!(values(&listed) == values(&met), "{name}: every input once");

    for at in (0..listed.len()).step_by(1 + listed.len() / 50) {
        let values = space.nth(at as u128).unwrap();
        assert_eq!(values, listed[at].values(), "{name}: the same by any way");
        let mut source = Source::new(Box::new(Replay::new(values, Tail::Overrun)));
        let case = run_case(&mut source, &mut |src: &mut Source| draw(src)).unwrap();
        assert_eq!(case.trace, listed[at], "{name}: replayed");
    }
    if let Some(total) = space.total() {
        assert!(listed.len() as u128 <= total, "{name}");
        assert_eq!(space.nth(total), None, "{name}: nothing is past the end");
    }
}

/// Trees without the help of a derive.
#[derive(Debug)]
#[allow(dead_code, reason = "drawn and not read")]
enum Tree {
    Leaf,
    Node(Box<(Tree, Tree)>),
}

impl Generate for Tree {
    fn generate(source: &mut Source) -> Self {
        source.nest("Tree", |src| match src.pick(2) {
            0 => Tree::Leaf,
            _ => Tree::Node(Generate::generate(src)),
        })
    }

    fn space(spaces: &mut Spaces) -> Part {
        spaces.named("Tree", |spaces| {
            let parts = [spaces.nothing(), <(Tree, Tree)>::space(spaces)];
            let either = spaces.pick(&parts);
            spaces.nest(either)
        })
    }
}

/// Trees whose lists become shorter the deeper they are.
#[derive(Debug)]
#[allow(dead_code, reason = "drawn and not read")]
struct Rose {
    children: Vec<Rose>,
}

impl Generate for Rose {
    fn generate(source: &mut Source) -> Self {
        source.nest("Rose", |src| Rose { children: Vec::generate(src) })
    }

    fn space(spaces: &mut Spaces) -> Part {
        spaces.named("Rose", |spaces| {
            let children = <Vec<Rose>>::space(spaces);
            spaces.nest(children)
        })
    }
}

/// Twelve groups and a list in the innermost: past the eighth, each halves the budget.
#[derive(Debug)]
#[allow(dead_code, reason = "drawn and not read")]
struct Deep(Vec<()>);

impl Generate for Deep {
    fn generate(source: &mut Source) -> Self {
        fn group(source: &mut Source, levels: u32) -> Vec<()> {
            match levels {
                0 => Vec::generate(source),
                _ => source.group("Deep", |src| group(src, levels - 1)),
            }
        }
        Deep(group(source, 12))
    }

    fn space(spaces: &mut Spaces) -> Part {
        let list = <Vec<()>>::space(spaces);
        (0..12).fold(list, |part, _| spaces.group(part))
    }
}

/// One value of each size, until they nest too deep to be drawn.
#[derive(Debug)]
#[allow(dead_code, reason = "drawn and not read")]
struct Nat(Option<Box<Nat>>);

impl Generate for Nat {
    fn generate(source: &mut Source) -> Self {
        source.nest("Nat", |src| Nat(Generate::generate(src)))
    }

    fn space(spaces: &mut Spaces) -> Part {
        spaces.named("Nat", |spaces| {
            let option = <Option<Nat>>::space(spaces);
            spaces.nest(option)
        })
    }
}

macro_rules! table {
    ($($size:literal $generator:expr;)+) => {
        #[test]
        fn counts_and_indices_agree_with_the_exhaustive_engine() {
            $(check(stringify!($generator), $size, &from($generator));)+
        }
    };
}

table! {
    3 any::<()>();
    3 any::<(bool, bool)>();
    9 any::<u128>();
    9 (1u128 << 127) - 3..=(1 << 127) + 2;
    9 (1u128 << 127) + 5..;
    9 any::<(i8, NonZero<i16>, NonZero<u8>)>();
    5 -3..=-1;
    5 7..8;
    5 ..'c';
    12 any::<char>();
    3 any::<(f64, f32, bool)>();
    3 (0.0f32..1.0, 0.5..=0.5);
    5 any::<[Option<bool>; 5]>();
    5 [from(0..=3u8).boxed(), just(7u8).boxed(), any().boxed()];
    4 any::<(Result<Rc<bool>, char>, Bound<u8>, std::cmp::Ordering, std::ops::RangeTo<u8>)>();
    8 any::<Vec<bool>>();
    7 any::<Vec<Vec<i8>>>();
    6 any::<String>();
    7 vec(any::<bool>(), 2..);
    7 vec(vec(0..=2, 2), 1..=3);
    7 vec_deque(bytes(..=2), 3..);
    7 string("ab".chars().collect::<Vec<_>>().as_slice(), 0..4);
    9 vec(just(1), 150..=153);
    6 optional((select(["a", "b", "c"]), &[1, 2], chance(30), chance(100), index()));
    6 one_of([just(0).boxed(), from(5..9).map(|n| n * 2).boxed(), any().boxed()]);
    6 weighted([(0, just(false).boxed()), (3, any::<bool>().boxed()), (1, just(true).boxed())]);
    9 shuffle(1..=4);
    6 recursive(from(0..2).boxed(), |it| (it.clone(), it).map_both());
    5 recursive(just(0), |it| { let it = it.boxed(); vec(it, 0..=3).map(|v| v.len() as i32) });
    7 any::<Tree>();
    10 any::<Rose>();
    14 any::<Deep>();
    55 vec(any::<Vec<()>>(), 1..=2);
    20 any::<Nat>();
    4 any::<(IpAddr, SocketAddr)>();
    4 any::<(Duration, SystemTime)>();
    3 any::<(PathBuf, OsString, std::ffi::CString)>();
}

/// A pair of numbers as their sum, to have one type for leaf and branch.
trait MapBoth {
    fn map_both(self) -> impl Generator<Value = i32>;
}

impl<G: Generator<Value = i32>> MapBoth for (G, G) {
    fn map_both(self) -> impl Generator<Value = i32> {
        from(self).map(|(a, b)| a + b)
    }
}

#[test]
fn totals_are_known() {
    for (name, mut space, total) in [
        ("two coins", Space::of(&any::<(bool, bool)>()), Some(4)),
        ("two bytes", Space::of(&any::<(u8, u8)>()), Some(65_536)),
        ("maybe a coin", Space::of(&any::<Option<bool>>()), Some(3)),
        ("orders of ten", Space::of(&shuffle(0..10)), Some(3_628_800)),
        // The exhaustive engine visits each of them once; here their choices are counted.
        ("lists of nothing", Space::of(&any::<Vec<()>>()), Some(1 << 32)),
        ("long lists of nothing", Space::of(&vec(just(()), 0..=4_000_000_000)), Some(4_000_000_001)),
        ("wide integers", Space::of(&any::<i128>()), None),
        ("as many as fit", Space::of(&(i128::MIN + 2..)), Some(u128::MAX - 1)),
        ("u128", Space::of(&any::<u128>()), None),
        ("lists of bytes", Space::of(&any::<Vec<u8>>()), None),
        ("nested no deeper than a source allows", Space::of(&any::<Nat>()), Some(256)),
        ("trees", Space::of(&any::<Tree>()), None),
    ]
    .map(|(name, space, total)| (name, space.unwrap(), total))
    {
        assert_eq!(space.total(), total, "{name}");
        if let Some(total) = total {
            assert_eq!(space.nth(total), None, "{name}");
        }
    }
}

#[test]
fn counts_are_known() {
    let mut trees = Space::of(&any::<Tree>()).unwrap();
    let catalan = |n: u128| (1..=n).fold(1, |it, k| it * 2 * (2 * k - 1) / (k + 1));
    for nodes in [0, 1, 2, 3, 10, 40, 60] {
        assert_eq!(trees.count(nodes as u64), Some(catalan(nodes)), "trees of {nodes} nodes");
    }
    assert_eq!(trees.count(100), None, "more than a number holds");

    // A coin of a list costs one for being there and one where it is true: Fibonacci's numbers.
    let mut bits = Space::of(&any::<Vec<bool>>()).unwrap();
    let counts: Vec<u128> = (0..10).map(|size| bits.count(size).unwrap()).collect();
    assert_eq!(counts, [1, 1, 2, 3, 5, 8, 13, 21, 34, 55]);
}

#[test]
fn far_indices_are_found() {
    let mut ints = Space::of(&any::<i64>()).unwrap();
    let answer = |it: i64| Some(vec![Value::Int(it.into())]);
    assert_eq!(ints.nth(u128::from(u64::MAX)), answer(i64::MIN));
    assert_eq!(ints.nth(u128::from(u64::MAX) - 1), answer(i64::MIN + 1));
    assert_eq!(ints.nth(1 << 64), None);
    // Both within a size whose inputs are more than can be counted.
    let generator = any::<Vec<(Tree, Tree, u64)>>();
    let mut space = Space::of(&generator).unwrap();
    for index in [1 << 100, u128::MAX] {
        let values = space.nth(index).unwrap();
        let mut source = Source::new(Box::new(Replay::new(values.clone(), Tail::Overrun)));
        let case = run_case(&mut source, &mut |src: &mut Source| _ = generator.generate(src)).unwrap();
        assert_eq!((&case.verdict, case.trace.values()), (&Verdict::Pass, values), "{index}");
    }
}

#[test]
fn samples_are_even() {
    let mut rng = Rng::new(3);
    let mut space = Space::of(&any::<(Vec<bool>, Option<u8>)>()).unwrap();
    let n = (0..=5).map(|size| space.count(size).unwrap()).sum::<u128>() as u32;
    let mut seen = HashMap::new();
    for _ in 0..n * 100 {
        *seen.entry(space.sample(&mut rng, 5).unwrap()).or_insert(0u32) += 1;
    }
    assert_eq!(seen.len() as u32, n, "every one");
    let (least, most) = (seen.values().min().unwrap(), seen.values().max().unwrap());
    assert!(60 <= *least && *most <= 150, "100 of each, not {least} and {most}");
    assert_eq!(Space::of(&any::<u128>()).unwrap().sample(&mut rng, u64::MAX), None);
    assert_eq!(Space::of(&just(1)).unwrap().sample(&mut rng, 0), Some(vec![]));
}

#[test]
fn unknown_spaces_say_why() {
    #[derive(Debug)]
    struct Endless;
    impl Generate for Endless {
        fn generate(_: &mut Source) -> Self {
            Endless
        }
        fn space(spaces: &mut Spaces) -> Part {
            spaces.named("Endless", |spaces| {
                let parts = [u8::space(spaces), <Box<Endless>>::space(spaces)];
                spaces.sequence(&parts)
            })
        }
    }
    #[derive(Debug)]
    struct Named;
    impl Generate for Named {
        fn generate(_: &mut Source) -> Self {
            Named
        }
        fn space(spaces: &mut Spaces) -> Part {
            spaces.named("Named", <Option<BTreeSet<bool>>>::space)
        }
    }
    fn even(source: &mut Source) -> u8 {
        source.int(0, 9) * 2
    }
    let (line, filter) = (line!(), any::<u8>().filter(|it| it % 2 == 0));
    let column = "    let (line, filter) = (line!(), any::<u8>().".len() + 1;
    let filter_text = format!("`filter` at {}:{line}:{column}", file!());
    let unknown = |what: &str| {
        format!(
            "the inputs cannot be counted without drawing them, because of {what}; \
             build them of types, ranges, `vec`, `one_of` and `map`"
        )
    };
    let set = "alloc::collections::btree::set::BTreeSet<bool>";
    for (space, message) in [
        (Space::of(&vec(filter, 0..3)), unknown(&filter_text)),
        (Space::of(&(any::<u8>(), from(0..3).and_then(|n| 0..=n))), unknown("`and_then`")),
        (Space::of(&even), unknown(&format!("the code of `{}`", std::any::type_name_of_val(&even)))),
        (Space::of(&sized(|n| 0..=n)), unknown("`sized`")),
        (Space::of(&any::<Named>()), unknown(&format!("`{set}` in `Named`"))),
        (Space::of(&(..u8::MIN)), unknown("..0, which is empty")),
        (Space::of(&subset([1], 2..=3)), unknown("`subset`")),
        (Space::of(&select([0; 0])), unknown("a pick among nothing")),
        (
            Space::of(&any::<Option<Endless>>()),
            "`Endless` has no end: the simplest one contains another; \
             give it a variant without itself, or put it behind an Option or a Vec"
                .to_string(),
        ),
    ] {
        assert_eq!(space.unwrap_err().to_string(), message);
    }
    assert!(Space::of(&unique(0..9, 0..3)).is_err());
    assert!(Space::of(&vec(sized(|n| 0..=n), 0)).is_ok(), "of nothing, nothing needs to be known");
}

/// A generator whose description is not what it draws.
struct Lie<G>(G, fn(&mut Spaces) -> Part);

impl<G: Generator> Generator for Lie<G> {
    type Value = G::Value;

    fn generate(&self, source: &mut Source) -> G::Value {
        self.0.generate(source)
    }

    fn space(&self, spaces: &mut Spaces) -> Part {
        (self.1)(spaces)
    }
}

#[test]
fn wrong_descriptions_are_internal_errors() {
    fn error<G: Generator>(lie: Lie<G>) -> String {
        let mut source = Source::new(Box::new(Space::of(&lie).unwrap().replay(0, 1, None)));
        source.begin().unwrap();
        match run_case(&mut source, &mut |src: &mut Source| _ = lie.generate(src)) {
            Err(misuse) => misuse.message,
            Ok(case) => {
                let ended = std::panic::AssertUnwindSafe(|| source.end(&case));
                *std::panic::catch_unwind(ended).unwrap_err().downcast::<String>().unwrap()
            }
        }
    }
    for (message, expected) in [
        (error(Lie(any::<(u8, u8)>(), u8::space)), "asked for Int { min: 0, max: 255, origin: 0 } after the"),
        (error(Lie(any::<u8>(), <(u8, bool)>::space)), "asked for nothing where Bool was"),
        (error(Lie(any::<u16>(), u8::space)), "max: 65535, origin: 0 } where Int { min: 0, max: 255"),
        (
            error(Lie(vec(0..3, 0..=3), <Vec<u8>>::space)),
            "max: 3, usual: 3 } where Length { min: 0, max: 4294967295, ",
        ),
    ] {
        assert!(message.starts_with("internal error: ") && message.contains(expected), "{message}");
    }
}

#[test]
fn shards_share_the_inputs() {
    let generator = any::<(Option<u8>, bool)>();
    let draw = |src: &mut Source| _ = generator.generate(src);
    let listed = |first, step, max| run(Space::of(&generator).unwrap().replay(first, step, max), &draw);
    let (all, ended) = listed(0, 1, None);
    assert_eq!((all.len(), ended), (257 * 2, Ended::Complete));
    let mut shards = vec![None; all.len()];
    for first in 0..7 {
        let (traces, ended) = listed(first as u128, 7, None);
        assert_eq!(ended, Ended::Exhausted);
        for (i, trace) in traces.into_iter().enumerate() {
            assert_eq!(shards[first + i * 7].replace(trace), None);
        }
    }
    assert!(shards.into_iter().eq(all.iter().cloned().map(Some)));
    let small = all.iter().filter(|it| it.size() <= 9).count();
    assert_eq!(listed(0, 1, Some(9)), (all[..small].to_vec(), Ended::Complete));
    assert_eq!(listed(u128::MAX, 1, None), (vec![], Ended::Exhausted));
}
