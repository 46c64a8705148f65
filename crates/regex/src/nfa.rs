//! Patterns as automata with several states at once.

use std::collections::HashMap;

use regex_syntax::hir::Look;

use super::alphabet::Alphabet;
use super::chars::{CharSet, at};
use super::dfa::{Dfa, explore};
use super::language::Language;
use super::look::{CharKind, holds, kind_sets};
use super::node::{Class, Node};

/// An automaton that may be in several states at once. State 0 is the end of a match.
#[derive(Debug)]
pub(super) struct Nfa {
    states: Vec<NfaState>,
    classes: Vec<CharSet>,
    start: u32,
    has_looks: bool,
}

#[derive(Debug)]
enum NfaState {
    Match,
    /// Reads a character of a class.
    Chars(u32, u32),
    Split(Box<[u32]>),
    Look(Look, u32),
}

/// Patterns that need more states than this are refused. The `regex` crate refuses patterns at about this size too.
const STATES_MAX: u64 = 200_000;
/// This many steps are made to find the states of a deterministic automaton before it is given up: about a second in a
/// debug build.
pub(super) const STEPS_MAX: u64 = 5_000_000;

const MATCH: u32 = 0;

/// An error for patterns that are too large, found without building anything.
pub(super) fn check_size(node: &Node) -> Result<(), String> {
    if size(node) <= STATES_MAX {
        return Ok(());
    }
    Err(format!(
        "this pattern is too large: it needs more than {STATES_MAX} states; make its counted repetitions smaller"
    ))
}

/// How many states a pattern needs.
pub(super) fn size(node: &Node) -> u64 {
    match node {
        Node::Empty => 0,
        Node::Literal(text) => text.chars().count() as u64,
        Node::Class(_) | Node::Look(_) => 1,
        Node::Concat(parts) => parts.iter().fold(0, |sum, it| size(it).saturating_add(sum)),
        Node::Union(parts) => parts.iter().fold(1, |sum, it| size(it).saturating_add(sum)),
        Node::Repeat(repeat) => {
            let n = repeat.max.unwrap_or(repeat.min.saturating_add(1));
            size(&repeat.node).saturating_add(1).saturating_mul(n.into())
        }
    }
}

impl Nfa {
    pub(super) fn new(node: &Node) -> Result<Nfa, String> {
        check_size(node)?;
        let mut build = Build { states: vec![NfaState::Match], ..Build::default() };
        let start = build.add(node, MATCH);
        let has_looks = node.has_looks();
        Ok(Nfa { states: build.states, classes: build.classes, start, has_looks })
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        let mut closure = EpsilonClosure::new(self);
        let mut now = closure.rest([self.start]);
        let mut before = CharKind::Edge;
        for c in text.chars() {
            let after = if self.has_looks { CharKind::of(c) } else { CharKind::Other };
            closure.pass(&mut now, before, after);
            let reads = |&state: &u32| match self.states[state as usize] {
                NfaState::Chars(class, next) => self.classes[class as usize].contains(c).then_some(next),
                _ => None,
            };
            let next: Vec<u32> = now.iter().filter_map(reads).collect();
            if next.is_empty() {
                return false;
            }
            now = closure.rest(next);
            before = after;
        }
        closure.pass(&mut now, before, CharKind::Edge);
        now.contains(&MATCH)
    }

