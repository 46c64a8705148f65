//! How often random cases hit what bugs hide behind (the numbers behind the table in `sampler`), and what
//! their values have in common.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::net::Ipv4Addr;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::unwind::{BatchEnd, run_batch};
use crate::{Generate, Generator, Nesting, SIZE, Source, any, one_of};

/// Case 0 is the simplest one by definition; the shares are those of the others.
fn values<G: Generator>(generator: &G, seed: u64, cases: u64) -> Vec<G::Value> {
    let mut source = Source::fast(seed, 1, Arc::default());
    source.allow(cases + 1);
    let mut res = Vec::new();
    let end = run_batch(&mut source, &mut |src: &mut Source| res.push(generator.generate(src)));
    assert!(matches!(end, BatchEnd::Done), "{end:?}");
    res
}

/// For how many of 20 seeds one of 100 cases is a `T` with this shape.
fn seeds_that_hit<T: Generate>(shape: impl Fn(&T) -> bool) -> usize {
    (0..20).filter(|&seed| values(&any::<T>(), seed, 99).iter().any(&shape)).count()
}

/// The share of the first thousand cases of 20 seeds with this shape, in thousandths.
fn share<G: Generator>(generator: G, shape: impl Fn(&G::Value) -> bool) -> usize {
    (0..20).map(|seed| values(&generator, seed, 1000).iter().filter(|&it| shape(it)).count()).sum::<usize>()
        / 20
}

#[test]
fn edges_have_the_documented_shares() {
    let long = |src: &mut Source| src.length(0, 100_000, 100_000);
    // An edgy case is 12/32, an edge in it 1/2, one end of the domain 1/4 of that: 47 in a thousand, and one less
    // for the cases with a long list of one item.
    for (shape, share, documented) in [
        ("i64::MIN", share(any(), |&it: &i64| it == i64::MIN), 42..=52),
        ("i64::MAX", share(any(), |&it: &i64| it == i64::MAX), 42..=52),
        ("u8::MAX", share(any(), |&it: &u8| it == u8::MAX), 42..=52),
        ("i128::MIN", share(any(), |&it: &i128| it == i128::MIN), 42..=52),
        ("the least of a range", share(-1000..=3000, |&it| it == -1000), 42..=52),
        ("the greatest of a range", share(-1000..=3000, |&it| it == 3000), 42..=52),
        ("within 3 of zero", share(any(), |&it: &i64| it.unsigned_abs() <= 3), 150..=250),
        ("two equal i64", share(any(), |(a, b): &(i64, i64)| a == b), 120..=200),
        ("two i64 next to each other", share(any(), |(a, b): &(i64, i64)| a.abs_diff(*b) == 1), 40..=120),
        ("NaN", share(any(), |it: &f64| it.is_nan()), 42..=52),
        ("negative NaN", share(any(), |it: &f64| it.is_nan() && it.is_sign_negative()), 20..=30),
        ("infinity", share(any(), |&it: &f64| it == f64::INFINITY), 45..=60),
        ("negative zero", share(any(), |it: &f64| *it == 0.0 && it.is_sign_negative()), 4..=10),
        ("NUL", share(any(), |&it: &char| it == '\0'), 42..=52),
        ("not ASCII", share(any(), |it: &char| !it.is_ascii()), 250..=400),
        ("the longest Vec", share(any(), |it: &Vec<u8>| it.len() == SIZE as usize), 45..=60),
        ("the empty Vec", share(any(), |it: &Vec<u8>| it.is_empty()), 45..=75),
        ("a Vec of one", share(any(), |it: &Vec<u8>| it.len() == 1), 45..=75),
        ("50 characters", share(any(), |it: &String| it.chars().count() >= 50), 330..=500),
        ("the longest set", share(any(), |it: &BTreeSet<i32>| it.len() == SIZE as usize), 30..=60),
        ("a range the wrong way round", share(any(), |it: &Range<i64>| it.start > it.end), 20..=70),
        ("loopback", share(any(), |it: &Ipv4Addr| it.is_loopback()), 15..=60),
        ("the greatest duration", share(any(), |&it: &Duration| it == Duration::MAX), 100..=150),
        ("the empty path", share(any(), |it: &PathBuf| it.as_os_str().is_empty()), 10..=60),
        ("an absolute path", share(any(), |it: &PathBuf| it.is_absolute()), 100..=400),
        ("a path that climbs", share(any(), |it: &PathBuf| it.iter().any(|it| it == "..")), 100..=500),
        ("a string that is not Unicode", share(any(), |it: &OsString| it.to_str().is_none()), 100..=333),
        ("a chance of 30 in a hundred", share(chance(30), |&it| it), 270..=330),
        ("the last position", share(index(), |it| it.of(10) == 9), 80..=200),
        ("a short one of long lists", share(long, |&it| it < 1000), 550..=720),
        ("the longest of long lists", share(long, |&it| it == 100_000), 40..=50),
    ] {
        assert!(documented.contains(&share), "{shape}: {share} in a thousand cases, not {documented:?}");
    }
}

