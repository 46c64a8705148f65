//! A network whose messages take too many hops: a graph of a shape that random testing hardly ever meets.
//!
//! The first study of A. Löscher and K. Sagonas, "Automating Targeted Property-Based Testing" (ICST 2018),
//! with the generators of its section IV: those that its own neighbors cannot be made from are targeted here
//! as well as the plain ones.
//!
//! `cargo run --release --example longest_path`
#![allow(clippy::print_stdout, reason = "an example talks")]

use std::ops::RangeInclusive;

use probity::engine::{Annealing, Budget, search_adaptive};
use probity::events::Tally;
use probity::prelude::*;

/// How many vertices a graph has, or has at most.
const VERTICES: u8 = 42;
/// No message should take this many hops.
const TOO_FAR: u32 = 21;
/// How many vertices the graphs have whose vertices are drawn too.
const SOME: RangeInclusive<u8> = 2..=VERTICES;

/// Vertices `1..=vertices`, of which 1 is the sink, and links between them, each with the lower one first.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    pub(crate) vertices: u8,
    pub(crate) edges: Vec<(u8, u8)>,
}

impl Graph {
    /// With each edge once.
    fn sorted(mut self) -> Self {
        self.edges.sort_unstable();
        self.edges.dedup();
        self
    }

    /// The hops from the sink to the vertex that is farthest from it, among those that it reaches.
    pub(crate) fn longest_path(&self) -> u32 {
        // A vertex is a bit: 42 of them fit a word.
        let mut links = [0u64; 64];
        for &(a, b) in &self.edges {
            links[usize::from(a)] |= 1 << b;
            links[usize::from(b)] |= 1 << a;
        }
        let (mut reached, mut last, mut hops) = (1u64 << 1, 1u64 << 1, 0);
        loop {
            let mut next = 0;
            while last != 0 {
                next |= links[last.trailing_zeros() as usize];
                last &= last - 1;
            }
            last = next & !reached;
            if last == 0 {
                return hops;
            }
            reached |= last;
            hops += 1;
        }
    }
}

fn edge(vertices: u8) -> impl Generator<Value = (u8, u8)> {
    let vertex = select(1..=vertices);
    from((vertex.clone(), vertex)).filter(|(a, b)| a < b)
}

/// Any graph of this many vertices.
pub(crate) fn graph_of(vertices: u8) -> impl Combine<Value = Graph> {
    vec(edge(vertices), 0..).map(move |edges| Graph { vertices, edges }.sorted())
}

/// Any graph of at most 42 vertices; an edge may be in it more than once.
pub(crate) fn graph_duplicated_edges() -> impl Combine<Value = Graph> {
    let graph = |(vertices, edges)| Graph { vertices, edges };
    from(SOME).and_then(|vertices| (just(vertices), vec(edge(vertices), 0..))).map(graph)
}

/// The same with each edge once.
pub(crate) fn graph() -> impl Combine<Value = Graph> {
    graph_duplicated_edges().map(Graph::sorted)
}

/// The same as [`graph`], where what depends on the number of vertices is changed once more before it is
/// returned, so that the edges cannot be read off the value.
pub(crate) fn graph_no_caching() -> impl Combine<Value = Graph> {
    from(SOME).and_then(graph_of)
}

/// The same as [`graph`], where the number of edges is drawn before them, so that two graphs need not have
/// the same structure.
pub(crate) fn graph_no_matching() -> impl Combine<Value = Graph> {
    let edges = |(vertices, n): (u8, usize)| (just(vertices), vec(edge(vertices), n));
    let graph = |(vertices, edges)| Graph { vertices, edges }.sorted();
    from((SOME, 0..=100)).and_then(edges).map(graph)
}

/// The test: no message takes too many hops. Targeted cases take more and more.
pub(crate) fn messages_arrive_soon(src: &mut Source, graphs: impl Generator<Value = Graph>) {
    let graph = src.draw_as("graph", graphs);
    let longest = graph.longest_path();
    maximize("hops", longest.into());
    assert!(longest < TOO_FAR, "among {} nodes, a message takes {longest} hops", graph.vertices);
}