    /// The deterministic automaton, minimal; an error where `steps_max` steps do not find it.
    pub(super) fn language(&self, steps_max: u64) -> Result<Language, String> {
        let mut sets = self.classes.clone();
        if self.has_looks {
            sets.extend(kind_sets());
        }
        let (alphabet, has) = Alphabet::of_sets(&sets)?;
        let kind = |set: &CharSet| CharKind::of(at(set.ranges()[0].0));
        let kinds: Vec<CharKind> = match self.has_looks {
            true => alphabet.sets().iter().map(kind).collect(),
            false => vec![CharKind::Other; alphabet.len()],
        };
        let mut closure = EpsilonClosure::new(self);
        let start = self.key(closure.rest([self.start]), CharKind::Edge);
        let mut steps = 0_u64;
        let next = |(states, before): &(Box<[u32]>, CharKind), res: &mut Vec<_>| {
            let mut passed: Vec<(CharKind, Vec<u32>)> = Vec::new();
            for (letter, &after) in kinds.iter().enumerate() {
                let at = passed.iter().position(|it| it.0 == after).unwrap_or_else(|| {
                    let mut now = states.to_vec();
                    closure.pass(&mut now, *before, after);
                    passed.push((after, now));
                    passed.len() - 1
                });
                let reads = |&state: &u32| match self.states[state as usize] {
                    NfaState::Chars(class, next) => has[class as usize][letter].then_some(next),
                    _ => None,
                };
                let next: Vec<u32> = passed[at].1.iter().filter_map(reads).collect();
                let next = closure.rest(next);
                steps += passed[at].1.len() as u64 + 1;
                res.push((!next.is_empty()).then(|| self.key(next, after)));
            }
            // What the closures went through is most of it where much can be left out.
            let all = steps.saturating_add(closure.visited);
            if all <= steps_max { Ok(()) } else { Err(TOO_MANY_STEPS.to_string()) }
        };
        let mut ends = EpsilonClosure::new(self);
        let accepts = |(states, before): &(Box<[u32]>, CharKind)| {
            let mut now = states.to_vec();
            ends.pass(&mut now, *before, CharKind::Edge);
            now.contains(&MATCH)
        };
        explore(alphabet, start, next, accepts).map(Dfa::minimal).map(Language::of)
    }

    /// What a deterministic automaton has to remember: the character before matters to assertions only.
    fn key(&self, states: Vec<u32>, before: CharKind) -> (Box<[u32]>, CharKind) {
        let is_look = |&it: &u32| matches!(self.states[it as usize], NfaState::Look(..));
        let before = if states.iter().any(is_look) { before } else { CharKind::Other };
        (states.into(), before)
    }
}

pub(super) const TOO_MANY_STEPS: &str =
    "takes too many steps to be turned into an automaton; make its counted repetitions smaller";

#[derive(Default)]
struct Build {
    states: Vec<NfaState>,
    classes: Vec<CharSet>,
    known: HashMap<CharSet, u32>,
    /// Classes that were met, by address: a repeated part has few of them and many states.
    met: HashMap<*const Class, u32>,
    /// The one class that the single characters of a union make, if any, by address.
    unions: HashMap<*const Node, Option<u32>>,
}

impl Build {
    fn push(&mut self, state: NfaState) -> u32 {
        self.states.push(state);
        self.states.len() as u32 - 1
    }

    fn class(&mut self, set: CharSet) -> u32 {
        let classes = &mut self.classes;
        *self.known.entry(set).or_insert_with_key(|it| {
            classes.push(it.clone());
            classes.len() as u32 - 1
        })
    }

    fn chars(&mut self, set: CharSet, next: u32) -> u32 {
        let class = self.class(set);
        self.push(NfaState::Chars(class, next))
    }

    /// The class that the single characters among some alternatives make.
    fn singles(&mut self, parts: &[Node]) -> Option<u32> {
        if let Some(known) = self.unions.get(&parts.as_ptr()) {
            return *known;
        }
        let sets = parts.iter().filter_map(one_char);
        let set = CharSet::of(sets.flat_map(|it| it.ranges().to_vec()).collect());
        let class = (!set.is_empty()).then(|| self.class(set));
        self.unions.insert(parts.as_ptr(), class);
        class
    }