/// Edges of numbers that have no share of their own in the table: in 5,000 cases of each of 20 seeds.
#[test]
fn powers_of_two_are_met() {
    fn seeds<T: Generate>(shape: impl Fn(&T) -> bool) -> usize {
        (0..20).filter(|&seed| values(&any::<T>(), seed, 5000).iter().any(&shape)).count()
    }
    fn exponents<T: Generate>(distance: impl Fn(T) -> u128) -> usize {
        let all = (0..20).flat_map(|seed| values(&any::<T>(), seed, 5000)).map(distance);
        let beside = all.filter_map(|it| (0..128u32).find(|&exponent| it.abs_diff(1 << exponent) <= 1));
        beside.collect::<BTreeSet<_>>().len()
    }
    let all = [exponents(|it: u128| it), exponents(i128::unsigned_abs)];
    assert!(all.iter().all(|it| *it >= 90), "beside {all:?} of 128 powers");
    let beside = |it: u128, exponent: u32| it.abs_diff(1 << exponent) <= 1;
    for exponent in [31, 32, 63, 64] {
        let wide = seeds(|&it: &u128| beside(it, exponent));
        let signed = seeds(|&it: &i128| beside(it.unsigned_abs(), exponent));
        assert!(wide >= 8 && signed >= 14, "beside 2^{exponent}: {wide} and {signed} of 20 seeds");
    }
    for exponent in [24, 31, 53, 63, 64] {
        let power = 2f64.powi(exponent);
        let (at, below, above) = (power, (power - 1.0).min(power.next_down()), power + 1.0);
        let both = [seeds(move |&it: &f64| it == at), seeds(move |&it: &f32| f64::from(it) == at)];
        let beside = seeds(move |&it: &f64| it.abs() >= below && it.abs() <= above.max(power.next_up()));
        assert!(both.iter().all(|it| *it >= 10), "2^{exponent}: {both:?} of 20 seeds");
        assert_eq!(beside, 20, "beside 2^{exponent}");
    }
    let whole = |code: u32| seeds(move |&it: &char| it as u32 == code);
    for code in [0x7f, 0x80, 0xff, 0x100, 0x7ff, 0x800, 0xffff, 0x1_0000] {
        assert!(whole(code) >= 16, "{code:x}: {} of 20 seeds", whole(code));
    }
    let ends = |of: fn(&Duration) -> u128, most: u128| seeds(move |it: &Duration| of(it).abs_diff(most) <= 1);
    assert_eq!(ends(Duration::as_nanos, u64::MAX.into()), 20, "nanoseconds in a u64");
    assert_eq!(ends(Duration::as_millis, u32::MAX.into()), 20, "milliseconds in a u32");
}

#[derive(Debug)]
struct OptionChain(Option<Box<OptionChain>>);

#[derive(Debug)]
struct RoseTree(Vec<RoseTree>);

#[derive(Debug)]
enum BinaryTree {
    Leaf,
    Node(Box<BinaryTree>, Box<BinaryTree>),
}

impl Generate for OptionChain {
    fn generate(src: &mut Source) -> Self {
        src.nest("OptionChain", |src| OptionChain(Generate::generate(src)))
    }
}

impl Generate for RoseTree {
    fn generate(src: &mut Source) -> Self {
        src.nest("RoseTree", |src| RoseTree(Generate::generate(src)))
    }
}

impl Generate for BinaryTree {
    fn generate(src: &mut Source) -> Self {
        src.nest("BinaryTree", |src| {
            let weights = match src.nesting() {
                Nesting::End => [1, 0],
                Nesting::Free => [1, 1],
                Nesting::On => [0, 1],
            };
            match src.pick_weighted(&weights) {
                0 => BinaryTree::Leaf,
                _ => BinaryTree::Node(Generate::generate(src), Generate::generate(src)),
            }
        })
    }
}

impl OptionChain {
    fn depth(&self) -> usize {
        self.0.as_ref().map_or(0, |it| 1 + it.depth())
    }
}

impl RoseTree {
    fn depth(&self) -> usize {
        self.0.iter().map(|it| 1 + it.depth()).max().unwrap_or(0)
    }
}

impl BinaryTree {
    fn depth(&self) -> usize {
        match self {
            BinaryTree::Leaf => 0,
            BinaryTree::Node(left, right) => 1 + left.depth().max(right.depth()),
        }
    }

    /// How often it goes on with the second in a row.
    fn second(&self) -> usize {
        match self {
            BinaryTree::Leaf => 0,
            BinaryTree::Node(_, second) => 1 + second.second(),
        }
    }

    fn is_full(&self, depth: usize) -> bool {
        match self {
            BinaryTree::Leaf => depth == 0,
            BinaryTree::Node(left, right) => depth > 0 && left.is_full(depth - 1) && right.is_full(depth - 1),
        }
    }
}

