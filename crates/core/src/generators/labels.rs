//! Labels up to renaming: any that is in use, or a fresh one.

use std::cell::Cell;
use std::fmt;
use std::rc::Rc;

use crate::source::Handle;
use crate::{Combine, Generator, Source};

/// Labels of one structure, for pointers between its nodes: each is one that was drawn before, or the
/// one fresh label. They are numbered from 0 as they first appear, so structures that differ only in
/// the names of their nodes are one structure, and an engine that enumerates meets it once.
///
/// Make it inside a generator, anew for every structure; clones share their labels. When every node that
/// has a label gets its own fields, in the order of the labels, the structure is all that can be reached from
/// the first label, with all sharing and all cycles:
///
/// ```
/// use probity_core::{Bounds, Budget, Generator, Labels, Source, optional, search_exhaustive};
/// /// Where each node points to, if anywhere; node 0 is the head.
/// fn list(src: &mut Source) -> Vec<Option<usize>> {
///     let labels = Labels::new(src, 3);
///     labels.generate(src);
///     let mut next = Vec::new();
///     while next.len() < labels.used() {
///         next.push(optional(labels.clone()).generate(src));
///     }
///     next
/// }
/// let mut lists = Vec::new();
/// let mut test = |src: &mut Source| lists.push(src.draw(list));
/// let budget = Budget { cases: 100, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
/// search_exhaustive(Bounds::default(), &mut test, budget).unwrap();
/// lists.sort_by_key(Vec::len);
/// assert_eq!(lists.len(), 2 + 3 + 4, "the last of n nodes points to none, or to one of them");
/// assert_eq!(lists[..2], [vec![None], vec![Some(0)]]);
/// ```
///
/// As the generator of a [`lazy`](crate::lazy) field it numbers nodes in the order in which fields are
/// first read. Nodes to be are then in an arena of `max` nodes, of which those without a label are not reached.
///
/// The label that appeared first is the simplest and the fresh one comes last. So the simplest structure is
/// the one with the fewest nodes rather than the greatest without sharing; shrinking takes nodes away, small
/// structures are enumerated first, and a generator that goes on while there are fresh labels comes to its
/// end. Where no pointer at all should be simpler than one, draw an [`optional`](crate::optional) label.
///
/// Make it inside of what is filtered rather than outside: the labels that a refused try has used stay in use.
#[derive(Clone)]
pub struct Labels {
    used: Rc<Cell<usize>>,
    max: usize,
    /// Where a try may be taken back in place, which would not take back the labels it used.
    handle: Option<Handle>,
}

impl Labels {
    /// No labels yet, and at most `max` to come, for a structure that is drawn from `source`.
    ///
    /// ```
    /// use probity_core::{Labels, Source, sample, vec};
    /// let blocks = |src: &mut Source| { let labels = Labels::new(src, 5); src.draw(vec(labels, 5)) };
    /// let blocks = sample(&blocks, 7);
    /// assert!(blocks[0] == 0 && blocks.iter().all(|it| *it < 5));
    /// ```
    pub fn new(source: &mut Source, max: usize) -> Self {
        if max == 0 {
            crate::misuse("cannot draw labels of which there are none; let `Labels::new` have at least one");
        }
        Labels { used: Rc::default(), max, handle: source.try_handle() }
    }

    /// How many labels are in use: the least that is not.
    ///
    /// ```
    /// use probity_core::{Generator, Labels, Source, sample};
    /// let used = |src: &mut Source| {
    ///     let labels = Labels::new(src, 5);
    ///     (labels.used(), labels.generate(src), labels.used())
    /// };
    /// assert_eq!(sample(&used, 7), (0, 0, 1));
    /// ```
    pub fn used(&self) -> usize {
        self.used.get()
    }
}

impl fmt::Debug for Labels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Labels({} of {})", self.used(), self.max)
    }
}

impl Generator for Labels {
    type Value = usize;

    fn generate(&self, source: &mut Source) -> usize {
        let used = self.used();
        // The first label is asked for as well, so that it may change places with others.
        let label = source.pick(self.max.min(used + 1));
        if label == used {
            if let Some(handle) = &self.handle {
                handle.touch();
            }
            self.used.set(used + 1);
        }
        label
    }
}

