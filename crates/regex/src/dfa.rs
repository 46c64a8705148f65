//! Deterministic automata: found state by state, then made minimal.

use std::collections::HashMap;
use std::hash::Hash;

use super::alphabet::Alphabet;

/// A complete deterministic automaton. State 0 is dead: no text is accepted from there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Dfa {
    pub(super) alphabet: Alphabet,
    /// Where each state goes by each letter.
    pub(super) table: Vec<u32>,
    pub(super) accepts: Vec<bool>,
    pub(super) start: u32,
}

pub(super) const DEAD: u32 = 0;

/// An automaton with more states is given up.
const STATES_MAX: usize = 20_000;
/// The same for states times letters.
const CELLS_MAX: usize = 2_000_000;

/// The automaton whose states are those that `next` reaches from `start`: one for every letter, none where it is dead.
pub(super) fn explore<K: Clone + Eq + Hash>(
    alphabet: Alphabet,
    start: K,
    mut next: impl FnMut(&K, &mut Vec<Option<K>>) -> Result<(), String>,
    mut accepts: impl FnMut(&K) -> bool,
) -> Result<Dfa, String> {
    let letters = alphabet.len();
    let limit = STATES_MAX.min(CELLS_MAX / letters);
    let mut numbers = HashMap::from([(start.clone(), 1)]);
    let mut states = vec![start];
    let mut table = vec![DEAD; letters];
    let mut accept = vec![false];
    let mut found = Vec::with_capacity(letters);
    let mut at = 0;
    while at < states.len() {
        accept.push(accepts(&states[at]));
        found.clear();
        next(&states[at], &mut found)?;
        for to in found.drain(..) {
            let Some(to) = to else {
                table.push(DEAD);
                continue;
            };
            let number = *numbers.entry(to).or_insert_with_key(|it| {
                states.push(it.clone());
                states.len() as u32
            });
            table.push(number);
        }
        if states.len() > limit {
            return Err(format!(
                "needs an automaton of more than {limit} states; make its counted repetitions smaller"
            ));
        }
        at += 1;
    }
    Ok(Dfa { alphabet, table, accepts: accept, start: 1 })
}

impl Dfa {
    pub(super) fn len(&self) -> usize {
        self.accepts.len()
    }

    pub(super) fn row(&self, state: u32) -> &[u32] {
        let letters = self.alphabet.len();
        &self.table[state as usize * letters..][..letters]
    }

    #[inline]
    pub(super) fn go(&self, state: u32, c: char) -> u32 {
        self.table[state as usize * self.alphabet.len() + self.alphabet.letter(c)]
    }

    /// The one automaton with as few states and letters as possible; equal languages have equal ones.
    pub(super) fn minimal(self) -> Dfa {
        let blocks = Partition::new(&self).refine(&self);
        let letters = self.alphabet.len();
        // Letters that go everywhere alike are one.
        let mut columns: HashMap<Vec<u32>, u32> = HashMap::new();
        let mut classes = Vec::with_capacity(letters);
        let mut leaders = vec![u32::MAX; blocks.iter().max().map_or(0, |it| *it as usize + 1)];
        for (state, &block) in blocks.iter().enumerate().rev() {
            leaders[block as usize] = state as u32;
        }
        for letter in 0..letters {
            let to = |&it: &u32| blocks[self.table[it as usize * letters + letter] as usize];
            let n = columns.len() as u32;
            classes.push(*columns.entry(leaders.iter().map(to).collect()).or_insert(n));
        }
        let (alphabet, from) = self.alphabet.join(&classes);
        self.renumber(alphabet, &from, &blocks, &leaders)
    }

    /// States in the order in which a search from the start meets them, the dead one first.
    fn renumber(&self, alphabet: Alphabet, from: &[usize], blocks: &[u32], leaders: &[u32]) -> Dfa {
        let dead = blocks[DEAD as usize];
        let mut numbers = vec![u32::MAX; leaders.len()];
        numbers[dead as usize] = DEAD;
        let mut order = vec![leaders[dead as usize]];
        let mut number = |state: u32, order: &mut Vec<u32>| {
            let block = blocks[state as usize] as usize;
            if numbers[block] == u32::MAX {
                numbers[block] = order.len() as u32;
                order.push(leaders[block]);
            }
            numbers[block]
        };
        let start = number(self.start, &mut order);
        let (mut table, mut accepts) = (Vec::new(), Vec::new());
        let mut at = 0;
        while at < order.len() {
            let row = self.row(order[at]);
            accepts.push(self.accepts[order[at] as usize]);
            for &letter in from {
                let to = number(row[letter], &mut order);
                table.push(to);
            }
            at += 1;
        }
        Dfa { alphabet, table, accepts, start }
    }

