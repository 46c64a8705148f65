//! Pointers that meet: a bug that shows when two handles are one, found among all small heaps.
//!
//! `cargo run --example aliasing`
#![allow(clippy::print_stdout, reason = "an example talks")]

use std::fmt;

use probity::engine::{Bounds, Budget, SearchResult, Test, search_exhaustive};
use probity::prelude::*;

/// How many nodes a heap has.
const NODES: usize = 4;

/// Nodes that point to each other, with two handles to them. A pointer is the number of a node.
struct Ring {
    a: usize,
    b: usize,
    nodes: Vec<Node>,
}

/// Drawn when they are followed, so that nodes no pointer leads to stay as they are: nothing.
struct Node {
    next: Lazy<usize>,
    prev: Lazy<usize>,
}

/// Any heap at all. Each pointer leads to a node that was seen before, or to one that was not: there are no
/// two heaps that differ only in the numbers of their nodes.
fn heap(src: &mut Source) -> Ring {
    let labels = Labels::new(src, NODES);
    let node = |src: &mut Source| Node {
        next: lazy(labels.clone()).generate(src),
        prev: lazy(labels.clone()).generate(src),
    };
    Ring { a: labels.generate(src), b: labels.generate(src), nodes: vec(node, NODES).generate(src) }
}

impl Ring {
    /// The nodes from `a` on, if they are a ring in which `b` stands and every node knows the one before it.
    /// Follows one pointer at a time, so that most heaps are refused before they are drawn.
    fn walk(&self) -> Option<Vec<usize>> {
        let mut walk = vec![self.a];
        loop {
            let at = walk[walk.len() - 1];
            let next = *self.nodes[at].next;
            if *self.nodes[next].prev != at {
                return None;
            }
            if next == self.a {
                return walk.contains(&self.b).then_some(walk);
            }
            walk.push(next);
        }
    }

    /// Moves `a` to where it comes after `b`. The bug: `b` may be `a`, and then it has just been taken out.
    fn move_a_after_b(&mut self) {
        let (a, b) = (self.a, self.b);
        let (before, after) = (*self.nodes[a].prev, *self.nodes[a].next);
        *self.nodes[before].next = after;
        *self.nodes[after].prev = before;

        let after = *self.nodes[b].next;
        (*self.nodes[a].prev, *self.nodes[a].next) = (b, after);
        *self.nodes[b].next = a;
        *self.nodes[after].prev = a;
    }
}

/// The ring as it was drawn, such as `0 -> 1 -> 0, a = 0, b = 1`.
impl fmt::Debug for Ring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let walk = self.walk().ok_or(fmt::Error)?;
        walk.iter().try_for_each(|it| write!(f, "{it} -> "))?;
        write!(f, "{}, a = {}, b = {}", self.a, self.a, self.b)
    }
}

fn ring() -> impl Generator<Value = Ring> {
    heap.such_that(|it| it.walk().is_some())
}

/// The test, with the bug.
fn moving_keeps_the_ring(src: &mut Source) {
    let mut ring = src.draw_as("ring", ring());
    let before = ring.walk().map(|it| it.len());
    ring.move_a_after_b();
    assert_eq!(ring.walk().map(|it| it.len()), before, "nodes were lost");
}

/// Runs a test on every ring.
fn search(test: &mut dyn Test) -> SearchResult {
    let budget = Budget { cases: 10_000, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
    search_exhaustive(Bounds::default(), test, budget).expect("the tests are well made")
}

fn main() {
    std::panic::set_hook(Box::new(|_| ()));
    println!("Rings of at most {NODES} nodes, up to the numbers of their nodes:\n");
    let finding = search(&mut |src: &mut Source| println!("    {:?}", src.draw(ring())));
    let (heaps, tally) = (NODES.pow(2 * NODES as u32 + 2), finding.tally);
    println!("\nThat is {} of {heaps} heaps. The walk along them refused {}.", tally.cases, tally.rejected());

    println!("\n`a` is moved to where it comes after `b`, and the walk goes along them once more:\n");
    // In a test of yours: `#[probity::test(engine = "exhaustive")]`, and the panic goes on to the harness.
    let check = || probity::Check::new("aliasing::moving_keeps_the_ring").engine("exhaustive").store(false);
    let _ = std::panic::catch_unwind(|| check().run(moving_keeps_the_ring));
    println!("\nThe two are one node, which is taken out and then put in behind itself.");
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity::engine::{Replay, Tail, render_case};

    #[test]
    fn every_ring_is_met_once() {
        let mut rings = Vec::new();
        let finding = search(&mut |src: &mut Source| rings.push(format!("{:?}", src.draw(ring()))));
        rings.sort();
        rings.dedup();
        assert_eq!(rings.len(), 1 + 2 + 3 + 4, "so many places for `b` in each");
        assert_eq!(finding.tally.cases, 10);
        assert!(finding.tally.rejected() < 400, "{:?}", finding.tally);
    }

    #[test]
    fn the_bug_is_found_in_the_smallest_ring_that_has_it() {
        let finding = search(&mut moving_keeps_the_ring);
        let replay = Replay::new(finding.failures[0].case.trace.values(), Tail::Simplest);
        let case = render_case(&mut Source::new(Box::new(replay)), &mut moving_keeps_the_ring).unwrap();
        assert_eq!(case.log.inputs[0].text, "0 -> 1 -> 0, a = 0, b = 0");
    }
}
