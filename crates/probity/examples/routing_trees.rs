//! Routing trees for directional antennas that waste energy, or save it: a search for the best input rather
//! than for a failing one.
//!
//! The second study of A. Löscher and K. Sagonas, "Automating Targeted Property-Based Testing" (ICST 2018),
//! section V-B: a tree is drawn as weights of all links there could be, and is the minimum spanning tree of
//! them. How much energy it takes is estimated by a rule of our own.
//!
//! `cargo run --release --example routing_trees`
#![allow(clippy::print_stdout, reason = "an example talks")]

use probity::engine::{Annealing, Budget, Test, search_adaptive};
use probity::events::Tally;
use probity::prelude::*;

/// How many nodes a network has; node 0 is the sink.
const NODES: usize = 20;
/// How many links there could be.
const LINKS: usize = NODES * (NODES - 1) / 2;
/// How many directions an antenna can be turned to.
const DIRECTIONS: u8 = 8;
/// What it takes to send a message, and to receive one.
const SEND: u32 = 10;
const RECEIVE: u32 = 10;
/// What it takes to turn an antenna by one direction.
const TURN: u32 = 5;
/// What it takes to listen in a direction for as long as messages may come.
const LISTEN: u32 = 20;

/// A link between two nodes that there could be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    /// Light links make the tree.
    weight: u16,
    /// Where the node that is farther from the sink turns to send.
    send: u8,
    /// Where the other one turns to receive.
    receive: u8,
}

/// The links there could be, ordered by the greater of their two nodes, and then by the lesser.
type Links = [Link];

/// Where the link of two nodes stands.
fn place(a: usize, b: usize) -> usize {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    high * (high - 1) / 2 + low
}

/// Distinguishes links of one weight, in no order that means anything: if the first were the lighter one, links
/// that are all alike would make the tree that takes the least energy, and nothing would be left to find.
fn scattered(place: usize) -> usize {
    place * 73 % LINKS
}

/// The minimum spanning tree of `links` among `N` nodes: the parent of each node, and all nodes, parents
/// first.
fn spanning_tree<const N: usize>(links: &Links) -> ([usize; N], [usize; N]) {
    // By Prim: the node that is nearest to the tree joins it.
    let (mut parents, mut order) = ([0; N], [0; N]);
    let mut nearest = [(u16::MAX, LINKS); N];
    let mut outside = [true; N];
    outside[0] = false;
    for joined in 1..N {
        let last = order[joined - 1];
        let mut next = ((u16::MAX, LINKS), 0);
        for node in (0..N).filter(|it| outside[*it]) {
            let at = place(last, node);
            let link = (links[at].weight, scattered(at));
            if link < nearest[node] {
                (nearest[node], parents[node]) = (link, last);
            }
            next = next.min((nearest[node], node));
        }
        order[joined] = next.1;
        outside[next.1] = false;
    }
    (parents, order)
}

/// The energy for one message from every node to the sink.
///
/// A node sends its own message and those of the nodes behind it. Between receiving and sending one it turns
/// its antenna; and it listens in every direction from which messages come.
fn energy<const N: usize>(links: &Links) -> u32 {
    let (parents, order) = spanning_tree::<N>(links);
    let mut messages = [1; N];
    let mut listens = [0u8; N];
    let mut res = 0;
    for &node in order[1..].iter().rev() {
        let parent = parents[node];
        let link = links[place(node, parent)];
        messages[parent] += messages[node];
        listens[parent] |= 1 << link.receive;
        res += messages[node] * (SEND + RECEIVE);
        if parent != 0 {
            let onwards = links[place(parent, parents[parent])];
            res += messages[node] * TURN * u32::from(turn(link.receive, onwards.send));
        }
    }
    res + listens.iter().map(|it| it.count_ones() * LISTEN).sum::<u32>()
}

/// By how many directions an antenna turns, the shorter way round.
fn turn(a: u8, b: u8) -> u8 {
    let by = a.abs_diff(b);
    by.min(DIRECTIONS - by)
}

/// Any links.
pub(crate) fn links() -> impl Generator<Value = Vec<Link>> {
    let direction = 0..DIRECTIONS;
    let link = from((0..=999u16, direction.clone(), direction));
    vec(link.map(|(weight, send, receive)| Link { weight, send, receive }), LINKS)
}

/// Looks for a tree that takes much energy.
pub(crate) fn wasteful(src: &mut Source) {
    maximize("energy", energy::<NODES>(&src.draw_as("links", links())).into());
}

/// Looks for a tree that takes little.
pub(crate) fn thrifty(src: &mut Source) {
    minimize("energy", energy::<NODES>(&src.draw_as("links", links())).into());
}

