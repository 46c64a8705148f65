//! A map whose keys are words, as a tree of edges with parts of words on them.

use std::collections::BTreeMap;

use probity::prelude::*;

use crate::is_planted;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Generate)]
enum Letter {
    A,
    B,
    C,
}

type Word = Vec<Letter>;

#[derive(Clone, Debug, Default, PartialEq, Generate)]
struct Radix {
    value: Option<u8>,
    edges: Vec<Edge>,
}

#[derive(Clone, Debug, PartialEq, Generate)]
struct Edge {
    label: Word,
    below: Radix,
}

impl Radix {
    fn get(&self, word: &[Letter]) -> Option<u8> {
        if word.is_empty() {
            return self.value;
        }
        let edge = self.edges.iter().find(|it| it.label.first() == word.first())?;
        match word.strip_prefix(&edge.label[..]) {
            Some(rest) => edge.below.get(rest),
            None if is_planted(1) => edge.below.value.filter(|_| edge.label.starts_with(word)),
            None => None,
        }
    }

    fn put(&mut self, word: &[Letter], value: u8) {
        if word.is_empty() {
            if !(is_planted(2) && self.value.is_some()) {
                self.value = Some(value);
            }
            return;
        }
        let Some(edge) = self.edges.iter_mut().find(|it| it.label.first() == word.first()) else {
            let edge = Edge { label: word.to_vec(), below: Radix { value: Some(value), edges: Vec::new() } };
            self.edges.push(edge);
            if !is_planted(3) {
                self.edges.sort_by(|a, b| a.label.cmp(&b.label));
            }
            return;
        };
        let mut common = edge.label.iter().zip(word).take_while(|(a, b)| a == b).count();
        if is_planted(4) && common > 1 {
            common -= 1;
        }
        if common < edge.label.len() {
            let rest = edge.label.split_off(common);
            let below = std::mem::take(&mut edge.below);
            if !(is_planted(5) && rest.len() > 1) {
                edge.below.edges.push(Edge { label: rest, below });
            }
            if is_planted(6) {
                edge.below.value = Some(value);
            }
        }
        if is_planted(7) && word.len() - common > 3 {
            return edge.below.put(&word[common..word.len() - 1], value);
        }
        edge.below.put(&word[common..], value);
    }

    fn remove(&mut self, word: &[Letter]) -> Option<u8> {
        if word.is_empty() {
            return if is_planted(8) { self.value } else { self.value.take() };
        }
        let at = self.edges.iter().position(|it| it.label.first() == word.first())?;
        let edge = &mut self.edges[at];
        let rest = word.strip_prefix(&edge.label[..])?;
        let value = edge.below.remove(rest)?;
        let is_bare = edge.below.value.is_none();
        match edge.below.edges.len() {
            0 if is_bare && is_planted(9) => {}
            0 if is_bare => drop(self.edges.remove(at)),
            1 if is_bare && !is_planted(10) => {
                let next = edge.below.edges.remove(0);
                if is_planted(11) {
                    edge.label = next.label;
                } else {
                    edge.label.extend(next.label);
                }
                edge.below = next.below;
            }
            2 if is_bare && is_planted(12) => {
                edge.below.edges.pop();
            }
            _ => {}
        }
        Some(value)
    }

    /// The longest word in the map that this one begins with.
    fn longest<'a>(&self, word: &'a [Letter]) -> Option<&'a [Letter]> {
        let (mut node, mut at, mut best) = (self, 0, self.value.map(|_| 0));
        while let Some(edge) = node.edges.iter().find(|it| it.label.first() == word.get(at)) {
            if !word[at..].starts_with(&edge.label) {
                break;
            }
            at += edge.label.len();
            node = &edge.below;
            if node.value.is_some() || is_planted(13) {
                best = Some(at);
            }
            if is_planted(14) && best.is_some() && at > 2 {
                break;
            }
        }
        if is_planted(15) && best == Some(0) {
            return None;
        }
        best.map(|it| &word[..it])
    }

    fn entries(&self) -> BTreeMap<Word, u8> {
        let mut res: BTreeMap<Word, u8> = self.value.map(|it| (Vec::new(), it)).into_iter().collect();
        for edge in &self.edges {
            for (rest, value) in edge.below.entries() {
                res.insert([&edge.label[..], &rest].concat(), value);
            }
        }
        res
    }

    /// Whether labels are not empty, begin with different letters, in order, and lead to a value or a choice.
    fn is_valid(&self) -> bool {
        let is_sorted = self.edges.windows(2).all(|it| it[0].label.first() < it[1].label.first());
        let is_needed = |it: &Edge| it.below.value.is_some() || it.below.edges.len() > 1;
        is_sorted && self.edges.iter().all(|it| !it.label.is_empty() && is_needed(it) && it.below.is_valid())
    }
}

#[derive(Clone, Debug, Generate)]
enum Step {
    Put(Word, u8),
    Remove(Word),
}

#[probity::test]
fn steps_are_those_of_a_map(steps: Vec<Step>) {
    let (mut radix, mut map) = (Radix::default(), BTreeMap::new());
    for step in steps {
        match step {
            Step::Put(word, value) => {
                radix.put(&word, value);
                map.insert(word, value);
            }
            Step::Remove(word) => assert_eq!(radix.remove(&word), map.remove(&word)),
        }
    }
    assert_eq!(radix.entries(), map);
}

#[probity::test]
fn put_adds_one_entry(mut radix: Radix, word: Word, value: u8) {
    assume!(radix.is_valid());
    let mut entries = radix.entries();
    entries.insert(word.clone(), value);
    radix.put(&word, value);
    assert_eq!(radix.entries(), entries);
    assert!(radix.is_valid());
}

#[probity::test]
fn remove_takes_one_entry(mut radix: Radix, word: Word) {
    assume!(radix.is_valid());
    let mut entries = radix.entries();
    assert_eq!(radix.remove(&word), entries.remove(&word));
    assert_eq!(radix.entries(), entries);
    assert!(radix.is_valid());
}

#[probity::test]
fn get_finds_what_was_put(words: Vec<Word>, other: Word) {
    let mut radix = Radix::default();
    words.iter().zip((0..=u8::MAX).cycle()).for_each(|(word, value)| radix.put(word, value));
    let last = words.iter().rposition(|it| *it == other);
    assert_eq!(radix.get(&other).map(usize::from), last.map(|it| it % 256));
}

#[probity::test]
fn the_longest_beginning_is_found(words: Vec<Word>, word: Word) {
    let mut radix = Radix::default();
    words.iter().for_each(|it| radix.put(it, 1));
    let wanted = words.iter().filter(|it| word.starts_with(it)).map(Vec::len).max();
    assert_eq!(radix.longest(&word).map(<[Letter]>::len), wanted);
}
