//! Structures with an invariant, counted.
//!
//! Every structure is drawn lazily and kept if its invariant holds. The counts are known from elsewhere; so are,
//! for some, the candidates that Korat tries: it too skips what an invariant does not read.

mod graphs;
mod lists;
mod trees;

use std::ops::RangeInclusive;

use super::{Visit, Visited, grouped, visit};
use crate::quality::table::Table;

pub(super) use trees::{Tree, is_search_tree, search_trees};

/// Structures of one kind.
struct Family {
    name: &'static str,
    sizes: RangeInclusive<u8>,
    test: fn(u8) -> Visit,
    /// How many there are of a size.
    count: fn(u8) -> u64,
    /// Candidates that Korat 1.0 tries, by size.
    korat: &'static [(u8, u64)],
}

impl Family {
    fn korat(&self, n: u8) -> Option<u64> {
        self.korat.iter().find(|it| it.0 == n).map(|it| it.1)
    }

    fn is_met(&self, n: u8, visited: &Visited) -> bool {
        visited.all
            && visited.structures == (self.count)(n)
            && self.korat(n).is_none_or(|most| visited.candidates <= most)
    }
}

pub(super) fn table() -> Table {
    let title =
        "structures drawn lazily that keep their invariant; candidates are those and what was refused";
    let columns = ["structure", "n", "structures", "candidates", "Korat's", "ms"];
    let mut table = Table::new(title, &columns);
    for family in FAMILIES {
        for n in family.sizes.clone() {
            let visited = visit(&mut (family.test)(n));
            let korat = family.korat(n);
            let cells = vec![
                family.name.to_string(),
                n.to_string(),
                grouped(visited.structures),
                grouped(visited.candidates),
                korat.map_or(String::new(), grouped),
                format!("{:.1}", visited.seconds * 1e3),
            ];
            let most = if korat.is_some() { ", no more candidates than Korat" } else { "" };
            let target = format!("{}{most}", grouped((family.count)(n)));
            table.row(cells, target, Some(family.is_met(n, &visited)));
        }
    }
    table
}

pub(super) const CATALAN: [u64; 13] = [1, 1, 2, 5, 14, 42, 132, 429, 1430, 4862, 16796, 58786, 208_012];
const BELL: [u64; 11] = [1, 1, 2, 5, 15, 52, 203, 877, 4140, 21147, 115_975];

const FAMILIES: &[Family] = &[
    Family {
        name: "search tree, keys 1..=n",
        sizes: 1..=12,
        test: trees::search_tree,
        count: |n| CATALAN[usize::from(n)],
        korat: &[(3, 133), (4, 875), (5, 6155), (6, 45_233), (7, 340_990)],
    },
    Family {
        name: "binary tree",
        sizes: 1..=11,
        test: trees::binary_tree,
        count: |n| CATALAN[usize::from(n)],
        korat: &[(3, 63), (4, 245), (5, 947), (6, 3653), (7, 14_092), (8, 54_418), (9, 210_444)],
    },
    Family {
        name: "red-black tree, black root",
        sizes: 1..=13,
        test: trees::red_black_tree,
        count: |n| [1, 1, 2, 2, 4, 8, 16, 33, 56, 90, 164, 330, 688, 1440][usize::from(n)],
        korat: &[(3, 179), (4, 961), (5, 4209), (6, 16_487), (7, 71_704), (8, 322_806)],
    },
    Family {
        name: "red-black tree, any root",
        sizes: 1..=13,
        test: trees::red_black_tree_of_any_root,
        count: |n| [1, 2, 2, 3, 8, 14, 20, 35, 64, 122, 260, 586, 1296, 2708][usize::from(n)],
        korat: &[],
    },
    Family {
        name: "AVL tree",
        sizes: 1..=14,
        test: trees::avl_tree,
        count: |n| [1, 1, 2, 1, 4, 6, 4, 17, 32, 44, 60, 70, 184, 476, 872][usize::from(n)],
        korat: &[],
    },
    Family {
        name: "closed lambda term of size n",
        sizes: 1..=10,
        test: trees::lambda_term,
        count: |n| [0, 1, 2, 4, 13, 42, 139, 506, 1915, 7558][usize::from(n) - 1],
        korat: &[],
    },
    Family {
        name: "heap array with room for n",
        sizes: 1..=7,
        test: lists::heap_array,
        count: |n| [4, 15, 66, 320, 1919, 13_139, 117_562][usize::from(n) - 1],
        korat: &[],
    },
    Family {
        name: "full max-heap array",
        sizes: 1..=8,
        test: lists::max_heap,
        count: |n| [1, 3, 14, 65, 448, 3136, 32_028, 251_922][usize::from(n) - 1],
        korat: &[],
    },
    Family {
        name: "increasing list over -n..=n",
        sizes: 1..=8,
        test: lists::increasing_list,
        count: up_to_half,
        korat: &[],
    },
    Family {
        name: "non-decreasing list over 1..=n",
        sizes: 1..=9,
        test: lists::non_decreasing_list,
        count: |n| [1, 3, 10, 35, 126, 462, 1716, 6435, 24_310][usize::from(n) - 1],
        korat: &[],
    },
    Family {
        name: "set partition",
        sizes: 1..=10,
        test: graphs::partition,
        count: |n| BELL[usize::from(n)],
        korat: &[],
    },
    Family {
        name: "singly linked list",
        sizes: 1..=9,
        test: graphs::singly_linked_list,
        count: |n| BELL[usize::from(n)],
        korat: &[(3, 44), (4, 139), (5, 518), (6, 2194), (7, 10_290)],
    },
    Family {
        name: "doubly linked list",
        sizes: 1..=9,
        test: graphs::doubly_linked_list,
        count: |n| BELL[usize::from(n)],
        korat: &[],
    },
    Family {
        name: "rooted graph, two edges a node",
        sizes: 1..=4,
        test: graphs::rooted_graph,
        count: graphs::count_rooted_graphs,
        korat: &[],
    },
];

/// The sum of binom(2n + 1, k) for k = 0..=n.
fn up_to_half(n: u8) -> u64 {
    let of = 2 * u64::from(n) + 1;
    let mut term = 1;
    let mut sum = 1;
    for k in 1..=u64::from(n) {
        term = term * (of - k + 1) / k;
        sum += term;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table is made in release; this is where the engine's arithmetic is checked.
    #[test]
    fn small_structures_are_counted() {
        for family in FAMILIES {
            for n in family.sizes.clone().take(5) {
                let visited = visit(&mut (family.test)(n));
                assert!(family.is_met(n, &visited), "{} {n}: {}", family.name, visited.structures);
            }
        }
    }
}