/// The first and the best energy of this many cases.
pub(crate) fn first_and_best(test: &mut dyn Test, cases: u64, seed: u64) -> Option<(f64, f64)> {
    let annealing = Annealing { cases, ..Annealing::default() };
    let budget = Budget { cases, rejects: 0, go_on: &mut |_| true, progress: Default::default() };
    let climb = search_adaptive(Tally::default(), seed, annealing, test, budget).ok()?.evidence.climb;
    let points = climb?.curves.first()?.points.clone();
    Some((points.first()?.best, points.last()?.best))
}

fn main() {
    println!("Trees of {NODES} nodes, and what they take to bring a message from each to the sink:");
    for (name, test) in [("wasteful", wasteful as fn(&mut Source)), ("thrifty", thrifty)] {
        let Some((first, best)) = first_and_best(&mut { test }, 10_000, 7) else { continue };
        println!("{name:>12}: from {first} to {best}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(weight: u16, send: u8, receive: u8) -> Link {
        Link { weight, send, receive }
    }

    /// The places of the links of the minimum spanning tree of `n` nodes, in order.
    fn by_kruskal(n: usize, links: &Links) -> Vec<usize> {
        let ends = |at| (1..n).flat_map(|b| (0..b).map(move |a| (a, b))).nth(at).unwrap();
        let mut sorted: Vec<usize> = (0..links.len()).collect();
        sorted.sort_by_key(|it| (links[*it].weight, scattered(*it)));
        let mut groups: Vec<usize> = (0..n).collect();
        let mut res = Vec::new();
        for at in sorted {
            let (a, b) = ends(at);
            let (from, to) = (groups[a], groups[b]);
            if from != to {
                groups.iter_mut().filter(|it| **it == from).for_each(|it| *it = to);
                res.push(at);
            }
        }
        res.sort_unstable();
        res
    }

    #[test]
    fn trees_are_those_of_another_algorithm() {
        for seed in 0..300 {
            let links = sample(&links(), seed);
            let (parents, order) = spanning_tree::<NODES>(&links);
            let mut tree: Vec<usize> = (1..NODES).map(|it| place(it, parents[it])).collect();
            tree.sort_unstable();
            assert_eq!(tree, by_kruskal(NODES, &links), "seed {seed}");
            let stands = |node: usize| order.iter().position(|it| *it == node).unwrap();
            assert!((1..NODES).all(|it| stands(parents[it]) < stands(it)), "seed {seed}");
        }
    }

    /// All 16 trees of four nodes, by the three links that they are made of.
    #[test]
    fn trees_are_the_lightest_there_are() {
        let weights = |links: &Links, chosen: u32| -> Option<u32> {
            let of = |at: usize| u32::from(links[at].weight);
            let mut reached = 1u32;
            for _ in 0..3 {
                for (a, b) in (1..4usize).flat_map(|b| (0..b).map(move |a| (a, b))) {
                    if chosen >> place(a, b) & 1 == 1 && (reached >> a | reached >> b) & 1 == 1 {
                        reached |= 1 << a | 1 << b;
                    }
                }
            }
            let sum = (0..6).filter(|at| chosen >> at & 1 == 1).map(of).sum();
            (chosen.count_ones() == 3 && reached == 0b1111).then_some(sum)
        };
        for seed in 0..300 {
            let links = &sample(&links(), seed)[..6];
            let all: Vec<u32> = (0..1 << 6).filter_map(|it| weights(links, it)).collect();
            assert_eq!(all.len(), 16);
            let (parents, _) = spanning_tree::<4>(links);
            let chosen = (1..4).fold(0, |res, it| res | 1 << place(it, parents[it]));
            assert_eq!(weights(links, chosen).as_ref(), all.iter().min(), "{links:?}");
        }
    }

    #[test]
    fn energy_is_what_messages_and_turns_take() {
        // In order: 1-0, 2-0, 2-1.
        let line = [link(1, 0, 7), link(9, 0, 0), link(2, 5, 2)];
        // Two messages over the first link and one over the other, which is turned from 2 to 0.
        assert_eq!(energy::<3>(&line), 3 * (SEND + RECEIVE) + 2 * TURN + 2 * LISTEN);
        let star = [link(1, 0, 7), link(2, 0, 7), link(9, 5, 2)];
        assert_eq!(energy::<3>(&star), 2 * (SEND + RECEIVE) + LISTEN);
        let wide = [link(1, 0, 7), link(2, 0, 6), link(9, 5, 2)];
        assert_eq!(energy::<3>(&wide), energy::<3>(&star) + LISTEN);
    }

    #[test]
    fn antennas_turn_the_shorter_way() {
        let rows = [(0, 0, 0), (0, 1, 1), (1, 0, 1), (0, 4, 4), (0, 5, 3), (7, 0, 1), (6, 1, 3)];
        for (a, b, by) in rows {
            assert_eq!(turn(a, b), by, "{a} to {b}");
        }
    }
}
