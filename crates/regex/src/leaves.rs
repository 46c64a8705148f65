//! The tree of choices behind a cover: how many leaves it has, which one stands at a place, where a text belongs.
//!
//! The *weight* of a leaf is how many repetitions were unrolled in it beyond the least. Each weight has finitely many leaves, so they
//! can be put in order even where there is no end of them.

use std::sync::{Arc, Mutex, PoisonError};

use num_bigint::BigUint;

use super::chars;
use super::heuristics::Heuristics;
use super::language::Count;
use super::nfa;
use super::node::{Class, Node, Repeat};

/// Choices; each way to make them all is a leaf.
#[derive(Debug)]
pub(super) struct LeafTree {
    pub(super) kind: LeafKind,
    /// How many leaves there are, where none has a weight. Numbers above 2^128 stay there.
    pub(super) fixed: Option<u128>,
    /// The greatest weight, where there is one.
    most: Option<usize>,
    /// How many leaves there are of each weight, as far as it was needed.
    counts: Mutex<Vec<u128>>,
    /// The same for this many of it, one after the other.
    powers: Mutex<Vec<Vec<u128>>>,
}

#[derive(Debug)]
pub(super) enum LeafKind {
    /// One leaf.
    One(Node),
    /// A leaf for each character.
    Chars(Arc<Class>),
    /// A leaf of one of them.
    Any(Vec<Arc<LeafTree>>),
    /// Leaves of both, one after the other.
    Pair(Arc<LeafTree>, Arc<LeafTree>),
    /// The same, where repetitions are to be long.
    Long(Arc<LeafTree>),
    /// At most this many leaves, one after the other; each adds one to the weight.
    Times(Arc<LeafTree>, Option<u32>),
}

/// The choices of a pattern.
pub(super) fn tree(node: &Node, heuristics: &Heuristics) -> Arc<LeafTree> {
    let chooser = Chooser { heuristics };
    if nfa::check_size(node).is_err() {
        return none();
    }
    if !heuristics.few_lengths || heuristics.plus_as_concatenation {
        return chooser.choices(node, Length::Any, false);
    }
    let short = chooser.choices(node, Length::Short, false);
    let (_, long) = chooser.long(node, false);
    any(vec![short, new(LeafKind::Long(long))])
}

/// Which lengths repetitions have here.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Length {
    Any,
    Short,
}

struct Chooser<'a> {
    heuristics: &'a Heuristics,
}

