//! Draws values of derived types.
#![allow(dead_code)]

use std::marker::PhantomData;

use probity::{
    Bounds, Budget, Engine, Exhaustive, Generate, Lazy, Source, Space, Verdict, any, lazy, run_case, sample,
    search_exhaustive, vec,
};
use probity_macros::Generate;

#[derive(Debug, Generate)]
struct Unit;

#[derive(Debug, PartialEq, Generate)]
enum Color {
    Red,
    #[weight(3)]
    Green,
    #[skip]
    Infrared,
    #[weight(0)]
    Blue,
}

#[derive(Debug, Generate)]
struct Tuple(u8, #[from(10..20)] i32, #[skip] String);

#[derive(Debug, Generate)]
struct Named {
    max: u8,
    #[from(0..=max)]
    min: u8,
    #[from(vec(any::<Color>(), 0..=usize::from(min)))]
    source: Vec<Color>,
    r#type: bool,
}

#[derive(Debug, Generate)]
enum Tree<T> {
    Node(Box<Tree<T>>, Box<Self>),
    Leaf { value: T },
    Many(Vec<Tree<T>>),
}

#[derive(Debug, Generate)]
struct Chain {
    next: Option<Box<Chain>>,
}

#[derive(Debug, Generate)]
struct Limits<T: Clone, U, V, const N: usize = 3>
where
    U: Copy,
{
    items: Vec<T>,
    #[from(0..=N)]
    n: usize,
    #[skip]
    unused: (U, Option<V>),
    #[skip]
    marker: PhantomData<V>,
}

#[derive(Debug, Generate)]
#[probity(crate = crate::probity)]
enum Only {
    One(#[skip] u8),
}

#[derive(Debug, Generate)]
#[invariant(self.low <= self.high)]
#[invariant(|it| it.high - it.low < 100)]
#[invariant(Self::is_even)]
struct Range {
    low: u8,
    high: u8,
}

impl Range {
    fn is_even(&self) -> bool {
        (self.low + (self.high - self.low) / 2).is_multiple_of(2)
    }
}

/// An invariant with all that `self` may be in, on a type with parameters and without a draw.
#[derive(Debug, Generate)]
#[invariant({
    let this = matches!(self, Fixed { item, .. } if item.is_none() == [self.item.is_none()][0]);
    this && self::is_unset(self)
})]
struct Fixed<T> {
    #[skip]
    item: Option<T>,
}

fn is_unset<T>(fixed: &Fixed<T>) -> bool {
    fixed.item.is_none()
}

#[derive(Debug, Generate)]
enum Subtree {
    Leaf,
    Node {
        left: Lazy<Subtree>,
        #[from(lazy(1..=KEYS))]
        key: Lazy<u8>,
        right: Lazy<Subtree>,
    },
}

const KEYS: u8 = 4;

impl Subtree {
    fn is_between(&self, low: u8, high: u8) -> bool {
        match self {
            Subtree::Leaf => true,
            Subtree::Node { left, key, right } => {
                (low..=high).contains(key)
                    && left.is_between(low, **key - 1)
                    && right.is_between(**key + 1, high)
            }
        }
    }
}

const INVARIANT_LINE: u32 = line!() + 3;

#[derive(Debug, Generate)]
#[invariant(self.root.is_between(1, KEYS))]
struct SearchTree {
    root: Subtree,
}

fn leaves<T>(tree: &Tree<T>) -> usize {
    match tree {
        Tree::Node(a, b) => leaves(a) + leaves(b),
        Tree::Leaf { .. } => 1,
        Tree::Many(all) => all.iter().map(leaves).sum(),
    }
}

/// How many inputs `engine` runs.
fn n_cases<T: Generate>(engine: Box<dyn Engine>) -> usize {
    let mut source = Source::new(engine);
    let mut n = 0;
    while source.begin().is_ok() {
        let case = run_case(&mut source, &mut |src: &mut Source| _ = T::generate(src)).unwrap();
        n += usize::from(case.verdict == Verdict::Pass);
        source.end(&case);
    }
    n
}

/// Inputs by index are an error where the space of a type is not what it draws.
fn check_space<T: Generate>(size: u64, total: Option<u128>) {
    let mut space = Space::of(&any::<T>()).unwrap();
    assert_eq!(space.total(), total, "{}", std::any::type_name::<T>());
    let listed = space.replay(0, 1, Some(size));
    let exhaustive = Exhaustive::new(Bounds { size: Some(size), inputs: None });
    assert_eq!(n_cases::<T>(Box::new(listed)), n_cases::<T>(Box::new(exhaustive)));
}

#[test]
fn spaces_are_what_is_drawn() {
    check_space::<Unit>(9, Some(1));
    check_space::<Only>(9, Some(1));
    check_space::<Color>(9, Some(3));
    check_space::<Tuple>(9, Some(256 * 10));
    check_space::<Limits<u8, i64, Unit, 4>>(5, None);
    check_space::<Tree<bool>>(5, None);
    check_space::<Chain>(300, Some(256));
    let err = Space::of(&any::<Option<Named>>()).unwrap_err().to_string();
    assert!(err.contains("because of `min`, whose generator uses `max` in `it::derive::Named`; "), "{err}");
}

fn check<T: Generate>(mut law: impl FnMut(T) -> bool) {
    for seed in 0..200 {
        assert!(law(sample(&any(), seed)), "{} of seed {seed}", std::any::type_name::<T>());
    }
}

#[test]
fn values_keep_what_their_type_says() {
    check(|Unit| true);
    check(|Tuple(_, b, c)| (10..20).contains(&b) && c.is_empty());
    check(|it: Named| it.min <= it.max && it.source.len() <= usize::from(it.min));
    check(|it: Limits<u8, i64, Unit, 4>| it.n <= 4 && it.unused.0 == 0 && it.unused.1.is_none());
    check(|Only::One(it)| it == 0);
    check(|it: Range| it.low <= it.high && it.high - it.low < 100 && it.is_even());
    check(|it: Fixed<Range>| it.item.is_none());
}

#[test]
fn recursive_values_end() {
    let mut most = 0;
    check(|tree: Tree<u8>| {
        most = most.max(leaves(&tree));
        leaves(&tree) < 1_000
    });
    assert!(most > 20, "trees grow, but the greatest of them has {most} leaves");
    check(|_: Chain| true);
}

#[test]
fn variants_come_as_their_weights_say() {
    let (mut red, mut green) = (0, 0);
    check(|color| match color {
        Color::Red => {
            red += 1;
            true
        }
        Color::Green => {
            green += 1;
            true
        }
        Color::Infrared | Color::Blue => false,
    });
    assert!(red > 20 && green > 2 * red, "{red} red, {green} green");
}

#[test]
fn lazy_parts_are_drawn_no_further_than_the_invariant_reads() {
    let budget = Budget { cases: 1 << 16, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
    let mut test = |src: &mut Source| drop(src.any::<SearchTree>());
    let finding = search_exhaustive(Bounds::default(), &mut test, budget).unwrap();
    let reach = finding.evidence.reach.unwrap();
    assert!(reach.all, "{reach:?}");
    let sites: Vec<_> = finding.tally.rejects.keys().map(|it| (it.what, it.location.line())).collect();
    assert_eq!(sites, [("invariant", INVARIANT_LINE)]);
    // Catalan(n) for each way to choose n of 4 keys.
    assert_eq!(finding.tally.cases, 1 + 4 + 2 * 6 + 5 * 4 + 14);
    assert!(finding.tally.rejected() < 51 * 12, "{:?}", finding.tally);
}