    /// States that read `node` and go on at `next`; where they begin.
    fn add(&mut self, node: &Node, next: u32) -> u32 {
        match node {
            Node::Empty => next,
            Node::Literal(text) => text.chars().rev().fold(next, |next, c| self.chars(CharSet::one(c), next)),
            Node::Class(class) => {
                let at = std::sync::Arc::as_ptr(class);
                let class = match self.met.get(&at) {
                    Some(known) => *known,
                    None => self.class(class.set.clone()),
                };
                self.met.insert(at, class);
                self.push(NfaState::Chars(class, next))
            }
            Node::Look(look) => self.push(NfaState::Look(*look, next)),
            Node::Concat(parts) => parts.iter().rev().fold(next, |next, it| self.add(it, next)),
            Node::Union(parts) => {
                // Alternatives of one character are one class.
                let longer = parts.iter().filter(|it| !is_one_char(it));
                let mut starts: Vec<u32> = longer.map(|it| self.add(it, next)).collect();
                if let Some(class) = self.singles(parts) {
                    starts.push(self.push(NfaState::Chars(class, next)));
                }
                self.push(NfaState::Split(starts.into()))
            }
            Node::Repeat(repeat) => {
                let node = &repeat.node;
                let (mut start, copies) = match repeat.max {
                    None => {
                        let split = self.push(NfaState::Match);
                        let body = self.add(node, split);
                        self.states[split as usize] = NfaState::Split([body, next].into());
                        // One copy is in the loop.
                        (if repeat.min == 0 { split } else { body }, repeat.min.saturating_sub(1))
                    }
                    Some(max) => {
                        let optional = (repeat.min..max).fold(next, |start, _| {
                            let body = self.add(node, start);
                            self.push(NfaState::Split([body, next].into()))
                        });
                        (optional, repeat.min)
                    }
                };
                for _ in 0..copies {
                    start = self.add(node, start);
                }
                start
            }
        }
    }
}

fn is_one_char(node: &Node) -> bool {
    match node {
        Node::Class(_) => true,
        Node::Literal(text) => text.chars().nth(1).is_none(),
        _ => false,
    }
}

/// The characters of a node that always reads one.
fn one_char(node: &Node) -> Option<CharSet> {
    match node {
        Node::Class(class) => Some(class.set.clone()),
        Node::Literal(text) => {
            let mut chars = text.chars();
            chars.next().filter(|_| chars.next().is_none()).map(CharSet::one)
        }
        _ => None,
    }
}

/// Finds what can be reached without reading.
struct EpsilonClosure<'a> {
    nfa: &'a Nfa,
    seen: Vec<u32>,
    round: u32,
    stack: Vec<u32>,
    /// How many states were gone through so far.
    visited: u64,
}

impl<'a> EpsilonClosure<'a> {
    fn new(nfa: &'a Nfa) -> Self {
        EpsilonClosure { nfa, seen: vec![0; nfa.states.len()], round: 0, stack: Vec::new(), visited: 0 }
    }

    /// The states where something has to be read or asserted, in order.
    fn rest(&mut self, from: impl IntoIterator<Item = u32>) -> Vec<u32> {
        self.round += 1;
        self.stack.extend(from);
        let mut res = Vec::new();
        self.collect(&mut res, None);
        res.sort_unstable();
        res
    }

    /// Adds what is behind the assertions that hold between two characters.
    fn pass(&mut self, states: &mut Vec<u32>, before: CharKind, after: CharKind) {
        let nfa = self.nfa;
        if !nfa.has_looks || !states.iter().any(|&it| matches!(nfa.states[it as usize], NfaState::Look(..))) {
            return;
        }
        self.round += 1;
        self.stack.append(states);
        self.collect(states, Some((before, after)));
        states.sort_unstable();
    }

    fn collect(&mut self, res: &mut Vec<u32>, place: Option<(CharKind, CharKind)>) {
        while let Some(state) = self.stack.pop() {
            self.visited += 1;
            if std::mem::replace(&mut self.seen[state as usize], self.round) == self.round {
                continue;
            }
            match (&self.nfa.states[state as usize], place) {
                (NfaState::Split(to), _) => self.stack.extend(to.iter().copied()),
                (NfaState::Look(look, next), Some((before, after))) => {
                    if holds(*look, before, after) {
                        self.stack.push(*next);
                    }
                }
                _ => res.push(state),
            }
        }
    }
}
