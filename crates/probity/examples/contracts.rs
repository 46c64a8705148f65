//! The six examples of *type-targeted testing* as contracts: what a function requires and ensures, beside its code.
//!
//! `cargo test --example contracts` runs a test of each, `rescale_keeps_its_contract` and so on. Nothing says how to make an
//! input: what is required of it is all there is, and the trees are counted by their measures rather than drawn and refused.

use probity::prelude::*;

/// Numbers below `r1` as numbers below `r2`. It fails, as in the paper: `rescale_nat(1, 0, 0)` is not below 0.
#[probity::contract(engine = "exhaustive", cases = 1000, store = false)]
#[should_panic(expected = "`rescale_nat` broke its contract")]
#[requires(0 <= r1 && 0 <= r2 && 0 <= s && s < r1)]
#[ensures(|out| 0 <= *out && *out < r2)]
fn rescale_nat(r1: i32, r2: i32, s: i32) -> i32 {
    s * (r2 / r1)
}

/// The same where there are such numbers.
#[probity::contract]
#[requires(1 <= r1 && 1 <= r2 && 0 <= s && s < r1)]
#[ensures(|out| 0 <= *out && *out < r2)]
fn rescale(r1: i32, r2: i32, s: i32) -> i32 {
    s * (r2 / r1)
}

/// A score with its weight.
#[derive(Debug, Clone, Spec)]
struct Mark {
    #[spec(range = 1..=1000)]
    weight: u32,
    #[spec(range = 0..100)]
    score: u32,
}

/// The average of scores.
#[probity::contract]
#[ensures(|out| *out < 100)]
fn average(marks: &[Mark]) -> u32 {
    let total: u32 = marks.iter().map(|it| it.weight * it.score).sum();
    total.checked_div(marks.iter().map(|it| it.weight).sum()).unwrap_or(0)
}

/// Puts a number where it belongs.
#[probity::contract]
#[requires(xs.is_sorted())]
#[ensures(|out| out.is_sorted() && out.len() == xs.len() + 1 && out.contains(&x))]
fn insert_sorted(x: i64, xs: &[i64]) -> Vec<i64> {
    let mut out = xs.to_vec();
    out.insert(out.partition_point(|it| *it < x), x);
    out
}

/// The `k` highest scores.
#[probity::contract]
#[requires(k <= xs.len())]
#[ensures(|out| out.len() == k && out.is_sorted_by(|a, b| a >= b))]
fn best(k: usize, xs: &[u8]) -> Vec<u8> {
    let mut out = xs.to_vec();
    out.sort_unstable_by(|a, b| b.cmp(a));
    out.truncate(k);
    out
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Spec)]
pub(crate) enum Color {
    Black,
    Red,
}
use Color::{Black, Red};

/// A red-black tree: in order, as many black nodes on every way down, no red node above another.
#[derive(Clone, Debug, PartialEq, Spec)]
#[spec(depth = 5)]
pub(crate) enum Tree {
    Leaf,
    #[spec(require = left.max() < key && key < right.min() && left.black() == right.black())]
    #[spec(require = color == Color::Black || left.root() == Color::Black && right.root() == Color::Black)]
    Node {
        color: Color,
        #[spec(range = -5..=5)]
        key: i64,
        left: Box<Tree>,
        right: Box<Tree>,
    },
}
use Tree::{Leaf, Node};

#[probity::measures]
impl Tree {
    fn black(&self) -> u32 {
        match self {
            Leaf => 0,
            Node { color, left, .. } => left.black() + u32::from(*color == Color::Black),
        }
    }

    pub(crate) fn root(&self) -> Color {
        match self {
            Leaf => Color::Black,
            Node { color, .. } => *color,
        }
    }

    fn min(&self) -> i64 {
        match self {
            Leaf => i64::MAX,
            Node { key, left, .. } => left.min().min(*key),
        }
    }

    fn max(&self) -> i64 {
        match self {
            Leaf => i64::MIN,
            Node { key, right, .. } => right.max().max(*key),
        }
    }
}

fn node(color: Color, left: Tree, key: i64, right: Tree) -> Tree {
    Node { color, key, left: Box::new(left), right: Box::new(right) }
}

/// Adds a key.
#[probity::contract]
#[requires(tree.root() == Black)]
#[ensures(|out| out.is_valid() && out.root() == Black && out.contains(key))]
pub(crate) fn insert(tree: Tree, #[from(-5..=5_i64)] key: i64) -> Tree {
    match tree.with(key) {
        Node { key, left, right, .. } => node(Black, *left, key, *right),
        Leaf => Leaf,
    }
}

impl Tree {
    pub(crate) fn contains(&self, wanted: i64) -> bool {
        match self {
            Leaf => false,
            Node { key, left, right, .. } => {
                *key == wanted || left.contains(wanted) || right.contains(wanted)
            }
        }
    }

    fn with(self, new: i64) -> Tree {
        match self {
            Leaf => node(Red, Leaf, new, Leaf),
            Node { color, key, left, right } if new < key => balance(color, left.with(new), key, *right),
            Node { color, key, left, right } if new > key => balance(color, *left, key, right.with(new)),
            same => same,
        }
    }
}