    /// The automaton of all other texts.
    pub(super) fn not(&self) -> Dfa {
        // What was dead accepts all from now on, so a new dead state comes in front.
        let mut table = vec![DEAD; self.alphabet.len()];
        table.extend(self.table.iter().map(|it| it + 1));
        let mut accepts = vec![false];
        accepts.extend(self.accepts.iter().map(|it| !it));
        Dfa { alphabet: self.alphabet.clone(), table, accepts, start: self.start + 1 }.minimal()
    }
}

/// States in blocks, refined until the states of a block accept the same texts (Hopcroft's way: of two halves only the
/// smaller is looked at again, so n states take n log n steps).
struct Partition {
    /// The states, block after block.
    states: Vec<u32>,
    /// Where each state stands.
    places: Vec<u32>,
    block_of: Vec<u32>,
    /// For each block where it begins and ends, and how many at its front are marked.
    blocks: Vec<(u32, u32, u32)>,
}

impl Partition {
    fn new(dfa: &Dfa) -> Partition {
        let n = dfa.len() as u32;
        let (yes, mut states): (Vec<u32>, Vec<u32>) = (0..n).partition(|&it| dfa.accepts[it as usize]);
        let no = states.len() as u32;
        states.extend(yes);
        let mut blocks = vec![(0, no, 0)];
        if no < n {
            blocks.push((no, n, 0));
        }
        let mut places = vec![0; n as usize];
        states.iter().enumerate().for_each(|(at, &it)| places[it as usize] = at as u32);
        let block_of = (0..n).map(|it| u32::from(dfa.accepts[it as usize])).collect();
        Partition { states, places, block_of, blocks }
    }

    fn refine(mut self, dfa: &Dfa) -> Vec<u32> {
        let sources = Sources::new(dfa);
        let mut work: Vec<u32> = (0..self.blocks.len() as u32).collect();
        let mut waits = vec![true; self.blocks.len()];
        let mut touched = Vec::new();
        while let Some(block) = work.pop() {
            waits[block as usize] = false;
            let (from, to, _) = self.blocks[block as usize];
            let splitter = self.states[from as usize..to as usize].to_vec();
            for letter in 0..dfa.alphabet.len() {
                for &state in splitter.iter().flat_map(|&it| sources.of(letter, it)) {
                    self.mark(state, &mut touched);
                }
                for block in touched.drain(..) {
                    if let Some(new) = self.split(block) {
                        waits.push(false);
                        let len = |it: u32| self.blocks[it as usize].1 - self.blocks[it as usize].0;
                        let smaller = if len(new) <= len(block) { new } else { block };
                        let again = if waits[block as usize] { new } else { smaller };
                        waits[again as usize] = true;
                        work.push(again);
                    }
                }
            }
        }
        self.block_of
    }

    fn mark(&mut self, state: u32, touched: &mut Vec<u32>) {
        let block = self.block_of[state as usize];
        let (from, _, marked) = &mut self.blocks[block as usize];
        let (place, front) = (self.places[state as usize], *from + *marked);
        if place < front {
            return;
        }
        if *marked == 0 {
            touched.push(block);
        }
        *marked += 1;
        let other = self.states[front as usize];
        self.states.swap(place as usize, front as usize);
        (self.places[state as usize], self.places[other as usize]) = (front, place);
    }

    /// Makes the marked states a block of their own, unless they are the whole block.
    fn split(&mut self, block: u32) -> Option<u32> {
        let (from, to, marked) = self.blocks[block as usize];
        self.blocks[block as usize].2 = 0;
        if marked == to - from {
            return None;
        }
        let new = self.blocks.len() as u32;
        self.blocks[block as usize].0 = from + marked;
        self.blocks.push((from, from + marked, 0));
        for &state in &self.states[from as usize..(from + marked) as usize] {
            self.block_of[state as usize] = new;
        }
        Some(new)
    }
}

/// For each letter and state the states that go there by it.
struct Sources {
    states: Vec<u32>,
    /// Where those of a letter and a state begin.
    starts: Vec<u32>,
    n: usize,
}

impl Sources {
    fn new(dfa: &Dfa) -> Sources {
        let (n, letters) = (dfa.len(), dfa.alphabet.len());
        let mut starts = vec![0; n * letters + 1];
        let cell = |at: usize| at % letters * n + dfa.table[at] as usize;
        (0..n * letters).for_each(|at| starts[cell(at) + 1] += 1);
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut ends = starts.clone();
        let mut states = vec![0; n * letters];
        for at in 0..n * letters {
            let end = &mut ends[cell(at)];
            states[*end as usize] = (at / letters) as u32;
            *end += 1;
        }
        Sources { states, starts, n }
    }

    fn of(&self, letter: usize, state: u32) -> &[u32] {
        let cell = letter * self.n + state as usize;
        &self.states[self.starts[cell] as usize..self.starts[cell + 1] as usize]
    }
}
