//! Covers: a pattern's texts in leaves, and one text for each leaf is enough.
//!
//! Which leaves there are follows from how the pattern is written, by [`Heuristics`]. They are counted and found by
//! index, never listed.

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use num_bigint::BigUint;

use super::heuristics::Heuristics;
use super::language::Count;
use super::leaves::{self, LeafTree};
use super::nfa;
use super::node::Node;
use super::pattern::Regex;
use super::sample::LengthStyle;
use crate::Random;

/// The leaves that cover a regex: every leaf is a regex of its own whose texts count as one.
///
/// ```
/// use probity_regex::{Count, Cover, Heuristics, Regex};
/// let hour = Regex::new(r"([0-1]\d)|(2[0-3])").unwrap();
/// let cover = Cover::new(&hour, &Heuristics::default());
/// assert_eq!(cover.count(), Count::of(2));
/// assert_eq!(cover.leaf(1).unwrap().label, "2[0-3]");
/// assert_eq!(cover.leaves_of("19"), [0]);
/// ```
#[derive(Debug)]
pub struct Cover {
    regex: Regex,
    heuristics: Heuristics,
    tree: Arc<LeafTree>,
    total: Count,
    /// How many leaves of the tree come before each weight, as far as it was needed.
    before: Mutex<Vec<u128>>,
    /// The leaves that have a text, where assertions leave some without and there are few.
    kept: OnceLock<Option<Vec<u64>>>,
}

/// A leaf of a cover.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaf {
    /// For people: the leaf as a pattern.
    pub label: String,
    /// What its texts match.
    pub regex: Arc<Regex>,
    style: LengthStyle,
}

/// In covers with assertions and at most this many leaves, those without a text are left out. In larger ones a leaf may
/// turn out to have none.
const KEPT_MAX: u64 = 512;
/// Leaves with more repetitions than this are not reached.
const WEIGHT_MAX: usize = 1 << 18;

impl Cover {
    /// The leaves of `regex` by the heuristics. A pattern that was combined of others and has become too large for any
    /// use has none.
    pub fn new(regex: &Regex, heuristics: &Heuristics) -> Cover {
        // Without the assertions that always hold: they would only are in the labels.
        let tree = leaves::tree(regex.settled(), heuristics);
        let total = tree.total();
        let (regex, heuristics, kept) = (regex.clone(), *heuristics, OnceLock::new());
        Cover { regex, heuristics, tree, total, before: Mutex::default(), kept }
    }

    /// What is covered.
    pub fn regex(&self) -> &Regex {
        &self.regex
    }

    /// What makes two texts count as two.
    pub fn heuristics(&self) -> &Heuristics {
        &self.heuristics
    }

    /// How many leaves there are.
    pub fn count(&self) -> Count {
        match self.kept() {
            Some(kept) => Count::of(kept.len() as u64),
            None => self.total.clone(),
        }
    }

    fn kept(&self) -> Option<&[u64]> {
        let find = || {
            if !self.regex.settled().has_looks() && !self.regex.settled().is_nothing() {
                return None;
            }
            let Count::Finite(n) = &self.total else { return None };
            let n = u64::try_from(n).ok().filter(|&n| n <= KEPT_MAX)?;
            // All of them together take as many steps as one automaton may. A leaf that is not settled by its share
            // stays, and may turn out to have no text.
            let share = nfa::STEPS_MAX / n.max(1);
            let has_text =
                |at: &u64| self.leaf_of_tree(*at).is_some_and(|it| !Regex::of(it.0).is_empty_within(share));
            Some((0..n).filter(has_text).collect())
        };
        self.kept.get_or_init(find).as_deref()
    }

    /// The leaf at a place, those with fewer repetitions first.
    ///
    /// ```
    /// use probity_regex::{Cover, Heuristics, Random, Regex};
    /// let user = Regex::new("[a-z0-9_]+").unwrap();
    /// let cover = Cover::new(&user, &Heuristics::default());
    /// let labels: Vec<String> = (0..9).filter_map(|at| Some(cover.leaf(at)?.label)).collect();
    /// let long = ["[a-z][a-z0-9_]+", "[0-9][a-z0-9_]+", "[_][a-z0-9_]+"];
    /// assert_eq!(labels, [&["[a-z]", "[0-9]", "[_]"], &long[..]].concat());
    /// ```
    pub fn leaf(&self, place: u64) -> Option<Leaf> {
        let place = match self.kept() {
            Some(kept) => *kept.get(usize::try_from(place).ok()?)?,
            None => place,
        };
        let (node, style) = self.leaf_of_tree(place)?;
        let regex = Regex::of(node);
        Some(Leaf { label: regex.pattern().to_string(), regex: Arc::new(regex), style })
    }

