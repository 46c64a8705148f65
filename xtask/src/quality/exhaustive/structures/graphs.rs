//! Nodes that point to each other, up to the names of the nodes and of what they hold.

use std::collections::BTreeSet;

use probity_core::{Combine, Generator, Labels, Lazy, Source, from, lazy, optional, vec};

use super::Visit;

/// Which block each of `n` items is in.
pub(super) fn partition(n: u8) -> Visit {
    let n = usize::from(n);
    let blocks = move |src: &mut Source| vec(Labels::new(src, n), n).generate(src);
    Box::new(move |src| _ = src.draw(blocks))
}

/// Node 0 is the first.
#[derive(Debug)]
struct Linked {
    nodes: Vec<GraphNode>,
}

#[derive(Debug)]
struct GraphNode {
    next: Lazy<Option<usize>>,
    previous: Lazy<Option<usize>>,
    element: Lazy<usize>,
}

fn linked_list(n: u8, is_list: fn(&Linked) -> bool) -> Visit {
    let n = usize::from(n);
    let lists = from(move |src: &mut Source| {
        let (ids, elements) = (Labels::new(src, n), lazy(Labels::new(src, n)));
        ids.generate(src);
        let link = lazy(optional(ids));
        let node = |src: &mut Source| GraphNode {
            next: link.generate(src),
            previous: link.generate(src),
            element: elements.generate(src),
        };
        Linked { nodes: (0..n).map(|_| node(src)).collect() }
    });
    let lists = lists.such_that(is_list);
    Box::new(move |src| {
        let list = src.draw(lists.by_ref());
        // The elements are free; anyone who reads them draws them.
        assert!(list.nodes.iter().all(|it| *it.element < n));
    })
}

pub(super) fn singly_linked_list(n: u8) -> Visit {
    linked_list(n, |it| is_list(it, |_, _| true))
}

pub(super) fn doubly_linked_list(n: u8) -> Visit {
    linked_list(n, |it| is_list(it, |node, before| *node.previous == before))
}

/// Whether `next` leads through all nodes to an end, and each is `linked` to the one before.
fn is_list(list: &Linked, linked: fn(&GraphNode, Option<usize>) -> bool) -> bool {
    let mut seen = vec![false; list.nodes.len()];
    let (mut before, mut at) = (None, Some(0));
    while let Some(here) = at {
        if std::mem::replace(&mut seen[here], true) || !linked(&list.nodes[here], before) {
            return false;
        }
        (before, at) = (at, *list.nodes[here].next);
    }
    seen.iter().all(|it| *it)
}

/// Where the two edges of each node lead; node 0 is the root.
#[derive(Debug)]
struct Graph {
    nodes: Vec<[Lazy<Option<usize>>; 2]>,
}

/// Graphs of just `n` nodes that can all be reached from the root.
pub(super) fn rooted_graph(n: u8) -> Visit {
    let n = usize::from(n);
    let graphs = from(move |src: &mut Source| {
        let ids = Labels::new(src, n);
        ids.generate(src);
        let edge = lazy(optional(ids));
        Graph { nodes: (0..n).map(|_| [edge.generate(src), edge.generate(src)]).collect() }
    });
    let graphs = graphs.such_that(|it| {
        // Nodes are numbered as they are met, so the next is met before its own edges are read.
        let mut met = 1;
        it.nodes.iter().enumerate().all(|(at, edges)| {
            at < met && {
                met = edges.iter().filter_map(|it| **it).fold(met, |met, it| met.max(it + 1));
                true
            }
        })
    });
    Box::new(move |src| _ = src.draw(graphs.by_ref()))
}

/// Writes down all graphs of `n` nodes and takes those as one that differ in the names of nodes.
pub(super) fn count_rooted_graphs(n: u8) -> u64 {
    let n = usize::from(n);
    let renamings = permutations(n);
    let mut seen = BTreeSet::new();
    for code in 0..(n + 1).pow(2 * n as u32) {
        // An edge to `n` is no edge.
        let edges: Vec<usize> = (0..2 * n).map(|at| code / (n + 1).pow(at as u32) % (n + 1)).collect();
        if !all_reached(&edges, n) {
            continue;
        }
        let renamed = renamings.iter().map(|names| {
            let mut res = vec![0; edges.len()];
            for (at, &to) in edges.iter().enumerate() {
                res[2 * names[at / 2] + at % 2] = if to == n { n } else { names[to] };
            }
            res
        });
        seen.insert(renamed.min());
    }
    seen.len() as u64
}

fn all_reached(edges: &[usize], n: usize) -> bool {
    let mut reached = vec![0];
    let mut at = 0;
    while at < reached.len() {
        let from = reached[at];
        for &to in &edges[2 * from..2 * from + 2] {
            if to < n && !reached.contains(&to) {
                reached.push(to);
            }
        }
        at += 1;
    }
    reached.len() == n
}

/// All that leave the root in its place.
fn permutations(n: usize) -> Vec<Vec<usize>> {
    let mut res = vec![vec![0]];
    for next in 1..n {
        let longer = |it: &Vec<usize>| {
            (1..=it.len()).map(|at| [&it[..at], &[next], &it[at..]].concat()).collect::<Vec<_>>()
        };
        res = res.iter().flat_map(longer).collect();
    }
    res
}