impl Chooser<'_> {
    /// All leaves, with repetitions of any length or as short as they can be. `heads` says that the first class heads
    /// a repetition.
    fn choices(&self, node: &Node, length: Length, heads: bool) -> Arc<LeafTree> {
        match node {
            Node::Empty | Node::Literal(_) | Node::Look(_) => one(node.clone()),
            Node::Class(class) => self.class(class, heads),
            Node::Concat(parts) => {
                let each = |(at, it)| self.choices(it, length, heads && at == 0);
                let parts: Vec<Arc<LeafTree>> = parts.iter().enumerate().map(each).collect();
                sequence(parts)
            }
            Node::Union(_) | Node::Repeat(_) if self.is_one(node) => one(self.shorten(node, length)),
            Node::Union(parts) => any(parts.iter().map(|it| self.choices(it, length, heads)).collect()),
            Node::Repeat(repeat) => self.repeat(repeat, length),
        }
    }

    /// Whether nothing is chosen in a union or in what is optional.
    fn is_one(&self, node: &Node) -> bool {
        let is_optional = match node {
            Node::Repeat(it) => it.max == Some(1) || it.min == 0 && !self.few() && !self.unrolls(),
            _ => true,
        };
        is_optional && !self.heuristics.branches
    }

    fn few(&self) -> bool {
        self.heuristics.few_lengths && !self.unrolls()
    }

    fn unrolls(&self) -> bool {
        self.heuristics.plus_as_concatenation
    }

    fn class(&self, class: &Arc<Class>, heads: bool) -> Arc<LeafTree> {
        let by = self.heuristics;
        if class.set.is_empty() {
            return none();
        }
        if by.classes_as_unions {
            return new(LeafKind::Chars(class.clone()));
        }
        let heads = heads || self.unrolls();
        let splits = !by.classes_as_one || by.first_letter_classes && heads;
        if !splits || class.parts.is_empty() {
            return one(Node::Class(class.clone()));
        }
        any(class.parts.iter().map(|it| one(Node::Class(it.clone()))).collect())
    }

    fn repeat(&self, repeat: &Repeat, length: Length) -> Arc<LeafTree> {
        let Repeat { node, min, max, .. } = repeat;
        let (min, max) = (*min, *max);
        if max == Some(1) {
            return any(vec![one(Node::Empty), self.choices(node, length, false)]);
        }
        if self.unrolls() {
            let body = self.choices(node, length, true);
            let least = power(&body, min);
            return pair(least, times(body, max.map(|it| it - min)));
        }
        let first = self.choices(node, length, Some(min) != max);
        let rest =
            |min: u32, max: Option<u32>| one(self.shorten(&Node::repeat(node.clone(), min, max), length));
        if length == Length::Short {
            return if min == 0 { one(Node::Empty) } else { pair(first, rest(min - 1, Some(min - 1))) };
        }
        let some = pair(first, rest(min.saturating_sub(1), max.map(|it| it - 1)));
        if min == 0 { any(vec![one(Node::Empty), some]) } else { some }
    }

    /// The leaves without a repetition of several lengths, and those with one, which is long.
    fn long(&self, node: &Node, heads: bool) -> (Arc<LeafTree>, Arc<LeafTree>) {
        match node {
            Node::Concat(parts) => {
                let mut parts =
                    parts.iter().enumerate().map(|(at, it)| self.long(it, heads && at == 0)).rev();
                let last = parts.next().unwrap_or_else(|| (one(Node::Empty), none()));
                parts.fold(last, |(b_no, b_yes), (a_no, a_yes)| {
                    let b_all = any(vec![b_no.clone(), b_yes.clone()]);
                    let yes = any(vec![pair(a_yes, b_all), pair(a_no.clone(), b_yes)]);
                    (pair(a_no, b_no), yes)
                })
            }
            Node::Union(_) | Node::Repeat(_) if self.is_one(node) => (one(node.clone()), none()),
            Node::Union(parts) => {
                let (no, yes) = parts.iter().map(|it| self.long(it, heads)).unzip();
                (any(no), any(yes))
            }
            Node::Repeat(repeat) if repeat.max == Some(1) => {
                let (no, yes) = self.long(&repeat.node, false);
                (any(vec![one(Node::Empty), no]), yes)
            }
            Node::Repeat(repeat) => {
                let Repeat { node, min, max, .. } = &**repeat;
                let (no, yes) = self.long(node, Some(*min) != *max);
                if Some(*min) == *max {
                    let rest = one(Node::repeat(node.clone(), min - 1, Some(min - 1)));
                    return (pair(no, rest.clone()), pair(yes, rest));
                }
                let rest = one(Node::repeat(node.clone(), *min, max.map(|it| it - 1)));
                (none(), pair(any(vec![no, yes]), rest))
            }
            _ => (self.choices(node, Length::Any, heads), none()),
        }
    }

    /// The same with every repetition as short as it can be, where it is to be short.
    fn shorten(&self, node: &Node, length: Length) -> Node {
        match node {
            _ if length == Length::Any => node.clone(),
            Node::Concat(parts) => Node::concat(parts.iter().map(|it| self.shorten(it, length)).collect()),
            Node::Union(parts) => Node::union(parts.iter().map(|it| self.shorten(it, length)).collect()),
            Node::Repeat(repeat) => {
                let max = if repeat.max == Some(1) { Some(1) } else { Some(repeat.min) };
                Node::repeat(self.shorten(&repeat.node, length), repeat.min, max)
            }
            _ => node.clone(),
        }
    }
}

fn new(kind: LeafKind) -> Arc<LeafTree> {
    let fixed = match &kind {
        LeafKind::One(_) => Some(1),
        LeafKind::Chars(class) => Some(class.set.len().into()),
        LeafKind::Any(parts) => {
            parts.iter().try_fold(0, |sum: u128, it| it.fixed.map(|it| it.saturating_add(sum)))
        }
        LeafKind::Pair(a, b) => a.fixed.zip(b.fixed).map(|(a, b)| a.saturating_mul(b)),
        LeafKind::Long(of) => of.fixed,
        LeafKind::Times(..) => None,
    };
    let most = match &kind {
        LeafKind::One(_) | LeafKind::Chars(_) => Some(0),
        LeafKind::Any(parts) => parts.iter().try_fold(0, |most: usize, it| it.most.map(|it| it.max(most))),
        LeafKind::Pair(a, b) => a.most.zip(b.most).map(|(a, b)| a.saturating_add(b)),
        LeafKind::Long(of) => of.most,
        LeafKind::Times(of, max) => {
            of.most.zip(*max).map(|(most, max)| (most + 1).saturating_mul(max as usize))
        }
    };
    Arc::new(LeafTree { kind, fixed, most, counts: Mutex::default(), powers: Mutex::default() })
}