    fn leaf_of_tree(&self, place: u64) -> Option<(Node, LengthStyle)> {
        let (weight, rest) = self.find(place.into())?;
        let mut parts = Vec::new();
        let is_long = self.tree.build(weight, rest, &mut parts);
        Some((Node::concat(parts), if is_long { LengthStyle::Long } else { LengthStyle::Mixed }))
    }

    /// The weight of the leaf at a place, and its place among those of the weight.
    fn find(&self, place: u128) -> Option<(usize, u128)> {
        if let Count::Finite(n) = &self.total
            && *n <= BigUint::from(place)
        {
            return None;
        }
        let before = &mut *self.before.lock().unwrap_or_else(PoisonError::into_inner);
        if before.is_empty() {
            before.push(0);
        }
        while before[before.len() - 1] <= place {
            let weight = before.len() - 1;
            if weight > WEIGHT_MAX {
                return None;
            }
            before.push(before[weight].saturating_add(self.tree.count(weight)));
        }
        let weight = before.partition_point(|&it| it <= place) - 1;
        Some((weight, place - before[weight]))
    }

    /// The leaves that a text belongs to, in order: at most [`LEAVES_MAX`](Cover::LEAVES_MAX), and none for texts that
    /// are too long to be read in [`STEPS_MAX`](Cover::STEPS_MAX) steps.
    ///
    /// ```
    /// use probity_regex::{Cover, Heuristics, Regex};
    /// let it = Cover::new(&Regex::new("a|[a-z]|b?").unwrap(), &Heuristics::default());
    /// assert_eq!((it.leaves_of("a"), it.leaves_of(""), it.leaves_of("A")), (vec![0, 1], vec![2], vec![]));
    /// ```
    pub fn leaves_of(&self, text: &str) -> Vec<u64> {
        let found = self.tree.leaves_of(text, Cover::STEPS_MAX);
        let place = |(weight, rest): (usize, u128)| {
            let first = (0..weight).fold(0, |sum: u128, it| self.tree.count(it).saturating_add(sum));
            u64::try_from(first.saturating_add(rest)).ok()
        };
        let mut res: Vec<u64> = found.into_iter().filter_map(place).collect();
        res.sort_unstable();
        res.dedup();
        if let Some(kept) = self.kept() {
            res = res.iter().filter_map(|it| kept.binary_search(it).ok()).map(|it| it as u64).collect();
        }
        res.truncate(Cover::LEAVES_MAX);
        res
    }

    /// How many leaves [`leaves_of`](Cover::leaves_of) reports.
    pub const LEAVES_MAX: usize = 1_000;
    /// How many steps [`leaves_of`](Cover::leaves_of) takes.
    pub const STEPS_MAX: u64 = 200_000;
}

impl Leaf {
    /// A text of the leaf, another one each time where there are several; none where it has none. No automaton is
    /// built, but for leaves with word boundaries in their middle and the like.
    ///
    /// ```
    /// use probity_regex::{Cover, Heuristics, Random, Regex};
    /// let cover = Cover::new(&Regex::new("[a-zA-Z0-9_]+").unwrap(), &Heuristics::default());
    /// let mut random = Random::new(7);
    /// let (short, long) = (cover.leaf(0).unwrap(), cover.leaf(4).unwrap());
    /// assert_eq!(short.sample(&mut random).unwrap().len(), 1);
    /// assert!(long.sample(&mut random).unwrap().len() > 5);
    /// ```
    pub fn sample(&self, random: &mut Random) -> Option<String> {
        let settled = self.regex.settled();
        if settled.is_nothing() || nfa::check_size(settled).is_err() {
            return None;
        }
        if settled.has_looks() {
            return Some(self.regex.sampler_of(self.style).ok()?.sample(random));
        }
        let mut res = String::new();
        settled.sample(random, self.style, &mut res);
        Some(res)
    }
}

impl Clone for Cover {
    fn clone(&self) -> Cover {
        Cover {
            regex: self.regex.clone(),
            heuristics: self.heuristics,
            tree: self.tree.clone(),
            total: self.total.clone(),
            before: Mutex::default(),
            kept: self.kept.clone(),
        }
    }
}

impl PartialEq for Cover {
    fn eq(&self, other: &Cover) -> bool {
        (&self.regex, &self.heuristics) == (&other.regex, &other.heuristics)
    }
}

/// Equal covers have equal texts.
impl fmt::Display for Cover {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self.regex)?;
        if self.heuristics == Heuristics::default() {
            return Ok(());
        }
        write!(f, " (by {})", self.heuristics)
    }
}