impl Combine for Labels {}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{Bounds, Budget, Lazy, lazy, optional, search_exhaustive, search_random, vec};

    fn budget(cases: u64) -> Budget<'static> {
        let go_on = Box::leak(Box::new(|_| true));
        Budget { cases, rejects: 10, go_on, progress: Default::default() }
    }

    /// All values of a generator, each as often as it comes.
    fn all<T: fmt::Debug>(generator: impl Fn(&mut Source) -> T) -> Vec<T> {
        let mut res = Vec::new();
        let mut test = |src: &mut Source| res.push(src.draw(&generator));
        let finding = search_exhaustive(Bounds::default(), &mut test, budget(1 << 20)).unwrap();
        let reach = finding.evidence.reach.unwrap();
        assert!(reach.all && finding.failures.is_empty(), "{reach:?}");
        res
    }

    #[test]
    fn lists_of_labels_are_set_partitions() {
        for (n, bell) in (1..).zip([1, 2, 5, 15, 52, 203, 877]) {
            let partitions = all(|src| vec(Labels::new(src, n), n).generate(src));
            assert_eq!(partitions.len(), bell);
            assert_eq!(BTreeSet::from_iter(partitions).len(), bell);
        }
        let halves = all(|src| vec(Labels::new(src, 2), 5).generate(src));
        assert_eq!(halves.len(), 16, "at most two blocks");
    }

    #[test]
    fn lists_end_or_run_into_themselves() {
        for max in 1..=6 {
            let lists = all(|src| {
                let labels = Labels::new(src, max);
                labels.generate(src);
                let mut next = Vec::new();
                while next.len() < labels.used() {
                    next.push(optional(labels.clone()).generate(src));
                }
                next
            });
            for n in 1..=max {
                let shapes: BTreeSet<_> = lists.iter().filter(|it| it.len() == n).collect();
                assert_eq!(shapes.len(), n + 1, "{max} {n} {shapes:?}");
            }
            assert_eq!(lists.len(), (1..=max).map(|n| n + 1).sum::<usize>());
        }
    }

    /// Where the edges of all nodes lead, this many of each.
    type SpaceGraph = Vec<usize>;

    /// How many nodes are reached from node 0, by a walk that goes deep first.
    fn walk(degree: usize, edge: impl Fn(usize) -> usize) -> usize {
        let (mut met, mut todo) = (vec![0], vec![0]);
        while let Some(node) = todo.pop() {
            for target in (node * degree..(node + 1) * degree).map(&edge) {
                if !met.contains(&target) {
                    met.push(target);
                    todo.push(target);
                }
            }
        }
        met.len()
    }

    /// All orders of `0..n` in which 0 stays first.
    fn renamings(n: usize) -> Vec<Vec<usize>> {
        let mut res = vec![vec![0]];
        for new in 1..n {
            let insert = |old: Vec<usize>| {
                (1..=old.len()).map(move |at| [&old[..at], &[new], &old[at..]].concat()).collect::<Vec<_>>()
            };
            res = res.into_iter().flat_map(insert).collect();
        }
        res
    }

    /// All graphs that differ from this one in the names of nodes.
    fn renamed(graph: &SpaceGraph, degree: usize) -> BTreeSet<SpaceGraph> {
        let rename = |names: Vec<usize>| {
            let mut res = graph.clone();
            for (at, target) in graph.iter().enumerate() {
                res[names[at / degree] * degree + at % degree] = names[*target];
            }
            res
        };
        renamings(graph.len() / degree).into_iter().map(rename).collect()
    }

    /// The graphs of `n` nodes that are reached from node 0: of those that are renamings of each other, the
    /// least.
    fn brute_force(n: usize, degree: usize) -> Vec<SpaceGraph> {
        let (mut res, mut seen) = (Vec::new(), BTreeSet::new());
        for code in 0..n.pow((n * degree) as u32) {
            let edge = |at: usize| code / n.pow(at as u32) % n;
            if walk(degree, edge) < n {
                continue;
            }
            let graph: SpaceGraph = (0..n * degree).map(edge).collect();
            if !seen.contains(&graph) {
                let all = renamed(&graph, degree);
                res.extend(all.first().cloned());
                seen.extend(all);
            }
        }
        res
    }

    #[test]
    fn graphs_are_enumerated_once_up_to_renaming() {
        for (degree, max) in [(1, 4), (2, 3), (2, 4), (3, 2)] {
            let expected: BTreeSet<SpaceGraph> = (1..=max).flat_map(|n| brute_force(n, degree)).collect();
            let eager = all(|src| {
                let labels = Labels::new(src, max);
                labels.generate(src);
                let mut graph = SpaceGraph::new();
                while graph.len() < labels.used() * degree {
                    graph.push(labels.generate(src));
                }
                graph
            });
            let by_walk = all(|src| {
                let labels = Labels::new(src, max);
                labels.generate(src);
                let edges: Vec<Lazy<usize>> = vec(lazy(labels), max * degree).generate(src);
                let n = walk(degree, |at| *edges[at]);
                edges[..n * degree].iter().map(|it| **it).collect()
            });
            for graphs in [eager, by_walk] {
                assert_eq!(graphs.len(), expected.len(), "{degree} {max}");
                let least = graphs.iter().flat_map(|it| renamed(it, degree).pop_first());
                assert_eq!(least.collect::<BTreeSet<SpaceGraph>>(), expected);
            }
        }
    }

    #[test]
    fn a_refused_try_leaves_no_labels_behind() {
        let is_kept = |it: &Vec<usize>| it[1] == 1 && it[2] != 1;
        let inside = all(|src| src.such_that(|src| vec(Labels::new(src, 3), 3).generate(src), is_kept));
        let outside = all(|src| {
            let labels = Labels::new(src, 3);
            src.such_that(|src| vec(labels.clone(), 3).generate(src), is_kept)
        });
        assert_eq!(inside, [[0, 1, 0], [0, 1, 2]]);
        assert_eq!(outside, inside);
    }

    #[test]
    fn random_cases_run_once() {
        let mut runs = 0;
        let mut test = |src: &mut Source| {
            runs += 1;
            let labels = Labels::new(src, 4);
            src.draw(vec(labels, 0..=8));
        };
        let finding = search_random(7, &mut test, budget(100)).unwrap();
        assert_eq!((runs, finding.tally.cases), (100, 100));
    }

    #[test]
    fn no_labels_are_a_misuse() {
        let mut test = |src: &mut Source| drop(Labels::new(src, 0));
        let misuse = search_random(7, &mut test, budget(1)).unwrap_err();
        assert!(misuse.message.contains("at least one"), "{misuse:?}");
    }
}