fn one(node: Node) -> Arc<LeafTree> {
    new(LeafKind::One(node))
}

fn none() -> Arc<LeafTree> {
    new(LeafKind::Any(Vec::new()))
}

fn any(parts: Vec<Arc<LeafTree>>) -> Arc<LeafTree> {
    let mut parts: Vec<Arc<LeafTree>> = parts.into_iter().filter(|it| it.fixed != Some(0)).collect();
    if parts.len() == 1 { parts.remove(0) } else { new(LeafKind::Any(parts)) }
}

fn pair(a: Arc<LeafTree>, b: Arc<LeafTree>) -> Arc<LeafTree> {
    match (&a.kind, &b.kind) {
        _ if a.fixed == Some(0) || b.fixed == Some(0) => none(),
        (LeafKind::One(x), LeafKind::One(y)) => one(Node::concat(vec![x.clone(), y.clone()])),
        (LeafKind::One(Node::Empty), _) => b,
        (_, LeafKind::One(Node::Empty)) => a,
        _ => new(LeafKind::Pair(a, b)),
    }
}

/// This many leaves of one tree, one after the other.
fn power(of: &Arc<LeafTree>, n: u32) -> Arc<LeafTree> {
    match (&of.kind, n) {
        (_, 0) => one(Node::Empty),
        (_, 1) => of.clone(),
        (LeafKind::One(node), _) => one(Node::repeat(node.clone(), n, Some(n))),
        _ => {
            let half = power(of, n / 2);
            let both = pair(half.clone(), half);
            if n.is_multiple_of(2) { both } else { pair(both, of.clone()) }
        }
    }
}

fn times(of: Arc<LeafTree>, max: Option<u32>) -> Arc<LeafTree> {
    if of.fixed == Some(0) || max == Some(0) { one(Node::Empty) } else { new(LeafKind::Times(of, max)) }
}

/// Balanced, so that the counts of long patterns are soon found.
fn sequence(mut parts: Vec<Arc<LeafTree>>) -> Arc<LeafTree> {
    match parts.len() {
        0 => one(Node::Empty),
        1 => parts.remove(0),
        n => {
            let rest = parts.split_off(n / 2);
            pair(sequence(parts), sequence(rest))
        }
    }
}

impl LeafTree {
    /// How many leaves there are.
    pub(super) fn total(&self) -> Count {
        if let Some(n) = self.fixed.filter(|it| *it < u128::MAX) {
            return Count::Finite(n.into());
        }
        let zero = Count::of(0);
        match &self.kind {
            LeafKind::One(_) | LeafKind::Chars(_) => Count::Finite(self.fixed.unwrap_or(1).into()),
            LeafKind::Any(parts) => parts.iter().fold(zero, |sum, it| match (sum, it.total()) {
                (Count::Finite(a), Count::Finite(b)) => Count::Finite(a + b),
                _ => Count::Infinite,
            }),
            LeafKind::Pair(a, b) => match (a.total(), b.total()) {
                (Count::Finite(a), Count::Finite(b)) => Count::Finite(a * b),
                (a, b) if a == zero || b == zero => zero,
                _ => Count::Infinite,
            },
            LeafKind::Long(of) => of.total(),
            LeafKind::Times(of, max) => match (of.total(), max) {
                (n, _) if n == zero => Count::of(1),
                (Count::Finite(n), Some(max)) => {
                    // The sum of all powers up to the greatest.
                    let one = BigUint::from(1u8);
                    Count::Finite(match n == one {
                        true => BigUint::from(*max) + one,
                        false => (n.pow(max + 1) - &one) / (n - one),
                    })
                }
                _ => Count::Infinite,
            },
        }
    }

    /// How many leaves have that weight. Numbers above 2^128 stay there.
    pub(super) fn count(&self, weight: usize) -> u128 {
        if let Some(fixed) = self.fixed {
            return if weight == 0 { fixed } else { 0 };
        }
        let known = self.counts.lock().unwrap_or_else(PoisonError::into_inner).get(weight).copied();
        if let Some(known) = known {
            return known;
        }
        let from = self.counts.lock().unwrap_or_else(PoisonError::into_inner).len();
        for weight in from..=weight {
            let n = self.count_anew(weight);
            let counts = &mut *self.counts.lock().unwrap_or_else(PoisonError::into_inner);
            if counts.len() == weight {
                counts.push(n);
            }
        }
        self.count(weight)
    }

