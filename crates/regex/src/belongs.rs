//! To which leaves of a cover a text belongs.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::leaves::{LeafKind, LeafTree, count_times, split};
use super::look::{self, holds};
use super::node::Node;

/// This many bounded repetitions that read nothing are told apart.
const EMPTY_MAX: usize = 16;

/// Where a reading ends, and the weight and place of its leaf.
type Reading = (usize, usize, u128);

impl LeafTree {
    /// The leaves that a text belongs to, each by weight and place; none where it takes too many steps.
    pub(super) fn leaves_of(&self, text: &str, steps: u64) -> Vec<(usize, u128)> {
        let chars: Vec<char> = text.chars().collect();
        let mut reader = LeafReader { chars: &chars, known: HashMap::new(), steps };
        let readings = reader.tree(self, 0);
        if reader.steps == 0 {
            return Vec::new();
        }
        readings.into_iter().filter(|it| it.0 == chars.len()).map(|it| (it.1, it.2)).collect()
    }
}

struct LeafReader<'a> {
    chars: &'a [char],
    /// By the tree's address, for this text only, and where it begins.
    known: HashMap<(*const LeafTree, usize), Vec<Reading>>,
    steps: u64,
}

impl LeafReader<'_> {
    fn spend(&mut self, steps: usize) -> bool {
        self.steps = self.steps.saturating_sub(steps as u64);
        self.steps > 0
    }

    fn tree(&mut self, tree: &LeafTree, from: usize) -> Vec<Reading> {
        let key = (std::ptr::from_ref(tree), from);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let mut res = self.read(tree, from);
        res.sort_unstable();
        res.dedup();
        if !self.spend(res.len() + 1) {
            return Vec::new();
        }
        self.known.insert(key, res.clone());
        res
    }

    fn read(&mut self, tree: &LeafTree, from: usize) -> Vec<Reading> {
        match &tree.kind {
            LeafKind::One(node) => {
                self.node(node, &BTreeSet::from([from])).into_iter().map(|it| (it, 0, 0)).collect()
            }
            LeafKind::Chars(class) => {
                let Some(&c) = self.chars.get(from).filter(|it| class.set.contains(**it)) else {
                    return Vec::new();
                };
                let place = super::chars::place(c);
                let before = class.set.ranges().iter().take_while(|it| it.0 <= place);
                let at: u32 = before.map(|it| it.1.min(place) - it.0 + 1).sum();
                vec![(from + 1, 0, u128::from(at) - 1)]
            }
            LeafKind::Any(parts) => {
                let mut res = Vec::new();
                for (at, part) in parts.iter().enumerate() {
                    for (end, weight, place) in self.tree(part, from) {
                        let before = parts[..at].iter().map(|it| it.count(weight));
                        res.push((end, weight, before.fold(place, u128::saturating_add)));
                    }
                }
                res
            }
            LeafKind::Pair(a, b) => {
                let mut res = Vec::new();
                for (middle, v, x) in self.tree(a, from) {
                    for (end, w, y) in self.tree(b, middle) {
                        if !self.spend(1) {
                            return Vec::new();
                        }
                        let weight = v + w;
                        let before = split(a, b, weight).take_while(|&it| it < v);
                        let before = before.fold(0, |sum: u128, it| {
                            a.count(it).saturating_mul(b.count(weight - it)).saturating_add(sum)
                        });
                        let place = x.saturating_mul(b.count(w)).saturating_add(y).saturating_add(before);
                        res.push((end, weight, place));
                    }
                }
                res
            }
            LeafKind::Long(of) => self.tree(of, from),
            LeafKind::Times(of, max) => self.times(of, max.map(|it| it as usize), from),
        }
    }

    fn times(&mut self, of: &LeafTree, max: Option<usize>, from: usize) -> Vec<Reading> {
        let len = self.chars.len();
        // More repetitions than characters read nothing in some of them; without a bound there is no end of those.
        let most = max.map_or(len - from, |max| max.min(len - from + EMPTY_MAX));
        let mut res = Vec::new();
        // For each start the readings of exactly k repetitions.
        let mut rows: BTreeMap<usize, Vec<Reading>> = (from..=len).map(|it| (it, vec![(it, 0, 0)])).collect();
        for k in 0..=most {
            for &(end, weight, place) in &rows[&from] {
                let before = (0..k).map(|it| count_times(of, it, weight));
                res.push((end, weight, before.fold(place, u128::saturating_add)));
            }
            let mut next = BTreeMap::new();
            for start in from..=len {
                let mut readings = Vec::new();
                for (middle, v, x) in self.tree(of, start) {
                    for &(end, w, y) in &rows[&middle] {
                        if !self.spend(1) {
                            return Vec::new();
                        }
                        let weight = v + w + 1;
                        let before = 0..v;
                        let before = before.fold(0, |sum: u128, it| {
                            let rest = count_times(of, k, weight - 1 - it);
                            of.count(it).saturating_mul(rest).saturating_add(sum)
                        });
                        let each = count_times(of, k, w);
                        let place = x.saturating_mul(each).saturating_add(y).saturating_add(before);
                        readings.push((end, weight, place));
                    }
                }
                readings.sort_unstable();
                readings.dedup();
                if !self.spend(readings.len() + 1) {
                    return Vec::new();
                }
                next.insert(start, readings);
            }
            rows = next;
        }
        res
    }

    /// Where a node can end that begins at one of some places.
    fn node(&mut self, node: &Node, from: &BTreeSet<usize>) -> BTreeSet<usize> {
        if !self.spend(from.len() + 1) {
            return BTreeSet::new();
        }
        let after = |len: usize| from.iter().map(move |it| it + len);
        match node {
            Node::Empty => from.clone(),
            Node::Literal(text) => {
                let text: Vec<char> = text.chars().collect();
                after(text.len())
                    .filter(|&it| it <= self.chars.len() && self.chars[it - text.len()..it] == text)
                    .collect()
            }
            Node::Class(class) => after(1)
                .filter(|&it| self.chars.get(it - 1).is_some_and(|c| class.set.contains(*c)))
                .collect(),
            Node::Look(look) => {
                let kind = |at: Option<&char>| at.map_or(look::CharKind::Edge, |c| look::CharKind::of(*c));
                let before = |at: usize| kind(at.checked_sub(1).map(|it| &self.chars[it]));
                let holds = |it: &&usize| holds(*look, before(**it), kind(self.chars.get(**it)));
                from.iter().filter(holds).copied().collect()
            }
            Node::Concat(parts) => parts.iter().fold(from.clone(), |from, it| self.node(it, &from)),
            Node::Union(parts) => parts.iter().flat_map(|it| self.node(it, from)).collect(),
            Node::Repeat(repeat) => {
                let mut now = from.clone();
                for _ in 0..repeat.min {
                    now = self.node(&repeat.node, &now);
                    if now.is_empty() {
                        return now;
                    }
                }
                let mut all = now.clone();
                for _ in repeat.min..repeat.max.unwrap_or(u32::MAX) {
                    now = self.node(&repeat.node, &now).difference(&all).copied().collect();
                    if now.is_empty() {
                        break;
                    }
                    all.extend(&now);
                }
                all
            }
        }
    }
}