/// Every depth and length of the table in `sampler`, by each of 20 seeds within a thousand cases.
#[test]
fn deep_and_long_values_are_met() {
    fn met<T: Generate>(what: &str, least: usize, shape: impl Fn(&T) -> bool) {
        for seed in 0..20 {
            let n = values(&any::<T>(), seed, 999).iter().filter(|it| shape(it)).count();
            assert!(n >= least, "{what}: {n} cases of seed {seed}");
        }
    }
    for depth in [1, 4, 7, 12, 19] {
        met(&format!("a chain of {depth}"), 1, |it: &OptionChain| it.depth() == depth);
        met(&format!("a rose of {depth}"), 1, |it: &RoseTree| it.depth() == depth);
        met(&format!("a tree of {depth}"), 1, |it: &BinaryTree| it.depth() == depth);
    }
    met("a chain of 30 or more", 5, |it: &OptionChain| it.depth() >= 30);
    met("a tree that goes on with the second", 1, |it: &BinaryTree| it.second() >= 7);
    met("a tree with all branches", 10, |it: &BinaryTree| it.is_full(6));
    for len in [127, 128, 129, 255, 256, 257, 512, 1024] {
        met(&format!("{len} bytes"), 1, |it: &Vec<u8>| it.len() == len);
        met(&format!("{len} characters"), 1, |it: &String| it.chars().count() == len);
    }
    met("a map of 256", 1, |it: &HashMap<u32, u8>| it.len() == 256);
    met("a row of 128 or more", 3, |it: &Vec<Vec<u8>>| it.iter().any(|row| row.len() >= 128));
    met("128 or more in the third", 3, |it: &(String, String, Vec<u8>)| it.2.len() >= 128);
    met("256 alike", 1, |it: &Vec<u8>| it.len() == 256 && it.iter().all(|it| *it == 0));
}

#[test]
fn shapes_are_hit_within_a_hundred_cases() {
    let twice = |v: &[i32], x: i32| v.iter().filter(|&&it| it == x).count() >= 2;
    for (shape, seeds) in [
        ("i64::MIN", seeds_that_hit(|&it: &i64| it == i64::MIN)),
        ("two equal i64", seeds_that_hit(|(a, b): &(i64, i64)| a == b)),
        ("a Vec<i32> with a duplicate", seeds_that_hit(|v: &Vec<i32>| v.iter().any(|&x| twice(v, x)))),
        ("NaN", seeds_that_hit(|it: &f64| it.is_nan())),
        ("the character NUL", seeds_that_hit(|&it: &char| it == '\0')),
        ("50 bytes", seeds_that_hit(|v: &Vec<u8>| v.len() >= 50)),
        ("an i32 twice in a Vec<i32>", seeds_that_hit(|(v, x): &(Vec<i32>, i32)| twice(v, *x))),
    ] {
        assert!(seeds >= 19, "{shape}: within 100 cases for {seeds} of 20 seeds");
    }
}

#[test]
fn values_are_what_their_generators_promise() {
    for v in values(&unique(0..40, 2..=30), 3, 500) {
        let set = BTreeSet::from_iter(&v);
        assert!(set.len() == v.len() && (2..=30).contains(&v.len()), "{v:?}");
    }
    for set in values(&btree_set(0..9, 1..), 3, 500) {
        assert!((1..=9).contains(&set.len()), "{set:?}");
    }
    for v in values(&subset(1..=9, 2..=4), 3, 500) {
        assert!(v.is_sorted_by(|a, b| a < b) && (2..=4).contains(&v.len()), "{v:?}");
    }
    let mut orders = BTreeSet::new();
    for v in values(&shuffle(1..=4), 3, 500) {
        let mut sorted = v.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, [1, 2, 3, 4]);
        orders.insert(v);
    }
    assert_eq!(orders.len(), 24, "every order of four");
    for it in values(&vec_deque(0..9, 2..), 3, 500) {
        assert!(!it.as_slices().1.is_empty(), "{it:?} lies in one part");
    }
    let calls = |src: &mut Source| one_of!(src, { a => 'a', 2 * b => { 'b' }, 5 * c => { 'c' } d => 'd' });
    let share = |branch| share(calls, |&it| it == branch);
    let weights = [1, 2, 5, 1];
    for (at, branch) in (0..).zip("abcd".chars()) {
        // Half of the cases leave out each branch with a chance of one half; all of them is none.
        let weight_in = |set: u32, i: u32| f64::from(if set >> i & 1 == 1 { weights[i as usize] } else { 0 });
        let share_in = |set: u32| weight_in(set, at) / (0..4).map(|i| weight_in(set, i)).sum::<f64>();
        let swarm: f64 = (0..16).map(|it| share_in(if it == 0 { 15 } else { it }) / 16.0).sum();
        let expected = 500.0 * (share_in(15) + swarm);
        assert!((share(branch) as f64 - expected).abs() < 20.0, "{branch}: {} {expected}", share(branch));
    }
}