    fn count_anew(&self, weight: usize) -> u128 {
        match &self.kind {
            LeafKind::One(_) | LeafKind::Chars(_) => self.fixed.unwrap_or(0),
            LeafKind::Any(parts) => {
                parts.iter().fold(0, |sum: u128, it| sum.saturating_add(it.count(weight)))
            }
            LeafKind::Pair(a, b) => split(a, b, weight)
                .fold(0, |sum, v| a.count(v).saturating_mul(b.count(weight - v)).saturating_add(sum)),
            LeafKind::Long(of) => of.count(weight),
            LeafKind::Times(of, max) => {
                numbers(of, *max, weight).fold(0, |sum, k| sum.saturating_add(count_times(of, k, weight)))
            }
        }
    }

    /// Appends the parts of the leaf at a place among those of one weight; whether its repetitions are long.
    pub(super) fn build(&self, weight: usize, mut place: u128, res: &mut Vec<Node>) -> bool {
        match &self.kind {
            LeafKind::One(node) => res.push(node.clone()),
            LeafKind::Chars(class) => {
                let mut place = place as u32;
                for &(lo, hi) in class.set.ranges() {
                    if place <= hi - lo {
                        res.push(Node::literal(chars::at(lo + place).encode_utf8(&mut [0; 4])));
                        break;
                    }
                    place -= hi - lo + 1;
                }
            }
            LeafKind::Any(parts) => {
                for part in parts {
                    let n = part.count(weight);
                    if place < n {
                        return part.build(weight, place, res);
                    }
                    place -= n;
                }
            }
            LeafKind::Pair(a, b) => {
                for v in split(a, b, weight) {
                    let (x, y) = (a.count(v), b.count(weight - v));
                    let n = x.saturating_mul(y);
                    if place < n {
                        let is_long = a.build(v, place / y, res);
                        return b.build(weight - v, place % y, res) || is_long;
                    }
                    place -= n;
                }
            }
            LeafKind::Long(of) => {
                of.build(weight, place, res);
                return true;
            }
            LeafKind::Times(of, max) => {
                for k in numbers(of, *max, weight) {
                    let n = count_times(of, k, weight);
                    if place < n {
                        build_times(of, k, weight, place, res);
                        return false;
                    }
                    place -= n;
                }
            }
        }
        false
    }
}

/// The weights that the first of a pair can have.
pub(super) fn split(a: &LeafTree, b: &LeafTree, weight: usize) -> std::ops::RangeInclusive<usize> {
    let from = b.most.map_or(0, |most| weight.saturating_sub(most));
    from..=a.most.map_or(weight, |most| most.min(weight))
}

/// How often a part may be repeated at some weight.
fn numbers(of: &LeafTree, max: Option<u32>, weight: usize) -> std::ops::RangeInclusive<usize> {
    let max = max.map_or(weight, |it| weight.min(it as usize));
    // Without repetitions inside, each one adds exactly one.
    if of.most == Some(0) { weight..=max } else { usize::from(weight > 0)..=max }
}

/// How many leaves of a weight repeat a part `k` times.
pub(super) fn count_times(of: &LeafTree, k: usize, weight: usize) -> u128 {
    if let Some(n) = of.fixed {
        return if k == weight { n.saturating_pow(k as u32) } else { 0 };
    }
    let extend = |powers: &mut Vec<Vec<u128>>| {
        for k in powers.len()..=k {
            powers.push(vec![u128::from(k == 0)]);
        }
        for k in 0..=k {
            for w in powers[k].len()..=weight {
                let with = |v: usize| of.count(v).saturating_mul(powers[k - 1][w - 1 - v]);
                let n = if k == 0 { 0 } else { (0..w).fold(0, |sum: u128, v| with(v).saturating_add(sum)) };
                powers[k].push(n);
            }
        }
        powers[k][weight]
    };
    extend(&mut of.powers.lock().unwrap_or_else(PoisonError::into_inner))
}

fn build_times(of: &LeafTree, k: usize, mut weight: usize, mut place: u128, res: &mut Vec<Node>) {
    for rest in (0..k).rev() {
        let most = of.most.unwrap_or(usize::MAX).min(weight - 1);
        for v in 0..=most {
            let y = count_times(of, rest, weight - 1 - v);
            let n = of.count(v).saturating_mul(y);
            if place < n {
                of.build(v, place / y, res);
                (weight, place) = (weight - 1 - v, place % y);
                break;
            }
            place -= n;
        }
    }
}