/// The test for any graph of 42 vertices.
pub(crate) fn prop_length(src: &mut Source) {
    messages_arrive_soon(src, graph_of(VERTICES));
}

/// The name of a generator, and the test with it.
type Way = (&'static str, fn(&mut Source));

/// The generators of graphs of at most 42 vertices.
pub(crate) const WAYS: [Way; 4] = [
    ("plain", |src| messages_arrive_soon(src, graph())),
    ("duplicated edges", |src| messages_arrive_soon(src, graph_duplicated_edges())),
    ("no caching", |src| messages_arrive_soon(src, graph_no_caching())),
    ("no matching", |src| messages_arrive_soon(src, graph_no_matching())),
];

fn main() {
    std::panic::set_hook(Box::new(|_| ()));
    println!("Among {VERTICES} nodes, no message should take {TOO_FAR} hops to the sink.\n");
    // In a test of yours: `#[probity::test(cases = 100_000)]`, and the panic goes on to the harness.
    let check = || probity::Check::new("longest_path::prop_length").cases(100_000).store(false);
    let _ = std::panic::catch_unwind(|| check().run(prop_length));

    println!("\nGraphs of at most {VERTICES} nodes, drawn in other ways:");
    for (name, mut test) in WAYS {
        let annealing = Annealing { cases: 100_000, ..Annealing::default() };
        let budget =
            Budget { cases: 100_000, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
        let finding = search_adaptive(Tally::default(), 7, annealing, &mut test, budget);
        match finding.ok().and_then(|it| it.failures.into_iter().next()) {
            Some(found) => println!("{name:>20}: too far in case {}", found.index + 1),
            None => println!("{name:>20}: nothing found"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same from all distances between all vertices.
    fn longest_by_distances(graph: &Graph) -> u32 {
        const FAR: u32 = 1000;
        let n = usize::from(graph.vertices) + 1;
        let mut distance = vec![vec![FAR; n]; n];
        for &(a, b) in &graph.edges {
            let (a, b) = (usize::from(a), usize::from(b));
            (distance[a][b], distance[b][a]) = (1, 1);
        }
        for over in 1..n {
            for a in 1..n {
                for b in 1..n {
                    distance[a][b] = distance[a][b].min(distance[a][over] + distance[over][b]);
                }
            }
        }
        (2..n).map(|it| distance[1][it]).filter(|it| *it < FAR).max().unwrap_or(0)
    }

    #[test]
    fn longest_paths_are_those_of_all_distances() {
        let mut met = [false; 6];
        for seed in 0..400 {
            let graph = sample(&graph_no_matching(), seed);
            let longest = graph.longest_path();
            assert_eq!(longest, longest_by_distances(&graph), "{graph:?}");
            met[(longest as usize).min(5)] = true;
        }
        assert_eq!(met, [true; 6], "the graphs are of many kinds");
    }

    #[test]
    fn a_line_is_as_long_as_it_can_be() {
        let line = Graph { vertices: VERTICES, edges: (1..VERTICES).map(|it| (it, it + 1)).collect() };
        assert_eq!(line.longest_path(), u32::from(VERTICES) - 1);
    }

    #[test]
    fn generators_make_graphs() {
        for seed in 0..200 {
            let plain = [sample(&graph_of(VERTICES), seed), sample(&graph(), seed)];
            let others = [sample(&graph_no_caching(), seed), sample(&graph_no_matching(), seed)];
            let doubled = sample(&graph_duplicated_edges(), seed);
            for graph in plain.iter().chain(&others) {
                assert!(graph.edges.is_sorted_by(|a, b| a < b), "{graph:?}");
            }
            for graph in plain.iter().chain(&others).chain([&doubled]) {
                let fits = |&(a, b): &(u8, u8)| 1 <= a && a < b && b <= graph.vertices;
                assert!(SOME.contains(&graph.vertices) && graph.edges.iter().all(fits), "{graph:?}");
            }
        }
    }
}