/// Puts a red node with a red child below a black one in order.
pub(crate) fn balance(color: Color, left: Tree, key: i64, right: Tree) -> Tree {
    let made = |a: Tree, x, b: Tree, y, c: Tree, z, d: Tree| {
        node(Red, node(Black, a, x, b), y, node(Black, c, z, d))
    };
    if color == Red {
        return node(color, left, key, right);
    }
    match (left, right) {
        (Node { color: Red, key: y, left: l, right: r }, d) if l.root() == Red => match *l {
            Node { key: x, left: a, right: b, .. } => made(*a, x, *b, y, *r, key, d),
            Leaf => Leaf,
        },
        (Node { color: Red, key: x, left: a, right: r }, d) if r.root() == Red => match *r {
            Node { key: y, left: b, right: c, .. } => made(*a, x, *b, y, *c, key, d),
            Leaf => Leaf,
        },
        (a, Node { color: Red, key: z, left: l, right: d }) if l.root() == Red => match *l {
            Node { key: y, left: b, right: c, .. } => made(a, key, *b, y, *c, z, *d),
            Leaf => Leaf,
        },
        (a, Node { color: Red, key: y, left: b, right: r }) if r.root() == Red => match *r {
            Node { key: z, left: c, right: d, .. } => made(a, key, *b, y, *c, z, *d),
            Leaf => Leaf,
        },
        (left, right) => node(color, left, key, right),
    }
}

/// A set as a search tree: each side is at most three times as large as the other.
#[derive(Clone, Debug, PartialEq, Spec)]
#[spec(depth = 5)]
pub(crate) enum Map {
    Tip,
    #[spec(require = left.most() < key && key < right.least())]
    #[spec(require = left.size() + right.size() <= 1
        || left.size() <= 3 * right.size() && right.size() <= 3 * left.size())]
    Bin {
        #[spec(range = -5..=5)]
        key: i64,
        left: Box<Map>,
        right: Box<Map>,
    },
}
use Map::{Bin, Tip};

#[probity::measures]
impl Map {
    pub(crate) fn size(&self) -> u32 {
        match self {
            Tip => 0,
            Bin { left, right, .. } => 1 + left.size() + right.size(),
        }
    }

    pub(crate) fn least(&self) -> i64 {
        match self {
            Tip => i64::MAX,
            Bin { key, left, .. } => left.least().min(*key),
        }
    }

    fn most(&self) -> i64 {
        match self {
            Tip => i64::MIN,
            Bin { key, right, .. } => right.most().max(*key),
        }
    }
}

/// Takes a key away.
#[probity::contract]
#[ensures(|out| out.is_valid() && !out.contains(key) && out.size() == old(map.size() - u32::from(map.contains(key))))]
pub(crate) fn delete(map: Map, #[from(-5..=5_i64)] key: i64) -> Map {
    map.without(key)
}

fn bin(left: Map, key: i64, right: Map) -> Map {
    Bin { key, left: Box::new(left), right: Box::new(right) }
}

impl Map {
    pub(crate) fn contains(&self, wanted: i64) -> bool {
        match self {
            Tip => false,
            Bin { key, left, right } => *key == wanted || left.contains(wanted) || right.contains(wanted),
        }
    }

    fn without(self, gone: i64) -> Map {
        match self {
            Tip => Tip,
            Bin { key, left, right } if gone < key => rebalance(left.without(gone), key, *right),
            Bin { key, left, right } if gone > key => rebalance(*left, key, right.without(gone)),
            Bin { left, right, .. } => match (*left, *right) {
                (Tip, other) | (other, Tip) => other,
                (left, right) if left.size() > right.size() => {
                    let key = left.most();
                    rebalance(left.without(key), key, right)
                }
                (left, right) => {
                    let key = right.least();
                    rebalance(left, key, right.without(key))
                }
            },
        }
    }
}

/// A tree of which one side has become too large.
pub(crate) fn rebalance(left: Map, key: i64, right: Map) -> Map {
    let (l, r) = (left.size(), right.size());
    if l + r <= 1 || l <= 3 * r && r <= 3 * l {
        return bin(left, key, right);
    }
    match (left, right) {
        (left, Bin { key: y, left: b, right: c }) if r > l => match *b {
            Bin { key: x, left: b1, right: b2 } if b1.size() + b2.size() + 1 >= 2 * c.size() => {
                bin(bin(left, key, *b1), x, bin(*b2, y, *c))
            }
            b => bin(bin(left, key, b), y, *c),
        },
        (Bin { key: x, left: a, right: b }, right) => match *b {
            Bin { key: y, left: b1, right: b2 } if b1.size() + b2.size() + 1 >= 2 * a.size() => {
                bin(bin(*a, x, *b1), y, bin(*b2, key, right))
            }
            b => bin(*a, x, bin(b, key, right)),
        },
        (left, right) => bin(left, key, right),
    }
}

fn main() {
    // The contracts are checked here, too, where `debug_assertions` are on.
    assert_eq!(rescale(2, 9, 1), 4);
    assert_eq!(average(&[Mark { weight: 2, score: 80 }]), 80);
    assert_eq!(insert_sorted(2, &[1, 3]), [1, 2, 3]);
    assert_eq!(best(1, &[4, 5]), [5]);
    assert!(insert(insert(Leaf, 1), 2).contains(2));
    assert_eq!(delete(bin(Tip, 1, Tip), 1), Tip);
    assert!(!cfg!(debug_assertions) || std::panic::catch_unwind(|| rescale_nat(1, 0, 0)).is_err());
}
